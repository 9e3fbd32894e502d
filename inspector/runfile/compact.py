"""Value trees as compact JSON, whatever stands in them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import orjson

from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST_INT = 2**53
_DEEPEST = 120  # orjson gives up at 254 levels, and a tag may add two for each of ours
_MOST_DIGITS = 4_000


def compact(tree: Any, default: Callable[[Any], Any]) -> bytes:
    """Return a tree as JSON; `default` stands in for what is not JSON by itself."""
    try:
        return orjson.dumps(tree, default)
    except (TypeError, ValueError, RecursionError):
        return orjson.dumps(_mended(tree, 0), default)


def _mended(tree: Any, level: int) -> Any:
    """Return a copy in which every leaf is one that JSON can say.

    Strings are not looked at while they are captured, for that would take as long as
    copying them, so the rare one that is not valid Unicode is found here.
    """
    kind = type(tree)
    if kind is str:
        return _text(tree)
    if kind is int:
        return _integer(tree)
    if kind is float:
        return tree if tree - tree == 0.0 else {TAG: "float", "value": repr(tree)}
    if kind is list or kind is tuple:
        if level > _DEEPEST:
            return _too_deep("list", tree)
        return [_mended(item, level + 1) for item in tree]
    if kind is dict:
        return _too_deep("dict", tree) if level > _DEEPEST else _dictionary(tree, level)
    return tree


def _dictionary(tree: dict[Any, Any], level: int) -> dict[str, Any]:
    if all(type(key) is str and _is_unicode(key) for key in tree):
        return {key: _mended(item, level + 1) for key, item in tree.items()}
    pairs = [[_mended(key, level + 2), _mended(item, level + 2)] for key, item in tree.items()]
    return {TAG: "dict", "items": pairs}


def _text(text: str) -> Any:
    if _is_unicode(text):
        return text
    halves = text.encode("utf-16-le", "surrogatepass")
    return {TAG: "str", "utf16": base64.b64encode(halves).decode()}


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _integer(number: int) -> Any:
    if -LARGEST_INT <= number <= LARGEST_INT:
        return number
    return big_integer(number)


def big_integer(number: int) -> dict[str, Any]:
    """Return the tag of an integer that JSON readers would round."""
    if number.bit_length() > 3 * _MOST_DIGITS:
        return {TAG: "int", "hex": hex(number)}
    return {TAG: "int", "value": str(number)}


def _too_deep(kind: str, tree: Any) -> dict[str, Any]:
    return {TAG: "truncated", "type": kind, "size": len(tree), "why": "nested too deeply"}
