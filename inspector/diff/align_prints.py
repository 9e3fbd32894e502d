"""What spans were asked and what they said, as short texts that are equal where it is.

A print covers what a fingerprint covers, without what is noise, and without the ids of tool
calls. A list is printed item by item onto what came before, so that a conversation that grows
over a thousand steps is read once and not a thousand times. Values are known by their digests:
where both runs hold a value under the same digest, it is printed once for both.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from inspector.diff.canonical import ADDRESS, is_derived_id
from inspector.diff.noise import passing
from inspector.runfile.value import REF, TAG

if TYPE_CHECKING:
    from inspector.runfile.store import ValueStore

_DEEPEST = 150
_LONGEST = 100
_DIGEST = re.compile(r"[0-9a-f]{32}")
_START = b"["
_CALLS = frozenset({"tool_call", "call", "origin"})
_ITEM = "[]"

_Place = tuple[str, str, str | None, bool]
"""What of a place counts for noise: two names, the tag around it, whether in arguments."""

TOP: _Place = ("", "", None, False)


def digests_are_sound(store: ValueStore) -> bool:
    """Whether a run's values are called by digests, so that equal names mean equal values."""
    return all(_DIGEST.fullmatch(digest) for digest in store.digests())


class _Known:
    """Values and lists that were printed, by digest and by what of the place counts."""

    __slots__ = ("lists", "texts")

    def __init__(self) -> None:
        self.texts: dict[tuple[str, _Place], str] = {}
        self.lists: dict[tuple[str, _Place], bytes] = {}


class Prints:
    """Prints of the values of a run.

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

    def of(self, tree: Any, place: _Place = TOP) -> str:
        """Return the print of a tree whose references stand as in the file."""
        return self._text(tree, place, 0)

    def _text(self, tree: Any, place: _Place, depth: int) -> str:
        kind = type(tree)
        if kind is str:
            return _short(f"s{tree}")
        if kind is float:
            return f"f{tree + 0.0:.9g}"
        if depth > _DEEPEST:
            return "deeper"
        if kind is dict:
            if isinstance(ref := tree.get(REF), str):
                return self._referred(ref, place, depth)
            if isinstance(tag := tree.get(TAG), str):
                return _short(self._tagged(tag, tree, place, depth))
            return _short(self._fields(tree, place, depth))
        if kind is list:
            return self._items(tree, place, depth, _START).hex()
        return f"{kind.__name__[0]}{tree}"

    def _referred(self, ref: str, place: _Place, depth: int) -> str:
        key = ref, place
        text = self._known.texts.get(key)
        if text is None:
            self._known.texts[key] = "circle"
            tree = self._store.decode(ref)[0]
            text = self._known.texts[key] = self._text(tree, place, depth + 1)
        return text

    def _items(self, items: list[Any], place: _Place, depth: int, before: bytes) -> bytes:
        name, _, within, arguments = place
        inner = (_ITEM, name, within, arguments)
        for item in items:
            text = self._text(item, inner, depth + 1)
            said = before + text.encode("utf-8", "surrogatepass")
            before = blake2b(said, digest_size=16).digest()
        return before

    def _fields(self, tree: dict[str, Any], place: _Place, depth: int) -> str:
        name, _, within, arguments = place
        arguments = arguments or name == "arguments"
        around = ("arguments", name) if arguments else (name,)
        parts = []
        for key in sorted(tree):
            value = tree[key]
            if value is None or key == TAG:
                continue
            if passing((*around, key), value, within) is not None:
                continue
            if name in _CALLS and key == "id":
                continue
            if key == "reasoning" and type(value) is dict:
                value = value.get("text", value)
            parts.append(f"{key}={self._text(value, (key, name, within, arguments), depth + 1)}")
        return "{" + "\x1f".join(parts) + "}"

    def _tagged(self, tag: str, tree: dict[str, Any], place: _Place, depth: int) -> str:
        items = tree.get("items")
        if tag == "list" and type(items) is list:
            return self._continued(tree, place, depth).hex()
        if tag in ("set", "frozenset", "dict") and type(items) is list:
            name, _, within, arguments = place
            inner = (_ITEM, name, within, arguments)
            return tag + "\x1f".join(sorted(self._text(each, inner, depth + 1) for each in items))
        if tag == "opaque":
            return f"opaque {tree.get('type')} {ADDRESS.sub('0x', str(tree.get('repr')))}"
        if tag == "exception":
            return f"exception {tree.get('type')} {tree.get('message')}"
        if tag == "document" and is_derived_id(tree.get("id")):
            tree = {key: value for key, value in tree.items() if key != "id"}
        return tag + self._fields(tree, (place[0], place[1], tag, place[3]), depth)

    def _continued(self, tree: dict[str, Any], place: _Place, depth: int) -> bytes:
        """Print a list that goes on where others end, the first of them first."""
        waiting: list[tuple[str | None, list[Any]]] = [(None, tree["items"])]
        seen: set[str] = set()
        state = _START
        following: Any = tree.get("after")
        while isinstance(following, dict) and isinstance(ref := following.get(REF), str):
            if (known := self._known.lists.get((ref, place))) is not None:
                state = known
                break
            if ref in seen:
                break
            seen.add(ref)
            value = self._store.decode(ref)[0]
            if type(value) is list:
                waiting.append((ref, value))
                break
            if type(value) is not dict or type(value.get("items")) is not list:
                break
            waiting.append((ref, value["items"]))
            following = value.get("after")
        for named, items in reversed(waiting):
            state = self._items(items, place, depth, state)
            if named is not None:
                self._known.lists[named, place] = state
        return state


def _short(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
