"""Which span of one run is which of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.diff.model import Pair, Pairing
from inspector.diff.sequences import matches
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from inspector.runfile.model import PipelineRun


@dataclass(frozen=True, slots=True)
class Alignment:
    """Every span of both runs, side by side."""

    pairs: tuple[Pair, ...]
    """In the order of the left run; what only the right one has follows what it came after."""
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
    keys: Callable[[Any], Any] | None = None,
) -> Alignment:
    """Return which spans of two runs are one operation.

    Args:
        left: The baseline.
        right: What it is compared with.
        sync: Ids of spans that are to be paired, whatever they look like.
        keys: Takes a value tree and returns what of it counts, such as `NoiseRules.strip`.

    """
    other: dict[int, tuple[int, Pairing]] = {}
    taken: set[int] = set()

    def pair(one: int, two: int, how: Pairing) -> None:
        other[one] = (two, how)
        taken.add(two)

    for one_id, two_id in sync:
        one, two = left.table.row_of(one_id), right.table.row_of(two_id)
        if one is not None and two is not None and one not in other and two not in taken:
            pair(one, two, Pairing.MANUAL)
    counts = keys or (lambda tree: tree)
    asked = _asked(left, counts), _asked(right, counts)
    families = [(NO_PARENT, NO_PARENT), *((one, two) for one, (two, _) in other.items())]
    while families:
        above, beside = families.pop()
        for rank in range(2):
            ones = [row for row in left.table.children(above) if row not in other]
            twos = [row for row in right.table.children(beside) if row not in taken]
            how = Pairing.PLACE if rank else Pairing.EXACT
            for one, two in matches(
                [asked[0][row][rank:] for row in ones], [asked[1][row][rank:] for row in twos]
            ):
                pair(ones[one], twos[two], how)
                families.append((ones[one], twos[two]))
    return _merged(left, right, other, counts)


def _asked(run: PipelineRun, counts: Callable[[Any], Any]) -> list[tuple[Hashable, ...]]:
    prints = Fingerprints(run.values.get)
    return [(prints.of(counts(span.inputs)), span.kind, span.name) for span in run.spans]


def _merged(
    left: PipelineRun,
    right: PipelineRun,
    other: dict[int, tuple[int, Pairing]],
    counts: Callable[[Any], Any],
) -> Alignment:
    seen = {two: one for one, (two, _) in other.items()}
    prints = (
        Fingerprints(left.values.get),
        Fingerprints(right.values.get),
    )

    def said(side: int, run: PipelineRun, row: int) -> tuple[object, ...]:
        span = run.spans[row]
        trees = span.inputs, span.outputs
        return span.status, *(prints[side].of(counts(tree)) for tree in trees)

    inside: dict[int, bool] = {}
    for one in reversed(range(len(left.table))):
        two = other[one][0] if one in other else None
        inside[one] = (
            two is not None
            and said(0, left, one) == said(1, right, two)
            and all(inside[child] for child in left.table.children(one))
            and all(child in seen for child in right.table.children(two))
        )
    after: dict[int, list[int]] = {}
    before = -1
    for two in range(len(right.table)):
        if two in seen:
            before = seen[two]
        else:
            after.setdefault(before, []).append(two)
    pairs: list[Pair] = []
    for one in range(-1, len(left.table)):
        if one in other:
            two, how = other[one]
            same = said(0, left, one) == said(1, right, two)
            pairs.append(Pair(one, two, how, same, same and inside[one]))
        elif one >= 0:
            pairs.append(Pair(one, None, Pairing.ALONE, same=False, same_inside=False))
        pairs += [Pair(None, two, Pairing.ALONE, False, False) for two in after.get(one, ())]
    return Alignment(
        tuple(pairs),
        {pair.left: pair for pair in pairs if pair.left is not None},
        {pair.right: pair for pair in pairs if pair.right is not None},
    )
