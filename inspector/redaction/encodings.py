"""Texts inside of texts: percent signs, backslashes, entities, odd signs, base64."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode, urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from bisect import bisect_left, bisect_right
from html.entities import html5
from typing import TYPE_CHECKING, NamedTuple

from inspector.redaction.edits import APART, begins_at, ends_at

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPE = re.compile(
    rb"%[0-9A-Fa-f]{2}"
    rb"|\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\"'\\/nrtbf_@.-])"
    rb"|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});"
    # No width, soft hyphens, odd spaces and dashes, full-width signs.
    rb"|\xe2\x80[\x80-\x95\xaf]|\xe2\x81[\x9f-\xa4]|\xef\xbb\xbf|\xc2[\xad\xa0]|\xe2\x88\x92"
    rb"|\xe3\x80\x80"
    rb"|\xef\xbc[\x81-\xbf]|\xef\xbd[\x80-\x9e]|\xe2\x80[\xaa-\xae]|\xf0\x9d[\x90-\x9f][\x80-\xbf]"
)
_MARKS = (b"%", b"\\", b"&")
_HEADS = (b"\xe2", b"\xc2", b"\xef", b"\xe3\x80\x80", b"\xf0\x9d")
_BETWEEN = b"\n" + APART + b"\n"
_SPACE, _LINE = 32, 10
_AROUND = 200
_EDGE = 60
_LONGEST_RUN = 8_192
_PLAIN = {ord("n"): b"\n", ord("r"): b"\r", ord("t"): b"\t", ord("b"): b" ", ord("f"): b" "}


class View(NamedTuple):
    """Stretches of a text as they read decoded, and where each of them comes from.

    A stretch begins at a place of `begins`, comes from the place of the text that `places`
    says, and is `spelt` where each of its bytes is one of the text.
    """

    data: bytes
    begins: list[int]
    places: list[int]
    spelt: list[bool]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return where in the text a stretch of this view stands."""
        one = bisect_right(self.begins, first) - 1
        other = bisect_left(self.begins, last) - 1
        start, end = self.places[one], self.places[other]
        if self.spelt[one]:
            start += first - self.begins[one]
        if self.spelt[other] and last < self.begins[other + 1]:
            end += last - self.begins[other]
        else:
            end = self.places[other + 1]  # one escape may be several bytes
        return start, end


def decoded(data: bytes) -> View | None:
    """Return the stretches of a text in which signs are written in another way, as they read.

    They stand apart from each other, as texts do that are searched in one go; None when there
    are none.
    """
    if data.isascii() and not any(mark in data for mark in _MARKS):
        return None
    out: list[bytes] = []
    view = View(b"", [], [], [])
    size = 0
    for first, last, escapes in _windows(data):
        for place, text, spelt in _stretches(data, first, last, escapes):
            if text:
                out.append(text)
                view.begins.append(size)
                view.places.append(place)
                view.spelt.append(spelt)
                size += len(text)
    if not out:
        return None
    view.begins.append(size)
    view.places.append(view.places[-1])
    view.spelt.append(False)
    return view._replace(data=b"".join(out))


def is_near_one(data: bytes, start: int, end: int) -> bool:
    """Whether something near a place of a text is written in another way.

    What is found elsewhere only because a stretch was cut out there is nothing: it would have
    been found in the text itself.
    """
    first = begins_at(data, start, _AROUND - _EDGE)
    return _ESCAPE.search(data, first, ends_at(data, end, _EDGE)) is not None


def _windows(data: bytes) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """Return stretches around what is written in another way, and where in them that is.

    None cuts a word or a text.
    """
    windows: list[tuple[int, int, list[tuple[int, int]]]] = []
    reached = 0
    for start, end in _escapes(data):
        if end + _AROUND <= reached:
            windows[-1][2].append((start, end))
            continue
        last = _word_end(data, end + _AROUND, ends_at(data, end, _AROUND + _LONGEST_RUN))
        if windows and start - _AROUND <= reached:
            windows[-1][2].append((start, end))
            windows[-1] = (windows[-1][0], last, windows[-1][2])
        else:
            floor = begins_at(data, start, _AROUND + _LONGEST_RUN)
            first = max(_word_start(data, start - _AROUND, floor), reached)
            windows.append((first, last, [(start, end)]))
        reached = last
    return windows


def _escapes(data: bytes) -> list[tuple[int, int]]:
    """Return where such signs are: by what they begin with, which is found at once."""
    out: list[tuple[int, int]] = []
    for mark in _MARKS if data.isascii() else _MARKS + _HEADS:
        # A single byte is found many times faster than two of them.
        place = data.find(mark) if data.find(mark[:1]) >= 0 else -1
        while place >= 0:
            found = _ESCAPE.match(data, place)
            if found is not None:
                out.append(found.span())
            # None begins inside of another one that begins otherwise.
            place = data.find(mark, place + 1 if found is None else found.end())
    out.sort()
    return out


def _word_start(data: bytes, place: int, floor: int) -> int:
    if place <= floor:
        return floor
    return max(data.rfind(_SPACE, floor, place), data.rfind(_LINE, floor, place), floor - 1) + 1


def _word_end(data: bytes, place: int, roof: int) -> int:
    if place >= roof:
        return roof
    ends = [end for sign in (_SPACE, _LINE) if (end := data.find(sign, place, roof)) >= 0]
    return min(ends, default=roof)


def _stretches(
    data: bytes, first: int, last: int, escapes: list[tuple[int, int]]
) -> Iterator[tuple[int, bytes, bool]]:
    """Yield the parts of a stretch as they read, where each comes from, and if it is spelt so."""
    at = first
    for start, end in escapes:
        yield at, data[at:start], True
        yield start, _decoded(data[start:end]), False
        at = end
    yield at, data[at:last], True
    yield last, _BETWEEN, False


def _decoded(escape: bytes) -> bytes:
    head = escape[0]
    if head == 0x25:
        return bytes((int(escape[1:], 16),))
    if head == 0x5C:
        kind = escape[1]
        if kind == 0x75:
            return _sign(int(escape[2:], 16))
        if kind == 0x78:
            return _sign(int(escape[2:], 16))
        return _PLAIN.get(kind, escape[1:])
    if head == 0x26:
        if escape[1] == 0x23:
            digits = escape[2:-1]
            return _sign(int(digits[1:], 16) if digits[:1] in b"xX" else int(digits))
        return html5.get(escape[1:].decode(), escape.decode()).encode()
    return _ordinary(escape)


def _sign(number: int) -> bytes:
    try:
        return chr(number).encode("utf-8", "surrogatepass")
    except (ValueError, OverflowError):
        return b"?"


def _ordinary(sign: bytes) -> bytes:
    """Return what a sign stands for that looks like another one, or like nothing."""
    from unicodedata import normalize

    character = sign.decode()
    number = ord(character)
    if 0x2010 <= number <= 0x2015 or number == 0x2212:
        return b"-"
    if number in (0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD) or 0x2061 <= number <= 0x2064 \
            or number in (0x200E, 0x200F) or 0x202A <= number <= 0x202E:  # fmt: skip
        return b""
    return normalize("NFKC", character).encode()


# -- base64 ----------------------------------------------------------------------------------

_STANDARD = re.compile(rb"[A-Za-z0-9+/]{16,}={0,2}")
_URLSAFE = re.compile(rb"[A-Za-z0-9_-]{16,}={0,2}")
_LINES = re.compile(rb"(?:[A-Za-z0-9+/]{40,76}\r?\n[ \t]{0,8}){1,20000}[A-Za-z0-9+/]{1,76}={0,2}")
_HEX_ONLY = re.compile(rb"[0-9a-f]+|[0-9A-F]+|[a-z]+|[0-9]+")
_READABLE = bytes(range(32, 127)) + b"\t\r\n"
_UNREADABLE_SHARE = 8
_FIRST_LETTER = 0x80  # beyond ASCII; what is below is no text
_BLOB = 4_096


class Packed(NamedTuple):
    """A stretch of base64, and what it holds."""

    start: int
    end: int
    codec: str
    data: bytes


def packed_in(data: bytes, first: int, last: int) -> list[Packed]:
    """Return what stands in base64 between two places."""
    out: list[Packed] = []
    reached = first
    lines = _LINES.match(data, first)
    if lines is not None and (whole := _unpacked(lines[0].translate(None, b"\r\n \t"), "b64")):
        return [Packed(lines.start(), lines.end(), "b64", whole)]
    # Where signs of both alphabets stand, what is between two of the others is read as well.
    both = (("b64", _STANDARD), ("b64url", _URLSAFE))
    for codec, pattern in both if b"+" in data[first:last] else both[::-1]:
        for found in pattern.finditer(data, first, min(len(data), last + 2)):
            if found.start() >= last or (found.start() < reached):
                continue
            held = _unpacked(found[0], codec)
            if held is not None:
                out.append(Packed(found.start(), found.end(), codec, held))
                reached = found.end()
    return out


def _unpacked(text: bytes, codec: str) -> bytes | None:
    if _HEX_ONLY.fullmatch(text):
        return None
    text = text.rstrip(b"=")
    if len(text) % 4 == 1:
        return None
    try:
        held = unpack(text, codec)
    except (NotBase64, ValueError):
        return None
    if not _is_readable(held):
        # A picture or another binary: looked at where it is large enough to hold texts.
        return held if len(held) >= _BLOB else None
    return held


def _is_readable(held: bytes) -> bool:
    unreadable = held.translate(None, _READABLE)
    if len(unreadable) * _UNREADABLE_SHARE <= len(held):
        return True
    try:
        held.decode()
    except UnicodeDecodeError:
        return False
    return min(unreadable) >= _FIRST_LETTER


def unpack(text: bytes, codec: str) -> bytes:
    """Return what stands in base64, with or without its padding."""
    text = text.rstrip(b"=")
    text += b"=" * (-len(text) % 4)
    return urlsafe_b64decode(text) if codec == "b64url" else b64decode(text, validate=True)


def pack(data: bytes, codec: str, *, padded: bool) -> bytes:
    """Return bytes in base64 again."""
    text = urlsafe_b64encode(data) if codec == "b64url" else b64encode(data)
    return text if padded else text.rstrip(b"=")
