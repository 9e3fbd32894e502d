"""The records behind the rows of a table, taken apart only as far as somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.shallow import members_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from weakref import ref

    from inspector.runfile.lru import ByteLRU
    from inspector.runfile.store import ValueStore

_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])

_TEXTS = ("id", "kind", "operation", "name", "type", "role", "path", "status", "thread")
_NUMBERS = ("visit", "step", "start_ns", "end_ns")
_MAPPINGS = (
    "senders", "receivers", "tool_call", "llm", "usage", "retrieval", "state_changes", "error",
    "tags", "channels", "not_recorded", "extensions",
)  # fmt: skip
_HEAVIER = 4  # than its JSON is what was read from it, at most
_AT_LEAST = 1_000
_TREES = ("inputs", "outputs", "arguments", "chunks")


class SpanRecords(Protocol):
    """Gives the JSON of a span's record, however the file keeps it."""

    def text(self, row: int) -> bytes:
        """Return the record of a row as JSON.

        Raises:
            RunFileError: It is not there any more.

        """
        ...

    def in_order(self) -> SpanRecords:
        """Return the same records, for somebody who asks for one after the other."""
        ...


class Record:
    """One span's record. Wrong types lose their field and are said, nothing else is lost."""

    __slots__ = ("_fields", "_row", "_said", "_shelf", "_store", "_trees", "weight")

    def __init__(
        self,
        text: bytes,
        store: ValueStore,
        said: str = "",
        *,
        row: int = -1,
        shelf: ref[ByteLRU[int, Record]] | None = None,
    ) -> None:
        """Take a record apart.

        Args:
            text: Its JSON.
            store: The values that it refers to.
            said: What was wrong already.
            row: Which it is.
            shelf: Where it is kept, which is told when it grows: fields hold their values
                from when they are first asked for.

        """
        self._store = store
        self._row = row
        self._shelf = shelf
        self.weight = _HEAVIER * len(text) + _AT_LEAST
        self._trees: dict[str, Any] = {}
        self._said: dict[str, str] = {"": said} if said else {}
        self._fields = self._taken_apart(text)

    def _taken_apart(self, text: bytes) -> dict[str, bytes | memoryview]:
        try:
            fields = _FIELDS.decode(text)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
            members, whole = members_of(text)
            if not whole:
                self._said[""] = "a part of its record cannot be read"
            self._say_twice([member.key for member in members])
            return {key: text[start:end] for key, start, end in members}
        # Braces, and for each field a key in quotation marks, a colon and a comma.
        length = 1 + sum(len(key) + len(memoryview(raw)) + 4 for key, raw in fields.items())
        if length != len(text):
            self._say_twice([member.key for member in members_of(text)[0]])
        return {key: memoryview(raw) for key, raw in fields.items()}

    def _say_twice(self, keys: list[str]) -> None:
        for key in {key for key in keys if keys.count(key) > 1}:
            self._said[key] = f"{key} stands there twice; the last one counts"

    def has(self, name: str) -> bool:
        """Whether the field stands in the record."""
        return name in self._fields

    def tree(self, name: str) -> Any:
        """Return a field with its references followed; None where it was not recorded."""
        if name in self._trees:
            return self._trees[name]
        text = self._fields.get(name)
        tree = None
        if text is not None:
            try:
                tree, said, read = self._store.resolve_text(bytes(text))
                self._grow(read)
            except LeafError as error:
                said = str(error)
            if said:
                self._said[name] = f"{name}: {said}"
        self._trees[name] = tree
        return tree

    def _grow(self, read: int) -> None:
        self.weight += _HEAVIER * read
        shelf = self._shelf() if self._shelf is not None and read > _AT_LEAST else None
        if shelf is not None:
            shelf.reweigh(self._row, self.weight)

    def mapping(self, name: str) -> Mapping[str, Any] | None:
        """Return a field that must be an object."""
        tree = self.tree(name)
        if tree is None or isinstance(tree, dict):
            return tree
        self._said[name] = f"{name} should be an object"
        return None

    def text(self, name: str) -> str:
        """Return a field that must be a text; empty where it was not recorded."""
        tree = self.tree(name)
        if isinstance(tree, str):
            return tree
        if tree is not None:
            self._said[name] = f"{name} should be a text"
        return ""

    def number(self, name: str) -> int | None:
        """Return a field that must be a whole number."""
        tree = self.tree(name)
        if tree is None or type(tree) is int:
            return tree
        self._said[name] = f"{name} should be a whole number"
        return None

    @property
    def raw(self) -> Mapping[str, Any]:
        """The whole record, references as they stand."""
        whole: dict[str, Any] = {}
        for name, text in self._fields.items():
            try:
                whole[name] = read_leaf(text)[0]
            except LeafError as error:
                self._said[name] = f"{name}: {error}"
        return whole

    def problems(self) -> tuple[str, ...]:
        """Return what could not be read; looks at every field once."""
        for name in _TEXTS:
            self.text(name)
        for name in _NUMBERS:
            self.number(name)
        for name in _MAPPINGS:
            self.mapping(name)
        for name in _TREES:
            self.tree(name)
        return tuple(self._said.values())
