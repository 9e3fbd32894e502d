"""Which rows stay when only what a search found is shown: those, and what they happened in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.runfile.table import SpanTable


def with_parents(table: SpanTable, matched: bytes) -> bytes:
    """Return a mask of the rows that match and of all that are around them."""
    parent = table.parent_row
    kept = bytearray(matched)
    row = matched.find(1)
    while row >= 0:
        above = parent[row]
        while above != NO_PARENT and not kept[above]:
            kept[above] = 1
            above = parent[above]
        row = matched.find(1, row + 1)
    return bytes(kept)
