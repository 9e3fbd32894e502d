"""Which span of one run is which of another: by what they were asked first, by place second."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from inspector.diff.align_contents import Contents
from inspector.diff.align_merge import merged
from inspector.diff.align_moves import moved
from inspector.diff.align_prints import Prints, digests_are_sound
from inspector.diff.align_siblings import siblings
from inspector.errors import InspectorError
from inspector.runfile.reading import without_collection
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from inspector.diff.model import Pair
    from inspector.diff.noise import NoiseRules
    from inspector.runfile.model import PipelineRun

Rows = list[tuple[int, int]]

_MOST_ROUNDS = 50
_TICKS_APART_S = 0.02


@dataclass(frozen=True, slots=True)
class Alignment:
    """Every span of both runs, side by side."""

    pairs: tuple[Pair, ...]
    """In the order of the left run; what only the right one has follows what it came after.

    The right run's own order is kept as well, but for spans that ran in another order there.
    """
    _left: dict[int, Pair]
    _right: dict[int, Pair]

    def of_left(self, row: int) -> Pair:
        """Return the pair that a row of the left run is in."""
        return self._left[row]

    def of_right(self, row: int) -> Pair:
        """Return the pair that a row of the right run is in."""
        return self._right[row]


def align(
    left: PipelineRun,
    right: PipelineRun,
    *,
    sync: Sequence[tuple[str, str]] = (),
    keys: NoiseRules | None = None,
    tick: Callable[[], None] | None = None,
) -> Alignment:
    """Return which spans of two runs are one operation.

    `align(right, left)` says the same with the sides changed.

    Args:
        left: The baseline.
        right: What it is compared with.
        sync: Spans that are to be paired whatever they look like, by id or path.
        keys: What is noise besides what always is, for whether pairs are the same.
        tick: Called some fifty times a second; what it raises ends the alignment.

    Raises:
        InspectorError: A sync point names no span, or a span twice.
        RunFileError: A file is not there any more, or not the same.

    """
    tick = _seldom(tick) if tick is not None else None
    with without_collection():
        sound = digests_are_sound(left.values) and digests_are_sound(right.values)
        first = Prints(left.values)
        second = Prints(right.values, first if sound else None)
        ones = Contents(left, first, sound=sound, tick=tick)
        twos = Contents(right, second, sound=sound, tick=tick)
        given = _sync_points(left, right, sync)
        # Always seen from the same side, so that no choice depends on which run is called left.
        if (len(ones.table), ones.digest) <= (len(twos.table), twos.digest):
            found = _paired(ones, twos, given)
        else:
            turned = _paired(twos, ones, [(two, one) for one, two in given])
            found = [(one, two) for two, one in turned]
        pairs = merged(ones, twos, found, set(given), keys)
    return Alignment(
        pairs,
        {pair.left: pair for pair in pairs if pair.left is not None},
        {pair.right: pair for pair in pairs if pair.right is not None},
    )


def _seldom(tick: Callable[[], None]) -> Callable[[], None]:
    """Pass on the first of many calls, and then one every so often."""
    last = -_TICKS_APART_S

    def pass_on() -> None:
        nonlocal last
        now = monotonic()
        if now - last >= _TICKS_APART_S:
            last = now
            tick()

    return pass_on


def _paired(left: Contents, right: Contents, given: Rows) -> Rows:
    found = list(given)
    _descend(left, right, found, [(NO_PARENT, NO_PARENT), *given])
    # What was moved can bring along what is in it, and that can hold something that was moved.
    for _ in range(_MOST_ROUNDS):
        more = moved(left, right, found)
        if not more:
            break
        found += more
        _descend(left, right, found, more)
    return found


def _descend(left: Contents, right: Contents, found: Rows, waiting: Rows) -> None:
    """Pair what is below the waiting pairs, all the way down, and add it to what was found."""
    partner = dict(found)
    behind = {two: one for one, two in found}
    waiting = list(waiting)
    while waiting:
        above, beside = waiting.pop()
        ones, twos = left.children(above), right.children(beside)
        if not ones or not twos:
            continue
        given = [(one, partner[one]) for one in ones if one in partner]
        given += [(behind[two], two) for two in twos if two in behind and behind[two] not in ones]
        for one, two in siblings(left, right, ones, twos, given):
            partner[one] = two
            behind[two] = one
            found.append((one, two))
            waiting.append((one, two))


def _sync_points(left: PipelineRun, right: PipelineRun, sync: Sequence[tuple[str, str]]) -> Rows:
    found = []
    for first, second in sync:
        found.append((_row_of(left, "left", first), _row_of(right, "right", second)))
    for side, rows in (("left", [one for one, _ in found]), ("right", [two for _, two in found])):
        if len(set(rows)) < len(rows):
            raise InspectorError(
                f"Two sync points name the same span of the {side} run.",
                hint="A span can stand beside one other only.",
            )
    return found


def _row_of(run: PipelineRun, side: str, name: str) -> int:
    row = run.table.row_of(name)
    if row is None and (span := run.at(name)) is not None:
        row = span.row
    if row is None:
        raise InspectorError(
            f"The {side} run has no span “{name}”.",
            hint="Name a span by its id or its path, as show prints them.",
        )
    return row
