"""Plain values written out together, by the encoder that is quickest at it.

Written here is only what comes out as Python's own `json` would write it: no number that
the two write differently, nothing that is only like a list or a dictionary, nothing large.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar

import orjson

_Part = TypeVar("_Part")

_MOST = 4_000  # values, and dozens of letters, that are written in one go
_LETTERS = 64
_DEEPEST = 16
_LEAST_INT, _MOST_INT = -(2**63), 2**64 - 1
_LEAST_FLOAT, _MOST_FLOAT = 1e-4, 1e16  # beyond these, exponents are written in two ways
_NOT_PLAIN = _MOST + 1


def plain_items(parts: Iterable[Any]) -> Iterator[tuple[list[Any], bool]]:
    """Yield the items of a list in order: many that can be written together, or one that cannot."""
    return _blocks(parts, lambda part: _weight(part, _MOST, 0))


def plain_entries(
    parts: Iterable[tuple[Any, Any]],
) -> Iterator[tuple[list[tuple[Any, Any]], bool]]:
    """Yield the entries of a dictionary likewise."""
    return _blocks(
        parts,
        lambda entry: _weight(entry[1], _MOST, 0) if type(entry[0]) is str else _NOT_PLAIN,
    )


def _blocks(
    parts: Iterable[_Part], weigh: Callable[[_Part], int]
) -> Iterator[tuple[list[_Part], bool]]:
    block: list[_Part] = []
    total = 0
    for part in parts:
        weight = weigh(part)
        if block and total + weight > _MOST:
            yield block, True
            block, total = [], 0
        if weight > _MOST:
            yield [part], False
        else:
            block.append(part)
            total += weight
    if block:
        yield block, True


def written_plain(value: list[Any] | dict[str, Any], margin: str) -> str | None:
    """Return what stands between the brackets of a plain value; None where it cannot be written.

    Args:
        value: What was called plain above, in a list or a dictionary that is not empty.
        margin: The line break and the blanks before each entry.

    """
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return None  # half of a character, which other encoders write
    # A bracket and a line break with two blanks; a line break and a bracket.
    return text[4:-2].replace("\n  ", margin)


def _weight(value: Any, most: int, depth: int) -> int:
    """Return about how much there is to write; more than `most` where that is too much."""
    kind = type(value)
    if kind is str:
        return 1 + len(value) // _LETTERS
    if kind not in (dict, list):
        return 1 if _is_plain_leaf(value) else _NOT_PLAIN
    if depth > _DEEPEST or len(value) > most:
        return _NOT_PLAIN
    parts: Collection[Any] = value
    total = 1
    if kind is dict:
        if set(map(type, value)) - {str}:
            return _NOT_PLAIN
        parts = value.values()
        total += sum(map(len, value)) // _LETTERS
    if set(map(type, parts)) == {str}:
        return total + len(parts) + sum(map(len, parts)) // _LETTERS
    for part in parts:
        total += _weight(part, most - total, depth + 1)
        if total > most:
            return _NOT_PLAIN
    return total


def _is_plain_leaf(value: Any) -> bool:
    if isinstance(value, bool) or value is None:
        return True
    if type(value) is int:
        return _LEAST_INT <= value <= _MOST_INT
    return type(value) is float and (not value or _LEAST_FLOAT <= abs(value) < _MOST_FLOAT)
