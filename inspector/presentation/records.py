"""Lists of things that are alike, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inspector.presentation.previews import preview, text_preview
from inspector.presentation.value_text import message_text
from inspector.presentation.values import entries_in, is_leaf, items_in
from inspector.runfile.value import tag_of

MOST_ROWS = 5_000
"""Rows of a table. The tree has pages for the rest."""

_SAMPLE = 200
_MOST_COLUMNS = 24
_CELL = 160
_LONGEST_KEY = 300
_ABSENT = object()
_GAP = 9  # where what is not there stands


@dataclass(frozen=True, slots=True)
class Records:
    """Items with the same fields; a cell is worded when somebody looks at it."""

    columns: tuple[str, ...]
    items: Sequence[Any]
    total: int

    def __len__(self) -> int:
        return min(self.total, MOST_ROWS)

    def value(self, row: int, column: int) -> Any:
        """Return what an item holds under a column, or a mark for nothing."""
        item, name = self.items[row], self.columns[column]
        if tag_of(item) == "chat_message" and name == "content":
            return message_text(item)
        return next((part for key, part in entries_in(item) if key == name), _ABSENT)

    def words(self, row: int, column: int) -> str:
        """Return a cell on one line; a text stands there without quotes."""
        value = self.value(row, column)
        if value is _ABSENT:
            return ""
        return text_preview(value, _CELL) if isinstance(value, str) else preview(value, _CELL)

    def is_number(self, row: int, column: int) -> bool:
        return _is_number(self.value(row, column))

    def order(self, column: int, *, downwards: bool) -> list[int]:
        """Return the rows by what stands in a column: figures, then texts, gaps always last."""
        keys = [self._key(row, column) for row in range(len(self))]
        filled = [row for row in range(len(keys)) if keys[row][0] < _GAP]
        # Both ways, rows that are equal keep the order of the list.
        filled.sort(key=keys.__getitem__, reverse=downwards)
        return filled + [row for row in range(len(keys)) if keys[row][0] == _GAP]

    def _key(self, row: int, column: int) -> tuple[int, float, str]:
        value = self.value(row, column)
        if value is _ABSENT or value is None:
            return _GAP, 0.0, ""
        if _is_number(value):
            return 0, float(value), ""
        text = value if isinstance(value, str) else preview(value, _LONGEST_KEY)
        return 1, 0.0, text[:_LONGEST_KEY].casefold()


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or value != value:
        return False
    return isinstance(value, float) or (isinstance(value, int) and value.bit_length() < 512)


def records_of(value: Any) -> Records | None:
    """Return a list as a table when its items are alike.

    These are two at least, of one class, with mostly the same fields.
    """
    items = items_in(value)
    if items is None or len(items) < 2:
        return None
    sample = list(islice(items, _SAMPLE))
    if not all(isinstance(item, Mapping) and not is_leaf(item) for item in sample):
        return None
    if len({_class_of(item) for item in sample}) > 1 or items_in(sample[0]) is not None:
        return None
    names: dict[str, int] = {}
    for item in sample:
        for name, part in entries_in(item):
            # What is nothing everywhere takes up room for nothing.
            says = part is not None and (bool(part) or not isinstance(part, Mapping | list))
            names[name] = names.get(name, 0) + says
    shown = [name for name, filled in names.items() if filled]
    often = [name for name in shown if 2 * _times(name, sample) > len(sample)]
    if not often or 2 * len(often) < len(shown):
        return None
    return Records(tuple(shown[:_MOST_COLUMNS]), items, len(items))


def _times(name: str, sample: Sequence[Any]) -> int:
    return sum(any(key == name for key, _ in entries_in(item)) for item in sample)


def _class_of(item: Mapping[str, Any]) -> tuple[str | None, Any]:
    tag = tag_of(item)
    return tag, item.get("type") if tag == "object" else None
