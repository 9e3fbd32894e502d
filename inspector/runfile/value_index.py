"""Where each value of a run stands in its file, by its digest."""

from __future__ import annotations

import sys
from array import array
from binascii import unhexlify
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.source import ByteSource

DIGITS = 32
BEFORE_VALUE = DIGITS + 3
"""A value follows its key, two quotation marks and a colon."""

HEAD_DIGITS = 16


class ValueIndex(Protocol):
    """Where each value stands in the file, by its digest."""

    def find(self, digest: str) -> tuple[int, int] | None:
        """Return offset and length of a value's JSON."""
        ...

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...


class PlainIndex(dict[str, tuple[int, int]]):
    """A dictionary of places, for files of ordinary size and for odd keys."""

    def find(self, digest: str) -> tuple[int, int] | None:
        """Return offset and length of a value's JSON."""
        return self.get(digest)


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
        places = self._places
        if places is None:
            places = self._lookup()
        place = self._same_head.get(digest)
        if place is None:
            head = head_of(digest)
            place = None if head is None else places.get(head)
        if place is None:
            return None
        return self.offsets[place] + BEFORE_VALUE, self.lengths[place] - BEFORE_VALUE - 1

    def repeated(self) -> int:
        """Return how many keys stand more than once."""
        return len(self.heads) + len(self.odd) - len(self)

    def __len__(self) -> int:
        places = self._places
        if places is None:
            places = self._lookup()
        return len(places) + len(self.odd) + self._extra()

    def __iter__(self) -> Iterator[str]:
        if len(self) == len(self.heads) + len(self.odd):
            for place in range(len(self.heads)):
                yield self._key(place)
        else:
            yield from dict.fromkeys(self._key(place) for place in range(len(self.heads)))
        yield from self.odd

    def _lookup(self) -> dict[int, int]:
        places = dict(zip(self.heads, range(len(self.heads)), strict=True))
        if len(places) < len(self.heads):
            seen: set[int] = set()
            twice = {head for head in self.heads if head in seen or seen.add(head)}  # type: ignore[func-returns-value]
            self._same_head = {
                self._key(place): place for place, head in enumerate(self.heads) if head in twice
            }
        self._places = places
        return places

    def _extra(self) -> int:
        heads = {head_of(key) for key in self._same_head}
        return len(self._same_head) - len(heads)

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
