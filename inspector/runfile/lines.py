"""Reading a run file that keeps one record a line, without looking into the records."""

from __future__ import annotations

import re
from enum import Enum, auto
from operator import sub
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from inspector.runfile.bounds import BLOCK, MIB, Limits
from inspector.runfile.columns import Columns, SpanHeader
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.reading import SPACE, Found, Watch
from inspector.runfile.shallow import key_of, members_of, value_end
from inspector.runfile.value_index import BEFORE_VALUE, DIGITS, LineIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.problems import Problems
    from inspector.runfile.source import ByteSource

_HEADERS = msgspec.json.Decoder(list[SpanHeader])
_HEADER = msgspec.json.Decoder(SpanHeader)
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)

_OPENS_SPANS = re.compile(rb'"spans"\s*:\s*\[\s*$')
_OPENS_VALUES = re.compile(rb'"values"\s*:\s*\{\s*$')
_QUOTED = re.compile(rb'\s*"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*:\s*', re.DOTALL)
_COMMA = ord(",")
_LONG_VALUE = MIB
_HEAD = 4096
_HEADER_FIELDS = frozenset(SpanHeader.__struct_fields__)


class _Part(Enum):
    TOP = auto()
    SPANS = auto()
    VALUES = auto()
    END = auto()


class _Chunk(NamedTuple):
    """Whole lines, which end at `stop`; or the beginning of one line that is too long to hold."""

    offset: int
    text: bytes
    stop: int
    length: int
    ended: bool


class LineReader:
    """Goes through a file once, block by block, and notes where the records are."""

    def __init__(
        self, source: ByteSource, start: int, *, problems: Problems, watch: Watch, limits: Limits
    ) -> None:
        self._source = source
        self._start = start
        self._problems = problems
        self._watch = watch
        self._limits = limits
        self._part = _Part.TOP
        self._line = 1
        self._index = LineIndex(source)
        self._found = Found(Columns(problems), self._index)

    def read(self) -> Found:
        """Return what the file holds, up to its last whole record."""
        for chunk in self._chunks():
            if chunk.length > chunk.stop:
                self._read_long(chunk)
            elif chunk.ended:
                self._read_lines(chunk)
            elif chunk.text.strip():
                self._read_rest(chunk)
        self._found.complete = self._part is _Part.END
        return self._found

    def _chunks(self) -> Iterator[_Chunk]:
        size = self._source.size
        begun = self._start
        while begun < size:
            self._watch.at(begun)
            # Each block begins with a line, what the last one had of it is read again:
            # that costs less than to put the halves together.
            block = self._source.read_at(begun, min(BLOCK, size - begun))
            cut = block.rfind(b"\n") + 1
            if cut:
                yield _Chunk(begun, block, cut, cut, ended=True)
                begun += cut
            else:
                chunk = self._long_line(begun, block)
                yield chunk
                begun += chunk.length

    def _long_line(self, begun: int, block: bytes) -> _Chunk:
        """Return a line that is longer than a block, or where it begins if it is very long."""
        size = self._source.size
        pieces = [block]
        held = at = len(block)
        while begun + at < size:
            self._watch.at(begun + at)
            block = self._source.read_at(begun + at, min(BLOCK, size - begun - at))
            cut = block.find(b"\n") + 1
            at += cut or len(block)
            if held < self._longest():
                pieces.append(block[:cut] if cut else block)
                held = at
            if cut:
                break
        text = b"".join(pieces)
        ended = text.endswith(b"\n") if held == at else begun + at < size or cut > 0
        if held < at:
            text = text[:_HEAD]
        return _Chunk(begun, text, len(text), at, ended=ended)

    def _longest(self) -> int:
        return _LONG_VALUE if self._part is _Part.VALUES else self._limits.line_bytes

    def _read_lines(self, chunk: _Chunk) -> None:
        text, at = chunk.text, 0
        while at < chunk.stop:
            if self._part is _Part.SPANS:
                at = self._read_spans(text, at, chunk.stop, chunk.offset)
            elif self._part is _Part.VALUES:
                at = self._read_values(text, at, chunk.stop, chunk.offset)
            else:
                end = text.find(b"\n", at) + 1
                self._read_top(text[at:end].strip())
                self._line += 1
                at = end

    # The lines around spans and values

    def _read_top(self, text: bytes) -> None:
        if not text or text in (b"],", b"]", b"},"):
            return
        if self._part is _Part.END:
            self._problems.add("There is more text behind its end.", where=f"line {self._line}")
            self._found.fits = False
            return
        if not self._found.members:
            text = text.removeprefix(b"{")
        for pattern, part in ((_OPENS_SPANS, _Part.SPANS), (_OPENS_VALUES, _Part.VALUES)):
            if (opening := pattern.search(text)) is not None:
                self._part = part
                text = text[: opening.start()]
                break
        text = text.rstrip(SPACE)
        if text == b"}":
            self._part = _Part.END
        elif text:
            self._take_members(text)

    def _take_members(self, text: bytes) -> None:
        wrapped = b"{" + text + b"}"
        members, whole = members_of(wrapped)
        if not whole and text.endswith(b"}"):
            wrapped = b"{" + text
            members, whole = members_of(wrapped)
            if whole:
                self._part = _Part.END
        if not whole:
            self._problems.add("This line cannot be read.", where=f"line {self._line}")
            self._found.fits = False
        for key, start, end in members:
            value = wrapped[start:end]
            if key in self._found.members:
                self._problems.add(f"“{key}” stands there twice; the last one counts.")
            if key in {"spans", "values"} and value[1:-1].strip():
                self._found.fits = False  # all on one line: some other layout
            self._found.members[key] = value

    # Spans

    def _read_spans(self, text: bytes, at: int, stop: int, base: int) -> int:
        if text.startswith(b"]", at):
            self._part = _Part.TOP
            return at
        if self._take_spans(text, at, stop, base):
            return stop
        # Something is different from what our recorder writes, or the spans end here.
        close = text.find(b"\n]", at, stop)
        end = stop if close < 0 else close + 1
        if close < 0 or not self._take_spans(text, at, end, base):
            for line, offset in _lines_in(text, at, end):
                self._read_span(line, base + offset)
                self._line += 1
        return end

    def _take_spans(self, text: bytes, at: int, stop: int, base: int) -> bool:
        """Take up lines that are all as our recorder writes them, or none of them."""
        last = stop
        while last > at and text[last - 1] in SPACE:
            last -= 1
        try:
            headers = _HEADERS.decode(b"".join((b"[", memoryview(text)[at:last], b"]")))
        except _UNREADABLE:
            return False
        ends = _line_ends(text, at, stop)
        if not ends or len(headers) != len(ends):
            return False
        starts = [at, *[end + 1 for end in ends]]
        lengths = list(map(sub, ends, starts))
        offsets = [base + start for start in starts[:-1]]
        self._found.columns.extend(headers, offsets, lengths)
        self._line += len(ends)
        return True

    def _read_span(self, line: bytes, offset: int, *, cut_off: bool = False) -> bool:
        """Add one span; return whether there was one."""
        text = line.strip(SPACE)
        if not text:
            return True
        where = f"line {self._line}"
        if not cut_off:
            try:
                self._found.columns.append(_HEADER.decode(text), offset, len(line))
            except _UNREADABLE:
                pass
            else:
                return True
        members, whole = members_of(text)
        if cut_off and not whole:
            return False
        if not members:
            self._problems.add("This span cannot be read; it is left out.", where=where)
            self._found.fits = False
            return False
        if not whole:
            self._problems.add("Only a part of this span can be read.", where=where)
            self._found.fits = False
        self._found.columns.add(header_fields(text), offset, len(line))
        return True

    # Values

    def _read_values(self, text: bytes, at: int, stop: int, base: int) -> int:
        if text.startswith(b"}", at):
            return self._close_values(text, at, text.find(b"\n", at))
        if self._take_values(text, at, stop, base):
            return stop
        close = text.find(b"\n}", at, stop)
        end = stop if close < 0 else close + 1
        if close < 0 or not self._take_values(text, at, end, base):
            for line, offset in _lines_in(text, at, end):
                self._read_value(line, base + offset)
                self._line += 1
        return end

    def _take_values(self, text: bytes, at: int, stop: int, base: int) -> bool:
        """Take up lines that all are as our recorder writes them, or none of them."""
        ends = _line_ends(text, at, stop)
        starts = [at, *[end + 1 for end in ends]]
        starts.pop()
        count = len(ends)
        keys = b"".join([text[start : start + BEFORE_VALUE] for start in starts])
        if (
            len(keys) != count * BEFORE_VALUE
            or keys[::BEFORE_VALUE] != b'"' * count
            or keys[DIGITS + 1 :: BEFORE_VALUE] != b'"' * count
            or keys[DIGITS + 2 :: BEFORE_VALUE] != b":" * count
            or [text[end - 1] for end in ends].count(_COMMA) != count
        ):
            return False
        lengths = list(map(sub, ends, starts))
        if min(lengths) <= BEFORE_VALUE + 1:
            return False
        if not self._index.extend(keys, [base + start for start in starts], lengths):
            return False
        self._line += count
        return True

    def _read_value(self, line: bytes, offset: int) -> None:
        text = line.rstrip(SPACE)
        if (
            len(text) > BEFORE_VALUE
            and text[1 + DIGITS : BEFORE_VALUE] == b'":'
            # As if a comma stood behind it, like behind the others.
            and self._index.extend(text[:BEFORE_VALUE], [offset], [len(text) + 1])
        ):
            return
        self._read_odd_value(line, offset)

    def _close_values(self, text: bytes, at: int, end: int) -> int:
        self._part = _Part.TOP
        # A closing brace with another behind it ends the file too.
        if text[at:end].strip() == b"}}":
            self._part = _Part.END
            self._line += 1
            return end + 1
        if text[at:end].strip() == b"}":
            self._line += 1
            return end + 1
        return at

    def _read_odd_value(self, line: bytes, offset: int, *, cut_off: bool = False) -> bool:
        if not line.strip(SPACE):
            return True
        quoted = _QUOTED.match(line)
        text = b"" if quoted is None else line[quoted.end() :].rstrip(SPACE)
        if quoted is None or not text or (cut_off and value_end(text, 0, len(text)) != len(text)):
            if not cut_off:
                self._problems.add("This value cannot be read.", where=f"line {self._line}")
                self._found.fits = False
            return False
        key = key_of(b'"' + quoted[1] + b'"') or ""
        self._index.add(key, offset + quoted.end(), len(text))
        return True

    # What is longer than we hold, and what has no end

    def _read_long(self, chunk: _Chunk) -> None:
        where = f"line {self._line}"
        self._line += 1
        if not chunk.ended:
            return  # cut off
        if self._part is _Part.VALUES:
            quoted = _QUOTED.match(chunk.text)
            if quoted is not None:
                place = chunk.offset + quoted.end()
                tail_at = max(place, chunk.offset + chunk.length - 8)
                tail = self._source.read_at(tail_at, chunk.offset + chunk.length - tail_at)
                spare = len(tail) - len(tail.rstrip(SPACE))
                length = chunk.offset + chunk.length - spare - place
                self._index.add(key_of(b'"' + quoted[1] + b'"') or "", place, length)
                return
        mib = chunk.length // MIB
        self._problems.add(f"This line has {mib:,} MiB, more than is read.", where=where)

    def _read_rest(self, chunk: _Chunk) -> None:
        text = chunk.text
        if self._part is _Part.SPANS and not text.startswith(b"]"):
            self._read_span(text, chunk.offset, cut_off=True)
        elif self._part is _Part.VALUES and not text.startswith(b"}"):
            self._read_odd_value(text, chunk.offset, cut_off=True)
        elif text.strip() == b"}}" or self._part is _Part.TOP:
            self._read_last_line(text.strip())

    def _read_last_line(self, text: bytes) -> None:
        """Read the end of a file that has no line end there, if it is all there."""
        if text in (b"}", b"}}"):
            self._part = _Part.END
        elif members_of(b"{" + text.removeprefix(b"{"))[1]:
            self._read_top(text)


def _line_ends(text: bytes, at: int, stop: int) -> list[int]:
    """Return where each line ends, without making a copy of any."""
    ends: list[int] = []
    append, find = ends.append, text.find
    at = find(b"\n", at, stop)
    while at >= 0:
        append(at)
        at = find(b"\n", at + 1, stop)
    return ends


def _lines_in(text: bytes, at: int, stop: int) -> Iterator[tuple[bytes, int]]:
    """Yield each line and where it begins."""
    while at < stop:
        end = text.find(b"\n", at, stop)
        yield text[at:end], at
        at = end + 1


def header_fields(text: bytes) -> dict[str, Any]:
    """Return the fields of a record that the table wants, as far as they can be read."""
    fields: dict[str, Any] = {}
    for key, start, end in members_of(text)[0]:
        if key in {"usage", "error"}:
            fields[key] = True
        elif key in _HEADER_FIELDS:
            try:
                fields[key] = read_leaf(text[start:end])[0]
            except LeafError:
                fields[key] = ...
    return fields
