"""Long strings, each kept once in a run however often it is passed on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import INLINE_CHARS
from inspector.recording.encoding.memo import Memo
from inspector.recording.encoding.walk import truncated
from inspector.runfile.interned import Interned
from inspector.runfile.writer_thread import MOST_BYTES

if TYPE_CHECKING:
    from inspector.runfile.writer_thread import Waiting

TOO_FAST = "values came faster than they could be written"


class Texts:
    """Finds a string again by its identity: Haystack passes on the very same ones."""

    __slots__ = ("_known", "_waiting")

    def __init__(self, waiting: Waiting) -> None:
        self._known: Memo[int, tuple[str, Interned]] = Memo(64 * 2**20)
        self._waiting = waiting

    def node(self, text: str) -> Any:
        """Encode a string that is too long to stand where it is used."""
        known = self._known.get(id(text))
        if known is not None and known[0] is text:
            return known[1]
        size = len(text)
        if self._waiting.bytes > MOST_BYTES:
            return truncated("str", size, TOO_FAST, text[:INLINE_CHARS])
        self._waiting.bytes += size
        node = Interned(text)
        self._known.put(id(text), (text, node), size)
        return node
