"""The values of a run while it is written: each turned into JSON once, and kept once."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson

from inspector.runfile.compact import compact
from inspector.runfile.digest import ID_DIGITS
from inspector.runfile.interned import NODES, Deferred
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspector.runfile.interned import Interned
    from inspector.runfile.limits import WriteLimits
    from inspector.runfile.scrub import Scrub
    from inspector.runfile.spool import Spool

INLINE_BYTES = 200
"""A value of up to so many bytes of JSON stands where it is used."""

_HEAD_CHARS = 200
_SEARCHED_CHARS = 20_000
_PIECE = 2**20
_LONG = 2**20
_TOO_LONG = "it is larger than a value may be"
_BEFORE_VALUE = len(b'{"record":"value","id":"","value":') + ID_DIGITS
_TEXTS = frozenset({str, bytes})

SPILL_BYTES = 32 * 2**20
"""So much is gathered before it goes to disk ahead of time."""


class RunValues:
    """Turns trees into JSON and appends the values in them to the spool."""

    def __init__(
        self,
        spool: Spool,
        limits: WriteLimits,
        leave_out: Callable[[str, str], None],
        redact: Callable[[Any], Any] | None,
        scrub: Scrub | None,
        make_room: Callable[[], None],
    ) -> None:
        self._spool = spool
        self._limits = limits
        self._leave_out = leave_out
        self._redact = redact
        self._scrub = scrub
        self._make_room = make_room
        self._long_from = min(_LONG, limits.value_bytes)
        self._places: dict[str, tuple[int, int]] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._places)

    def json(self, tree: Any) -> bytes:
        """Return a tree as compact JSON; what it refers to is in the spool afterwards.

        The one place where trees become text, so also the one where they are redacted:
        before anything is hashed or written.
        """
        if self._redact is not None:
            tree = self._redact(tree)
        text = compact(tree, self._stand_in)
        return text if self._scrub is None else self._scrub.clean(text)

    def json_of_clean(self, tree: Any) -> bytes:
        """Return a tree as compact JSON from which everything was taken out already."""
        return compact(tree, self._stand_in)

    def clear(self) -> None:
        """Let go of everything: the run is where it belongs.

        Of the writer, too, which holds us: the host's garbage collector shall find nothing.
        """
        self._places.clear()
        self._leave_out = _say_nothing
        self._make_room = _do_nothing

    def texts(self) -> Iterator[tuple[str, bytes]]:
        """Yield the digest and the JSON of each value; a value refers to earlier ones only."""
        read = self._spool.reader()
        for digest, (offset, length) in self._places.items():
            yield digest, read(offset, length)

    def reference(self, text: bytes, *, apart: bool = False) -> bytes:
        """Return what stands for a value: itself when it is short, else a reference to it."""
        size = len(text)
        if size <= INLINE_BYTES and not apart:
            return text
        name = sha256(text).hexdigest()[:ID_DIGITS]
        if name not in self._places:
            if why := self._too_large(size):
                return self._stub(
                    "value", size, name, text[:_HEAD_CHARS].decode("utf-8", "ignore"), why
                )
            offset = self._spool.append(
                b'{"record":"value","id":"%s","value":%s}\n' % (name.encode(), text)
            )
            self._places[name] = (offset + _BEFORE_VALUE, size)
            self._size += size
        return b'{"$ref":"%s"}' % name.encode()

    def _too_large(self, size: int) -> str:
        in_memory = self._spool.in_memory
        if in_memory > SPILL_BYTES:
            self._make_room()
            in_memory = self._spool.in_memory
        limits = self._limits
        if size > limits.value_bytes:
            return _TOO_LONG
        if self._size + size > limits.run_bytes:
            return "the run is larger than it may be"
        if in_memory + size > limits.memory_bytes:
            return "it could not be written to disk, and memory is limited"
        return ""

    def _stand_in(self, node: Any) -> Any:
        """Return what orjson writes for a node that is not JSON; the hottest path there is."""
        if type(node) not in NODES:
            return {TAG: "opaque", "type": type(node).__qualname__, "repr": ""}
        if node.ref is not None:
            return node.ref
        if node.after is not None and node.after.ref is None:
            self._intern_before(node)
        material = node.tree
        if type(material) in _TEXTS and len(material) > self._long_from:
            text = self._long(node, material)
        else:
            text = self.reference(self.json(self._built(node)), apart=node.apart)
        node.ref = orjson.Fragment(text)
        if self._redact is None:  # which may have to look at it again, where it stands next
            node.tree = node.after = None
        return node.ref

    def _built(self, node: Interned) -> Any:
        try:
            return node.build()
        except Exception as error:  # noqa: BLE001 - costs this node only
            kind = type(node.tree).__qualname__
            return {TAG: "opaque", "type": kind, "repr": "", "why": f"{type(error).__name__}"}

    def _long(self, node: Interned, material: str | bytes) -> bytes:
        """Return what stands for a long text, made in pieces: others want the interpreter, too."""
        if len(material) > self._limits.value_bytes:
            return self._too_long(material)
        if type(node) is Deferred or self._redact is not None or isinstance(material, bytes):
            return self.reference(self.json(self._built(node)))
        try:
            pieces = [
                orjson.dumps(material[at : at + _PIECE])[1:-1]
                for at in range(0, len(material), _PIECE)
            ]
        except TypeError:  # not valid Unicode
            return self.reference(self.json(material))
        text = b'"%s"' % b"".join(pieces)
        return self.reference(text if self._scrub is None else self._scrub.clean(text))

    def _intern_before(self, node: Interned) -> None:
        """Take the lists that this one continues, the first one first, without recursion."""
        chain: list[Interned] = []
        before = node.after
        while before is not None and before.ref is None:
            chain.append(before)
            before = before.after
        for link in reversed(chain):
            self._stand_in(link)

    def _too_long(self, material: str | bytes) -> bytes:
        """Return the stub for a text or bytes beyond any limit, hashed piece by piece."""
        digest = sha256()
        for at in range(0, len(material), _PIECE):
            piece = material[at : at + _PIECE]
            digest.update(piece if isinstance(piece, bytes) else _utf8(piece))
        words = self._head_of(material)
        kind = type(material).__name__
        return self._stub(kind, len(material), digest.hexdigest()[:32], words, _TOO_LONG)

    def _head_of(self, material: str | bytes) -> str:
        """Return the beginning of a text or of bytes; what is kept out of files is not in it."""
        if isinstance(material, bytes):
            return material[:_HEAD_CHARS].hex()
        if self._scrub is None:
            return material[:_HEAD_CHARS]
        # Longer than what is kept, or a secret could be cut and not be known any more.
        text = compact(material[:_SEARCHED_CHARS], str)
        head = orjson.loads(self._scrub.clean(text))
        return head[:_HEAD_CHARS] if isinstance(head, str) else ""

    def _stub(self, kind: str, size: int, digest: str, head: str, why: str) -> bytes:
        self._leave_out("values", why)
        stub: dict[str, Any] = {TAG: "truncated", "type": kind, "size": size, "digest": digest}
        return compact({**stub, "head": head, "why": why}, str)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _say_nothing(_what: str, _why: str) -> None:
    """Take a note about a run that is over."""


def _do_nothing() -> None:
    """Make room for a run that is over."""
