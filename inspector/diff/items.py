"""Which items of two lists belong together: equal ones, those of one name, those most alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.diff.documents import across, paired, placed
from inspector.diff.sequences import matches
from inspector.runfile.value import REF, TAG, is_document, tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from inspector.diff.noise import NoiseRules

    Lookup = Callable[[str], Any]

_DEEPEST = 200
_MOST_WEIGHED = (
    900  # pairs of items, such as 30 against 30, of which it is asked how alike they are
)
_LONGEST_WEIGHED = 2_000  # characters
_LEAST_ALIKE = 0.4
_MOST_WRITTEN = 1_000_000
_PLAIN = frozenset({str, int, float, bool, type(None)})
_NAMES = ("id", "name", "key")


class ItemPairs(NamedTuple):
    """Items by their places: pairs by their left places, those that only one side has."""

    pairs: list[tuple[int, int]]
    equal: set[int]  # the left places of pairs that are equal to the byte
    moved: set[int]  # the left places of pairs that stand across others
    gone: list[int]
    new: list[int]


class Identities:
    """Numbers for values: two values have the same one if they are equal, types included."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        # The node is kept with its number, so that its address stays its own.
        self._nodes: dict[int, tuple[Any, int]] = {}
        self._refs: dict[str, int] = {}

    def of(self, node: Any, lookup: Lookup | None = None, depth: int = 0) -> int:
        """Return the number of a value; references are followed where that is possible."""
        if not isinstance(node, (dict, list)):
            return self._number((type(node), node))
        if (known := self._nodes.get(id(node))) is not None:
            return known[1]
        if depth > _DEEPEST:
            # Nobody looks further down, so it is like nothing else.
            self._nodes[id(node)] = (node, self._number(("deeper", id(node))))
            return self._nodes[id(node)][1]
        if isinstance(node, list):
            number = self._number((list, *(self.of(item, lookup, depth + 1) for item in node)))
        elif isinstance(ref := node.get(REF), str):
            return self._referred(ref, lookup, depth)
        else:
            fields = sorted(
                (str(key), self.of(item, lookup, depth + 1)) for key, item in node.items()
            )
            number = self._number((dict, *fields))
        self._nodes[id(node)] = (node, number)
        return number

    def _referred(self, ref: str, lookup: Lookup | None, depth: int) -> int:
        if (known := self._refs.get(ref)) is not None:
            return known
        # What refers to itself finds this, and ends there.
        self._refs[ref] = self._number((REF, ref))
        if lookup is not None:
            with suppress(KeyError):
                self._refs[ref] = self.of(lookup(ref), lookup, depth + 1)
        return self._refs[ref]

    def _number(self, key: Hashable) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class Pairing:
    """Pairs the items of lists of two trees."""

    def __init__(
        self, noise: NoiseRules, left_lookup: Lookup | None, right_lookup: Lookup | None
    ) -> None:
        self._noise = noise
        self._lookups = (left_lookup, right_lookup)
        self._identities = Identities()
        self._sizes: dict[int, tuple[Any, int]] = {}

    def number(self, node: Any, side: int) -> int:
        """Return the number of a value, equal for equal values of both sides."""
        return self._identities.of(node, self._lookups[side])

    def key(self, node: Any, side: int) -> Hashable:
        """Return something that is equal for equal values only, and mostly for all of them."""
        if not isinstance(node, (dict, list)):
            return type(node), node
        if isinstance(node, dict) and isinstance(ref := node.get(REF), str):
            # Digests tell that values are equal without a look at them.
            return REF, ref
        if self._size(node) <= _MOST_WRITTEN:
            with suppress(TypeError):
                return orjson.dumps(node)
        return self.number(node, side)

    def pairs(self, left: list[Any], right: list[Any], leaf: str) -> ItemPairs:
        """Return which items of two lists belong together."""
        keys = tuple(
            [self.key(item, side) for item in items] for side, items in enumerate((left, right))
        )
        pairs = matches(*keys)
        equal = {here for here, _ in pairs}
        pairs += self._others(left, right, pairs, leaf)
        pairs.sort()
        gone, new = _rest((left, right), pairs)
        return ItemPairs(pairs, equal, across(pairs), gone, new)

    def _others(
        self, left: list[Any], right: list[Any], pairs: list[tuple[int, int]], leaf: str
    ) -> list[tuple[int, int]]:
        """Pair what is not equal to the byte: equal but for noise, of one name, or most alike."""
        here, there = _rest((left, right), pairs)
        if not (here and there):
            return []
        one, other = (
            {place: _followed(items[place], lookup) for place in places}
            for items, places, lookup in zip(
                (left, right), (here, there), self._lookups, strict=True
            )
        )
        if all(is_document(item) for items in (one, other) for item in items.values()):
            before, after = (
                placed(items.values(), lookup)
                for items, lookup in zip((one, other), self._lookups, strict=True)
            )
            return [(here[old.rank], there[now.rank]) for old, now in paired(before, after)[0]]
        if len(here) == len(there) == 1:
            # What is looked into anyway need not be weighed on every level of a deep value.
            return [(here[0], there[0])] if _kind(one[here[0]]) == _kind(other[there[0]]) else []
        numbers: tuple[list[int], list[int]] = ([0] * len(left), [0] * len(right))
        for number, (equal, same) in enumerate(pairs):
            numbers[0][equal] = numbers[1][same] = -1 - number
        for side, items in enumerate((one, other)):
            for place, item in items.items():
                counts = self._noise.strip(item, f"{leaf}[{place}]", self._lookups[side])
                numbers[side][place] = self.number(counts, side)
        known = {place for place, _ in pairs}
        found = [pair for pair in matches(*numbers) if pair[0] not in known]
        taken = {place for _, place in pairs}
        # Where equal items cross each other, those that are equal to the byte stay together.
        found = [pair for pair in found if pair[1] not in taken]
        found += self._elsewhere(numbers, [*pairs, *found])
        trees = (
            [one.get(at) for at in range(len(left))],
            [other.get(at) for at in range(len(right))],
        )
        found += _by_name(trees, [*pairs, *found])
        return found + _in_gaps(trees, sorted([*pairs, *found]))

    def _size(self, node: Any, depth: int = 0) -> int:
        """Return of how many parts a value is when it is written out."""
        if (known := self._sizes.get(id(node))) is not None:
            return known[1]
        size = len(node)
        items = node.values() if isinstance(node, dict) else node
        if depth > _DEEPEST:
            size = _MOST_WRITTEN + 1
        elif not _PLAIN.issuperset(map(type, items)):
            size += sum(
                self._size(item, depth + 1) for item in items if isinstance(item, (dict, list))
            )
        self._sizes[id(node)] = (node, size)
        return size

    @staticmethod
    def _elsewhere(
        numbers: tuple[list[int], list[int]], pairs: list[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Return the equal items that stand at other places among the others."""
        here, there = _rest(numbers, pairs)
        waiting: dict[int, list[int]] = defaultdict(list)
        for place in reversed(there):
            waiting[numbers[1][place]].append(place)
        return [
            (place, waiting[number].pop())
            for place in here
            if waiting.get(number := numbers[0][place])
        ]


def _rest(
    sides: Sequence[Sequence[Any]], pairs: list[tuple[int, int]]
) -> tuple[list[int], list[int]]:
    here, there = {place for place, _ in pairs}, {place for _, place in pairs}
    return (
        [place for place in range(len(sides[0])) if place not in here],
        [place for place in range(len(sides[1])) if place not in there],
    )


def _by_name(
    trees: tuple[list[Any], list[Any]], pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    rest = _rest(trees, pairs)
    for field in _NAMES:
        named: list[dict[Hashable, int]] = []
        for places, items in zip(rest, trees, strict=True):
            names = {place: _field(items[place], field) for place in places}
            counts = Counter(name for name in names.values() if name is not None)
            named.append({name: place for place, name in names.items() if counts[name] == 1})
        shared = [name for name in named[0] if name in named[1]]
        if shared:
            return [(named[0][name], named[1][name]) for name in shared]
    return []


def _field(item: Any, field: str) -> Hashable:
    if not isinstance(item, dict):
        return None
    value = item.get(field)
    inner = item.get("fields")
    if value is None and tag_of(item) == "object" and isinstance(inner, dict):
        value = inner.get(field)
    return (field, value) if isinstance(value, (str, int)) else None


def _in_gaps(
    trees: tuple[list[Any], list[Any]], pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Pair what is left by how alike it is, between the pairs around it."""
    found: list[tuple[int, int]] = []
    here, there = (set(places) for places in _rest(trees, pairs))
    passing = across(pairs)
    at = to = 0
    for left, right in [
        *(pair for pair in pairs if pair[0] not in passing),
        (len(trees[0]), len(trees[1])),
    ]:
        one = [place for place in range(at, left) if place in here]
        other = [place for place in range(to, right) if place in there]
        if one and other:
            found += _alike(trees, one, other)
        at, to = left + 1, right + 1
    return found


def _alike(
    trees: tuple[list[Any], list[Any]], one: list[int], other: list[int]
) -> list[tuple[int, int]]:
    if len(one) == len(other) or len(one) * len(other) > _MOST_WEIGHED:
        both = zip(one, other, strict=False)
        return [pair for pair in both if _kind(trees[0][pair[0]]) == _kind(trees[1][pair[1]])]
    weights = [[_weight(trees[0][here], trees[1][there]) for there in other] for here in one]
    # The rising pairs that are most alike together.
    best = [[0.0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for row in range(len(one) - 1, -1, -1):
        for column in range(len(other) - 1, -1, -1):
            best[row][column] = max(
                best[row + 1][column], best[row][column + 1],
                best[row + 1][column + 1] + weights[row][column],
            )  # fmt: skip
    found = []
    row = column = 0
    while row < len(one) and column < len(other):
        weight = weights[row][column]
        if weight and best[row][column] == best[row + 1][column + 1] + weight:
            found.append((one[row], other[column]))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return found


def _weight(one: Any, other: Any) -> float:
    if _kind(one) != _kind(other):
        return 0.0
    from rapidfuzz.distance import Indel

    texts = (_text(one), _text(other))
    alike = Indel.normalized_similarity(*texts)
    return alike if alike >= _LEAST_ALIKE else 0.0


def _kind(item: Any) -> Hashable:
    if isinstance(item, dict):
        return dict, item.get(TAG), item.get("role"), item.get("type") if TAG in item else None
    return (type(item),)


def _text(item: Any) -> str:
    return (item if isinstance(item, str) else repr(item))[:_LONGEST_WEIGHED]


def _followed(node: Any, lookup: Lookup | None) -> Any:
    for _ in range(100):
        if not (isinstance(node, dict) and isinstance(ref := node.get(REF), str)) or lookup is None:
            break
        try:
            node = lookup(ref)
        except KeyError:
            break
    return node
