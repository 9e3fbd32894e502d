"""Which stretch of time is on the screen, and where each moment of it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Below this a pixel would be a fraction of a nanosecond.
_SHORTEST_NS = 100.0
# A margin in time and not in pixels: zoomed in, bars reach the edge as what goes on should.
_MARGIN_BEFORE, _MARGIN_AFTER = 0.006, 0.01


def whole(end_ns: int) -> tuple[float, float]:
    """Return the time that shows all of a run, with some air around it."""
    return -end_ns * _MARGIN_BEFORE, end_ns * (1 + _MARGIN_AFTER)


@dataclass(frozen=True, slots=True)
class TimelineView:
    """A stretch of time shown over a number of pixels. Every change is another view.

    All painting and all mouse handling goes through `x_of` and `ns_of`: a scale that
    is not straight, as when idle time is folded away, has to change nothing else.
    """

    start_ns: float
    end_ns: float
    low_ns: float  # how far one can pan and zoom out
    high_ns: float
    width_px: int

    @classmethod
    def of_all(cls, low_ns: float, high_ns: float, width_px: int) -> TimelineView:
        """Show everything between two moments."""
        high_ns = max(high_ns, low_ns + _SHORTEST_NS)
        return cls(low_ns, high_ns, low_ns, high_ns, max(1, width_px))

    @property
    def length_ns(self) -> float:
        return self.end_ns - self.start_ns

    @property
    def ns_per_px(self) -> float:
        return self.length_ns / self.width_px

    @property
    def shows_all(self) -> bool:
        # Going somewhere and back leaves a rest that nobody can see.
        unseen = self.ns_per_px / 100
        return self.start_ns <= self.low_ns + unseen and self.end_ns >= self.high_ns - unseen

    @overload
    def x_of(self, at_ns: float) -> float: ...
    @overload
    def x_of(self, at_ns: NDArray[np.int64]) -> NDArray[np.float64]: ...
    def x_of(self, at_ns: float | NDArray[np.int64]) -> float | NDArray[np.float64]:
        """Return where a moment is, in pixels from the left edge."""
        pixels: Any = at_ns - self.start_ns
        scaled: float | NDArray[np.float64] = pixels * (self.width_px / self.length_ns)
        return scaled

    def ns_of(self, x: float) -> float:
        """Return the moment at a pixel."""
        return self.start_ns + x * self.ns_per_px

    def edges_ns(self, step_px: int = 1) -> NDArray[np.int64]:
        """Return the moments between columns of pixels, first and last edge included."""
        columns = -(-self.width_px // step_px)
        edges = self.start_ns + np.arange(columns + 1) * (step_px * self.ns_per_px)
        return edges.astype(np.int64)

    def resized(self, width_px: int) -> TimelineView:
        return replace(self, width_px=max(1, width_px))

    def bounded(self, low_ns: float, high_ns: float) -> TimelineView:
        """Keep to other limits; a view that showed all there was goes on doing so."""
        whole = TimelineView.of_all(low_ns, high_ns, self.width_px)
        if self.shows_all:
            return whole
        return replace(self, low_ns=whole.low_ns, high_ns=whole.high_ns).showing(
            self.start_ns, self.end_ns
        )

    def showing(self, start_ns: float, end_ns: float) -> TimelineView:
        """Show a stretch of time, as far as the limits allow."""
        longest = self.high_ns - self.low_ns
        length = min(max(end_ns - start_ns, _SHORTEST_NS), longest)
        middle = (start_ns + end_ns) / 2
        start = min(max(middle - length / 2, self.low_ns), self.high_ns - length)
        return replace(self, start_ns=start, end_ns=start + length)

    def zoomed(self, factor: float, at_x: float) -> TimelineView:
        """Show `factor` times as much detail; the moment at `at_x` stays where it is."""
        fixed = self.ns_of(at_x)
        share = at_x / self.width_px
        longest = self.high_ns - self.low_ns
        length = min(max(self.length_ns / factor, _SHORTEST_NS), longest)
        start = min(max(fixed - share * length, self.low_ns), self.high_ns - length)
        return replace(self, start_ns=start, end_ns=start + length)

    def panned(self, by_px: float) -> TimelineView:
        """Move along; the limits hold."""
        moved = self.start_ns + by_px * self.ns_per_px
        start = min(max(moved, self.low_ns), self.high_ns - self.length_ns)
        return replace(self, start_ns=start, end_ns=start + self.length_ns)

    def holding(self, start_ns: float, end_ns: float) -> TimelineView:
        """Show a span that is off the screen, without changing the zoom."""
        if end_ns >= self.start_ns and start_ns <= self.end_ns:
            return self
        length = self.length_ns
        if end_ns - start_ns <= length:
            middle = (start_ns + end_ns) / 2
            return self.showing(middle - length / 2, middle + length / 2)
        return self.showing(start_ns, start_ns + length)
