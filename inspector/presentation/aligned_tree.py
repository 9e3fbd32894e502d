"""The spans of two runs as one tree, with what is the same folded away.

A span that changed keeps the spans around it, so that it is never out of its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.model import Pair
    from inspector.runfile.table import SpanTable

MOST = 300


class TreeLine(NamedTuple):
    """A pair of spans, or a stretch of pairs that are the same and are not shown."""

    depth: int
    pair: Pair | None
    folded: int = 0  # how many pairs stand here; 0 for one that is shown
    changed: bool = False  # differs itself, not only inside


class AlignedTree(NamedTuple):
    """The tree, from the top."""

    lines: tuple[TreeLine, ...]
    changed: int  # pairs that differ themselves
    left_out: int  # of these, how many are not shown


def aligned_tree(
    pairs: Sequence[Pair], left: SpanTable, right: SpanTable, *, most: int = MOST
) -> AlignedTree:
    """Return the tree of two runs.

    Args:
        pairs: Every span of both, parents before what is inside them.
        left: The spans of the left run.
        right: The spans of the right run.
        most: How many pairs to show; changed ones and what is around them.

    """
    parents = _parents(pairs, left, right)
    changed = [not pair.same or pair.left is None or pair.right is None for pair in pairs]
    depths = [0] * len(pairs)
    for at, above in enumerate(parents):
        depths[at] = 0 if above is None else depths[above] + 1
    shown: set[int] = set()
    left_out = 0
    for at, differs in enumerate(changed):
        if not differs:
            continue
        around: list[int] = []
        here: int | None = at
        while here is not None and here not in shown:
            around.append(here)
            here = parents[here]
        if len(shown) + len(around) > most:
            left_out += at not in shown
        else:
            shown.update(around)
    return AlignedTree(tuple(_lines(pairs, depths, changed, shown)), sum(changed), left_out)


def _lines(
    pairs: Sequence[Pair], depths: list[int], changed: list[bool], shown: set[int]
) -> list[TreeLine]:
    lines: list[TreeLine] = []
    for at, pair in enumerate(pairs):
        if at in shown:
            lines.append(TreeLine(depths[at], pair, changed=changed[at]))
        elif lines and (last := lines[-1]).folded and depths[at] >= last.depth:
            lines[-1] = last._replace(folded=last.folded + 1)
        else:
            lines.append(TreeLine(depths[at], None, 1))
    return lines


def _parents(pairs: Sequence[Pair], left: SpanTable, right: SpanTable) -> list[int | None]:
    """Return for each pair which pair is around it: as in the left run, where that has it.

    A pair whose parent stands behind it, as when a subtree moved, has none.
    """
    of_left = {pair.left: at for at, pair in enumerate(pairs) if pair.left is not None}
    of_right = {pair.right: at for at, pair in enumerate(pairs) if pair.right is not None}
    found: list[int | None] = []
    for at, pair in enumerate(pairs):
        above = None
        if pair.left is not None:
            above = of_left.get(left.parent_row[pair.left])
        elif pair.right is not None:
            above = of_right.get(right.parent_row[pair.right])
        found.append(above if above is not None and above < at else None)
    return found
