"""Where each value of a run stands in its file, by its digest."""

from __future__ import annotations

import sys
from array import array
from binascii import unhexlify
from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.source import ByteSource

DIGITS = 32
BEFORE_VALUE = DIGITS + 3
"""A value follows its key, two quotation marks and a colon."""

HEAD_DIGITS = 16
_FEW = 50_000
_FIRST_LOOKS = 64


class ValueIndex(Protocol):
    """Where each value stands in the file, by its digest."""

    def find(self, digest: str) -> tuple[int, int] | None:
        """Return offset and length of a value's JSON."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...

    def items_in(self, source: ByteSource) -> Iterator[tuple[str, bytes]]:
        """Yield each value's key and JSON in the order of the file."""
        ...


class PlainIndex(dict[str, tuple[int, int]]):
    """A dictionary of places, for files of ordinary size and for odd keys."""

    def find(self, digest: str) -> tuple[int, int] | None:
        """Return offset and length of a value's JSON."""
        return self.get(digest)

    def items_in(self, source: ByteSource) -> Iterator[tuple[str, bytes]]:
        """Yield each value's key and JSON in the order of the file."""
        for key, place in self.items():
            yield key, source.read_at(*place)


class LineIndex:
    """Values that stand one a line: three numbers each, and the key stays in the file.

    Only the head of a digest is kept. Two keys with the same head are told apart by
    reading them; a digest that is not in the file but shares its head with one that is
    takes forging, and shows a value of the same file.
    """

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self.heads = array("Q")
        self.offsets = array("Q")
        self.lengths = array("Q")
        self.odd = PlainIndex()
        self._places: dict[int, int] | None = None
        self._looks = 0
        self._same_head: dict[str, int] = {}

    def extend(self, keys: bytes, offsets: list[int], lengths: list[int]) -> bool:
        """Take up many lines; False where their keys are not what we write.

        Args:
            keys: What stands before each value, joined.
            offsets: Where each line begins.
            lengths: How long each is, with its comma.

        """
        try:
            digests = array("Q", unhexlify(keys.translate(None, b'":')))
        except ValueError:
            return False
        if len(digests) != 2 * len(offsets):
            return False
        self.heads += digests[::2]
        self.offsets.fromlist(offsets)
        self.lengths.fromlist(lengths)
        return True

    def add(self, key: str, offset: int, length: int) -> None:
        """Take up a value whose key is no digest of ours, or that came out of line."""
        self.odd.pop(key, None)
        self.odd[key] = (offset, length)

    def find(self, digest: str) -> tuple[int, int] | None:
        """Return offset and length of a value's JSON."""
        if (odd := self.odd.get(digest)) is not None:
            return odd
        head = head_of(digest)
        if head is None:
            return None
        if self._places is None and len(self.heads) > _FEW and self._looks < _FIRST_LOOKS:
            # A dictionary of a million values takes longer to make than the first span
            # may take to be shown.
            self._looks += 1
            place = self._looked_through(head)
        else:
            place = self._place(digest, head)
        if place is None:
            return None
        return self.offsets[place] + BEFORE_VALUE, self.lengths[place] - BEFORE_VALUE - 1

    def __len__(self) -> int:
        return len(self.heads) + len(self.odd)

    def __iter__(self) -> Iterator[str]:
        for place in range(len(self.heads)):
            yield self._key(place)
        yield from self.odd

    def items_in(self, source: ByteSource) -> Iterator[tuple[str, bytes]]:
        """Yield each value's key and JSON in the order of the file."""
        for offset, length in zip(self.offsets, self.lengths, strict=True):
            line = source.read_at(offset, length - 1)
            yield line[1 : 1 + DIGITS].decode("ascii", "replace"), line[BEFORE_VALUE:]
        yield from self.odd.items_in(source)

    def _place(self, digest: str, head: int) -> int | None:
        places = self._places
        if places is None:
            places = self._lookup()
        if self._same_head and (same := self._same_head.get(digest)) is not None:
            return same
        return places.get(head)

    def _looked_through(self, head: int) -> int | None:
        data = memoryview(self.heads).tobytes()
        wanted = head.to_bytes(8, sys.byteorder)
        at = data.rfind(wanted)
        while at > 0 and at % 8:
            at = data.rfind(wanted, 0, at + 7)
        return None if at < 0 else at // 8

    def _lookup(self) -> dict[int, int]:
        places = dict(zip(self.heads, range(len(self.heads)), strict=True))
        if len(places) < len(self.heads):
            twice = {head for head, count in Counter(self.heads).items() if count > 1}
            self._same_head = {
                self._key(place): place for place, head in enumerate(self.heads) if head in twice
            }
        self._places = places
        return places

    def _key(self, place: int) -> str:
        return self._source.read_at(self.offsets[place] + 1, DIGITS).decode("ascii", "replace")


def head_of(digest: str) -> int | None:
    """Return the number that a digest is found by; None where it is no digest of ours."""
    if len(digest) != DIGITS:
        return None
    try:
        return int.from_bytes(bytes.fromhex(digest[:HEAD_DIGITS]), sys.byteorder)
    except ValueError:
        return None
