"""Where two recorded values differ, leaf by leaf, noise included and marked as such."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from inspector.diff.continued import continued_items
from inspector.diff.items import Pairing
from inspector.diff.json_text import json_changes
from inspector.diff.leaves import inside
from inspector.diff.model import ValueChange
from inspector.diff.noise import NoiseRules
from inspector.runfile.drift import bounded_pair
from inspector.runfile.value import REF, TAG, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Lookup = Callable[[str], Any]

MOST_CHANGES = 200
# Between the leaf that a text is and the place in the JSON that it holds.
AS_JSON = " as JSON"

_DEEPEST = 200
_MOST_PAIRS = 2_000_000
_MOST_TIMES = 8  # the same two parts are told of at so many places at most
_LEAST_VECTOR = 17
# Tags of single values: what is inside is how they are written, and no part of them.
_SINGLE = frozenset(
    {
        "array", "bytes", "callable", "complex", "date", "datetime", "decimal", "enum", "float",
        "int", "missing", "opaque", "path", "str", "time", "timedelta", "truncated", "type", "uuid",
    }
)  # fmt: skip


_NUMBERS = frozenset({float, int})


class _Absent:
    """Stands where a side has nothing: None is a value."""


_ABSENT = _Absent()


def value_changes(
    left_tree: Any,
    right_tree: Any,
    noise: NoiseRules | None = None,
    *,
    most: int = MOST_CHANGES,
    leaf: str = "",
    left_lookup: Lookup | None = None,
    right_lookup: Lookup | None = None,
) -> tuple[tuple[ValueChange, ...], str | None]:
    """Return the leaves in which two value trees differ, and what was left out, in words.

    Args:
        left_tree: A value tree; references are followed with `left_lookup`.
        right_tree: The same.
        noise: What is noise, our own rules where not given.
        most: So many changes that count are returned at most, and so many that are noise.
        leaf: The notation of the two values themselves.
        left_lookup: Returns the tree that a digest stands for; raises `KeyError`.
        right_lookup: The same.

    """
    walk = _Walk(noise or NoiseRules(), most, left_lookup, right_lookup)
    walk.compare(left_tree, right_tree, leaf, None, 0)
    return tuple(walk.found), walk.note


class _Walk:
    """One comparison."""

    def __init__(
        self, noise: NoiseRules, most: int, left_lookup: Lookup | None, right_lookup: Lookup | None
    ) -> None:
        self.found: list[ValueChange] = []
        self._noise = noise
        self._most = most
        self._lookups = (left_lookup, right_lookup)
        self._values: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        self._pairing = Pairing(noise, left_lookup, right_lookup)
        self._counted = self._greyed = 0
        self._steps = 0
        self._cut = False
        self._told: dict[tuple[int, int], int] = {}

    @property
    def note(self) -> str | None:
        said = []
        if (over := self._counted - self._most) > 0:
            said.append(f"{over} more values differ.")
        if (over := self._greyed - self._most) > 0:
            said.append(f"{over} more values differ by what is expected to.")
        if self._cut:
            said.append("The values are too large to be compared to their end.")
        return " ".join(said) or None

    def compare(self, left: Any, right: Any, leaf: str, within: str | None, depth: int) -> None:
        if left is right or _ref(left) == _ref(right) is not None:
            return
        self._steps += 1
        if self._steps > _MOST_PAIRS or depth > _DEEPEST:
            self._cut = True
            return
        left, right = self._followed(left, 0), self._followed(right, 1)
        if left is right:
            return
        if isinstance(left, (dict, list)) and self._is_told(left, right):
            return
        if isinstance(left, dict) and isinstance(right, dict):
            self._compare_dicts(left, right, leaf, within, depth + 1)
        elif isinstance(left, list) and isinstance(right, list):
            self._compare_lists(left, right, leaf, within, depth + 1)
        elif type(left) is not type(right) or left != right:
            self._tell(left, right, leaf, within)

    def _is_told(self, left: Any, right: Any) -> bool:
        # A value that unfolds to more than there is memory takes no longer than it is.
        pair = (id(left), id(right))
        self._told[pair] = times = self._told.get(pair, 0) + 1
        return times > _MOST_TIMES

    def _compare_dicts(
        self, left: dict[str, Any], right: dict[str, Any], leaf: str, within: str | None, depth: int
    ) -> None:
        tags = tag_of(left), tag_of(right)
        if tags[0] != tags[1]:
            self._tell(left, right, leaf, within)
            return
        tag = tags[0]
        within = tag or within
        if tag in _SINGLE:
            if self._pairing.number(left, 0) != self._pairing.number(right, 1):
                self._tell(left, right, leaf, within)
        elif tag in ("tuple", "list", "set", "frozenset"):
            sides = [self._items(node, side) for side, node in enumerate((left, right))]
            if tag in ("set", "frozenset"):
                self._compare_sets(sides[0], sides[1], leaf, within)
            else:
                self._compare_lists(sides[0], sides[1], leaf, within, depth)
        else:
            one, other = (self._fields(node, side) for side, node in enumerate((left, right)))
            for key in dict.fromkeys((*one, *other)):
                inner = inside(leaf, key)
                if key in one and key in other:
                    self.compare(one[key], other[key], inner, within, depth)
                else:
                    self._tell(one.get(key, _ABSENT), other.get(key, _ABSENT), inner, within)

    def _compare_lists(
        self, left: list[Any], right: list[Any], leaf: str, within: str | None, depth: int
    ) -> None:
        if _is_vector(left) and _is_vector(right):
            if self._pairing.key(left, 0) != self._pairing.key(right, 1):
                self._tell(left, right, leaf, within)
            return
        found = self._pairing.pairs(left, right, leaf)
        for here, there in found.pairs:
            if here not in found.equal:
                self.compare(left[here], right[there], inside(leaf, here), within, depth)
            if here in found.moved:
                self._add(ValueChange(inside(leaf, here), "moved", here, there), None)
        for place in found.gone:
            self._tell(left[place], _ABSENT, inside(leaf, place), within)
        for place in found.new:
            self._tell(_ABSENT, right[place], inside(leaf, place), within)

    def _compare_sets(
        self, left: list[Any], right: list[Any], leaf: str, within: str | None
    ) -> None:
        one = {self._pairing.number(item, 0): item for item in left}
        other = {self._pairing.number(item, 1): item for item in right}
        for number, item in one.items():
            if number not in other:
                self._tell(item, _ABSENT, leaf, within)
        for number, item in other.items():
            if number not in one:
                self._tell(_ABSENT, item, leaf, within)

    def _items(self, node: dict[str, Any], side: int) -> list[Any]:
        """Return the items of a tagged list, those that it continues in front of its own."""
        return continued_items(node, lambda each: self._followed(each, side))

    def _fields(self, node: dict[str, Any], side: int) -> dict[Any, Any]:
        tag = tag_of(node)
        if tag == "dict" and isinstance(items := node.get("items"), list):
            pairs = [self._followed(pair, side) for pair in items]
            if all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
                return {_key_words(self._followed(key, side)): value for key, value in pairs}
        if tag == "object" and isinstance(inner := self._followed(node.get("fields"), side), dict):
            # The fields of an object are read as its own, as a person would write them.
            return {**{key: node[key] for key in node if key not in ("fields", TAG)}, **inner}
        return node

    def _followed(self, node: Any, side: int) -> Any:
        for _ in range(100):
            if (ref := _ref(node)) is None or (lookup := self._lookups[side]) is None:
                break
            known = self._values[side]
            if ref not in known:
                try:
                    known[ref] = lookup(ref)
                except KeyError:
                    known[ref] = {TAG: "missing", "ref": ref}
            node = known[ref]
        return node

    def _tell(self, left: Any, right: Any, leaf: str, within: str | None) -> None:
        one, other = (None if each is _ABSENT else each for each in (left, right))
        if type(one) is str and type(other) is str and self._tell_json(one, other, leaf, within):
            return
        reason = self._noise.reason(leaf, one, other, within=within)
        if left is _ABSENT:
            kind = "added"
        elif right is _ABSENT:
            kind = "removed"
        else:
            kind = "changed" if one is None or other is None or _alike(one, other) else "type"
        change = ValueChange(leaf, kind, one, other, reason)
        self._add(change, reason)

    def _tell_json(self, left: str, right: str, leaf: str, within: str | None) -> bool:
        """Tell of two texts that are JSON what differs inside; say whether they are."""
        whole = self._noise.reason(leaf, left, right, within=within)
        found = None if whole else json_changes(left, right, f"{leaf}{AS_JSON}")
        if found is None:
            return False
        if not found:
            self._add(ValueChange(leaf, "changed", left, right, "JSON layout"), "JSON layout")
        for each in found:
            reason = self._noise.reason(each.leaf, each.left, each.right, within=within)
            self._add(ValueChange(*each, noise=reason), reason)
        return True

    def _add(self, change: ValueChange, reason: str | None) -> None:
        if reason is None:
            self._counted += 1
            kept = self._counted <= self._most
        else:
            self._greyed += 1
            kept = self._greyed <= self._most
        if kept:
            left, right = bounded_pair(
                *(self._shown(each, side) for side, each in enumerate((change.left, change.right)))
            )
            self.found.append(ValueChange(change.leaf, change.kind, left, right, reason))

    def _shown(self, node: Any, side: int, depth: int = 0) -> Any:
        """Return a value as it may stand in a report: references followed, vectors by digest."""
        node = self._followed(node, side)
        if isinstance(node, list):
            if _is_vector(node):
                return _vector(node)
            return [self._shown(item, side, depth + 1) for item in node[:51]] if depth < 9 else node
        if not isinstance(node, dict) or depth >= 9:
            return node
        kept = list(node.items())
        return {key: self._shown(item, side, depth + 1) for key, item in kept[:51]}


def _ref(node: Any) -> str | None:
    if isinstance(node, dict):
        ref = node.get(REF)
        return ref if isinstance(ref, str) else None
    return None


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are of the same kind."""
    return type(one) is type(other) and tag_of(one) == tag_of(other)


def _is_vector(items: list[Any]) -> bool:
    return (
        len(items) >= _LEAST_VECTOR
        and isinstance(items[0], float)
        and _NUMBERS.issuperset(map(type, items))
    )


def _vector(items: list[Any]) -> dict[str, Any]:
    digest = blake2b(repr(items).encode(), digest_size=16).hexdigest()
    return {TAG: "array", "dtype": "float64", "shape": [len(items)], "digest": digest}


def _key_words(key: Any) -> Any:
    return key if isinstance(key, str) else f"({key})" if not isinstance(key, dict) else str(key)
