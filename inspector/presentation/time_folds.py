"""Time with some of it folded: the same moments, nearer to each other."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.ticks import Tick, axis_ticks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inspector.presentation.idle_gaps import IdleGap

# A folded gap is as wide as this share of the time that is not folded.
_GAP_SHARE = 0.07
_ALL_GAPS_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class TimeFolds:
    """Where each moment of a run is drawn.

    Between two knots the scale is straight. `real_ns` and `drawn_ns` are as long as each
    other and rise; before the first and after the last knot nothing is folded.
    """

    gaps: tuple[IdleGap, ...]
    real_ns: tuple[float, ...]
    drawn_ns: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.gaps)

    def drawn(self, at_ns: float) -> float:
        """Return where a moment of the run is drawn."""
        return _mapped(at_ns, self.real_ns, self.drawn_ns)

    def real(self, drawn_ns: float) -> float:
        """Return which moment of the run is drawn there."""
        return _mapped(drawn_ns, self.drawn_ns, self.real_ns)

    def gap_at(self, drawn_ns: float) -> IdleGap | None:
        """Return the folded gap that is drawn at a place."""
        return next((gap for gap, low, high in self.bands() if low <= drawn_ns <= high), None)

    def bands(self) -> Iterator[tuple[IdleGap, float, float]]:
        """Yield each folded gap with where it is drawn, from and to."""
        for gap in self.gaps:
            yield gap, self.drawn(gap.start_ns), self.drawn(gap.end_ns)


UNFOLDED = TimeFolds((), (0.0,), (0.0,))


def fold(gaps: Iterable[IdleGap], until_ns: int) -> TimeFolds:
    """Fold gaps that do not overlap, in their order, of a run that ends at `until_ns`."""
    folded = tuple(gaps)
    if not folded:
        return UNFOLDED
    busy = max(1, until_ns - sum(gap.length_ns for gap in folded))
    wide = busy * min(_GAP_SHARE, _ALL_GAPS_SHARE / len(folded))
    real, drawn = [0.0], [0.0]
    for gap in folded:
        for at_ns, step in (
            (gap.start_ns, gap.start_ns - real[-1]),
            (gap.end_ns, min(wide, gap.length_ns)),
        ):
            if at_ns > real[-1]:
                drawn.append(drawn[-1] + step)
                real.append(float(at_ns))
    return TimeFolds(folded, tuple(real), tuple(drawn))


def folded_ticks(folds: TimeFolds, start_ns: float, end_ns: float, most: int) -> list[Tick]:
    """Return marks at round times for a stretch as it is drawn; none stand in folded gaps.

    Args:
        folds: What is folded.
        start_ns: Where the axis begins, as drawn.
        end_ns: Where it ends, as drawn.
        most: How many marks with words there is room for.

    """
    if not folds:
        return axis_ticks(start_ns, end_ns, most)
    ticks: list[Tick] = []
    begin = start_ns
    for low, high in [*((low, high) for _, low, high in folds.bands()), (end_ns, end_ns)]:
        stop = min(low, end_ns)
        if stop > begin:
            share = (stop - begin) / (end_ns - start_ns)
            real = folds.real(begin)
            found = axis_ticks(real, real + stop - begin, max(1, int(most * share)))
            ticks += [Tick(round(folds.drawn(tick.at_ns)), tick.words) for tick in found]
        begin = max(begin, high)
    return ticks


def _mapped(at: float, from_: tuple[float, ...], to: tuple[float, ...]) -> float:
    place = bisect_right(from_, at)
    if place == 0:
        return to[0] + at - from_[0]
    if place == len(from_):
        return to[-1] + at - from_[-1]
    low, high = from_[place - 1], from_[place]
    share = (at - low) / (high - low)
    return to[place - 1] + share * (to[place] - to[place - 1])
