"""Capture: live values to value trees, at once, and without ever disturbing the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.dispatch import EXACT, encoder_for
from inspector.recording.encoding.errors import error_fields
from inspector.recording.encoding.memo import Memo
from inspector.recording.encoding.plain import INLINE_CHARS
from inspector.recording.encoding.walk import Walk, opaque, truncated, type_name
from inspector.runfile.interned import Interned
from inspector.runfile.writer_thread import MOST_BYTES, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.encoding.haystack_values import KnownDocument

_LEAVES = (str, int, float, bool, type(None))


class Capture:
    """Encodes the values of one run. Any thread may call it; it never raises.

    Args:
        keep_embeddings: Whether embeddings are recorded in full; else as a digest.

    """

    def __init__(self, *, keep_embeddings: bool = False) -> None:
        self.keep_embeddings = keep_embeddings
        self.documents: Memo[str, KnownDocument] = Memo(16 * 2**20)
        self.part_kinds: dict[type, str] = {}
        self.kept_types: set[type] = set()
        self._texts: Memo[int, tuple[str, Interned]] = Memo(64 * 2**20)
        self._lists: Memo[int, tuple[list[Any], list[Any], Any]] = Memo(200_000)
        self._encoders: dict[type, Callable[..., Any]] = dict(EXACT)
        self._waiting = SHARED.waiting

    def at_once(self, value: Any) -> Any:
        """Return the tree of a value as it is now."""
        return self.node(value, 0, Walk())

    def memo(self, value: Any) -> Any:
        """Return the tree of component inputs, by reference to what was encoded before."""
        return self.node(value, 0, Walk())

    def chunk(self, chunk: Any) -> Any:
        """Return the tree of one streamed chunk."""
        return self.node(chunk, 0, Walk())

    def error(self, error: BaseException) -> dict[str, Any]:
        """Return an exception with its causes."""
        try:
            return error_fields(self, error, Walk(), 0, 20, set())
        except Exception as trouble:  # noqa: BLE001 - a guest never raises into its host
            return {"type": type_name(type(error)), "message": f"<{type_name(type(trouble))}>"}

    def dirty(self) -> None:
        """Say that something may have changed what was encoded before."""

    # For the encoders

    def node(self, value: Any, depth: int, walk: Walk) -> Any:
        """Encode anything; whatever goes wrong costs this value only."""
        try:
            kind = type(value)
            encode = self._encoders.get(kind)
            if encode is None:
                encode = self._encoders[kind] = encoder_for(kind, value)
            return encode(self, value, depth, walk)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            return opaque(type_name(type(value)), "", f"{type_name(type(error))} while it was read")

    leaf = node

    def text(self, text: str) -> Any:
        """Encode a long string: once, however often it is passed on."""
        known = self._texts.get(id(text))
        if known is not None and known[0] is text:
            return known[1]
        size = len(text)
        if self._waiting.bytes > MOST_BYTES:
            why = "values came faster than they could be written"
            return truncated("str", size, why, text[:INLINE_CHARS])
        self._waiting.bytes += size
        node = Interned(text)
        self._texts.put(id(text), (text, node), size)
        return node

    def objects(self, value: list[Any], depth: int, walk: Walk) -> Any:
        """Encode a list of messages, documents or tools."""
        return [self.node(item, depth + 1, walk) for item in value]
