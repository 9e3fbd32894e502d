"""Which rows stay when only what a search found is shown: those, and what they happened in."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.runfile.table import SpanTable


def with_parents(table: SpanTable, matched: bytes) -> bytes:
    """Return a mask of the rows that match and of all that are around them."""
    parent = table.parent_row
    around = bytearray(len(matched))
    for nearest in set(compress(parent, matched)):
        row = nearest
        while row != NO_PARENT and not around[row]:
            around[row] = 1
            row = parent[row]
    # Of as many bytes at once as there are rows.
    kept = int.from_bytes(matched, "little") | int.from_bytes(around, "little")
    return kept.to_bytes(len(matched), "little")
