"""A text that is looked for, whatever its case: in words, and in JSON before it is decoded."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import is_normalized, normalize

import orjson

from inspector.presentation.values import entries_in, items_in, path_step
from inspector.runfile.value import REF, TAG, tag_of

if TYPE_CHECKING:
    from collections.abc import Iterator

REFS = re.compile(rb'"\$ref":\s*"((?:[^"\\]|\\.)*)"')
_BLOBS = re.compile(rb'"\$":\s*"(?:bytes|array|image|file)"')
_PUNCTUATION = frozenset('"\\{}[]:,')

# Words that our format writes into every value: those who search mean what a value says.
STRUCTURE = frozenset(
    {
        TAG, REF, "text", "role", "name", "meta", "content", "tool_call", "tool_result",
        "id", "arguments", "extra", "call", "result", "error", "reasoning", "type", "value",
        "items", "fields", "after", "score", "embedding", "sparse_embedding", "blob",
    }
)  # fmt: skip
_TAGS = (
    "chat_message", "document", "answer", "callable", "list", "object", "streaming_chunk", "tool",
    "type", "dict", "tuple", "set", "frozenset", "enum", "missing", "truncated", "redacted",
    "opaque", "datetime", "date", "time", "timedelta", "decimal", "uuid", "path", "secret",
    "float", "int", "str", "bytes", "array", "complex", "image", "file",
)  # fmt: skip
_WRITTEN = tuple(sorted({*STRUCTURE, *_TAGS, "null", "true", "false"}))
_NOT_READ = frozenset({"bytes", "array"})
_UNREAD_KEYS = frozenset({TAG, "mime_type", "base64"})
_LONGEST_NUMBER = 80


def folded(text: str) -> str:
    """Return a text without what a search passes over: case, and how accents are spelled."""
    if text.isascii():
        return text.lower()
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    text = text.casefold()
    return text if is_normalized("NFC", text) else normalize("NFC", text)


class Leaf(NamedTuple):
    """A text or a number inside of a value, and where: `["replies", 0]` is `.replies[0]`."""

    path: str
    text: str


class Needle:
    """One text that is looked for."""

    def __init__(self, text: str, *, whole: bool = False) -> None:
        self.text = text
        self.whole = whole
        self.folded = folded(text)
        # As it stands in JSON: what has to be escaped there is escaped here, too.
        self._in_json = json.dumps(self.folded, ensure_ascii=False)[1:-1]
        self._bytes = self._in_json.encode("utf-8", "replace")
        self._ascii = self.folded.isascii()
        self._is_sure = (
            not whole
            and not _PUNCTUATION & set(self.folded)
            and not any(self.folded in word for word in _WRITTEN)
        )

    def stands_in(self, text: str) -> bool:
        """Say whether the text stands in another, or with `whole` is that text."""
        there = folded(text)
        return self.folded == there if self.whole else self.folded in there

    def may_stand_in(self, raw: bytes) -> bool:
        """Say whether it can stand in what a piece of JSON says; False is certain."""
        if b"\\u" in raw or b"\\/" in raw:
            # Any character may be written in a way of its own.
            return True
        if raw.isascii():
            return self._ascii and self._bytes in raw.lower()
        text = raw.decode("utf-8", "replace")
        if b"\\" in raw and not is_normalized("NFC", text):
            # An accent behind an escaped line end would be put on the n that it is written with.
            return True
        return self._in_json in folded(text)

    def stands_in_json(self, raw: bytes) -> bool:
        """Say whether it stands in a text, a number or a key of a piece of JSON.

        What is referred to is not looked at.
        """
        if not self.may_stand_in(raw):
            return False
        if self._is_sure and b"\\" not in raw and not _BLOBS.search(raw):
            # A digest that is referred to is nothing that a value says.
            return b'"$ref"' not in raw or self.may_stand_in(REFS.sub(b"", raw))
        try:
            tree = orjson.loads(raw)
        except ValueError:
            try:
                tree = json.loads(raw)
            except (ValueError, RecursionError):
                return False
        return next(self.leaves_of(tree), None) is not None

    def leaves_of(self, tree: Any, path: str = "") -> Iterator[Leaf]:
        """Yield the texts, numbers and keys of a value in which it stands, in order."""
        for leaf in leaves(tree, path):
            if self.stands_in(leaf.text):
                yield leaf


def leaves(tree: Any, path: str = "") -> Iterator[Leaf]:
    """Yield every text, number and telling key of a value, in order.

    Values may be deep and share their parts: what was seen once is not looked into again,
    and nothing here recurses.
    """
    seen: set[int] = set()
    waiting: list[tuple[Any, str]] = [(tree, path)]
    while waiting:
        node, at = waiting.pop()
        if isinstance(node, str):
            yield Leaf(at, node)
            continue
        if isinstance(node, bool) or node is None:
            continue
        if isinstance(node, int | float):
            if isinstance(node, float) or node.bit_length() < 256:
                yield Leaf(at, str(node)[:_LONGEST_NUMBER])
            continue
        if id(node) in seen:
            continue
        seen.add(id(node))
        items = items_in(node)
        if items is not None:
            waiting += [(items[n], f"{at}[{n}]") for n in range(len(items) - 1, -1, -1)]
        elif isinstance(node, dict):
            yield from _words_of(node, at)
            inside = [(part, at + path_step(key)) for key, part in _parts(node)]
            waiting += reversed(inside)


def _words_of(node: dict[str, Any], at: str) -> Iterator[Leaf]:
    """Yield what a node itself says: its class, and those of its keys that tell something."""
    if tag_of(node) == "object" and isinstance(node.get("type"), str):
        yield Leaf(at, node["type"])
    for key, _part in _parts(node):
        if key not in STRUCTURE:
            yield Leaf(at + path_step(key), key)


def _parts(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the named parts of a node that one can search in."""
    if tag_of(node) in _NOT_READ or (REF in node and len(node) == 1):
        return
    for key, part in entries_in(node):
        if key not in _UNREAD_KEYS:
            yield str(key), part


def refs_in(raw: bytes) -> list[str]:
    """Return the digests that a piece of JSON refers to, each once."""
    if b'"$ref"' not in raw:
        return []
    return list(dict.fromkeys(found.decode("utf-8", "replace") for found in REFS.findall(raw)))
