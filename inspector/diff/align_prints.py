"""What spans were asked and what they said, as short texts that are equal where it is.

A print covers what a fingerprint covers, without what is noise, and without the ids of tool
calls. A list is printed item by item onto what came before, so that a conversation that grows
over a thousand steps is read once and not a thousand times. Values are known by their digests:
where both runs hold a value under the same digest, it is printed once for both.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import orjson

from inspector.diff.call_ids import renamed
from inspector.diff.canonical import ADDRESS
from inspector.diff.noise import may_pass, passing
from inspector.runfile.value import REF, TAG

if TYPE_CHECKING:
    from inspector.runfile.store import ValueStore

_DEEPEST = 150
_LONGEST = 2_000
_FAR_TOO_LONG = 100_000
_SORTED = orjson.OPT_SORT_KEYS
_DIGEST = re.compile(r"[0-9a-f]{32}")
_CALLS = frozenset({"tool_call", "call", "origin"})
_ITEM = "[]"


_Key = tuple[str, str | None, bool]


class _Place:
    """What of the place of a value counts for what is noise in it.

    Each is made once, and leads to those right below it.

    Args:
        name: What the value is called where it stands.
        within: The tag of the innermost tagged object around it.
        arguments: Whether it is a part of what a tool was given.

    """

    __slots__ = ("_all", "arguments", "fields", "item", "name", "tagged", "within")

    def __init__(
        self, places: dict[_Key, _Place], name: str, within: str | None, *, arguments: bool
    ) -> None:
        self._all = places
        self.name = name
        self.within = within
        self.arguments = arguments or name == "arguments"
        places[name, within, arguments] = self
        self.fields: dict[str, tuple[bool, _Place]] = {}
        self.tagged: dict[str, _Place] = {}
        self.item: _Place = self._other(_ITEM, within)

    def _other(self, name: str, within: str | None) -> _Place:
        known = self._all.get((name, within, self.arguments))
        return known or _Place(self._all, name, within, arguments=self.arguments)

    def field(self, key: str) -> tuple[bool, _Place]:
        """Return whether a field may be noise, and its place."""
        suspect = may_pass(self.around(key), self.within) or self.is_call_id(key)
        found = self.fields[key] = (suspect, self._other(key, self.within))
        return found

    def in_tag(self, tag: str) -> _Place:
        """Return the same place inside an object with a tag."""
        found = self.tagged.get(tag)
        if found is None:
            found = self.tagged[tag] = self._other(self.name, tag)
        return found

    def around(self, key: str) -> tuple[str, ...]:
        """Return the names that lead to a field, as far as they count."""
        return ("arguments", self.name, key) if self.arguments else (self.name, key)

    def is_call_id(self, key: str) -> bool:
        """Whether a field is the id that a provider gave to a tool call."""
        return key == "id" and self.name in _CALLS and not self.arguments


def digests_are_sound(store: ValueStore) -> bool:
    """Whether a run's values are called by digests, so that equal names mean equal values."""
    return all(map(_DIGEST.fullmatch, store.digests()))


class _Known:
    """Values and lists that were printed, by digest and place."""

    __slots__ = ("lists", "messages", "places", "values")

    def __init__(self) -> None:
        self.messages: dict[tuple[bytes, _Place], Any] = {}
        self.places: dict[_Key, _Place] = {}
        self.values: dict[tuple[str, _Place], Any] = {}
        self.lists: dict[tuple[str, _Place], blake2b] = {}


class Prints:
    """Prints of the values of a run.

    Every value is turned into JSON without noise, and what is long of it into its digest: so it
    does not matter whether a value stands where it is used or is referred to.

    Args:
        store: Where its references lead.
        known: What was printed before, for another run whose digests mean the same.

    """

    def __init__(self, store: ValueStore, known: Prints | None = None) -> None:
        self._store = store
        self._known = _Known() if known is None else known.known

    @property
    def known(self) -> _Known:
        """What was printed so far."""
        return self._known

    def of(self, tree: Any, name: str = "") -> bytes:
        """Return the print of a tree whose references stand as in the file.

        Args:
            tree: The value.
            name: The field that it stands in, such as `inputs`.

        """
        places = self._known.places
        place = places.get((name, None, False))
        if place is None:
            place = _Place(places, name, None, arguments=False)
        return _dumped(self._node(tree, place, 0))

    def _node(self, tree: Any, place: _Place, depth: int) -> Any:
        kind = type(tree)
        if kind is str:
            return tree if len(tree) <= _LONGEST else _digest(tree.encode("utf-8", "surrogatepass"))
        if kind is dict:
            if depth > _DEEPEST:
                return "deeper"
            if len(tree) == 1 and isinstance(ref := tree.get(REF), str):
                return self._referred(ref, place, depth)
            if TAG in tree and isinstance(tag := tree[TAG], str):
                return self._tagged(tag, tree, place, depth)
            return self._fields(tree, place, depth)
        if kind is list:
            if depth > _DEEPEST:
                return "deeper"
            state = blake2b(digest_size=16)
            self._add_items(state, tree, place, depth)
            return "[" + state.hexdigest()
        if kind is float:
            return f"\0{tree + 0.0:.9g}"
        return tree

    def _referred(self, ref: str, place: _Place, depth: int) -> Any:
        values, key = self._known.values, (ref, place)
        node = values.get(key)
        if node is None:
            values[key] = "circle"
            tree = self._store.decode(ref)[0]
            node = self._node(tree, place, depth + 1)
            node = values[key] = _short(node, _FAR_TOO_LONG) if type(node) is dict else node
        return node

    def _add_items(self, state: blake2b, items: list[Any], place: _Place, depth: int) -> None:
        """Print items onto a list; it does not matter in how many pieces they come."""
        if items:
            nodes = [self._node(item, place.item, depth + 1) for item in items]
            state.update(_dumped(nodes)[1:-1] + b",")

    def _fields(self, tree: dict[str, Any], place: _Place, depth: int) -> dict[str, Any]:
        known = place.fields
        node: dict[str, Any] = {}
        for key, value in tree.items():
            if value is None or key == TAG:
                continue
            suspect, below = known.get(key) or place.field(key)
            if suspect and (
                place.is_call_id(key) or passing(place.around(key), value, place.within) is not None
            ):
                continue
            kind = type(value)
            if (kind is str and len(value) <= _LONGEST) or kind is int:
                node[key] = value
                continue
            # Of reasoning its text counts, and not what a provider keeps of it for itself.
            is_reasoning = key == "reasoning" and kind is dict
            counts = value.get("text", value) if is_reasoning else value
            child = self._node(counts, below, depth + 1)
            if child is not None:
                node[key] = child
        return node

    def _tagged(self, tag: str, tree: dict[str, Any], place: _Place, depth: int) -> Any:
        items = tree.get("items")
        if tag == "callable":
            return None
        if tag == "list" and type(items) is list:
            return self._continued(tree, place, depth)
        if tag in ("set", "frozenset", "dict") and type(items) is list:
            nodes = sorted(_dumped(self._node(each, place.item, depth + 1)) for each in items)
            return _short({"\0tag": tag, "items": _digest(b",".join(nodes))})
        if tag == "opaque":
            return _short({"\0tag": tag, "is": ADDRESS.sub("0x", str(tree.get("repr")))})
        if tag == "exception":
            return _short({"\0tag": tag, "is": f"{tree.get('type')} {tree.get('message')}"})
        if tag == "chat_message" and not place.arguments:
            return self._message(tree, place, depth)
        return self._object(tag, tree, place, depth)

    def _object(self, tag: str, tree: dict[str, Any], place: _Place, depth: int) -> Any:
        fields = self._fields(tree, place.in_tag(tag), depth)
        fields["\0tag"] = tag
        return _short(fields)

    def _message(self, tree: dict[str, Any], place: _Place, depth: int) -> Any:
        """Print a message that mostly was met before, but for the ids of its calls."""
        try:
            text = orjson.dumps(renamed(tree, _nameless))
        except orjson.JSONEncodeError:
            return self._object("chat_message", tree, place, depth)
        key = blake2b(text, digest_size=16).digest(), place
        node = self._known.messages.get(key)
        if node is None:
            node = self._object("chat_message", tree, place, depth)
            self._known.messages[key] = node
        return node

    def _continued(self, tree: dict[str, Any], place: _Place, depth: int) -> str:
        """Print a list that goes on where others end, the first of them first."""
        waiting: list[tuple[str, list[Any]]] = []
        seen: set[str] = set()
        state: blake2b | None = None
        following: Any = tree.get("after")
        while isinstance(following, dict) and isinstance(ref := following.get(REF), str):
            state = self._known.lists.get((ref, place))
            if state is not None or ref in seen:
                break
            seen.add(ref)
            value = self._store.decode(ref)[0]
            items = value.get("items") if type(value) is dict else value
            if type(items) is not list:
                break
            waiting.append((ref, items))
            following = value.get("after") if type(value) is dict else None
        state = blake2b(digest_size=16) if state is None else state.copy()
        for ref, items in reversed(waiting):
            self._add_items(state, items, place, depth)
            self._known.lists[ref, place] = state.copy()
        self._add_items(state, tree["items"], place, depth)
        return "[" + state.hexdigest()


def _nameless(_: str) -> None:
    return None


def _short(node: dict[str, Any], longest: int = _LONGEST) -> Any:
    text = _dumped(node)
    return orjson.Fragment(text) if len(text) <= longest else _digest(text)


def _dumped(node: Any) -> bytes:
    try:
        return orjson.dumps(node, option=_SORTED)
    except orjson.JSONEncodeError:
        # Numbers beyond 64 bits and lone surrogates, from writers that are not strict.
        return json.dumps(node, sort_keys=True, default=_unpacked).encode()


def _unpacked(node: Any) -> str:
    return str(node.contents) if isinstance(node, orjson.Fragment) else str(node)


def _digest(text: bytes) -> str:
    return "#" + blake2b(text, digest_size=16).hexdigest()
