"""Opens one file in a fresh process, and says how long it took and what it holds.

python -m tests.benchmarks.child_open read|open|orjson FILE
"""

import json
import sys
import time
from pathlib import Path
from typing import Any


def anonymous_bytes() -> int:
    """Return the heap of this process: memory that no file stands behind."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    return 0


def peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def read(path: str) -> dict[str, Any]:
    begun = time.perf_counter()
    with Path(path).open("rb") as file:
        size = len(file.read())
    return {"seconds": time.perf_counter() - begun, "size": size}


def read_json(path: str) -> dict[str, Any]:
    import orjson

    before = anonymous_bytes()
    begun = time.perf_counter()
    tree = orjson.loads(Path(path).read_bytes())
    took = time.perf_counter() - begun
    return {"seconds": took, "heap": anonymous_bytes() - before, "spans": len(tree["spans"])}


def open_run(path: str) -> dict[str, Any]:
    """Open the run, show its first spans as a list would, then read one span's values."""
    from inspector.runfile.load import load_run

    before = anonymous_bytes()
    begun = time.perf_counter()
    run = load_run(path)
    shown = [(span.name, span.start_ns, span.status) for span in run.spans[:60]]
    took = time.perf_counter() - begun
    begun = time.perf_counter()
    value = run.spans[1].inputs
    first_value = time.perf_counter() - begun
    if not shown or not value or len(run.problems):
        raise SystemExit(f"The file did not open as it should: {run.problems[:3]}")
    return {
        "seconds": took,
        "first_value": first_value,
        "heap": anonymous_bytes() - before,
        "peak": peak_bytes(),
        "spans": len(run.spans),
    }


if __name__ == "__main__":
    ways = {"read": read, "open": open_run, "orjson": read_json}
    sys.stdout.write(json.dumps(ways[sys.argv[1]](sys.argv[2])))
