"""What a benchmark hands back, and the one table that all of it is printed in."""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

REACHED, MISSED, PLAIN, SKIPPED = "reached", "missed", "", "skipped"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure, what it is compared with, and the goal it has to meet."""

    what: str
    figure: str
    ratio: str = ""
    goal: str = ""
    verdict: str = PLAIN


def row(what: str, figure: str, ratio: float, goal: float, *, of: str) -> Row:
    """Return a row whose ratio has to stay at or below `goal`; `of` names the other side."""
    verdict = REACHED if ratio <= goal else MISSED
    return Row(what, figure, f"{ratio:.3g} x {of}", f"<= {goal:.3g}", verdict)


def limit(what: str, value: float, goal: float, unit: str, *, beside: str = "") -> Row:
    """Return a row whose figure itself has to stay at or below `goal`; `beside` is told, too."""
    verdict = REACHED if value <= goal else MISSED
    return Row(what, f"{value:.4g} {unit}", beside, f"<= {goal:.4g} {unit}", verdict)


class Took(NamedTuple):
    """How long something took, in ms: of its thread's processor time, and by the clock."""

    worked: float
    clock: float


def took(work: Callable[[], object]) -> Took:
    """Do something, and return how long that took."""
    began, worked = time.perf_counter(), time.thread_time()
    work()
    return Took((time.thread_time() - worked) * 1e3, (time.perf_counter() - began) * 1e3)


def answered(what: str, times: Sequence[Took], goal_ms: float) -> Row:
    """Return a row for something that happens in one thread.

    What counts is the processor's time: others may have the machine, and a thread that
    paints waits for nothing. The clock is told beside it.
    """
    clock = statistics.median(each.clock for each in times)
    worked = statistics.median(each.worked for each in times)
    return limit(what, worked, goal_ms, "ms", beside=f"{clock:.4g} ms by the clock")


def skipped(what: str, why: str) -> Row:
    return Row(what, why, verdict=SKIPPED)


def seconds(value: float) -> str:
    """Write a time with the unit it is read best in."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e6:.3g} us"


def size(count: float) -> str:
    for unit, scale in (("MB", 1e6), ("kB", 1e3)):
        if count >= scale:
            return f"{count / scale:.3g} {unit}"
    return f"{count:.0f} B"


def medians(samples: dict[str, list[float]]) -> dict[str, float]:
    return {key: statistics.median(values) for key, values in samples.items() if values}


def table(rows: Iterable[Row]) -> str:
    """Lay the rows out for a terminal, columns as wide as what stands in them."""
    lines = [("", "measured", "ratio", "goal", ""), *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(row: Row) -> Sequence[str]:
    return (row.what, row.figure, row.ratio, row.goal, row.verdict)


Benchmark = Callable[[bool], list[Row]]  # from `quick`
