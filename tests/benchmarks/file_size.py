"""How much a run takes on disk, beside OpenTelemetry's spans, and how it grows."""

from collections.abc import Callable

from tests.benchmarks import workloads
from tests.benchmarks.ours import Recorded
from tests.benchmarks.peers import OpenTelemetry
from tests.benchmarks.recording_cost import HAS_OTEL
from tests.benchmarks.report import Row, row, size, skipped
from tests.benchmarks.workloads import Workload

GOALS: tuple[tuple[Callable[[], Workload], float], ...] = (
    (workloads.rag_100, 1 / 3),
    (workloads.agent_20, 1 / 9),
    (workloads.agent_100, 1 / 28),
)


def measure(quick: bool) -> list[Row]:
    rows = []
    for make, goal in GOALS:
        work = make()
        ours = _bytes(work, Recorded())
        if not HAS_OTEL:
            rows.append(skipped(f"{work.name}, {size(ours)}", "opentelemetry-sdk is not installed"))
            continue
        theirs = _bytes(work, OpenTelemetry())
        what = f"{work.name}, bytes a run"
        figure = f"{size(ours)} (OpenTelemetry {size(theirs)})"
        rows.append(row(what, figure, ours / theirs, goal, of="OpenTelemetry"))
    return [*rows, *_growth()]


def _growth() -> list[Row]:
    """Compare what a turn adds to a long conversation with what it adds to a short one."""
    held = {turns: _bytes(workloads.agent(turns), Recorded()) for turns in (25, 50, 100)}
    early = (held[50] - held[25]) / 25
    late = (held[100] - held[50]) / 50
    figure = f"{size(early)} a turn up to 50, {size(late)} up to 100"
    return [
        Row("agent of 50 turns, file", size(held[50])),
        row("  a later turn against an earlier one", figure, late / early, 1.1, of="it"),
    ]


def _bytes(work: Workload, mode: Recorded | OpenTelemetry) -> int:
    mode.start(work.target)
    try:
        work.run()
        return mode.size_of_runs()
    finally:
        mode.stop()
