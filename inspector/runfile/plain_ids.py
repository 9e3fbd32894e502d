"""Spans called s1, s2, s3 and so on: then an id is a row, and neither has to be kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Sequence

_REMEMBERED = 2**16
_LONGEST = 12
_LAST_DIGITS = [f"{number:03}" for number in range(1_000)]


class OutOfOrderError(Exception):
    """The ids of a file are not s1, s2, ... with every parent before its children."""


class PlainRows(dict[str | None, int]):
    """The rows of the latest spans called s1, s2, ...; those of older ones are worked out."""

    def __init__(self) -> None:
        super().__init__({None: NO_PARENT})

    def __missing__(self, parent: str | None) -> int:
        number = parent[1:] if parent and len(parent) < _LONGEST else ""
        row = int(number) - 1 if number.isascii() and number.isdigit() else -1
        if parent != f"s{row + 1}" or row < 0:
            raise OutOfOrderError
        self[parent] = row
        return row

    def remember(self, ids: Sequence[str], rows: range) -> None:
        """Take up a block of spans, forgetting the others when they become many."""
        if len(self) > _REMEMBERED:
            self.clear()
            self[None] = NO_PARENT
        self.update(zip(ids, rows, strict=True))


def plain_ids(first: int, end: int) -> str:
    """Return s1,s2,s3 and so on, as one text."""
    pieces = []
    while first < end:
        stop = min(end, first - first % 1_000 + 1_000)
        if first < 1_000:
            pieces += [f"s{number}" for number in range(first, stop)]
        else:
            # A thousand numbers differ in their last three digits only.
            head = f"s{first // 1_000}"
            offset = first % 1_000
            pieces.append(head + f",{head}".join(_LAST_DIGITS[offset : offset + stop - first]))
        first = stop
    return ",".join(pieces)
