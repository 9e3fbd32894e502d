"""The beginning of a file, and what can be seen of its shape there."""

from __future__ import annotations

import re
from functools import cached_property

from inspector.runfile.shallow import items_of, members_of, open_end
from inspector.runfile.sniff import UTF8_MARK

BYTES = 64 * 1024
_OPENING = re.compile(rb"\s*([{\[])")
_AROUND = b" \t\r\n\x0b\x0c\0\x1e"
_MOST_LINES = 50


class Head:
    """What detection looks at: the first bytes of a file, never its name.

    Args:
        data: Its first bytes; `BYTES` of them, or all.
        size: How many there are in all.

    """

    def __init__(self, data: bytes, size: int) -> None:
        self.data = data.removeprefix(UTF8_MARK)
        self.text = self.data.lstrip(_AROUND)
        self.size = size

    def has(self, *words: str) -> bool:
        """Say whether any of the words stands there as a text of JSON."""
        return any(f'"{word}"'.encode() in self.data for word in words)

    def has_all(self, *words: str) -> bool:
        """Say whether all of the words stand there as texts of JSON."""
        return all(self.has(word) for word in words)

    @property
    def in_list(self) -> bool:
        """Whether the file is a JSON list."""
        return self.text[:1] == b"["

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of the object that stands first; in a list, those of its first item."""
        return frozenset(self._keys_at(self._first))

    @cached_property
    def _first(self) -> int:
        if not self.in_list:
            return 0 if self.text[:1] == b"{" else self._after_lines
        inner = _OPENING.match(self.text, 1)
        return inner.start(1) if inner and inner[1] == b"{" else -1

    @property
    def _after_lines(self) -> int:
        """Where the first object stands behind lines of text, as programs print them first."""
        at = self.text.find(b"\n{")
        return at + 1 if at >= 0 and self.text.count(b"\n", 0, at) < _MOST_LINES else -1

    def inner_keys(self, *names: str) -> frozenset[str]:
        """Return the keys of the object at these keys of the first; of a list its first item."""
        start, end = self._first, len(self.text)
        for name in names:
            place = self._keys_at(start, end).get(name)
            if place is None:
                return frozenset()
            start, end = place
            if self.text[start : start + 1] == b"[":
                places, _ = items_of(self.text, start, end)
                opening = self.text.find(b"{", start + 1)
                if places:
                    start, end = places[0]
                elif opening >= 0:
                    start = opening
                else:
                    return frozenset()
        return frozenset(self._keys_at(start, end))

    def _keys_at(self, start: int, end: int | None = None) -> dict[str, tuple[int, int]]:
        if start < 0 or self.text[start : start + 1] != b"{":
            return {}
        end = len(self.text) if end is None else end
        members, whole = members_of(self.text, start, end)
        found = {member.key: (member.start, member.end) for member in members}
        if not whole:
            after = members[-1].end if members else start
            at = self.text.find(b"," if members else b"{", after, end) + 1
            cut = open_end(self.text, at, end) if at else None
            if cut is not None and self._follows(after, at, first=not members):
                found.setdefault(cut[0], (cut[1], end))
        return found

    def _follows(self, after: int, at: int, *, first: bool) -> bool:
        """Whether nothing but space stands between a member and the comma behind it."""
        return first or not self.text[after : at - 1].strip()
