"""How long the window stands still at most while a replay of ten thousand spans streams in."""

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from tests.benchmarks.children import run_child
from tests.benchmarks.report import Row, limit, seconds, skipped

SPANS = 10_000
GOAL_MS = 50.0
TARGET = '''
    """A pipeline that makes as many spans as it is told to, as fast as it can."""

    import os

    from haystack import Pipeline, component, tracing


    @component
    class Drips:
        __haystack_side_effecting__ = False

        @component.output_types(count=int)
        def run(self, topic: str):
            count = int(os.environ.get("DROPS", "10000"))
            for _ in range(count // 10):
                with tracing.tracer.trace("pour"):
                    for number in range(9):
                        with tracing.tracer.trace(f"drop {number}"):
                            pass
            return {"count": 1}


    def watering():
        pipeline = Pipeline(metadata={"name": "watering"})
        pipeline.add_component("drips", Drips())
        return pipeline
'''
RECORD = """
    import sys

    import watering
    from inspector import record_run

    _result, run = record_run(watering.watering(), {"drips": {"topic": "beds"}})
    run.save(sys.argv[1])
"""


def measure(quick: bool) -> list[Row]:
    if importlib.util.find_spec("PySide6") is None:
        return [skipped("replay-window", "PySide6 is not installed")]
    with tempfile.TemporaryDirectory(prefix="run-bench-") as name:
        return _measure(Path(name), rounds=2 if quick else 5)


def _measure(folder: Path, rounds: int) -> list[Row]:
    (folder / "watering.py").write_text(textwrap.dedent(TARGET), encoding="utf-8")
    same, other = folder / "same.run.json", folder / "other.run.json"
    for path, drops in ((same, SPANS), (other, 10)):
        environment = {**os.environ, "DROPS": str(drops), "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", textwrap.dedent(RECORD), str(path)]
        subprocess.run(command, cwd=folder, env=environment, check=True)
    known = [_replayed(folder, same) for _round in range(rounds)]
    new = [_replayed(folder, other, "new") for _round in range(rounds)]
    idle = statistics.median(one["idle"] for one in (*known, *new))
    took = statistics.median(one["took"] for one in known)
    return [
        Row("a window at rest, longest stall of its thread", seconds(idle)),
        *_stalls(f"a replay of {known[0]['spans']:,.0f} spans streams in", known, "streaming"),
        *_stalls("  none of them in the recording", new, "streaming"),
        *_stalls("  and with its end, its result read", known, "with the end"),
        Row("  it took, first event to last", seconds(took)),
    ]


def _stalls(what: str, found: list[dict[str, float]], when: str) -> list[Row]:
    """Return the longest stall by the clock, and what this process computed in the busiest.

    On a machine with other work the clock also counts what that takes, which is why the round
    that was disturbed least is the one that speaks of us.
    """
    by_clock = min(one[when] for one in found)
    at_work = min(one[f"{when}, at work"] for one in found)
    return [
        limit(what, by_clock * 1e3, GOAL_MS, "ms"),
        Row("    of the busiest, computing", seconds(at_work)),
    ]


def _replayed(folder: Path, path: Path, *more: str) -> dict[str, float]:
    return run_child(
        "child_replay", str(folder), "watering:watering", str(path), *more, home=folder
    )
