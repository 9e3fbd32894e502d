"""Where each content of a run stands: which values hold it, and which spans hold those.

A run file keeps a long value once and refers to it by its digest. Turned round, these
references tell of any content where else it is, without comparing anything. What is short
stands where it is used and is known by its own JSON here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.errors import RunFileError
from inspector.presentation.value_paths import Step, split
from inspector.presentation.values import entries_in, items_in, path_step
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.value import REF, TAG, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun

TELLING = 12
"""Characters from which a text says so much that finding it again means something."""

MOST_LINKS = 600_000
"""Where looking stops: some 150 MB of memory. What is beyond is not found by content."""

_FIELDS = ("inputs", "arguments", "outputs")
_LARGEST = 4_000_000  # bytes of one value's JSON that are taken apart
_DEEPEST = 8
_LOOK_UP = 256  # records between two looks at whether to stop
_MOST_WALKED = 5_000  # values on the way up from one content
# What is said of every reply and of every tool, and so says nothing about where a value is from.
_SAYS_LITTLE = frozenset({"meta", "tools", "usage", "streaming_callback", "role", "type"})
_CLOSED = frozenset({"array", "bytes", "callable", "type", "component", "tool"})
_SEQUENCES = frozenset({"tuple", "set", "frozenset"})
_UNITS = frozenset({"chat_message", "document", "answer", "image", "file", "byte_stream", "array",
                    "bytes", "object", "dict", "tuple", "set", "frozenset"})  # fmt: skip

Key = str | bytes
"""A content: a digest, the JSON of something short, or the id of something in words."""


class Place(NamedTuple):
    """A span that holds a content, and where in it."""

    row: int
    path: str
    exact: bool = True  # false: a list that only begins with it


class _Link(NamedTuple):
    holder: str | int  # a digest, or the row of a span
    path: str
    exact: bool = True


class ValueGraph:
    """The references of a run, turned round. Made once, on a worker thread."""

    def __init__(self, run: PipelineRun, cancelled: Callable[[], bool] = lambda: False) -> None:
        self._run = run
        self._links: dict[Key, list[_Link]] = {}
        self._lengths: dict[str, int] = {}
        self._before: dict[str, str] = {}  # lists, by the digests of those that continue them
        self._count = 0
        self.tool_rows: dict[str, int] = {}
        self.is_whole = self._read(cancelled)

    def __len__(self) -> int:
        """Return how many places of contents are known."""
        return self._count

    def places(self, key: Key) -> list[Place]:
        """Return where a content stands in spans, in start order."""
        found: dict[tuple[int, str], Place] = {}
        seen = {key}
        waiting: deque[tuple[Key, str, bool]] = deque([(key, "", True)])
        while waiting and len(seen) < _MOST_WALKED:
            at, below, exact = waiting.popleft()
            for link in self._links.get(at, ()):
                path, same = link.path + below, exact and (link.exact or below != "")
                if isinstance(link.holder, int):
                    found.setdefault((link.holder, path), Place(link.holder, path, same))
                elif link.holder not in seen:
                    seen.add(link.holder)
                    waiting.append((link.holder, path, same))
        return sorted(found.values())

    def keys_along(self, row: int, path: str) -> list[tuple[str, Key]]:
        """Return the contents that a path of a span leads through, each with its path.

        The innermost comes first. What is too short to tell anything has no key.
        """
        steps = split(path)
        if not steps:
            return []
        node: Any = self._run.spans[row].raw.get(steps[0].label, self._header(row, steps[0].label))
        found: list[tuple[str, Key]] = []
        at = steps[0].text
        for number, step in enumerate([*steps[1:], None]):
            node, digest = self._opened(node)
            key = digest or key_of(node, top=number <= 1)
            # All that went in may be alike without saying anything of one part of it.
            if key is not None and (number or step is None):
                found.append((at, key))
            if step is None:
                break
            node = self._down(node, step)
            at += step.text
        return found[::-1]

    def _header(self, row: int, field: str) -> Any:
        return self._run.header.get(field) if self._run.table.parent_row[row] < 0 else None

    def _opened(self, node: Any) -> tuple[Any, str]:
        """Return what a reference refers to, and its digest."""
        digest = ""
        for _ in range(_DEEPEST):
            if not (isinstance(node, Mapping) and isinstance(node.get(REF), str)):
                break
            digest = node[REF]
            node = self._value(digest)
        return node, digest

    def _value(self, digest: str) -> Any:
        try:
            return read_leaf(self._run.values.raw(digest))[0]
        except (KeyError, RunFileError, LeafError):
            return None

    def _down(self, node: Any, step: Step) -> Any:
        """Return the part of a node as it stands in the file; of a long list, where it stands."""
        while tag_of(node) == "list" and step.label.isdecimal():
            before = _digest(node.get("after"))
            first = self._length(before) if before else 0
            at, items = int(step.label), node.get("items")
            if at >= first:
                items = items if isinstance(items, list) else []
                return items[at - first] if at - first < len(items) else None
            # A conversation has thousands of links: those between are not decoded.
            while (further := self._before.get(before)) and at < self._length(further):
                before = further
            node = self._value(before)
        items = items_in(node)
        if items is not None:
            at = int(step.label) if step.label.isdecimal() else len(items)
            return items[at] if at < len(items) else None
        return next((part for key, part in entries_in(node) if str(key) == step.label), None)

    # Reading

    def _read(self, cancelled: Callable[[], bool]) -> bool:
        run = self._run
        for number, digest in enumerate(run.values.digests()):
            if self._count > MOST_LINKS or (number % _LOOK_UP == 0 and cancelled()):
                return False
            raw = self._raw(digest)
            # A text holds nothing: most of what is long need not be decoded.
            if raw[:1] in b"{[" and len(raw) <= _LARGEST:
                self._take(_decoded(raw) or [], digest, "", 0)
        try:
            for number, (row, text) in enumerate(run.record_texts()):
                if self._count > MOST_LINKS or (number % _LOOK_UP == 0 and cancelled()):
                    return False
                if len(text) <= _LARGEST:
                    self._take_record(row, _decoded(text))
        except RunFileError:
            return False
        return True

    def _raw(self, digest: str) -> bytes:
        try:
            return self._run.values.raw(digest)
        except (KeyError, RunFileError):
            return b""

    def _take_record(self, row: int, record: Any) -> None:
        if not isinstance(record, Mapping):
            return
        for field in _FIELDS:
            node = record.get(field)
            if node is None and self._run.table.parent_row[row] < 0:
                node = self._run.header.get(field)
            if node is not None:
                self._node(node, row, field, 0)
        call = record.get("tool_call")
        if isinstance(call, Mapping) and isinstance(call.get("id"), str):
            self.tool_rows[call["id"]] = row

    def _take(self, node: Any, holder: str | int, path: str, depth: int) -> None:
        """Note what a node holds, under whoever holds the node."""
        if type(node) is list:
            if not path and isinstance(holder, str):
                self._lengths[holder] = len(node)
            for at, item in enumerate(node):
                self._node(item, holder, f"{path}[{at}]", depth + 1)
            return
        tag = node.get(TAG)
        if tag == "list":
            self._tail(node, holder, path, depth)
        elif tag in _CLOSED:
            return
        elif tag in _SEQUENCES and isinstance(node.get("items"), list):
            self._take(node["items"], holder, path, depth)
        else:
            if tag == "document" and isinstance(node.get("id"), str):
                self._note(f"document {node['id']}", holder, path)
            for key, part in node.items() if tag is None else entries_in(node):
                if key not in _SAYS_LITTLE:
                    below = path + _step(key)
                    if key in ("tool_call", "tool_result"):
                        self._call(key, part, holder, below)
                    self._node(part, holder, below, depth + 1)

    def _tail(self, node: Mapping[str, Any], holder: str | int, path: str, depth: int) -> None:
        """Note a list that goes on where another one ends."""
        before = _digest(node.get("after"))
        first = 0
        if before:
            first = self._length(before)
            self._add(before, _Link(holder, path, exact=False))
        items = node.get("items")
        items = items if isinstance(items, list) else []
        if not path and isinstance(holder, str):
            self._lengths[holder] = first + len(items)
            self._before[holder] = before
        for at, item in enumerate(items, first):
            self._node(item, holder, f"{path}[{at}]", depth + 1)

    def _node(self, node: Any, holder: str | int, path: str, depth: int) -> None:
        # What was read from JSON has no types but these; looking at them is quickest.
        kind = type(node)
        if kind is str:
            if len(node) >= TELLING and (key := key_of(node)) is not None:
                self._note(key, holder, path)
            return
        if kind is dict:
            digest = node.get(REF)
            if type(digest) is str:
                self._note(digest, holder, path)
                return
        elif kind is not list:
            return
        top = depth <= 1
        if (top or (kind is dict and TAG in node)) and (key := key_of(node, top=top)) is not None:
            self._note(key, holder, path)
        if depth < _DEEPEST:
            self._take(node, holder, path, depth)

    def _call(self, word: str, part: Any, holder: str | int, path: str) -> None:
        call = part.get("call") if word == "tool_result" and isinstance(part, Mapping) else part
        if isinstance(call, Mapping) and isinstance(call.get("id"), str):
            self._note(f"{word} {call['id']}", holder, path)

    def _note(self, key: Key, holder: str | int, path: str) -> None:
        self._add(key, _Link(holder, path))

    def _add(self, key: Key, link: _Link) -> None:
        self._links.setdefault(key, []).append(link)
        self._count += 1

    def _length(self, digest: str) -> int:
        """Return how many items a list has, those it continues included."""
        chain: list[tuple[str, int]] = []
        total = 0
        at = digest
        while at and at not in self._lengths and len(chain) < _MOST_WALKED:
            node = self._value(at)
            items = node.get("items") if tag_of(node) == "list" else items_in(node)
            chain.append((at, len(items) if items is not None else 1))
            at = _digest(node.get("after")) if tag_of(node) == "list" else ""
        total = self._lengths.get(at, 0)
        for name, length in reversed(chain):
            total += length
            self._lengths[name] = total
        return total


@lru_cache(maxsize=4_096)
def _step(key: str) -> str:
    return path_step(key)


def key_of(node: Any, *, top: bool = False) -> Key | None:
    """Return what a short content is known by, or `None` where it would tell nothing.

    Args:
        node: As it stands in the file.
        top: Whether it is all that came in or went out under a name; then lists and
            fields without a tag count, too.

    """
    if isinstance(node, str):
        return _json(node) if len(node.strip()) >= TELLING else None
    if isinstance(node, Mapping):
        if not node or not (top or tag_of(node) in _UNITS):
            return None
        return _json(node) if tag_of(node) is None or tag_of(node) in _UNITS else None
    return _json(node) if top and isinstance(node, list) and node else None


def _json(node: Any) -> bytes | None:
    try:
        text = orjson.dumps(node, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) >= TELLING + 2 else None


def _digest(node: Any) -> str:
    digest = node.get(REF) if isinstance(node, Mapping) else None
    return digest if isinstance(digest, str) else ""


def _decoded(raw: bytes) -> Any:
    try:
        return read_leaf(raw)[0]
    except LeafError:
        return None


def walk_texts(value: Any, path: str, most: int) -> Iterator[tuple[str, str]]:
    """Yield the texts in a value that are long enough to tell something, each with its path."""
    waiting: deque[tuple[Any, str, int]] = deque([(value, path, 0)])
    looked_at = 0
    while waiting and looked_at < most:
        node, at, depth = waiting.popleft()
        looked_at += 1
        if isinstance(node, str):
            yield at, node
        elif depth < _DEEPEST:
            items = items_in(node)
            if items is not None:
                most_here = range(min(len(items), most))
                waiting += [(items[n], f"{at}[{n}]", depth + 1) for n in most_here]
            elif isinstance(node, Mapping):
                waiting += [
                    (part, at + path_step(str(key)), depth + 1)
                    for key, part in entries_in(node)
                    if key not in _SAYS_LITTLE and key not in (TAG, "id")
                ]
