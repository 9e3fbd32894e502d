"""What spans say at a glance: enough for the words of a decision that is the same on both sides.

Whole values are put together only where two runs differ. A conversation that grows by a turn
at every step would otherwise be read once for each of its turns.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from inspector.errors import RunFileError
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.value import REF, TAG, tag_of

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_BUDGET = 20_000  # bytes of values that are read for a glance at one
_DEEPEST = 12
_MOST_OPENED = 150  # braces and brackets, so that nothing is nested deeper than others would read
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)
# Other programs lay JSON out in other ways.
_REFERENCE = re.compile(rb'\s*\{\s*"\$ref"\s*:\s*"([^"\\]*)"\s*\}\s*')
_OUR_REFERENCE = re.compile(rb'\{"\$ref":"([0-9a-f]{32})"\}')
_TAGGED = re.compile(rb'\s*\{\s*"\$"\s*:\s*"(\w+)"')
_NOTHING: dict[str, msgspec.Raw] = {}
_PLAIN = frozenset({str, int, float, bool, type(None)})


class LargeError(Exception):
    """A tree takes more care than a glance."""


class Facts(msgspec.Struct):
    """The fields of a span's record that decisions are told by; values as they stand there."""

    operation: str = ""
    role: str = ""
    type: str = ""
    path: str = ""
    inputs: msgspec.Raw = msgspec.Raw()
    outputs: msgspec.Raw = msgspec.Raw()
    arguments: msgspec.Raw = msgspec.Raw()
    llm: msgspec.Raw = msgspec.Raw()
    retrieval: msgspec.Raw = msgspec.Raw()
    senders: msgspec.Raw = msgspec.Raw()
    tool_call: msgspec.Raw = msgspec.Raw()
    receivers: msgspec.Raw = msgspec.Raw()


_FACTS = msgspec.json.Decoder(Facts)
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])


class Glance:
    """Looks at the records of one run."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run
        self._facts: dict[int, Facts] = {}
        self._in_order = run.parts.records.in_order()
        self._next = 0

    def facts(self, row: int) -> Facts:
        """Return what the record of a row says."""
        known = self._facts.get(row)
        if known is None:
            known = self._facts[row] = self._read(row)
        return known

    def _read(self, row: int) -> Facts:
        try:
            # One after the other, which is how most are asked for, they are read in large blocks.
            text = self._in_order.text(row) if row == self._next else self._run.record_text(row)
            self._next = row + 1
            return _FACTS.decode(text)
        except RunFileError:
            return Facts()
        except _UNREADABLE:
            span = self._run.spans[row]
            fields = {name: msgspec.Raw(_json(value)) for name, value in span.raw.items()
                      if name in _TREES}  # fmt: skip
            return Facts(span.operation, span.role, span.type, span.path, **fields)

    def members(self, raw: msgspec.Raw) -> dict[str, msgspec.Raw]:
        """Return the members of an object, such as sockets and what they carry."""
        try:
            found = _MEMBERS.decode(self.followed(raw))
        except _UNREADABLE:
            return _NOTHING
        return _NOTHING if TAG in found else found

    def followed(self, raw: msgspec.Raw) -> bytes:
        """Return a value's JSON; where it is a reference, that of what it refers to."""
        text = bytes(raw)
        for _ in range(_DEEPEST):
            digest = digest_in(text)
            if digest is None:
                break
            try:
                text = self._run.values.raw(digest)
            except (KeyError, RunFileError):
                return b"null"
        return text or b"null"

    def count(self, raw: msgspec.Raw) -> int | None:
        """Return how many documents a value holds, or None where it is no list of documents."""
        text = self.followed(raw)
        if not text.lstrip().startswith(b"["):
            return None
        try:
            items = _ITEMS.decode(text)
        except _UNREADABLE:
            return None
        if items and tag_in(self.followed(items[0])) != "document":
            return None
        return len(items)

    def peek(self, raw: msgspec.Raw) -> Any:
        """Return a value as far as it is small; what is large stands there as its size."""
        text = bytes(raw)
        if not text:
            return None
        if b'"$ref"' not in text and len(text) <= _BUDGET:
            return loaded(text)
        return self._peeked(text, [_BUDGET], 0)

    def _peeked(self, text: bytes, left: list[int], depth: int) -> Any:
        left[0] -= len(text)
        if left[0] < 0 or depth > _DEEPEST:
            return _large(len(text))
        tree = loaded(text)
        return tree if _stands_alone(text) else self._filled(tree, left, depth)

    def _filled(self, tree: Any, left: list[int], depth: int) -> Any:
        if isinstance(tree, list):
            return [self._filled(item, left, depth + 1) for item in tree]
        if not isinstance(tree, dict):
            return tree
        digest = tree.get(REF)
        if isinstance(digest, str):
            try:
                size = self._run.values.size(digest)
                if size > left[0]:
                    return _large(size)
                return self._peeked(self._run.values.raw(digest), left, depth + 1)
            except (KeyError, RunFileError):
                return None
        if tree.get(TAG) == "list":
            # What a conversation begins with was told before.
            return self._filled(tree.get("items"), left, depth + 1)
        return {
            key: item if type(item) in _PLAIN else self._filled(item, left, depth + 1)
            for key, item in tree.items()
        }

    def value(self, raw: msgspec.Raw) -> Any:
        """Return a value with its references followed; None where it says nothing."""
        if not bytes(raw):
            return None
        with suppress(LargeError):
            return self.at_once(bytes(raw))
        try:
            return self.resolved(read_leaf(bytes(raw), strictly=True)[0])
        except LeafError:
            return None

    def at_once(self, text: bytes) -> Any:
        """Return what small JSON says, with the JSON that it refers to put into it and read once.

        Raises:
            LargeError: That takes more care: it is large, or not as we write it.

        """
        left = _BUDGET
        while len(pieces := _OUR_REFERENCE.split(text)) > 1:
            for at in range(1, len(pieces), 2):
                try:
                    pieces[at] = self._run.values.raw(pieces[at].decode())
                except (KeyError, RunFileError):
                    raise LargeError from None
                left -= len(pieces[at])
                if left < 0:
                    raise LargeError
            text = b"".join(pieces)
        if not _stands_alone(text) or text.count(b"{") + text.count(b"[") > _MOST_OPENED:
            raise LargeError
        try:
            tree = orjson.loads(text)
            as_written = len(orjson.dumps(tree)) == len(text)
        except (orjson.JSONDecodeError, orjson.JSONEncodeError):
            raise LargeError from None
        if not as_written:
            raise LargeError
        return tree

    def resolved(self, tree: Any) -> Any:
        """Return a small tree with its references followed; look, do not change.

        What is referred to is put together once, and not again for each who refers to it.
        """
        try:
            return self._resolved(tree, [_BUDGET], 0)
        except LargeError:
            return self._run.resolve(tree)

    def _resolved(self, tree: Any, left: list[int], depth: int) -> Any:
        kind = type(tree)
        if not tree or (kind is not dict and kind is not list):
            return tree
        if depth > _DEEPEST:
            raise LargeError
        if kind is list:
            return [self._resolved(item, left, depth + 1) for item in tree]
        if (digest := tree.get(REF)) is not None:
            return self._referred(digest, left, depth)
        if tree.get(TAG) == "list":
            raise LargeError
        return {
            key: value if type(value) in _PLAIN else self._resolved(value, left, depth + 1)
            for key, value in tree.items()
        }

    def _referred(self, digest: Any, left: list[int], depth: int) -> Any:
        try:
            text = self._run.values.raw(digest)
            left[0] -= len(text)
            if left[0] >= 0:
                tree = read_leaf(text, strictly=True)[0]
                if _stands_alone(text) and text.count(b"{") + text.count(b"[") < _DEEPEST - depth:
                    return tree
                return self._resolved(tree, left, depth + 1)
        except (AttributeError, KeyError, TypeError, RunFileError, LeafError):
            pass
        raise LargeError

    def last(self, raw: msgspec.Raw) -> Any:
        """Return the last item of a list, or the value itself, as far as it is small."""
        text = self.followed(raw)
        if len(text) > _BUDGET:
            return _large(len(text))
        tree = loaded(text)
        items = tree.get("items") if isinstance(tree, dict) and TAG in tree else tree
        if isinstance(items, list) and items:
            return self._filled(items[-1], [_BUDGET], 0)
        return self._filled(tree, [_BUDGET], 0)


_TREES = frozenset(Facts.__struct_fields__[4:])


def digest_in(text: bytes) -> str | None:
    """Return the digest that a piece of JSON refers to, where that is all it does."""
    found = _REFERENCE.fullmatch(text)
    return None if found is None else found.group(1).decode("utf-8", "replace")


def _stands_alone(text: bytes) -> bool:
    """Whether nothing in a piece of JSON can be a reference, or a list that goes on."""
    return b'"$ref"' not in text and b'"list"' not in text and b"\\u" not in text


def tag_in(text: bytes) -> str | None:
    """Return the tag of a piece of JSON, or None where it is none."""
    found = _TAGGED.match(text)
    if found is not None:
        return found.group(1).decode()
    if b'"$"' not in text or not text.lstrip().startswith(b"{"):
        return None
    return tag_of(loaded(text))


def loaded(text: bytes) -> Any:
    """Return what JSON says, forgiving what other writers get wrong; None where it says nothing."""
    try:
        return read_leaf(text or b"null")[0]
    except LeafError:
        return None


def _json(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except (TypeError, ValueError):
        return b"null"


def _large(size: int) -> dict[str, Any]:
    return {TAG: "truncated", "size": size, "type": "value"}
