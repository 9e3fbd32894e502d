"""Copies of plain data, which can be compared in one step and encoded later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import INLINE_CHARS, LARGEST_INT, bytes_tree, odd_float
from inspector.runfile.compact import big_integer
from inspector.runfile.interned import Deferred
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable

LEAVES = frozenset({str, int, float, bool, type(None), bytes})
"""What cannot change, and whose comparison runs no code of the host."""


class NotPlainError(Exception):
    """There is something else than plain containers and plain leaves."""


def plain_copy(item: Any) -> Any:
    """Return a copy of plain containers around plain leaves.

    Raises:
        NotPlainError: There is something else in it.

    """
    kind = type(item)
    if kind in LEAVES:
        return item
    if kind is dict:
        if not LEAVES.issuperset(map(type, item)):
            raise NotPlainError
        copy = item.copy()
        for key, inner in copy.items():
            if type(inner) not in LEAVES:
                copy[key] = plain_copy(inner)
        return copy
    if kind is list:
        return [plain_copy(inner) for inner in item]
    if kind is tuple:
        return tuple([plain_copy(inner) for inner in item])
    raise NotPlainError


def plain_tree(item: Any, text: Callable[[str], Any]) -> Any:
    """Return the value tree of what `plain_copy` returned; on whichever thread."""
    kind = type(item)
    if kind is str:
        return item if len(item) <= INLINE_CHARS else text(item)
    if kind is int:
        return item if -LARGEST_INT <= item <= LARGEST_INT else big_integer(item)
    if kind is float:
        return item if item - item == 0.0 else odd_float(item)
    if kind is dict:
        if any(type(key) is not str or key[:1] == TAG for key in item):
            pairs = [
                [plain_tree(key, text), plain_tree(inner, text)] for key, inner in item.items()
            ]
            return {TAG: "dict", "items": pairs}
        return {key: plain_tree(inner, text) for key, inner in item.items()}
    if kind is list:
        return [plain_tree(inner, text) for inner in item]
    if kind is tuple:
        return {TAG: "tuple", "items": [plain_tree(inner, text) for inner in item]}
    return Deferred(bytes_tree, item) if kind is bytes else item
