"""Runs commands on files in one process, and tells what they said and did.

    python -m tests.hostile.cli_program JOB

The job is JSON: `files`, `friend`, `bait` (url, folder), `output`. The answer goes to
standard output, a line of JSON for each file.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from tests.hostile.watching import Watch, bounded, peak_bytes
from tests.hostile.words import Bait

GIB = 2**30


def commands(file: str, friend: str, page: Path) -> dict[str, list[str]]:
    return {
        "show": ["show", file],
        "show --values": ["show", file, "--values"],
        "show --json": ["show", file, "--json"],
        "show --span": ["show", file, "--span", "s5"],
        "check": ["check", file],
        "cost": ["cost", file, "--explain"],
        "diff": ["diff", file, friend],
        "verify": ["verify", file],
        "export": ["export", file, "--as", "html", "-o", str(page)],
    }


def main(job: dict[str, Any]) -> None:
    from inspector.cli.main import main as run

    answers = sys.stdout
    bait = Bait(job["bait"][0], Path(job["bait"][1]))
    output = Path(job["output"])
    watch = Watch(bait, [Path(job["friend"])], [output])
    bounded(4 * GIB, 300)
    for at, file in enumerate(job["files"]):
        watch.reading = os.path.realpath(file)
        page = output / f"{at}.html"
        said: dict[str, Any] = {}
        began = time.process_time()
        for title, arguments in commands(file, job["friend"], page).items():
            out = [io.TextIOWrapper(io.BytesIO(), "utf-8", errors="surrogatepass") for _ in (1, 2)]
            sys.stdout, sys.stderr = out
            try:
                code = run(arguments)
            finally:
                sys.stdout, sys.stderr = answers, sys.__stderr__
            texts = []
            for each in out:
                each.flush()
                texts.append(each.buffer.getvalue().decode("utf-8", "surrogatepass"))  # type: ignore[attr-defined]
            said[title] = [code, *texts]
        told = {"file": file, "said": said, "page": str(page) if page.exists() else None,
                "did": watch.taken(), "peak": peak_bytes(),
                "seconds": time.process_time() - began}  # fmt: skip
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    main(json.loads(sys.stdin.read()))
