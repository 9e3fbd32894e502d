"""Through the values of a run: what could be cut out of them, and them without it.

What is the same is cut wherever it stands: a document by its id, a message by what it says, a
text by itself. So whoever received it does not have it any more either.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.value import REF, TAG, tag_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from inspector.export.shrink_draft import Renamed, Tree

GONE = "…"
"""Stands where a text or a part of it was cut out."""

_SHORTEST_TEXT = 40
_MOST_ITEMS = 2_000
_MOST_PIECES = 16
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_GONE_TWICE = re.compile(r"…[\s…]*…")
# The tags in which values stand that may be cut; what is in others is no text of anybody.
_OPEN = frozenset(
    {
        "answer", "chat_message", "dict", "document", "frozenset", "list", "object", "set",
        "state", "streaming_chunk", "tuple",
    }
)  # fmt: skip
_WITH_ITEMS = frozenset({"answer", "list", "object", "state"})
_WITH_META = frozenset({"chat_message", "document"})
# What these say is no text, but what something is.
_FIXED = frozenset(
    {
        "$", "$ref", "base64", "class", "content_type", "digest", "dtype", "id", "mime_type",
        "name", "role", "type", "utf16",
    }
)  # fmt: skip


class Walk(ABC):
    """Goes through trees. Nothing is cut unless a class of its own says so."""

    @abstractmethod
    def keeps_item(self, what: str, key: str) -> bool:
        """Say whether an item of lists stays: `what` it is, and which one."""

    @abstractmethod
    def keeps_entry(self, tag: str, key: str) -> bool:
        """Say whether an entry of the `meta` of documents or messages stays."""

    @abstractmethod
    def keeps_call(self, named: str) -> bool:
        """Say whether the tool call with this id stays in the message that asked for it."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Return what stands in place of a text."""

    def __call__(self, tree: Tree, renamed: Renamed) -> Tree:
        """Return what stands in place of a tree; the same tree where that is the same."""
        kind = type(tree)
        if kind is str:
            return self.text(tree) if len(tree) >= _SHORTEST_TEXT else tree
        if kind is list:
            return self._list(tree, renamed, may_go=True)
        if kind is dict:
            return renamed.now(tree) if REF in tree else self._object(tree, renamed)
        return tree

    def _list(self, items: list[Tree], renamed: Renamed, *, may_go: bool) -> list[Tree]:
        kept, same = [], True
        for item in items:
            if may_go and not self._keeps(item, renamed):
                same = False
                continue
            now = self(item, renamed)
            same = same and now is item
            kept.append(now)
        return items if same else kept

    def _keeps(self, item: Tree, renamed: Renamed) -> bool:
        what, key = item_key(renamed.draft.followed(item))
        return not what or self.keeps_item(what, key)

    def _object(self, tree: dict[str, Tree], renamed: Renamed) -> Tree:
        tag = tag_of(tree)
        if tag is not None and tag not in _OPEN:
            return tree
        changed: dict[str, Tree] = {}
        for key, value in tree.items():
            if type(value) is str:
                now: Tree = value if key in _FIXED else self(value, renamed)
            elif tag in _WITH_META and key == "meta":
                now = self._meta(tag or "", value, renamed)
            elif tag == "chat_message" and key == "content" and type(value) is list:
                now = self._content(value, renamed)
            elif tag == "list" and key == "after" and type(value) is dict:
                now = renamed.now(value, inline=False)
            elif type(value) is list:
                now = self._list(value, renamed, may_go=tag is None or tag in _WITH_ITEMS)
            else:
                now = self(value, renamed)
            if now is not value:
                changed[key] = now
        return {**tree, **changed} if changed else tree

    def _meta(self, tag: str, meta: Tree, renamed: Renamed) -> Tree:
        found = renamed.draft.followed(meta)
        if type(found) is not dict or TAG in found:
            return self(meta, renamed)
        gone = {key for key in found if not self.keeps_entry(tag, key)}
        if not gone:
            return self(meta, renamed)
        return {key: self(value, renamed) for key, value in found.items() if key not in gone}

    def _content(self, parts: list[Tree], renamed: Renamed) -> list[Tree]:
        kept = [part for part in parts if self.keeps_call(_call_id(part))]
        now = self._list(kept, renamed, may_go=False)
        return parts if now is kept and len(kept) == len(parts) else now


class Found(Walk):
    """What there is to cut, each thing once, in the order in which it was met."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], None] = {}
        self.entries: dict[tuple[str, str], None] = {}
        self.texts: dict[str, None] = {}

    def keeps_item(self, what: str, key: str) -> bool:
        if len(self.items) < _MOST_ITEMS:
            self.items[what, key] = None
        return True

    def keeps_entry(self, tag: str, key: str) -> bool:
        self.entries[tag, key] = None
        return True

    def keeps_call(self, named: str) -> bool:  # noqa: ARG002 - calls are found by their spans
        return True

    def text(self, text: str) -> str:
        if len(self.texts) < _MOST_ITEMS and len(pieces(text)) > 1:
            self.texts[text] = None
        return text


class Without(Walk):
    """The values without some things."""

    def __init__(
        self, *, items: Collection[tuple[str, str]] = (),
        entries: Collection[tuple[str, str]] = (), calls: Collection[str] = (),
        texts: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._items, self._entries, self._calls = set(items), set(entries), set(calls)
        self._texts = texts or {}

    def keeps_item(self, what: str, key: str) -> bool:
        return (what, key) not in self._items

    def keeps_entry(self, tag: str, key: str) -> bool:
        return (tag, key) not in self._entries

    def keeps_call(self, named: str) -> bool:
        return named not in self._calls

    def text(self, text: str) -> str:
        return self._texts.get(text, text)


def item_key(item: Any) -> tuple[str, str]:
    """Return what an item of a list is and which one; nothing for what is not cut by itself."""
    if isinstance(item, (bool, int, float)) or item is None:
        return "", ""
    tag = tag_of(item)
    if tag == "document" and isinstance(named := item.get("id"), str):
        return "documents", named
    if tag == "tool" and isinstance(named := item.get("name"), str):
        return "tools", named
    return "messages" if tag == "chat_message" else "items", value_id(compact(item, str))


def pieces(text: str) -> list[str]:
    """Return a text in pieces, each of which could be cut: sentences, or else words."""
    if len(text) < _SHORTEST_TEXT or text == GONE:
        return [text]
    for cut in (_SENTENCE, re.compile(r"\s+")):
        ends = [found.end() for found in cut.finditer(text)]
        starts = [0, *(end for end in ends if end < len(text))]
        if len(starts) > 1:
            step = -(-len(starts) // _MOST_PIECES)
            starts = starts[::step]
            return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
    middle = len(text) // 2
    return [text[:middle], text[middle:]]


def without_pieces(text: str, gone: Collection[int]) -> str:
    """Return a text without some of its pieces."""
    kept = (GONE if at in gone else piece for at, piece in enumerate(pieces(text)))
    return _GONE_TWICE.sub(GONE, "".join(kept))


def _call_id(part: Any) -> str:
    call = part.get("tool_call") if isinstance(part, dict) else None
    named = call.get("id") if isinstance(call, dict) else None
    return named if isinstance(named, str) else ""
