"""Putting values together: following references without recursion, and never without end."""

from __future__ import annotations

from itertools import chain, repeat
from operator import contains
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.runfile.value import REF, TAG, missing

if TYPE_CHECKING:
    from inspector.runfile.store import ValueStore

MAX_DEPTH = 200
"""No node of a resolved tree is deeper below its root, so that others may recurse over it."""

MAX_EXPANDED = 256 * 2**20
"""How much JSON one value may stand for. Shared parts are cheap to hold, but whoever
walks over a value walks over each occurrence, and those can double at every level."""

MAX_JOINED = 64 * 2**20
"""How much JSON may be read to put the lists of one answer together. A conversation is read
once to show its last turn; lists that continue each other crosswise would never end."""

TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep"
TOO_LARGE = "the whole would be too large to show"
TOO_LONG = "the whole would take too long to put together"
CIRCLE = "it refers to itself"

_CONTAINERS = frozenset({dict, list})
_DEEPEST = MAX_DEPTH - 1  # for containers: what they hold is one level further down
_A_READ = 1_000  # what reading a value costs besides its bytes, in bytes
_A_LINK = 2  # bytes of JSON that are as heavy, when read, as a place in a list
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
    """Where a value belongs; with `items`, a list that they continue."""

    holder: Any
    key: Any
    digest: str
    level: int
    items: list[Any] | None = None


class _Frame(NamedTuple):
    holder: list[Any]
    slots: list[_Slot]
    weight: int
    depth: int
    said: list[str]


class Resolver:
    """Follows references for one question.

    A tree is taken apart first (`_prepared`), then everything it refers to is settled,
    and at last it is filled in. A value that many refer to is settled once.
    """

    def __init__(self, store: ValueStore) -> None:
        self._store = store
        self._done: dict[str, Resolved] = {}
        self._joining = 0
        self.made = 0  # bytes that were read for it or joined, and not there already

    def by_digest(self, digest: str) -> Resolved:
        """Return the value that has a digest."""
        self._settle([digest])
        return self._done[digest]

    def of_tree(self, tree: Any, weight: int = 0, said: str = "") -> Resolved:
        """Return a tree, which is changed in place, with its references followed."""
        frame = self._prepared(tree, weight, said)
        self.made += frame.weight
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
                self.made += frame.weight
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
        """Find the references in a tree that is ours to change."""
        holder = [tree]
        slots: list[_Slot] = []
        remarks = [said] if said else []
        if _continues(tree):
            # The tail of a conversation: the links before it are read in a row.
            items, base, read = self._collected(tree, remarks)
            holder[0] = items
            weight += read
            if base is not None:
                slots.append(_Slot(holder, 0, base, 1, items))
        # Most of what is large refers to nothing, which is soon seen.
        plain = _plain_depth(tree)
        if plain is not None:
            return _Frame(holder, slots, weight, plain, remarks)
        deepest = 0
        stack: list[tuple[Any, int]] = [(holder, 0)]
        while stack:
            node, level = stack.pop()
            deepest = max(deepest, level)
            pairs = node.items() if isinstance(node, dict) else enumerate(node)
            for key, child in list(pairs):
                if not isinstance(child, (dict, list)) or not child:
                    continue
                if level >= _DEEPEST:
                    node[key] = missing("", TOO_DEEP)
                    remarks.append(f"a part was left out: {TOO_DEEP}")
                elif isinstance(child, dict) and isinstance(digest := child.get(REF), str):
                    slots.append(_Slot(node, key, digest, level + 1))
                elif isinstance(child, dict) and _continues(child):
                    node[key] = items = child["items"]
                    slots.append(_Slot(node, key, child["after"][REF], level + 1, items))
                    stack.append((items, level + 1))
                else:
                    stack.append((child, level + 1))
        return _Frame(holder, slots, weight, deepest, remarks)

    def _collected(
        self, tail: dict[str, Any], remarks: list[str]
    ) -> tuple[list[Any], str | None, int]:
        """Return the items of a list and of those it continues, as far as links go.

        Then the digest of an earlier list that was put together already, if it came to
        one, and how much was read.
        """
        pieces: list[list[Any]] = []
        seen: set[str] = set()
        read = 0
        while True:
            pieces.append(tail["items"])
            digest = tail["after"][REF]
            if digest in self._done or self._store.kept(digest) is not None:
                base: str | None = digest
                break
            base = None
            if digest in seen or self._joining > MAX_JOINED:
                why = "it follows itself" if digest in seen else TOO_LONG
                pieces.append([missing(digest, why)])
                remarks.append(f"a list could not be put together: {why}")
                break
            seen.add(digest)
            tree, size, said = self._store.decode(digest)
            read += size
            self._joining += size + _A_READ
            if said:
                remarks.append(said)
            if not _continues(tree):
                pieces.append(tree if isinstance(tree, list) else [tree])
                break
            tail = tree
        return [item for piece in reversed(pieces) for item in piece], base, read

    def _filled(self, frame: _Frame) -> Resolved:
        weight, depth = frame.weight, frame.depth
        remarks = dict.fromkeys(frame.said)
        # Backwards: a list within the items of another one is found later than that one.
        for holder, key, digest, level, items in reversed(frame.slots):
            value = self._done.get(digest)
            if value is None:
                why = CIRCLE
            elif level + max(value.depth, 1) - 1 > _DEEPEST:
                why = TOO_DEEP
            elif weight + value.weight > MAX_EXPANDED:
                why = TOO_LARGE
            else:
                holder[key] = _joined(value.tree, items)
                if items is not None and isinstance(value.tree, list):
                    self.made += _A_LINK * len(value.tree)
                weight += value.weight
                depth = max(depth, level + max(value.depth, 1) - 1)
                remarks.update(dict.fromkeys(value.said))
                continue
            holder[key] = _joined(missing(digest, why), items)
            depth = max(depth, level + 1)
            remarks[f"{short(digest)} was left out: {why}"] = None
        return Resolved(frame.holder[0], weight, depth, tuple(remarks)[:_MOST_SAID])


def _plain_depth(tree: Any) -> int | None:
    """Return how deep a tree is that refers to nothing; None of one that does, or is too deep."""
    level: list[Any] = [tree] if isinstance(tree, (dict, list)) and tree else []
    depth = 0
    while level:
        depth += 1
        named = [node for node in level if type(node) is dict]
        if depth > _DEEPEST or any(map(contains, named, repeat(REF))):
            return None
        listed = [node for node in level if type(node) is list]
        parts = chain(chain.from_iterable(map(dict.values, named)), chain.from_iterable(listed))
        level = [part for part in parts if type(part) in _CONTAINERS and part]
    return depth


def _joined(tree: Any, items: list[Any] | None) -> Any:
    if items is None:
        return tree
    return [*tree, *items] if isinstance(tree, list) else [tree, *items]


def _continues(tree: Any) -> bool:
    """Whether a node is a list that was written as additions to another one."""
    if not isinstance(tree, dict) or tree.get(TAG) != "list":
        return False
    after = tree.get("after")
    return (
        isinstance(after, dict)
        and isinstance(after.get(REF), str)
        and isinstance(tree.get("items"), list)
    )


def short(digest: str) -> str:
    """Return how a value is called in a sentence."""
    return f"value {digest[:8]}…" if len(digest) > len("12345678") else f"value {digest}"


def copied(tree: Any) -> Any:
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
