"""Which rows stay when only what a search found is shown: those, and what they happened in."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inspector.runfile.table import SpanTable

_FEW = 0.25  # of all rows
_TURNED = bytes([1, *[0] * 255])


def with_parents(table: SpanTable, matched: bytes) -> bytes:
    """Return a mask of the rows that match and of all that are around them."""
    around = bytearray(len(matched))
    for nearest in _nearest_around(table, matched):
        row = nearest
        while row != NO_PARENT and not around[row]:
            around[row] = 1
            row = table.parent_row[row]
    # Of as many bytes at once as there are rows.
    kept = int.from_bytes(matched, "little") | int.from_bytes(around, "little")
    return kept.to_bytes(len(matched), "little")


def _nearest_around(table: SpanTable, matched: bytes) -> Iterable[int]:
    """Return what something that matches happened right inside of, but for what matches."""
    others = matched.count(0)
    if others > _FEW * len(matched):
        return set(compress(table.parent_row, matched))
    # Where most match, it is quicker to look into the few that do not.
    rows = compress(range(len(matched)), matched.translate(_TURNED))
    return (row for row in rows if any(map(matched.__getitem__, table.children(row))))
