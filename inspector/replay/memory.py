"""What the values of a recorded run are when they are encoded, remembered for its replays.

Most values that a replay meets are those that the replay before it met. They are known by
their exact content, so nothing that is looked up here can be a value that has changed since.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.leaves import INLINE_CHARS
from inspector.replay.exact import exact, is_plain
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.replay.recorded import Entry

_LARGEST = 256 * 2**10
_MOST_BYTES = 32 * 2**20
_APART = frozenset({"chat_message", "document", "tool", "answer"})
_TOP_LEVELS = 2


class Known:
    """A value that was met before: its tree, which nobody changes, and what is known of it."""

    __slots__ = ("_numbered", "_print", "entries", "tree")

    def __init__(self, tree: Any, *, numbered: bool = False) -> None:
        self.tree = tree
        self._numbered = numbered
        self._print: str | None = None
        self.entries: dict[tuple[str, str], Entry] = {}
        """The recorded calls that were given it, by place and kind, as far as they were found."""

    @property
    def fingerprint(self) -> str:
        if self._print is None:
            self._print = Fingerprints(numbered=self._numbered).of(self.tree)
        return self._print


class Again(Interned):
    """A known value where it stands in one run."""

    __slots__ = ("known",)

    def __init__(self, known: Known) -> None:
        super().__init__(known.tree)
        self.known = known

    def build(self) -> Any:
        """Return the tree with nodes for what a run keeps once."""
        return _woven(self.known.tree, 0)


class Memory:
    """The values that the replays of one run met. Any thread may ask.

    Args:
        numbered: See `Fingerprints`.

    """

    def __init__(self, *, numbered: bool = False) -> None:
        self._numbered = numbered
        self._known: dict[bytes, Known] = {}
        self._size = 0
        self._lock = Lock()

    def encoded(self, value: Any, encode: Callable[[Any], Any]) -> Any:
        """Return the tree of a value as it is now, which is only encoded if it is new."""
        content = exact(value)
        if content is None:
            return encode(value)
        known = self._known.get(content)
        if known is None:
            tree = encode(value)
            known = self._kept(content, value, tree)
            if known is None:
                return tree
        return Again(known)

    def _kept(self, content: bytes, value: Any, tree: Any) -> Known | None:
        size = len(content)
        if size > _LARGEST or self._size + size > _MOST_BYTES or not is_plain(value):
            return None
        known = Known(plain(tree), numbered=self._numbered)
        if exact(value) != content:
            return None  # another thread changed it meanwhile
        with self._lock:
            self._size += size
            return self._known.setdefault(content, known)


def plain(tree: Any) -> Any:
    """Return a live tree as it reads in a file when every reference is followed."""
    while isinstance(tree, Interned):
        tree = tree.build()
    if type(tree) is list:
        return [plain(item) for item in tree]
    if type(tree) is not dict:
        return tree
    if tree.get(TAG) == "list" and "after" in tree:
        return [*plain(tree["after"]), *plain(tree["items"])]
    return {key: plain(item) for key, item in tree.items()}


def _woven(tree: Any, level: int) -> Any:
    kind = type(tree)
    if kind is str:
        return tree if len(tree) <= INLINE_CHARS else Interned(tree)
    if kind is list:
        items = [_woven(item, level + 1) for item in tree]
        return Interned(items) if 0 < level <= _TOP_LEVELS else items
    if kind is dict:
        fields = {key: _woven(item, level + 1) for key, item in tree.items()}
        return Interned(fields) if tree.get(TAG) in _APART else fields
    return tree
