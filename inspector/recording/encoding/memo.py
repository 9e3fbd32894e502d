"""Memories of what was encoded, bounded so that a long run does not keep all of its values."""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(Generic[K, V]):
    """Keeps the newest entries up to a weight, the oldest go first.

    Used by several host threads at once without a lock: each step is one operation of a
    dictionary, and the worst that a race does is that something is encoded twice.
    """

    __slots__ = ("_entries", "_most", "_weight", "get")

    def __init__(self, most: int) -> None:
        self._entries: dict[K, V] = {}
        self._weight = 0
        self._most = most
        self.get = self._entries.get

    def put(self, key: K, value: V, weight: int) -> None:
        """Remember `value`."""
        entries = self._entries
        if key not in entries:
            self._weight += weight
            if self._weight > self._most:
                self._forget_half()
        entries[key] = value

    def _forget_half(self) -> None:
        entries = self._entries
        for key in list(entries)[: len(entries) // 2 + 1]:
            entries.pop(key, None)
        self._weight //= 2

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self._weight = 0
