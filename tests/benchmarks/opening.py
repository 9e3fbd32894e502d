"""How long it takes until the spans of a big run file can be shown, and in how much memory."""

import shutil
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.big_file import write_run
from tests.benchmarks.children import run_child
from tests.benchmarks.report import Row, limit, row, seconds, size, skipped

ROOM_FOR_PEER_BYTES = 3_000_000_000  # what orjson needs for the smaller file, with a margin


def measure(quick: bool) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="run-bench-") as name:
        folder = Path(name)
        rows = _open_big(folder, spans=20_000 if quick else 100_000, rounds=3 if quick else 5)
        rows += _against_json(folder, spans=10_000 if quick else 50_000)
        return rows


def _open_big(folder: Path, *, spans: int, rounds: int) -> list[Row]:
    path = folder / "big.run.json"
    written = write_run(path, spans=spans)
    samples: dict[str, list[dict[str, Any]]] = {"read": [], "first": [], "again": []}
    _child("open", path, folder / "warm")  # compiles the modules
    for number in range(rounds):
        cache = folder / f"cache{number}"
        samples["read"].append(_child("read", path, cache))
        samples["first"].append(_child("open", path, cache))
        samples["again"].append(_child("open", path, cache))
        shutil.rmtree(cache, ignore_errors=True)
    path.unlink()

    def middle(kind: str, field: str) -> float:
        found: float = statistics.median(sample[field] for sample in samples[kind])
        return found

    reading, first, again = (middle(kind, "seconds") for kind in samples)
    what = f"{size(written)}, {spans:,} spans"
    return [
        Row(f"read() of {what}", seconds(reading)),
        row("spans shown, first time", seconds(first), first / reading, 2.0, of="read()"),
        limit("  heap it takes", middle("first", "heap") / 1e6, 150.0, "MB"),
        limit(
            "  the first span's values after that", middle("first", "first_value") * 1e3, 50, "ms"
        ),
        limit("spans shown, again", again * 1e3, 50.0, "ms"),
        row("  against read()", seconds(again), again / reading, 0.1, of="read()"),
        row(
            "  heap it takes",
            size(middle("again", "heap")),
            _share(middle, written),
            0.1,
            of="file",
        ),
        limit(
            "  the first span's values after that", middle("again", "first_value") * 1e3, 50, "ms"
        ),
    ]


def _share(middle: Callable[[str, str], float], written: int) -> float:
    return middle("again", "heap") / written


def _against_json(folder: Path, *, spans: int) -> list[Row]:
    if _available_bytes() < ROOM_FOR_PEER_BYTES:
        return [skipped("orjson.loads of a 250 MB file", "not enough memory free")]
    path = folder / "middle.run.json"
    written = write_run(path, spans=spans)
    peer = _child("orjson", path, folder / "peer")
    ours = _child("open", path, folder / "ours")
    path.unlink()
    what = f"spans of {size(written)} shown, first time"
    ratio = ours["seconds"] / peer["seconds"]
    memory = f"{size(ours['heap'])} of heap, orjson.loads {size(peer['heap'])}"
    return [
        row(what, seconds(ours["seconds"]), ratio, 0.2, of="orjson.loads"),
        Row("  memory beside it", memory),
    ]


def _child(way: str, path: Path, cache: Path) -> dict[str, Any]:
    return run_child("child_open", way, str(path), home=path.parent, cache=cache)


def _available_bytes() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))
