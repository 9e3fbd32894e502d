"""Which items of two sequences are the same ones: the longest common subsequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


def matches(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return pairs of places with equal items, both rising."""
    where: dict[Hashable, int] = {}
    for place, item in enumerate(right):
        where[item] = where.get(item, 0) | 1 << place
    rows = []
    row = (1 << len(right)) - 1
    whole = row
    for item in left:
        hits = row & where.get(item, 0)
        row = (row + hits | row - hits) & whole
        rows.append(row)
    return _traced(rows, len(right))


def _traced(rows: list[int], column: int) -> list[tuple[int, int]]:
    found = []
    at = len(rows)
    while at and column:
        if rows[at - 1] >> column - 1 & 1:
            column -= 1
            continue
        at -= 1
        if at == 0 or rows[at - 1] >> column - 1 & 1:
            column -= 1
            found.append((at, column))
    return found[::-1]
