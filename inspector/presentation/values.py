"""A recorded value as a tree that is only ever as big as what is looked at.

Values come from a file and may be anything: millions of items, nested a hundred
thousand deep, or a few shared parts that would be endless if written out. So
nothing here walks a value: a node answers for itself and makes its children when
it is opened, a page at a time.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from typing import Any

from inspector.runfile.value import TAG, tag_of

PAGE = 1_000
"""How many children a node shows at once; more are kept in pages of this size."""

# Tags that say one thing, whatever they hold.
_LEAVES = frozenset(
    {
        "float", "int", "str", "bytes", "array", "complex", "datetime", "date", "time",
        "timedelta", "decimal", "uuid", "path", "enum", "callable", "type", "secret",
        "opaque", "truncated", "redacted", "missing",
    }
)  # fmt: skip
_SEQUENCES = frozenset({"tuple", "set", "frozenset"})

_LONGEST_LABEL = 200

# Where a chain of growing lists stops being believed.
_LONGEST_CHAIN = 1_000_000

_PLAIN_KEY = re.compile(r"[^\W\d]\w*")
_STEP = re.compile(r"\.?([^\W\d]\w*)|\[(\d+)\]|\[(\"(?:[^\"\\]|\\.)*\")\]")


def is_leaf(value: Any) -> bool:
    """Say whether a value has nothing inside it to open."""
    if isinstance(value, Mapping):
        return tag_of(value) in _LEAVES
    return not _is_list(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def items_in(value: Any) -> Sequence[Any] | None:
    """Return the items of a list, tuple or set, however it was written; `None` for the rest."""
    if _is_list(value):
        return value  # type: ignore[no-any-return]  # it was just looked at
    match tag_of(value):
        case "list":
            return _joined(value)
        case tag if tag in _SEQUENCES and _is_list(value.get("items")):
            return value["items"]  # type: ignore[no-any-return]  # it was just looked at
    return None


class _Joined(Sequence[Any]):
    """Lists one after another, without copying them.

    Parts may be shared: written out, a small file could fill the memory.
    """

    def __init__(self, parts: list[Sequence[Any]]) -> None:
        self._parts = parts
        self._ends = list(accumulate(len(part) for part in parts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return [self[at] for at in range(*position.indices(len(self)))]
        if not 0 <= position < len(self):
            raise IndexError(position)
        part = bisect_right(self._ends, position)
        return self._parts[part][position - (self._ends[part - 1] if part else 0)]


def _joined(value: Mapping[str, Any]) -> Sequence[Any]:
    """Return a list that was kept as "that list, and then these items" as one list."""
    parts: list[Sequence[Any]] = []
    seen: set[int] = set()
    link: Any = value
    while tag_of(link) == "list" and id(link) not in seen and len(parts) < _LONGEST_CHAIN:
        seen.add(id(link))
        more = link.get("items")
        parts.append(more if _is_list(more) else [] if more is None else [more])
        link = link.get("after")
    if _is_list(link):
        parts.append(link)
    elif link is not None:
        parts.append([link])
    return _Joined(parts[::-1])


def entries_in(value: Any) -> Iterable[tuple[str, Any]]:
    """Yield the named parts of a value: keys of a dictionary, fields of anything else."""
    if not isinstance(value, Mapping):
        return
    match tag_of(value):
        case None:
            yield from value.items()
        case "dict":
            yield from _pairs(value)
        case "object":
            fields = value.get("fields")
            yield from fields.items() if isinstance(fields, Mapping) else value.items()
        case _:
            yield from ((key, part) for key, part in value.items() if key != TAG)


def _pairs(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    pairs = value.get("items")
    for pair in pairs if _is_list(pairs) else ():  # type: ignore[union-attr]  # _is_list looked
        if _is_list(pair) and len(pair) == 2:
            yield _key_words(pair[0]), pair[1]
        else:
            yield "?", pair


def _key_words(key: Any) -> str:
    """Return a dictionary's key as a label; keys are seldom more than a number or a pair."""
    inner = items_in(key)
    if inner is not None:
        return f"({', '.join(_key_words(item) for item in inner[:4])})"
    if tag_of(key) is not None:
        key = key.get("value", key.get("name", key[TAG]))
    if isinstance(key, str | float | None) or (isinstance(key, int) and key.bit_length() < 256):
        return str(key)[:_LONGEST_LABEL]
    return type(key).__name__


def entry_count(value: Any) -> int:
    """Return how many children a value has, without making them."""
    if is_leaf(value):
        return 0
    items = items_in(value)
    if items is not None:
        return len(items)
    match tag_of(value):
        case None:
            return len(value)
        case "dict":
            pairs = value.get("items")
            return len(pairs) if _is_list(pairs) else 0
        case "object" if isinstance(value.get("fields"), Mapping):
            return len(value["fields"])
        case "object":
            return len(value)
    return len(value) - 1


class ValueNode:
    """One row of a value: what it is called, what it holds, and what is inside it.

    A node with more children than a page holds has pages as its children; a
    page is a node of its own with the same path and no value of its own.

    Args:
        label: What the row is called.
        value: What it holds.
        path: Where it stands, such as `outputs.replies[0]`.
        note: More words about it.
        span: Of a page, the items of `value` it stands for.
        notes: Words about its items, by their position.

    """

    # Not a dataclass: trees make a thousand of these at a time.
    __slots__ = ("_children", "_total", "label", "note", "notes", "path", "span", "value")

    def __init__(
        self,
        label: str,
        value: Any,
        path: str,
        note: str = "",
        *,
        span: range | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self.label = label
        self.value = value
        self.path = path
        self.note = note
        self.span = span
        self.notes = notes
        self._total = -1 if span is None else len(span)
        self._children: tuple[ValueNode, ...] | None = None

    @property
    def is_page(self) -> bool:
        return self.span is not None

    @property
    def total(self) -> int:
        """How many items there are below, over all pages."""
        if self._total < 0:
            self._total = entry_count(self.value)
        return self._total

    @property
    def page_size(self) -> int:
        """How many of the value's items one child of this node stands for."""
        size = 1
        while self.total > size * PAGE:
            size *= PAGE
        return size

    @property
    def child_count(self) -> int:
        return -(-self.total // self.page_size)

    @property
    def children(self) -> tuple["ValueNode", ...]:
        """The nodes inside, made when they are first asked for; never more than a page."""
        if self._children is None:
            first = self.span.start if self.span is not None else 0
            last = first + self.total
            if self.page_size == 1:
                self._children = tuple(self._items(first, last))
            else:
                starts = range(first, last, self.page_size)
                self._children = tuple(self._page(start, last) for start in starts)
        return self._children

    def _page(self, start: int, end: int) -> "ValueNode":
        covered = range(start, min(start + self.page_size, end))
        label = f"{start} … {covered[-1]}"
        return ValueNode(label, self.value, self.path, span=covered, notes=self.notes)

    def _items(self, start: int, stop: int) -> Iterator["ValueNode"]:
        items = items_in(self.value)
        if items is not None:
            for number in range(start, stop):
                note = self.notes[number] if number < len(self.notes) else ""
                yield ValueNode(str(number), items[number], f"{self.path}[{number}]", note)
            return
        for key, part in islice(entries_in(self.value), start, stop):
            yield ValueNode(str(key), part, self.path + path_step(str(key)))


def path_step(key: str) -> str:
    """Return how a key continues a path: `.name`, or `["any text"]`."""
    return f".{key}" if _PLAIN_KEY.fullmatch(key) else f"[{json.dumps(key)}]"


def field_path(root: str, *keys: str) -> str:
    """Return a path such as `outputs.replies`, as it stands in links."""
    return root + "".join(path_step(key) for key in keys)


def steps_of(path: str) -> list[str] | None:
    """Return the labels along a path, `None` for text that is no path."""
    labels: list[str] = []
    position = 0
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            return None
        name, number, quoted = found.groups()
        labels.append(json.loads(quoted) if quoted is not None else name or number)
        position = found.end()
    return labels


def rows_to(roots: Sequence[ValueNode], path: str) -> list[int] | None:
    """Return the rows to open, from `roots` down, to reach the node at `path`.

    Pages along the way have rows too. A path that leads nowhere is `None`.
    """
    labels = steps_of(path)
    if labels is None:
        return None
    for row, root in enumerate(roots):
        above = steps_of(root.path) or []
        if above and labels[: len(above)] == above:
            below = _rows_below(root, labels[len(above) :])
            return None if below is None else [row, *below]
    return None


def _rows_below(node: ValueNode, labels: Sequence[str]) -> list[int] | None:
    rows: list[int] = []
    for label in labels:
        down = _rows_down(node, label)
        if down is None:
            return None
        for row in down:
            rows.append(row)
            node = node.children[row]
    return rows


def _rows_down(node: ValueNode, label: str) -> list[int] | None:
    """Return the rows from a node to its item called `label`, through the pages between."""
    position = _position(node.value, label)
    if position is None or position >= node.total:
        return None
    rows: list[int] = []
    while True:
        first = node.span.start if node.span is not None else 0
        row = (position - first) // node.page_size
        rows.append(row)
        if node.page_size == 1:
            return rows
        node = node.children[row]


def _position(value: Any, label: str) -> int | None:
    if is_leaf(value):
        return None
    if items_in(value) is not None:
        return int(label) if label.isdecimal() else None
    return next((at for at, (key, _) in enumerate(entries_in(value)) if str(key) == label), None)


def fingerprint(value: Any, limit: int = 20_000) -> int:
    """Return a number that is equal for equal values, looking at `limit` parts at most.

    Good for telling within one process whether two messages say the same. Values
    that first differ beyond the limit look equal.
    """
    parts: list[Any] = []
    waiting: list[Any] = [value]
    while waiting and len(parts) < limit:
        part = waiting.pop()
        if isinstance(part, Mapping):
            parts.append(("{", len(part)))
            for key, inner in islice(part.items(), limit):
                parts.append(key)
                waiting.append(inner)
        elif _is_list(part):
            parts.append(("[", len(part)))
            waiting.extend(islice(part, limit))
        else:
            parts.append((type(part).__name__, part))
    return hash(tuple(parts))
