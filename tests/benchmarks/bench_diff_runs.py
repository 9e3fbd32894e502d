"""How long a whole comparison takes, from two open runs to what is said of them."""

import gc
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.diff.compare import diff_runs
from inspector.diff.model import Comparison
from inspector.runfile.load import load_run
from tests.benchmarks.bench_diff_text import EDITS, edited, prose
from tests.benchmarks.made_runs import agent_file, flat_file, prompt_file
from tests.benchmarks.report import Row, limit

STEPS = 3_333  # of three spans each
SPANS = 10_000
_TICK_S = 0.005

Make = Callable[[], tuple[bytes, bytes]]


def measure(quick: bool) -> list[Row]:
    """Return how long comparisons take, how long they hold up a window, and the first of all."""
    rounds = 3 if quick else 7
    rows = []
    with TemporaryDirectory() as folder:
        for what, (make, goal_ms) in CASES.items():
            files = written(make(), Path(folder))
            took = statistics.median(compared(files)[0] for _ in range(rounds)) * 1e3
            rows.append(limit(f"compared: {what}", took, goal_ms, "ms"))
            stall = min(longest_stall(files) for _ in range(rounds)) * 1e3
            rows.append(limit("  longest wait of a window meanwhile", stall, 100, "ms"))
            if what == FIRST:
                first = statistics.median(in_a_new_process(files) for _ in range(rounds)) * 1e3
                rows.append(limit("  the first of a process, with imports", first, goal_ms, "ms"))
    return rows


def _edits(count: int, among: int) -> Collection[int]:
    return set(random.Random(5).sample(range(among), count))


def _agents(edits: int = 0, *, seed: int = 1, extra: int = -1) -> tuple[bytes, bytes]:
    chosen = _edits(edits, STEPS)
    return (
        agent_file(STEPS, seed=1),
        agent_file(STEPS, seed=seed, edited=chosen, extra=extra),
    )


def _flat(
    spans: int, size: int, edits: int, *, extra: int = -1, names: int = 7
) -> tuple[bytes, bytes]:
    chosen = _edits(edits, spans)
    return (
        flat_file(spans, size=size, names=names),
        flat_file(spans, size=size, edited=chosen, extra=extra, names=names),
    )


def _prompts(ends: str) -> tuple[bytes, bytes]:
    sentences = prose(2_000_000, ends)
    return prompt_file("".join(sentences)), prompt_file("".join(edited(sentences, EDITS)))


FIRST = "an agent of 10,000 spans, other call ids"
CASES: dict[str, tuple[Make, float]] = {
    "two runs of 10 MB, 200 edits": (lambda: _flat(4_000, 1_200, EDITS), 500),
    FIRST: (lambda: _agents(seed=2), 1_000),
    "the same, 1 call edited": (lambda: _agents(1, seed=2), 1_000),
    "the same, 100 calls edited": (lambda: _agents(100, seed=2), 1_000),
    "the same, one step more": (lambda: _agents(extra=10, seed=2), 1_000),
    "a pipeline of 10,000 spans, equal": (lambda: _flat(SPANS, 300, 0), 1_000),
    "the same, 200 edits": (lambda: _flat(SPANS, 300, EDITS), 1_000),
    "a loop of two, 10,000 spans, a turn more": (
        lambda: _flat(SPANS, 300, EDITS, extra=5_000, names=2),
        1_000,
    ),
    "a prompt of 2 MB in lines, 200 edits": (lambda: _prompts("\n"), 200),
    "a prompt of 2 MB in one line, 200 edits": (lambda: _prompts(" "), 200),
}


def written(runs: tuple[bytes, bytes], folder: Path) -> tuple[Path, Path]:
    """Return the files that two runs were written to."""
    files = folder / "left.run.json", folder / "right.run.json"
    for file, run in zip(files, runs, strict=True):
        file.write_bytes(run)
    return files


def compared(files: tuple[Path, Path]) -> tuple[float, Comparison]:
    """Return the seconds of one core that a comparison took, and what it said."""
    # Read anew: what one comparison decoded must not serve the next.
    left, right = (load_run(file, use_cache=False) for file in files)
    gc.collect()
    began = time.process_time()
    comparison = diff_runs(left, right)
    return time.process_time() - began, comparison


def longest_stall(files: tuple[Path, Path]) -> float:
    """Return by how many seconds a timer of a window is late at most, meanwhile."""
    left, right = (load_run(file, use_cache=False) for file in files)
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)  # as the window has it
    worker = threading.Thread(target=diff_runs, args=(left, right))
    late = 0.0
    try:
        worker.start()
        while worker.is_alive():
            began = time.perf_counter()
            time.sleep(_TICK_S)
            late = max(late, time.perf_counter() - began - _TICK_S)
    finally:
        worker.join()
        sys.setswitchinterval(before)
    return late


_CHILD = """
import time
began = time.process_time()
from inspector.diff.compare import diff_runs
from inspector.runfile.load import load_run
left, right = (load_run(file, use_cache=False) for file in {files!r})
diff_runs(left, right)
print(time.process_time() - began)
"""


def in_a_new_process(files: tuple[Path, Path]) -> float:
    """Return the seconds of one core from nothing imported to what is said of two files."""
    code = _CHILD.format(files=[str(file) for file in files])
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ
    )
    return float(done.stdout)
