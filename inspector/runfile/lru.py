"""A cache that is bounded by what its entries weigh, not by how many there are."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ByteLRU(Generic[K, V]):
    """Keeps what was used last, up to about `limit` bytes; safe to share between threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._entries: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return what is kept under `key`, or None."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: K, value: V, weight: int) -> None:
        """Keep `value`, forgetting the longest unused to make room for it."""
        if weight > self._limit:
            return
        with self._lock:
            if (old := self._entries.pop(key, None)) is not None:
                self._held -= old[1]
            self._entries[key] = (value, weight)
            self._held += weight
            while self._held > self._limit:
                _, (_, lost) = self._entries.popitem(last=False)
                self._held -= lost

    def reweigh(self, key: K, weight: int) -> None:
        """Take note that what is kept under `key` weighs something else by now.

        It was just used, and stays even where it is heavier than all that may be kept.
        """
        with self._lock:
            if (entry := self._entries.pop(key, None)) is None:
                return
            self._entries[key] = (entry[0], weight)
            self._held += weight - entry[1]
            while self._held > self._limit and len(self._entries) > 1:
                _, (_, lost) = self._entries.popitem(last=False)
                self._held -= lost

    def __len__(self) -> int:
        return len(self._entries)
