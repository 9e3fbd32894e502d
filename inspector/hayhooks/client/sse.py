"""Server-sent events, read as they come, from whoever sends them."""

from __future__ import annotations

import re
from typing import NamedTuple

_LARGEST_EVENT = 64 * 2**20
_LARGEST_NAME = 1_000
_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


class SentEvent(NamedTuple):
    """One event.

    Args:
        id: Empty when the event itself had none.
        kind: `message` where it says nothing else.
        data: Its lines, joined.

    """

    id: str
    kind: str
    data: str


class TooLongError(ValueError):
    """An event is larger than we keep."""


class EventParser:
    """Takes bytes in pieces of any size, gives whole events. An event cut off at the end is none.

    Args:
        largest: Bytes of one event, beyond which nothing more is read.

    """

    def __init__(self, largest: int = _LARGEST_EVENT) -> None:
        self._largest = largest
        self._rest = bytearray()
        self._seen = 0  # how much of the rest holds no line end
        self._half_end = False
        self._first = True
        self._id = ""
        self._kind = ""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[SentEvent]:
        """Return the events that are whole with this piece.

        Raises:
            TooLongError: One is larger than allowed.

        """
        if self._half_end and piece:
            piece = piece.removeprefix(b"\n")
            self._half_end = False
        self._rest += piece
        events: list[SentEvent] = []
        start, look = 0, self._seen
        while found := _LINE_END.search(self._rest, look):
            # A return at the end is a line's end, whether or not its other half comes next.
            self._half_end = found[0] == b"\r" and found.end() == len(self._rest)
            line = bytes(self._rest[start : found.start()])
            start = look = found.end()
            if (event := self._line(line)) is not None:
                events.append(event)
        del self._rest[:start]
        self._seen = len(self._rest)
        if self._size + len(self._rest) > self._largest:
            raise TooLongError
        return events

    def _line(self, line: bytes) -> SentEvent | None:
        if self._first:
            self._first = False
            line = line.removeprefix(_BOM)
        if not line:
            return self._dispatched()
        name, _colon, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > self._largest:
                raise TooLongError
        elif name == b"event":
            self._kind = _text(value[:_LARGEST_NAME])
        elif name == b"id" and b"\0" not in value and len(value) <= _LARGEST_NAME:
            self._id = _text(value)
        return None

    def _dispatched(self) -> SentEvent | None:
        event = None
        if self._data:
            event = SentEvent(self._id, self._kind or "message", _text(b"\n".join(self._data)))
        self._id = self._kind = ""
        self._data = []
        self._size = 0
        return event


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="replace")
