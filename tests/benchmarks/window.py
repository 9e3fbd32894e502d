"""How long it takes until the window is painted, beside a bare PySide6 window."""

import importlib.util
import shutil
import statistics
import tempfile
from pathlib import Path

from tests.benchmarks.big_file import write_run
from tests.benchmarks.children import run_child
from tests.benchmarks.report import Row, limit, row, seconds, size, skipped


def measure(quick: bool) -> list[Row]:
    if importlib.util.find_spec("PySide6") is None:
        return [skipped("window", "PySide6 is not installed")]
    with tempfile.TemporaryDirectory(prefix="run-bench-") as name:
        return _measure(Path(name), rounds=5 if quick else 11)


def _measure(folder: Path, rounds: int) -> list[Row]:
    path = folder / "ten-thousand.run.json"
    written = write_run(path, spans=10_000, value_bytes=1000)
    samples: dict[str, list[float]] = {
        "bare": [],
        "empty": [],
        "painted": [],
        "tree": [],
        "first": [],
        "tree again": [],
        "again": [],
    }
    _start(folder, "ours", str(path))  # compiles the modules and fills the page cache
    for _round in range(rounds):
        samples["bare"].append(_start(folder, "bare")["window"])
        samples["empty"].append(_start(folder, "ours")["window"])
        shutil.rmtree(folder / "cache", ignore_errors=True)
        first = _start(folder, "ours", str(path))
        samples["painted"].append(first["window"])
        samples["tree"].append(first["tree"] - first["window"])
        samples["first"].append(first["run"] - first["window"])
        again = _start(folder, "ours", str(path))
        samples["tree again"].append(again["tree"] - again["window"])
        samples["again"].append(again["run"] - again["window"])
    middle = {name: statistics.median(times) for name, times in samples.items()}
    bare = middle["bare"]
    what = f"10,000 spans ({size(written)}) listed after the window"
    return [
        Row("bare PySide6 window, start to first paint", seconds(bare)),
        row("our window", seconds(middle["empty"]), middle["empty"] / bare, 1.5, of="bare"),
        row(
            "  with a file to open",
            seconds(middle["painted"]),
            middle["painted"] / bare,
            1.5,
            of="bare",
        ),
        limit(what, middle["tree"] * 1e3, 200.0, "ms"),
        limit("  and on the timeline", middle["first"] * 1e3, 200.0, "ms"),
        limit("  the second time", middle["tree again"] * 1e3, 200.0, "ms"),
        limit("  and on the timeline", middle["again"] * 1e3, 200.0, "ms"),
    ]


def _start(folder: Path, *arguments: str) -> dict[str, float]:
    """Start a window in a process of its own; return seconds since the start, by event."""
    times = run_child("child_window", *arguments, home=folder)
    begun = times.pop("begun")
    return {event: at - begun for event, at in times.items()}
