"""What makes two calls the same call, whoever made them and whenever.

A fingerprint is taken over the canonical form of a value tree. These do not count: the
order of dictionaries and sets, object addresses, callbacks, arguments left at `None`,
request ids and times in the `meta` of messages, embeddings of documents and ids that
Haystack derived from a document's content. The ids that a provider gives to tool calls
count by their order of appearance, not by their text; floats count to 9 significant
digits. Types count: a tuple is not a list, 1 is not 1.0.
"""

from __future__ import annotations

import re
from base64 import b64decode
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Any

from inspector.runfile.interned import Interned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# Kept in the file: a change of the rules makes old fingerprints incomparable, not wrong.
FINGERPRINT_RULES = 1

_DEEPEST = 200
_LONGEST = 200
_MOST_IDS = 100_000
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
_DERIVED_ID = re.compile(r"[0-9a-f]{64}")
_PLACEHOLDER = re.compile(r"<([a-z][a-z0-9-]{0,40}):(?:[0-9]{1,6}|[0-9a-f]{8})>")
_CALLBACKS = frozenset({"streaming_callback"})
_PASSING_META = frozenset(
    {
        "completion_start_time", "created", "created_at", "finished_at", "id", "received_at",
        "request_id", "response_id", "system_fingerprint", "timestamp",
    }
)  # fmt: skip

# Text in canonical form, and the tool-call ids in it by order of appearance.
_Canonical = tuple[str, tuple[str, ...]]


class Fingerprints:
    """Fingerprints of the values of one run, live or recorded.

    Args:
        lookup: Returns the tree that a digest stands for, references unresolved.
            Raises `KeyError` for one that leads nowhere. Not needed for live values.
        numbered: Whether of placeholders of redacted values, `<email:1>`, only the rule counts:
            each redaction numbers anew. Whoever compares has to see whether the numbers agree.

    """

    def __init__(
        self, lookup: Callable[[str], Any] | None = None, *, numbered: bool = False
    ) -> None:
        self._lookup = lookup
        self._numbered = numbered
        self._known: dict[str, _Canonical] = {}
        # The node is kept with its text, so that its address stays its own.
        self._nodes: dict[int, tuple[Interned, _Canonical]] = {}

    def of(self, tree: Any) -> str:
        """Return the fingerprint of a value tree: 32 hex digits."""
        text, ids = self._canonical(tree, 0)
        order: dict[str, int] = {}
        numbers = ",".join(str(order.setdefault(each, len(order))) for each in ids)
        return _digest(f"{text}|{numbers}")

    def _canonical(self, tree: Any, depth: int) -> _Canonical:
        out: list[str] = []
        ids: list[str] = []
        self._write(tree, out, ids, depth)
        return "".join(out), tuple(ids)

    def _write(self, tree: Any, out: list[str], ids: list[str], depth: int) -> None:
        kind = type(tree)
        if kind is str:
            if self._numbered and "<" in tree:
                tree = _unnumbered(tree)
            out.append(f"s{len(tree)}:{tree}")
        elif kind is dict and isinstance(ref := tree.get("$ref"), str):
            # As if it stood here: a text that is kept by itself is no other text for it.
            self._write_known(ref, out, ids, depth + 1)
        elif kind is dict or kind is list:
            inner: list[str] = []
            if kind is dict:
                self._write_object(tree, inner, ids, depth + 1)
            else:
                self._write_items(tree, inner, ids, depth + 1)
            out.append(_short("".join(inner)))
        elif kind is float:
            out.append(f"d{tree + 0.0:.9g};")
        elif isinstance(tree, Interned):
            self._write_node(tree, out, ids, depth)
        else:
            # None, booleans and integers, which JSON spells in one way only.
            out.append(f"{kind.__name__[0]}{tree};")

    def _write_items(
        self, items: Iterable[Any], out: list[str], ids: list[str], depth: int
    ) -> None:
        if depth > _DEEPEST:
            out.append("deeper")
            return
        out.append("[")
        for item in items:
            self._write(item, out, ids, depth)
        out.append("]")

    def _write_object(
        self, tree: dict[str, Any], out: list[str], ids: list[str], depth: int
    ) -> None:
        if depth > _DEEPEST:
            out.append("deeper")
        elif isinstance(tag := tree.get("$"), str):
            self._write_tagged(tag, tree, out, ids, depth)
        else:
            self._write_fields(tree, out, ids, depth)

    def _write_fields(
        self, fields: Mapping[str, Any], out: list[str], ids: list[str], depth: int
    ) -> None:
        out.append("{")
        for key in sorted(fields) if not self._numbered else sorted(fields, key=_unnumbered):
            value = fields[key]
            if value is None or key in _CALLBACKS or _is_callback(value):
                continue
            name = key if not self._numbered else _unnumbered(key)
            out.append(f"{len(name)}:{name}=")
            if key in ("tool_call", "call") and type(value) is dict and "arguments" in value:
                self._write_tool_call(value, out, ids, depth)
            elif key == "reasoning" and type(value) is dict:
                self._write(value.get("text", value), out, ids, depth)
            else:
                self._write(value, out, ids, depth)
        out.append("}")

    def _write_tool_call(
        self, call: dict[str, Any], out: list[str], ids: list[str], depth: int
    ) -> None:
        if isinstance(named := call.get("id"), str):
            ids.append(named)
        rest = {key: value for key, value in call.items() if key not in ("id", "extra")}
        self._write_fields(rest, out, ids, depth)

    def _write_known(self, ref: str, out: list[str], ids: list[str], depth: int) -> None:
        known = self._known.get(ref)
        if known is None:
            # A value that refers to itself finds this, and ends there.
            self._known[ref] = ("circle", ())
            try:
                tree = self._lookup(ref) if self._lookup is not None else None
            except KeyError:
                tree = {"$": "missing", "ref": ref}
            text, found = self._canonical(tree, depth)
            known = self._known[ref] = (text, found[:_MOST_IDS])
        out.append(known[0])
        ids.extend(known[1])

    def _write_node(self, node: Interned, out: list[str], ids: list[str], depth: int) -> None:
        kept = self._nodes.get(id(node))
        if kept is None:
            kept = self._nodes[id(node)] = (node, self._canonical(node.build(), depth))
        out.append(kept[1][0])
        ids.extend(kept[1][1])

    def _write_tagged(
        self, tag: str, tree: dict[str, Any], out: list[str], ids: list[str], depth: int
    ) -> None:
        if tag == "chat_message":
            meta = tree.get("meta")
            if type(meta) is dict:
                meta = {key: meta[key] for key in meta if key not in _PASSING_META}
            self._write_fields({**tree, "meta": meta or None}, out, ids, depth)
        elif tag == "document":
            kept = {key: tree[key] for key in tree if key not in ("embedding", "sparse_embedding")}
            if isinstance(named := kept.get("id"), str) and _DERIVED_ID.fullmatch(named):
                del kept["id"]
            self._write_fields(kept, out, ids, depth)
        elif tag == "list":
            self._write_items(self._flat(tree), out, ids, depth)
        elif tag in ("set", "frozenset") and type(items := tree.get("items")) is list:
            each = sorted(self._canonical(item, depth) for item in items)
            out.append(f"{tag}(" + "".join(text for text, _ in each) + ")")
            for _, found in each:
                ids.extend(found)
        elif tag == "dict" and type(items := tree.get("items")) is list:
            self._write_pairs(items, out, ids, depth)
        elif tag in ("bytes", "array"):
            out.append(_packed(tag, tree))
        elif tag == "opaque":
            out.append(f"opaque({tree.get('type')},{_ADDRESS.sub('0x', str(tree.get('repr')))})")
        elif tag == "exception":
            out.append(f"exception({tree.get('type')},{tree.get('message')})")
        else:
            out.append(f"{tag}(")
            self._write_fields({key: tree[key] for key in tree if key != "$"}, out, ids, depth)
            out.append(")")

    def _write_pairs(self, items: list[Any], out: list[str], ids: list[str], depth: int) -> None:
        if (fields := _named(items)) is not None:
            # Of another class than dict, which is no difference to whoever is given it.
            self._write_fields(fields, out, ids, depth)
            return
        each = sorted(self._canonical(item, depth) for item in items)
        out.append("dict(" + "".join(text for text, _ in each) + ")")
        for _, found in each:
            ids.extend(found)

    def _flat(self, tree: dict[str, Any]) -> list[Any]:
        """Return the items of a list that continues another one, which may continue another."""
        parts: list[list[Any]] = []
        seen: set[str] = set()
        following: Any = tree
        while True:
            if isinstance(following, Interned):
                following = following.build()
            if type(following) is list:
                parts.append(following)
                break
            if type(following) is not dict:
                break
            ref = following.get("$ref")
            if isinstance(ref, str):
                if ref in seen or self._lookup is None:
                    break
                seen.add(ref)
                try:
                    following = self._lookup(ref)
                except KeyError:
                    break
                continue
            items = following.get("items")
            if type(items) is list:
                parts.append(items)
            following = following.get("after")
        return [item for part in reversed(parts) for item in part]


def fingerprint(tree: Any, lookup: Callable[[str], Any] | None = None) -> str:
    """Return the fingerprint of one value tree. For many of one run, keep a `Fingerprints`."""
    return Fingerprints(lookup).of(tree)


def _named(items: list[Any]) -> dict[str, Any] | None:
    """Return the pairs of a dictionary by their names, if they have names like any object."""
    if not all(type(each) is list and len(each) == 2 for each in items):
        return None
    if any(type(key) is not str or key in ("$", "$ref") for key, _ in items):
        return None
    return dict(items)


def _unnumbered(text: str) -> str:
    return _PLACEHOLDER.sub(r"<\1>", text) if "<" in text else text


def _is_callback(value: Any) -> bool:
    return type(value) is dict and value.get("$") == "callable"


def _short(text: str) -> str:
    # What is long stands for itself by a digest, wherever it is kept: a conversation is then
    # read as a line a message however often it is sent, and references cannot add up to more
    # text than there is memory.
    return text if len(text) <= _LONGEST else "#" + _digest(text)


def _packed(tag: str, tree: dict[str, Any]) -> str:
    digest = tree.get("digest")
    if not isinstance(digest, str):
        try:
            digest = sha256(b64decode(str(tree.get("base64", "")))).hexdigest()[:32]
        except ValueError:
            digest = str(tree.get("base64"))
    return f"{tag}({tree.get('dtype')},{tree.get('shape')},{digest})"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
