"""What is read only when somebody looks at it: long texts, and the records of spans."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from threading import RLock
from typing import TYPE_CHECKING, Any

from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.value_index import PlainIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.runfile.source import ByteSource

LATE = 64 * 1024
"""Characters from which a text is left as it is until somebody looks at it."""


class Late:
    """A text of the foreign file, and how to make a value of it."""

    __slots__ = ("convert", "text")

    def __init__(self, text: str, convert: Callable[[str], Any]) -> None:
        self.text = text
        self.convert = convert


class LateValues(PlainIndex):
    """Finds values, and makes those that nobody has looked at yet.

    It is the bytes that it finds them in, too. Whoever goes through all of them gets those of
    the records that were not made yet as well.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trouble = ""
        self.size = 0
        self.make_all: Callable[[], None] | None = None
        self._blocks: list[bytes] = []
        self._starts: list[int] = []
        self._late: dict[str, Late] = {}
        self._lock = RLock()

    def keep(self, text: bytes) -> str:
        """Keep the JSON of a value, once; return its digest."""
        digest = value_id(text)
        with self._lock:
            if digest not in self:
                self[digest] = self._put(text)
        return digest

    def keep_late(self, late: Late) -> str:
        """Keep a value that is made when it is looked at; return what it is called."""
        sample = late.text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(b"late" + sample).hexdigest()[:32]
        with self._lock:
            if digest not in self:
                self._late[digest] = late
                self[digest] = (-1, len(sample))
        return digest

    def find(self, digest: str) -> tuple[int, int] | None:
        """Return offset and length of a value's JSON, made now where it was not yet."""
        place = self.get(digest)
        if place is None or place[0] >= 0:
            return place
        with self._lock:
            late = self._late.pop(digest, None)
            if late is not None:
                self[digest] = self._put(compact(late.convert(late.text), str))
            return self[digest]

    def __iter__(self) -> Iterator[str]:
        if self.make_all is not None:
            self.make_all()
        return iter(list(self.keys()))

    def items_in(self, source: ByteSource) -> Iterator[tuple[str, bytes]]:  # noqa: ARG002 - as others have it
        """Yield each value's key and JSON."""
        for key in self:
            if (place := self.find(key)) is not None:
                yield key, self.read_at(*place)

    def read_at(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes, which stand in one block."""
        block = bisect_right(self._starts, offset) - 1
        at = offset - self._starts[block]
        data = self._blocks[block]
        return data if at == 0 and length == len(data) else data[at : at + length]

    def _put(self, text: bytes) -> tuple[int, int]:
        start = self.size
        self._blocks.append(text)
        self._starts.append(start)
        self.size += len(text)
        return start, len(text)


class LateRecords:
    """The records of spans, each made when it is first asked for."""

    def __init__(self, count: int, make: Callable[[int], bytes]) -> None:
        self._made: list[bytes | None] = [None] * count
        self._make = make
        self._lock = RLock()

    def text(self, row: int) -> bytes:
        """Return the record of a row as JSON."""
        text = self._made[row]
        if text is None:
            with self._lock:
                text = self._made[row]
                if text is None:
                    text = self._made[row] = self._make(row)
        return text

    def in_order(self) -> LateRecords:
        """Return the same records, for somebody who asks for one after the other."""
        return self

    @property
    def made(self) -> int:
        """How many were asked for so far."""
        return sum(text is not None for text in self._made)

    def make_all(self) -> None:
        """Make those that are not made yet."""
        for row in range(len(self._made)):
            self.text(row)
