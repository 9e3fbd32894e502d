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
PAGES = {"html": ".html", "markdown": ".md", "card": ".svg"}


def commands(file: str, friend: str, stem: Path) -> dict[str, list[str]]:
    return {
        "show": ["show", file],
        "show --values": ["show", file, "--values"],
        "show --json": ["show", file, "--json"],
        "show --span": ["show", file, "--span", "s5"],
        "check": ["check", file],
        "cost": ["cost", file, "--explain"],
        "diff": ["diff", file, friend],
        "verify": ["verify", file],
        **{
            f"export {kind}": ["export", file, "--as", kind, "-o", f"{stem}{ending}"]
            for kind, ending in PAGES.items()
        },
    }


def _written(stem: Path) -> dict[str, str]:
    places = {kind: Path(f"{stem}{ending}") for kind, ending in PAGES.items()}
    return {kind: str(place) for kind, place in places.items() if place.exists()}


def main(job: dict[str, Any]) -> None:
    from inspector.cli.main import main as run

    answers = sys.stdout
    bait = Bait(job["bait"][0], Path(job["bait"][1]))
    output = Path(job["output"])
    watch = Watch(bait, [Path(job["friend"])], [output])
    bounded(4 * GIB, 300)
    for at, file in enumerate(job["files"]):
        watch.reading = os.path.realpath(file)
        stem = output / str(at)
        said: dict[str, Any] = {}
        began = time.process_time()
        for title, arguments in commands(file, job["friend"], stem).items():
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
        told = {"file": file, "said": said, "pages": _written(stem),
                "did": watch.taken(), "peak": peak_bytes(),
                "seconds": time.process_time() - began}  # fmt: skip
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    main(json.loads(sys.stdin.read()))
