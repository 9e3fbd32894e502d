"""Which spans of a run are to be seen at each moment while it is played."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from inspector.presentation.time_folds import UNFOLDED, TimeFolds
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from inspector.runfile.table import SpanTable

LEAST_GLOW_S = 0.2
FIT_S = 10.0
MOST_GLOWING = 500
_SECOND = 1_000_000_000


class Speed(StrEnum):
    """How fast a run is played. The values are what is said on screen."""

    HALF = "½×"
    NORMAL = "1×"
    DOUBLE = "2×"
    TEN = "10×"
    FIT = "Fit in 10 s"

    def factor(self, length_ns: int) -> float:
        """Return how much of the run goes by in as much time."""
        if self is Speed.FIT:
            return max(length_ns, 1) / (FIT_S * _SECOND)
        return _FACTORS[self]

    def stepped(self, by: int) -> Speed:
        """Return the next faster or slower one; the fastest and the slowest stay."""
        order = [speed for speed in Speed if speed is not Speed.FIT]
        if self is Speed.FIT:
            return Speed.TEN if by > 0 else Speed.NORMAL
        return order[min(max(order.index(self) + by, 0), len(order) - 1)]


_FACTORS = {Speed.HALF: 0.5, Speed.NORMAL: 1.0, Speed.DOUBLE: 2.0, Speed.TEN: 10.0}


@dataclass(frozen=True, slots=True)
class Moment:
    """What is to be seen while a run is played."""

    at_ns: int
    glowing: tuple[int, ...]  # rows; those that began last come last
    newest: int | None  # the row that began last, or went on longest
    is_over: bool


class Playback:
    """Tells of each moment of a run which spans glow.

    A span glows while it runs, and however short it was for `LEAST_GLOW_S` of the
    viewer's time. Rows are in the order in which spans began, as in the table.
    """

    def __init__(
        self,
        table: SpanTable,
        bounds: tuple[int, int] | None,
        until_ns: int,
        folds: TimeFolds = UNFOLDED,
    ) -> None:
        self._start = table.start_ns
        self._end = table.end_ns
        self._folds = folds
        self.start_ns, self.end_ns = bounds or (0, until_ns)
        # What runs is carried on from moment to moment: most spans of a run are long over.
        self._running: list[int] = []
        self._begun = 0
        self._at_ns = -1

    @property
    def length_ns(self) -> int:
        """How much there is to play: of what is folded, as much as is drawn of it."""
        drawn = self._folds.drawn
        return max(1, round(drawn(self.end_ns) - drawn(self.start_ns)))

    def later(self, at_ns: float, passed_ns: float, speed: Speed) -> float:
        """Return the moment of the run after some of the viewer's time has passed."""
        drawn = self._folds.drawn(at_ns) + passed_ns * speed.factor(self.length_ns)
        return self._folds.real(drawn)

    def moment(self, at_ns: int, speed: Speed) -> Moment:
        """Return what is to be seen when the run has got to `at_ns`."""
        glow_ns = round(LEAST_GLOW_S * _SECOND * speed.factor(self.length_ns))
        if at_ns < self._at_ns:
            self._running, self._begun = [], 0
        self._at_ns = at_ns
        start, end = self._start, self._end
        begun = bisect_right(start, min(at_ns, self.end_ns))
        self._running = [
            row
            for row in (*self._running, *range(self._begun, begun))
            if end[row] == NO_END or max(end[row], start[row] + glow_ns) >= at_ns
        ]
        self._begun = begun
        newest = begun - 1 if begun and start[begun - 1] >= self.start_ns else None
        # What began last may still have to glow when the run itself is over.
        is_over = at_ns >= self.end_ns + glow_ns
        glowing = tuple(self._running[-MOST_GLOWING:])
        return Moment(min(at_ns, self.end_ns), glowing, newest, is_over)
