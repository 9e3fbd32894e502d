"""The values of a run, each kept once in the file and decoded when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import RunFileError
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.lru import ByteLRU
from inspector.runfile.source import Window
from inspector.runfile.value import REF, TAG, missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.source import ByteSource
    from inspector.runfile.value_index import ValueIndex

MAX_DEPTH = 200
"""No tree that leaves this module is deeper, so that others may recurse over it."""

MAX_EXPANDED = 256 * 2**20
"""How much JSON one value may stand for. Shared parts are cheap to hold, but whoever
walks over a value walks over each occurrence, and those can double at every level."""

MAX_STEPS = 20_000_000
"""How many nodes one question may visit before the rest is left out."""

_KEPT = 48 * 2**20
_MOST_SAID = 20


class Resolved(NamedTuple):
    """A tree without references, what it would weigh written out, and its depth.

    `said` holds what was wrong with it and with everything in it, in words.
    """

    tree: Any
    weight: int
    depth: int
    said: tuple[str, ...] = ()


class _Slot(NamedTuple):
    holder: Any
    key: Any
    digest: str
    level: int


class _Frame(NamedTuple):
    holder: list[Any]
    slots: list[_Slot]
    weight: int
    depth: int
    said: list[str]


class ValueStore:
    """Finds, decodes and puts together values.

    The trees it returns share their parts with each other: look, do not change.
    """

    def __init__(self, source: ByteSource, index: ValueIndex) -> None:
        self._source = source
        self._index = index
        self._kept: ByteLRU[str, Resolved] = ByteLRU(_KEPT)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, digest: object) -> bool:
        return isinstance(digest, str) and self._index.find(digest) is not None

    def digests(self) -> Iterator[str]:
        """Yield the digest of every value, in the order of the file."""
        return iter(self._index)

    def size(self, digest: str) -> int:
        """Return how many bytes of JSON a value is, not counting what it refers to.

        Raises:
            KeyError: The run holds no such value.

        """
        return self._place(digest)[1]

    def raw(self, digest: str) -> bytes:
        """Return a value's JSON as it stands in the file.

        Raises:
            KeyError: The run holds no such value.

        """
        return self._source.read_at(*self._place(digest))

    def get(self, digest: str) -> Any:
        """Return a value with its references followed.

        Raises:
            KeyError: The run holds no such value.

        """
        self._place(digest)
        return _Resolver(self).by_digest(digest).tree

    def resolve(self, tree: Any) -> Any:
        """Return a copy of `tree` with its references followed."""
        return _Resolver(self).of_tree(_copied(tree)).tree

    def resolve_text(self, text: bytes) -> tuple[Any, str]:
        """Return what a piece of JSON says with its references followed, and what was wrong.

        Raises:
            LeafError: It cannot be read.

        """
        tree, said = read_leaf(text, strictly=True)
        if not isinstance(tree, (dict, list)):
            return tree, said
        resolved = _Resolver(self).of_tree(tree, len(text), said)
        return resolved.tree, "; ".join(resolved.said)

    def kept(self, digest: str) -> Resolved | None:
        """Return a value that was put together before, if it is still here."""
        return self._kept.get(digest)

    def keep(self, digest: str, resolved: Resolved, weight: int) -> None:
        """Remember a value for a while."""
        self._kept.put(digest, resolved, weight)

    def decode(self, digest: str) -> tuple[Any, int, str]:
        """Return a value's own tree, its size in the file, and what was wrong with it."""
        place = self._index.find(digest)
        if place is None:
            why = "the file holds no value with this digest"
            return missing(digest, why), 0, f"{_short(digest)}: {why}"
        try:
            tree, said = read_leaf(self._source.read_at(*place), strictly=True)
        except LeafError as error:
            return missing(digest, f"it {error}"), 0, f"{_short(digest)} {error}"
        except RunFileError as error:
            return missing(digest, str(error)), 0, str(error)
        return tree, place[1], f"{_short(digest)}: {said}" if said else ""

    def items(self) -> Iterator[tuple[str, bytes]]:
        """Yield every value's digest and JSON in the order of the file, read in large blocks."""
        return self._index.items_in(Window(self._source))

    def _place(self, digest: str) -> tuple[int, int]:
        place = self._index.find(digest)
        if place is None:
            raise KeyError(digest)
        return place


class _Resolver:
    """Follows references for one question, without recursion and within a budget."""

    def __init__(self, store: ValueStore) -> None:
        self._store = store
        self._done: dict[str, Resolved] = {}
        self._steps = 0

    def by_digest(self, digest: str) -> Resolved:
        self._settle([digest])
        return self._done[digest]

    def of_tree(self, tree: Any, weight: int = 0, said: str = "") -> Resolved:
        frame = self._prepared(tree, weight, said)
        self._settle([slot.digest for slot in frame.slots])
        return self._filled(frame)

    def _settle(self, wanted: list[str]) -> None:
        """Put together everything in `wanted`, what it refers to first."""
        stack = list(wanted)
        waiting: dict[str, _Frame] = {}
        while stack:
            digest = stack[-1]
            if digest in self._done:
                stack.pop()
                continue
            frame = waiting.get(digest)
            if frame is None:
                if (kept := self._store.kept(digest)) is not None:
                    self._done[digest] = kept
                    continue
                frame = waiting[digest] = self._prepared(*self._store.decode(digest))
                # What waits already is an ancestor: a circle, cut when it is filled in.
                stack.extend(
                    slot.digest
                    for slot in frame.slots
                    if slot.digest not in self._done and slot.digest not in waiting
                )
                continue
            del waiting[digest]
            resolved = self._done[digest] = self._filled(frame)
            self._store.keep(digest, resolved, 4 * frame.weight + 200)

    def _prepared(self, tree: Any, weight: int, said: str) -> _Frame:
        """Find the references in a tree that is ours to change, and join its lists."""
        holder = [tree]
        slots: list[_Slot] = []
        remarks = [said] if said else []
        deepest = 0
        stack: list[tuple[Any, int]] = [(holder, 0)]
        while stack:
            node, level = stack.pop()
            deepest = max(deepest, level)
            pairs = node.items() if isinstance(node, dict) else enumerate(node)
            self._steps += len(node)
            for key, child in list(pairs):
                if not isinstance(child, (dict, list)) or not child:
                    continue
                if level >= MAX_DEPTH or self._steps > MAX_STEPS:
                    node[key] = missing("", why := _left_out(level))
                    remarks.append(f"a part was left out: {why}")
                elif isinstance(child, dict) and isinstance(digest := child.get(REF), str):
                    slots.append(_Slot(node, key, digest, level + 1))
                elif isinstance(child, dict) and _is_longer_list(child):
                    joined, extra = self._joined(child, remarks)
                    weight += extra
                    node[key] = joined
                    stack.append((joined, level + 1))
                else:
                    stack.append((child, level + 1))
        return _Frame(holder, slots, weight, deepest, remarks)

    def _joined(self, tail: dict[str, Any], remarks: list[str]) -> tuple[list[Any], int]:
        """Return a list that was written as additions to earlier lists, as one list."""
        pieces: list[list[Any]] = []
        seen: set[str] = set()
        weight = 0
        while True:
            pieces.append(tail["items"])
            digest = tail["after"][REF]
            self._steps += 1 + len(tail["items"])
            if digest in seen or self._steps > MAX_STEPS:
                why = "it follows itself" if digest in seen else _left_out(0)
                pieces.append([missing(digest, why)])
                remarks.append(f"a list could not be put together: {why}")
                break
            seen.add(digest)
            tree, size, said = self._store.decode(digest)
            weight += size
            if said:
                remarks.append(said)
            if isinstance(tree, list):
                pieces.append(tree)
                break
            if not _is_longer_list(tree):
                pieces.append([tree])
                break
            tail = tree
        return [item for piece in reversed(pieces) for item in piece], weight

    def _filled(self, frame: _Frame) -> Resolved:
        weight, depth = frame.weight, frame.depth
        remarks = dict.fromkeys(frame.said)
        for holder, key, digest, level in frame.slots:
            value = self._done.get(digest)
            if value is None:
                why = "it refers to itself"
            elif level + value.depth > MAX_DEPTH:
                why = _left_out(MAX_DEPTH)
            elif weight + value.weight > MAX_EXPANDED:
                why = "the whole would be too large to show"
            else:
                holder[key] = value.tree
                weight += value.weight
                depth = max(depth, level + value.depth)
                remarks.update(dict.fromkeys(value.said))
                continue
            holder[key] = missing(digest, why)
            remarks[f"{_short(digest)} was left out: {why}"] = None
        return Resolved(frame.holder[0], weight, depth, tuple(remarks)[:_MOST_SAID])


def _short(digest: str) -> str:
    return f"value {digest[:8]}…" if len(digest) > 8 else f"value {digest}"


def _left_out(level: int) -> str:
    if level >= MAX_DEPTH:
        return f"it is nested more than {MAX_DEPTH} levels deep"
    return "the whole would take too long to put together"


def _is_longer_list(tree: Any) -> bool:
    if not isinstance(tree, dict) or tree.get(TAG) != "list":
        return False
    after = tree.get("after")
    return (
        isinstance(after, dict)
        and isinstance(after.get(REF), str)
        and isinstance(tree.get("items"), list)
    )


def _copied(tree: Any) -> Any:
    """Return a copy of the containers of a tree, without recursion."""
    holder: list[Any] = [tree]
    stack: list[Any] = [holder]
    while stack:
        node = stack.pop()
        for key, child in list(node.items() if isinstance(node, dict) else enumerate(node)):
            if isinstance(child, dict):
                node[key] = dict(child)
                stack.append(node[key])
            elif isinstance(child, (list, tuple)):
                node[key] = list(child)
                stack.append(node[key])
    return holder[0]
