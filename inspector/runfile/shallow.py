"""Finding the parts of JSON text without decoding them, whatever is inside.

msgspec does this at a gigabyte a second, but refuses text that is cut off or
nested deeply. The scanner here is slow, has no recursion and gives what is whole.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
import orjson

from inspector.runfile.leaf import LeafError, read_leaf

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_NESTED = re.compile(_STRING + rb'|[\[\]{}"]', re.DOTALL)
_SPACE = re.compile(rb"[ \t\r\n]*")
_SCALAR = re.compile(rb"[^\s,\[\]{}:\"]+")
_TEXT = re.compile(_STRING, re.DOTALL)

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


class Member(NamedTuple):
    """A member of an object: its key, and where its value stands in the text."""

    key: str
    start: int
    end: int


def members_of(text: bytes, start: int = 0, end: int | None = None) -> tuple[list[Member], bool]:
    """Return the members of the object at `start`, and whether it was whole.

    A key that stands twice is returned twice. Of an object that is cut off or
    damaged, what stands before that point is returned.
    """
    end = len(text) if end is None else end
    lengths: dict[str, int] | None = None
    try:
        raws = _OBJECT.decode(memoryview(text)[start:end])
        lengths = {key: len(memoryview(raw)) for key, raw in raws.items()}
        del raws
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        pass
    if lengths is not None:
        quick = _walk_members(text, start, end, lengths)
        if quick is not None:
            return quick, True
    return _scan_members(text, start, end)


def items_of(
    text: bytes, start: int = 0, end: int | None = None
) -> tuple[list[tuple[int, int]], bool]:
    """Return where the items of the array at `start` stand, and whether it was whole."""
    end = len(text) if end is None else end
    try:
        lengths = [len(memoryview(raw)) for raw in _ARRAY.decode(memoryview(text)[start:end])]
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return _scan_items(text, start, end)
    places = []
    at = _after_space(text, start, end) + 1
    for length in lengths:
        at = _after_space(text, at, end)
        places.append((at, at + length))
        # An item is followed by a comma or by the end, with space around either.
        at = _after_space(text, at + length, end) + 1
    return places, True


def _walk_members(
    text: bytes, start: int, end: int, lengths: dict[str, int]
) -> list[Member] | None:
    """Lay the known lengths over the text; None where a key stands twice."""
    found = []
    at = _after_space(text, start, end) + 1
    for expected in range(len(lengths)):
        at = _after_space(text, at, end)
        quoted = _TEXT.match(text, at, end)
        key = None if quoted is None else key_of(quoted[0])
        if quoted is None or key is None or key not in lengths:
            return None
        at = _after_space(text, quoted.end(), end)
        at = _after_space(text, at + 1, end)
        found.append(Member(key, at, at + lengths[key]))
        at = _after_space(text, at + lengths[key], end)
        last = expected + 1 == len(lengths)
        if text[at : at + 1] != (b"}" if last else b","):
            return None
        at += 1
    return found if len({member.key for member in found}) == len(lengths) else None


def _scan_members(text: bytes, start: int, end: int) -> tuple[list[Member], bool]:
    found: list[Member] = []
    at = _after_space(text, start, end)
    if text[at : at + 1] != b"{":
        return found, False
    at = _after_space(text, at + 1, end)
    if text[at : at + 1] == b"}":
        return found, _after_space(text, at + 1, end) == end
    while at < end:
        quoted = _TEXT.match(text, at, end)
        key = None if quoted is None else key_of(quoted[0])
        if quoted is None or key is None:
            return found, False
        at = _after_space(text, quoted.end(), end)
        if text[at : at + 1] != b":":
            return found, False
        at = _after_space(text, at + 1, end)
        stop = value_end(text, at, end)
        if stop < 0:
            return found, False
        found.append(Member(key, at, stop))
        at = _after_space(text, stop, end)
        if text[at : at + 1] != b",":
            closed = text[at : at + 1] == b"}"
            return found, closed and _after_space(text, at + 1, end) == end
        at = _after_space(text, at + 1, end)
    return found, False


def _scan_items(text: bytes, start: int, end: int) -> tuple[list[tuple[int, int]], bool]:
    found: list[tuple[int, int]] = []
    at = _after_space(text, start, end)
    if text[at : at + 1] != b"[":
        return found, False
    at = _after_space(text, at + 1, end)
    if text[at : at + 1] == b"]":
        return found, _after_space(text, at + 1, end) == end
    while at < end:
        stop = value_end(text, at, end)
        if stop < 0:
            return found, False
        found.append((at, stop))
        at = _after_space(text, stop, end)
        if text[at : at + 1] != b",":
            closed = text[at : at + 1] == b"]"
            return found, closed and _after_space(text, at + 1, end) == end
        at = _after_space(text, at + 1, end)
    return found, False


def value_end(text: bytes, start: int, end: int) -> int:
    """Return where the value at `start` ends, or -1 where it does not."""
    first = text[start : start + 1]
    if first == b'"':
        quoted = _TEXT.match(text, start, end)
        return -1 if quoted is None else quoted.end()
    if first not in (b"{", b"["):
        scalar = _SCALAR.match(text, start, end)
        # A number at the very end may have lost its last digits.
        return -1 if scalar is None or scalar.end() == end else scalar.end()
    depth = 0
    for token in _NESTED.finditer(text, start, end):
        sign = text[token.start()]
        if sign == 0x22:
            if token.end() - token.start() == 1:
                return -1  # a text that never ends
        elif sign in b"{[":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return token.end()
    return -1


def open_end(text: bytes, key_start: int, end: int) -> tuple[str, int] | None:
    """Return the key and the start of the value of a member that is cut off."""
    at = _after_space(text, key_start, end)
    quoted = _TEXT.match(text, at, end)
    key = None if quoted is None else key_of(quoted[0])
    if quoted is None or key is None:
        return None
    at = _after_space(text, quoted.end(), end)
    if text[at : at + 1] != b":":
        return None
    return key, _after_space(text, at + 1, end)


def _after_space(text: bytes, at: int, end: int) -> int:
    space = _SPACE.match(text, at, end)
    return at if space is None else space.end()


def key_of(quoted: bytes) -> str | None:
    """Return a key without its quotation marks and escapes; None where it has no words."""
    try:
        key: str = orjson.loads(quoted)
    except orjson.JSONDecodeError:
        try:
            tree, _ = read_leaf(quoted)
        except LeafError:
            return None
        return tree if isinstance(tree, str) else quoted[1:-1].decode("utf-8", "replace")
    return key
