"""When nothing of a run was at work, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.words import duration_words, percent_words
from inspector.runfile.idle import APPROVAL, Idle, idle_times, idle_times_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.table import SpanTable

__all__ = [
    "APPROVAL",
    "IdleGap",
    "gaps_of",
    "idle_gaps",
    "idle_ns",
    "idle_words",
    "is_mostly_idle",
]

_MOST_OF_RUN = 0.5


class IdleGap(Idle):
    """A stretch of time in which nothing worked, as it is told."""

    __slots__ = ()

    @property
    def words(self) -> str:
        """The gap in words: `waited 2 h 14 min for approval`."""
        if not self.reason:
            return f"{duration_words(self.length_ns)} idle"
        return f"waited {duration_words(self.length_ns)} {self.reason}"


def idle_gaps(table: SpanTable, until_ns: int, waits_for: Callable[[int], str]) -> list[IdleGap]:
    """Return the gaps of a run that are long enough to be worth folding, the first first."""
    return [IdleGap(*gap) for gap in idle_times(table, until_ns, waits_for)]


def gaps_of(run: PipelineRun, until_ns: int) -> list[IdleGap]:
    """Return the gaps of a run, with the reasons that its spans tell."""
    return [IdleGap(*gap) for gap in idle_times_of(run, until_ns)]


def idle_ns(gaps: Sequence[IdleGap]) -> int:
    """Return how long all of them are."""
    return sum(gap.length_ns for gap in gaps)


def is_mostly_idle(gaps: Sequence[IdleGap], until_ns: int) -> bool:
    """Say whether folding them would give more room to the rest than it has now."""
    return until_ns > 0 and idle_ns(gaps) >= until_ns * _MOST_OF_RUN


def idle_words(gaps: Sequence[IdleGap], until_ns: int) -> str:
    """Return what an offer to fold says: `36 s, 99 % idle`."""
    idle = idle_ns(gaps)
    return f"{duration_words(idle)}, {percent_words(idle, until_ns)} idle"
