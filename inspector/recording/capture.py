"""Capture: live values to value trees, at once, and without ever disturbing the host."""

from __future__ import annotations

from operator import is_
from threading import RLock
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.dispatch import EXACT, encoder_for
from inspector.recording.encoding.errors import error_fields
from inspector.recording.encoding.haystack_values import BY_NAME, OF_LISTS
from inspector.recording.encoding.leaves import INLINE_CHARS, NoneType
from inspector.recording.encoding.memo import Memo
from inspector.recording.encoding.plain import encode_few
from inspector.recording.encoding.texts import TOO_FAST, Texts
from inspector.recording.encoding.walk import Walk, opaque, truncated, type_name
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.writer_thread import MOST_BYTES, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.encoding.documents import KnownDocument
    from inspector.recording.encoding.haystack_values import KnownTool, KnownTools
    from inspector.recording.encoding.histories import History
    from inspector.recording.encoding.known_messages import KnownMessage


_FEW = 32


class Capture:
    """Encodes the values of one run. Any thread may call it; it never raises.

    What it returns shares nothing with the host but leaves that cannot change, so that
    turning it into JSON, hashing and writing can happen later and elsewhere. What it
    remembers of earlier values is bounded, and is let go with the run.

    Args:
        keep_embeddings: Whether embeddings are recorded in full; else as a digest.

    """

    def __init__(self, *, keep_embeddings: bool = False) -> None:
        self.keep_embeddings = keep_embeddings
        self.encoders_of_lists: dict[type, Callable[..., Any]] = {}
        self.part_kinds: dict[type, str] = {}
        self.roles: dict[int, str] = {}
        self.known_classes: set[type] = set()
        self.changes = 0
        self.doubts = 0
        self.documents: Memo[str, KnownDocument] = Memo(16 * 2**20)
        self.messages: Memo[int, KnownMessage] = Memo(100_000)
        self.histories: Memo[int, History] = Memo(1_000_000)
        self.tools: Memo[int, KnownTool] = Memo(1_000)
        self.tool_lists: Memo[int, KnownTools] = Memo(10_000)
        self._materials: Memo[int, tuple[Any, Interned]] = Memo(64 * 2**20)
        self._lists: Memo[int, tuple[list[Any], list[Any], Any]] = Memo(200_000)
        self._same_lists: Memo[tuple[int, int, int], tuple[list[Any], Interned]] = Memo(200_000)
        self._encoders: dict[type, Callable[..., Any]] = EXACT.copy()
        self._waiting = SHARED.waiting
        self.lock = RLock()
        self.text = Texts(self._waiting).node

    def at_once(self, value: Any) -> Any:
        """Return the tree of a value as it is now, whatever happens to it later."""
        try:
            if type(value) is dict and len(value) < _FEW:
                try:  # what sockets carry, mostly: straight to the loop over it
                    return encode_few(self, value, value, 0, Walk())
                except RuntimeError:
                    pass  # another thread changed it meanwhile
            return self.node(value, 0, Walk())
        except RecursionError:
            # The host stands at the end of its stack: not one call is left to say more.
            return {"$": "opaque", "type": "object", "repr": "", "why": "the stack was full"}

    def memo(self, value: Any) -> Any:
        """Return the tree of a component's inputs.

        Haystack hands a component copies of what another one returned, and tells us of
        the originals, which nobody can change any more: a list that was encoded when it
        was returned is found again, without looking into its elements.
        """
        if type(value) is not dict:
            return self.at_once(value)
        try:
            walk = Walk()
            tree: dict[str, Any] = {}
            for key, item in value.items():
                if type(key) is not str or key[:1] == "$":
                    return self.at_once(value)
                kind = type(item)
                if (kind is str and len(item) <= INLINE_CHARS) or kind is bool or kind is NoneType:
                    tree[key] = item
                elif (
                    kind is list
                    and (known := self._lists.get(id(item))) is not None
                    and (
                        known[0] is item
                        and len(known[1]) == len(item)
                        and all(map(is_, known[1], item))
                    )
                ):
                    tree[key] = known[2]
                else:
                    tree[key] = self.node(item, 1, walk)
        except Exception:  # noqa: BLE001 - a guest never raises into its host
            return self.at_once(value)
        return tree

    def chunk(self, chunk: Any) -> Any:
        """Return the tree of one streamed chunk."""
        try:
            return self.node(chunk, 2, Walk())
        except RecursionError:
            return {"$": "opaque", "type": "object", "repr": "", "why": "the stack was full"}

    def error(self, error: BaseException) -> dict[str, Any]:
        """Return an exception with what caused it."""
        try:
            return error_fields(self, error, Walk(), 3)
        except Exception as trouble:  # noqa: BLE001 - a guest never raises into its host
            kind = type_name(type(error))
            return {"type": kind, "message": f"<reading it raised {type_name(type(trouble))}>"}

    def dirty(self, *, likely: bool = True) -> None:
        """Take note that code which is not Haystack's had its hands on earlier values.

        Args:
            likely: Whether it is there to change them, as hooks are and tools that get the
                agent's state: then the next capture looks at every message that it has seen
                before, down to the leaves. A model of the user's gets the messages to read;
                after it, that is done as often as it costs next to nothing.

        """
        if likely:
            self.changes += 1
        else:
            self.doubts += 1

    # For the encoders

    def node(self, value: Any, depth: int, walk: Walk) -> Any:
        """Encode anything; whatever goes wrong costs this value only."""
        kind = type(value)
        try:
            encode = self._encoders.get(kind)
            if encode is None:
                encode = self._learn(kind, value)
            return encode(self, value, depth, walk)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            return opaque(type_name(kind), "", f"reading it raised {type_name(type(error))}")

    def _learn(self, kind: type, value: Any) -> Callable[..., Any]:
        encode = encoder_for(kind, value)
        name = type_name(kind)
        if name in BY_NAME:
            if name in OF_LISTS:
                self.encoders_of_lists[kind] = OF_LISTS[name]
            self.known_classes.add(kind)
        self._encoders[kind] = encode
        return encode

    def deferred(self, make: Callable[[Any], Any], material: Any, size: int) -> Any:
        """Encode what cannot change and is turned into JSON later, once."""
        known = self._materials.get(id(material))
        if known is not None and known[0] is material:
            return known[1]
        if self._waiting.bytes > MOST_BYTES:
            return truncated(type_name(type(material)), size, TOO_FAST)
        self._waiting.bytes += size
        node = Deferred(make, material)
        self._materials.put(id(material), (material, node), size)
        return node

    def same_list(self, nodes: list[Any]) -> Any:
        """Return the node of a list of nodes, the same one for the same nodes."""
        key = (id(nodes[0]), id(nodes[-1]), len(nodes))
        known = self._same_lists.get(key)
        if known is not None and known[0] == nodes:
            return known[1]
        node = Interned(nodes)
        self._same_lists.put(key, (nodes, node), len(nodes))
        return node

    def remember_list(self, value: list[Any], items: list[Any], tree: Any) -> None:
        """Keep a list for `memo`."""
        self._lists.put(id(value), (value, items, tree), len(items))
