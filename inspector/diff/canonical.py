"""One part of a value tree as it counts: without what two equal calls may differ in."""

from __future__ import annotations

import re
from base64 import b64decode
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from inspector.diff.continued import continued_items
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.interned import Interned
from inspector.runfile.value import REF, TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# The rules of fingerprints, version 1. A test holds the two against each other.
CALLBACKS = frozenset({"streaming_callback"})
PASSING_META = frozenset(
    {
        "completion_start_time", "created", "created_at", "finished_at", "id", "received_at",
        "request_id", "response_id", "system_fingerprint", "timestamp",
    }
)  # fmt: skip
_UNCOUNTED_OF_DOCUMENTS = ("embedding", "sparse_embedding")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_DERIVED_ID = re.compile(r"[0-9a-f]{64}")
_DEEPEST_SHOWN = 12


def is_derived_id(name: Any) -> bool:
    """Whether Haystack worked the id of a document out from what the document holds."""
    return isinstance(name, str) and _DERIVED_ID.fullmatch(name) is not None


class Part:
    """A node: what kind it is, its plain value or its parts, and the tool call that it is."""

    __slots__ = ("call_id", "kind", "parts", "plain")

    def __init__(
        self, kind: str, plain: Any = None, parts: dict[Any, Any] | None = None,
        call_id: str | None = None,
    ) -> None:  # fmt: skip
        self.kind = kind
        self.plain = plain
        self.parts = parts
        self.call_id = call_id


class _Call:
    """A tool call where it stands as one, and not as a dictionary that looks like it."""

    __slots__ = ("tree",)

    def __init__(self, tree: dict[str, Any]) -> None:
        self.tree = tree


class Canonical:
    """The parts of one tree."""

    def __init__(self, lookup: Callable[[str], Any] | None = None) -> None:
        self._lookup = lookup
        self._prints = Fingerprints(lookup)
        # The node is kept with its part, so that its address stays its own.
        self._parts: dict[tuple[int, bool], tuple[Any, Part]] = {}
        self._values: dict[str, Any] = {}
        self._numbers: dict[str, int] = {}
        self._built: dict[int, tuple[Interned, Any]] = {}

    def number(self, call_id: str | None) -> int | None:
        """Return which tool call an id names, by order of appearance."""
        if call_id is None:
            return None
        return self._numbers.setdefault(call_id, len(self._numbers))

    def part(self, node: Any) -> Part:
        """Return one node as it counts."""
        if isinstance(node, _Call):
            return self._kept(node.tree, self._tool_call, is_call=True)
        node = self.followed(node)
        if isinstance(node, list):
            return self._kept(node, self._items)
        if isinstance(node, dict):
            return self._kept(node, self._tagged if isinstance(node.get(TAG), str) else self._dict)
        if isinstance(node, float):
            return Part("float", f"{node + 0.0:.9g}")
        return Part(type(node).__name__, node)

    def followed(self, node: Any) -> Any:
        """Return what a node stands for."""
        for _ in range(100):
            if isinstance(node, Interned):
                kept = self._built.get(id(node))
                if kept is None:
                    kept = self._built[id(node)] = (node, node.build())
                node = kept[1]
            elif isinstance(node, dict) and isinstance(ref := node.get(REF), str):
                if ref not in self._values:
                    self._values[ref] = self._looked_up(ref)
                node = self._values[ref]
            else:
                break
        return node

    def shown(self, node: Any, depth: int = 0) -> Any:
        """Return a node as plain JSON that a person may look at."""
        node = self.followed(node.tree if isinstance(node, _Call) else node)
        if isinstance(node, dict) and node.get(TAG) == "list":
            node = continued_items(node, self.followed)
        if not isinstance(node, (dict, list)):
            return node
        if depth >= _DEEPEST_SHOWN:
            return {TAG: "truncated", "type": type(node).__name__, "size": len(node)}
        if isinstance(node, list):
            return [self.shown(item, depth + 1) for item in node[:200]]
        return {key: self.shown(item, depth + 1) for key, item in list(node.items())[:200]}

    def _looked_up(self, ref: str) -> Any:
        try:
            return None if self._lookup is None else self._lookup(ref)
        except KeyError:
            return {TAG: "missing", "ref": ref}

    def _kept(self, node: Any, make: Callable[[Any], Part], *, is_call: bool = False) -> Part:
        known = self._parts.get((id(node), is_call))
        if known is None:
            known = self._parts[id(node), is_call] = (node, make(node))
        return known[1]

    def _items(self, node: Iterable[Any]) -> Part:
        return Part("list", parts=dict(enumerate(node)))

    def _dict(self, node: Mapping[str, Any]) -> Part:
        return Part("dict", parts=self._fields(node))

    def _fields(self, node: Mapping[str, Any]) -> dict[Any, Any]:
        kept: dict[Any, Any] = {}
        for key, node_or_reference in node.items():
            value = self.followed(node_or_reference)
            if value is None or key in CALLBACKS or _is_callback(value):
                continue
            if key in ("tool_call", "call") and isinstance(value, dict) and "arguments" in value:
                kept[key] = _Call(value)
            elif key == "reasoning" and isinstance(value, dict):
                kept[key] = value.get("text", value)
            else:
                kept[key] = value
        return kept

    def _tool_call(self, node: dict[str, Any]) -> Part:
        named = node.get("id")
        rest = {key: value for key, value in node.items() if key not in ("id", "extra")}
        return Part(
            "dict", parts=self._fields(rest), call_id=named if isinstance(named, str) else None
        )

    def _tagged(self, node: dict[str, Any]) -> Part:
        tag = str(node[TAG])
        if tag == "list":
            return self._items(continued_items(node, self.followed))
        if tag in ("set", "frozenset", "dict") and isinstance(items := node.get("items"), list):
            return self._unordered(tag, items)
        if tag == "tuple" and isinstance(items := node.get("items"), list):
            return Part(tag, parts=dict(enumerate(items)))
        if tag in ("bytes", "array"):
            return Part(tag, _packed(node))
        if tag == "opaque":
            return Part(tag, (node.get("type"), ADDRESS.sub("0x", str(node.get("repr")))))
        if tag == "exception":
            kept = {key: node.get(key) for key in ("type", "message")}
            return Part(tag, parts={key: value for key, value in kept.items() if value is not None})
        rest = {key: value for key, value in node.items() if key != TAG}
        if tag == "chat_message" and isinstance(meta := self.followed(rest.get("meta")), dict):
            kept = {key: value for key, value in meta.items() if key not in PASSING_META}
            rest["meta"] = kept or None
        elif tag == "document":
            for name in _UNCOUNTED_OF_DOCUMENTS:
                rest.pop(name, None)
            if is_derived_id(rest.get("id")):
                del rest["id"]
        elif tag == "object" and isinstance(inner := self.followed(rest.get("fields")), dict):
            # The fields of an object are read as its own, as a person would write them.
            others = {key: value for key, value in rest.items() if key not in ("fields", "type")}
            return Part(tag, node.get("type"), self._fields({**others, **inner}))
        return Part(tag, parts=self._fields(rest))

    def _unordered(self, tag: str, items: list[Any]) -> Part:
        if tag != "dict":
            by_print = sorted(items, key=self._prints.of)
            return Part(tag, parts=dict(enumerate(by_print)))
        pairs = [pair for pair in map(self.followed, items) if _is_pair(pair)]
        if len(pairs) < len(items):
            return Part(tag, parts=dict(enumerate(items)))
        return Part(tag, parts={_key_words(self.followed(key)): value for key, value in pairs})


def _is_callback(value: Any) -> bool:
    return isinstance(value, dict) and value.get(TAG) == "callable"


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2


def _key_words(key: Any) -> Any:
    return key if isinstance(key, str) else f"({key})" if not isinstance(key, dict) else str(key)


def _packed(node: dict[str, Any]) -> tuple[Any, ...]:
    digest = node.get("digest")
    if not isinstance(digest, str):
        try:
            digest = sha256(b64decode(str(node.get("base64", "")))).hexdigest()[:32]
        except ValueError:
            digest = str(node.get("base64"))
    return (str(node.get("dtype")), str(node.get("shape")), digest)
