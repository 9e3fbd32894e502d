"""Pairing the spans below two that are a pair, by what they were asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.align_contents import STEP
from inspector.diff.align_renamed import renamed
from inspector.diff.align_steps import MOST_COMPARED, step_of, weighed
from inspector.diff.sequences import matches, rising

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from inspector.diff.align_contents import Contents

    KeyOf = Callable[[Contents, int], Hashable]

Rows = list[tuple[int, int]]

_MOST_CHILDREN = 50


def siblings(
    left: Contents, right: Contents, ones: list[int], twos: list[int], given: Rows
) -> Rows:
    """Return which of two families' members are the same ones.

    Members of the same name are one sequence each: what is called another way can have run
    before on one side and after on the other, as parallel branches do.

    Args:
        left: The left run.
        right: The right run.
        ones: The rows of the left family, in start order.
        twos: Those of the right one.
        given: Pairs that stand already.

    """
    if not given and len(ones) == len(twos):
        names = [left.group(row) for row in ones]
        if len(set(names)) == len(names) and names == [right.group(row) for row in twos]:
            return list(zip(ones, twos, strict=True))
    groups = _Groups(left, right, ones, twos, given)
    for group in groups.shared:
        group.by_content()
    anchors = rising(sorted(pair for group in groups.shared for pair in group.rows()))
    for group in groups.shared:
        group.by_neighbours([one for one, _ in anchors], [two for _, two in anchors])
        group.by_order()
    found = [pair for group in groups.shared for pair in group.rows()]
    found += renamed(left, right, groups.left_alone, groups.right_alone, found)
    return [pair for pair in found if pair not in groups.given]


class _Groups:
    def __init__(
        self, left: Contents, right: Contents, ones: list[int], twos: list[int], given: Rows
    ) -> None:
        self.given = set(given)
        taken = [{one for one, _ in given}, {two for _, two in given}]
        sides: list[dict[Hashable, list[int]]] = []
        for side, rows in ((left, ones), (right, twos)):
            named: dict[Hashable, list[int]] = {}
            for row in rows:
                named.setdefault(side.group(row), []).append(row)
            sides.append(named)
        first, second = sides
        self.shared = [
            _Sequences(left, right, rows, second[name], given)
            for name, rows in first.items()
            if name in second
        ]
        self.left_alone = _without(first, second, taken[0])
        self.right_alone = _without(second, first, taken[1])


def _without(
    groups: dict[Hashable, list[int]], others: dict[Hashable, list[int]], taken: set[int]
) -> list[list[int]]:
    free = [
        [row for row in rows if row not in taken]
        for name, rows in groups.items()
        if name not in others
    ]
    return [rows for rows in free if rows]


class _Sequences:
    """The members of one name on both sides; pairs are kept by their places in these."""

    def __init__(
        self, left: Contents, right: Contents, ones: list[int], twos: list[int], given: Rows
    ) -> None:
        self._left, self._right = left, right
        partners = dict(given)
        behind = {two for _, two in given}
        members = set(twos)
        # Spans that were paired with something outside are not to be had.
        self._ones = [row for row in ones if row not in partners or partners[row] in members]
        own = {partners[row] for row in self._ones if row in partners}
        self._twos = [row for row in twos if row not in behind or row in own]
        place = {row: number for number, row in enumerate(self._twos)}
        pairs = [
            (number, place[partners[row]])
            for number, row in enumerate(self._ones)
            if row in partners
        ]
        self._anchors = rising(pairs)
        self._crossing = [pair for pair in pairs if pair not in set(self._anchors)]

    def rows(self) -> Rows:
        """Return the pairs so far, by row."""
        return [(self._ones[one], self._twos[two]) for one, two in self._anchors + self._crossing]

    def by_content(self) -> None:
        """Pair what was asked the same, then what did the same."""
        if len(self._ones) == len(self._twos) == 1:
            return self.by_order()
        if self._ones and self._left.table.kind[self._ones[0]] != STEP:
            self._refine(_shape)
        self._refine(_asked_json)
        self._refine(_asked)
        if self._ones and self._left.table.kind[self._ones[0]] == STEP:
            return self._weigh_steps()
        self._cross(_asked)
        self._refine(_said)
        return self._refine(_senders)

    def _weigh_steps(self) -> None:
        found: Rows = []
        for first, second in self._gaps():
            if len(first) * len(second) <= MOST_COMPARED:
                one_steps = [step_of(self._left, self._ones[place]) for place in first]
                two_steps = [step_of(self._right, self._twos[place]) for place in second]
                pairs = weighed(one_steps, two_steps)
                found += [(first[one], second[two]) for one, two in pairs]
        self._add(found)
        self._refine(_calls)
        self._refine(_tools)

    def by_neighbours(self, ones: list[int], twos: list[int]) -> None:
        """Pair what happened between the same two others."""
        if ones and not self._done:
            self._refine_with(_between(self._ones, ones), _between(self._twos, twos))

    def by_order(self) -> None:
        """Pair what is left in the order in which it happened."""
        for first, second in self._gaps():
            self._anchors += zip(first, second, strict=False)
        self._anchors.sort()

    @property
    def _done(self) -> bool:
        paired = len(self._anchors) + len(self._crossing)
        return paired >= min(len(self._ones), len(self._twos))

    def _refine(self, key_of: KeyOf) -> None:
        if self._done:
            return
        found: Rows = []
        for first, second in self._gaps():
            one_keys = [key_of(self._left, self._ones[place]) for place in first]
            two_keys = [key_of(self._right, self._twos[place]) for place in second]
            found += _matched(first, second, one_keys, two_keys)
        self._add(found)

    def _refine_with(self, one_keys: list[int], two_keys: list[int]) -> None:
        found: Rows = []
        for first, second in self._gaps():
            found += _matched(
                first,
                second,
                [one_keys[place] for place in first],
                [two_keys[place] for place in second],
            )
        self._add(found)

    def _add(self, found: Rows) -> None:
        if found:
            self._anchors = sorted(self._anchors + found)

    def _cross(self, key_of: KeyOf) -> None:
        """Pair equal ones that stand in another order, the earliest first."""
        if self._done:
            return
        ones, twos = self._free()
        waiting: dict[Hashable, list[int]] = {}
        for place in reversed(twos):
            if self._right.was_asked(self._twos[place]):
                waiting.setdefault(key_of(self._right, self._twos[place]), []).append(place)
        for place in ones:
            if self._left.was_asked(self._ones[place]):
                key = key_of(self._left, self._ones[place])
                if same := waiting.get(key):
                    self._crossing.append((place, same.pop()))

    def _free(self) -> tuple[list[int], list[int]]:
        pairs = self._anchors + self._crossing
        taken = {one for one, _ in pairs}, {two for _, two in pairs}
        return (
            [place for place in range(len(self._ones)) if place not in taken[0]],
            [place for place in range(len(self._twos)) if place not in taken[1]],
        )

    def _gaps(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield what is free on both sides between each two anchors."""
        crossing = {one for one, _ in self._crossing}, {two for _, two in self._crossing}
        one = two = 0
        for next_one, next_two in [*self._anchors, (len(self._ones), len(self._twos))]:
            if next_one > one and next_two > two:
                first = [place for place in range(one, next_one) if place not in crossing[0]]
                second = [place for place in range(two, next_two) if place not in crossing[1]]
                if first and second:
                    yield first, second
            one, two = next_one + 1, next_two + 1


def _matched(
    first: list[int], second: list[int], one_keys: list[Hashable] | list[int],
    two_keys: list[Hashable] | list[int],
) -> Rows:  # fmt: skip
    # What has no key is like nothing else.
    left = [key if key is not None else object() for key in one_keys]
    right = [key if key is not None else object() for key in two_keys]
    return [(first[one], second[two]) for one, two in matches(left, right)]


def _between(rows: list[int], anchors: list[int]) -> list[int]:
    """Return how many of the anchors come before each row; both rise."""
    found = []
    before = 0
    for row in rows:
        while before < len(anchors) and anchors[before] < row:
            before += 1
        found.append(before)
    return found


def _shape(side: Contents, row: int) -> Hashable:
    """Return what a span was asked and what happened in it, to tell equals apart."""
    inside = tuple(side.group(child) for child in side.children(row)[:_MOST_CHILDREN])
    return side.asked_json(row), inside


def _asked_json(side: Contents, row: int) -> Hashable:
    return side.asked_json(row)


def _asked(side: Contents, row: int) -> Hashable:
    return side.asked(row)


def _said(side: Contents, row: int) -> Hashable:
    return side.said(row)


def _senders(side: Contents, row: int) -> Hashable:
    return side.facts[row].senders or None


def _calls(side: Contents, row: int) -> Hashable:
    return side.calls(row)


def _tools(side: Contents, row: int) -> Hashable:
    return side.tools(row)
