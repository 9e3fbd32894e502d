"""Recognising siblings that go by another name in the other run."""

from __future__ import annotations

from bisect import bisect
from typing import TYPE_CHECKING

import orjson

from inspector.diff.align_contents import COMPONENT, TOOL
from inspector.diff.sequences import matches

if TYPE_CHECKING:
    from inspector.diff.align_contents import Contents

Rows = list[tuple[int, int]]

_ENOUGH = 5.0
_MOST_NAMES = 40
_MOST_VISITS = 200


def renamed(
    left: Contents,
    right: Contents,
    ones: list[list[int]],
    twos: list[list[int]],
    paired: Rows,
) -> Rows:
    """Pair the members of names that only one side has, where enough speaks for it.

    Args:
        left: The left run.
        right: The right run.
        ones: The rows of each name that only the left family has.
        twos: The same of the right family.
        paired: The pairs of the families so far.

    """
    if not ones or not twos or len(ones) > _MOST_NAMES or len(twos) > _MOST_NAMES:
        return []
    judge = _Judge(left, right)
    free = {
        (number, place): likeness
        for number, first in enumerate(ones)
        for place, second in enumerate(twos)
        if (likeness := judge.likeness(first, second)) > 0
    }
    found: Rows = []
    while free:
        # Again after each: who sent to whom is told by the names that are known by then.
        judge.know([*paired, *found])
        best, number, place = max(
            (likeness + judge.neighbours(ones[number][0], twos[place][0]), -number, -place)
            for (number, place), likeness in free.items()
        )
        if best < _ENOUGH:
            break
        found += _visits(left, right, ones[-number], twos[-place])
        free = {key: value for key, value in free.items() if -number != key[0] and -place != key[1]}
    return found


def _visits(left: Contents, right: Contents, ones: list[int], twos: list[int]) -> Rows:
    same = matches([left.asked(row) for row in ones], [right.asked(row) for row in twos])
    found: Rows = []
    one = two = 0
    for next_one, next_two in [*same, (len(ones), len(twos))]:
        found += zip(ones[one:next_one], twos[two:next_two], strict=False)
        if next_one < len(ones):
            found.append((ones[next_one], twos[next_two]))
        one, two = next_one + 1, next_two + 1
    return found


class _Judge:
    """Says how much speaks for two names being one."""

    def __init__(self, left: Contents, right: Contents) -> None:
        self._left, self._right = left, right
        self._names: dict[str, str] = {}
        self._before: tuple[list[int], list[int]] = ([], [])
        self._wires: dict[bytes, frozenset[str]] = {}

    def know(self, paired: Rows) -> None:
        """Take up which siblings are paired."""
        names = self._left.table.name, self._right.table.name
        self._names = {names[0](one): names[1](two) for one, two in paired}
        self._before = sorted(one for one, _ in paired), sorted(two for _, two in paired)

    def likeness(self, ones: list[int], twos: list[int]) -> float:
        """Return what the calls themselves say; 0 where they cannot be the same."""
        one, two = ones[0], twos[0]
        first, second = self._left.facts[one], self._right.facts[two]
        if self._left.table.kind[one] != self._right.table.kind[two]:
            return 0.0
        if self._both_have(one, two):
            return 0.0
        if first.type != second.type and first.role != second.role:
            # Whatever they were asked: a retriever is not the pipeline that was put around it.
            return 0.0
        total = 0.0
        if first.type and first.type == second.type:
            # All tools are of the same class or two: it says nothing about them.
            total += 1.0 if self._left.table.kind[one] == TOOL else 4.0
        if first.role == second.role and first.role not in ("", "other"):
            total += 1.0
        if first.asked and second.asked and self._any_asked_alike(ones, twos):
            total += 4.0
        if first.said and second.said and self._left.said(one) == self._right.said(two):
            total += 1.5
        return total

    def _both_have(self, one: int, two: int) -> bool:
        """Whether a run has also the component that ran in the other, and did not run it."""
        if self._left.table.kind[one] != COMPONENT:
            return False
        names = self._left.table.name(one), self._right.table.name(two)
        return names[0] in self._right.components or names[1] in self._left.components

    def _any_asked_alike(self, ones: list[int], twos: list[int]) -> bool:
        asked = {self._left.asked(row) for row in ones[:_MOST_VISITS]}
        return any(self._right.asked(row) in asked for row in twos[:_MOST_VISITS])

    def neighbours(self, one: int, two: int) -> float:
        """Return what those around them say."""
        if self._left.table.kind[one] == TOOL:
            return 0.0
        first, second = self._left.facts[one], self._right.facts[two]
        total = 0.0
        for here, there in ((first.senders, second.senders), (first.receivers, second.receivers)):
            mine = {self._names.get(name, name) for name in self._named(here)}
            theirs = self._named(there)
            if mine and theirs:
                total += 2.0 * len(mine & theirs) / len(mine | theirs)
        # Where that was not recorded, or is no more than the caller: where they stand.
        ones, twos = self._before
        return total + (1.0 if bisect(ones, one) == bisect(twos, two) else 0.0)

    def _named(self, text: bytes) -> frozenset[str]:
        known = self._wires.get(text)
        if known is None:
            known = self._wires[text] = frozenset(_named(text))
        return known


def _named(text: bytes) -> set[str]:
    """Return which components stand in recorded senders or receivers; "" is the caller."""
    if not text:
        return set()
    try:
        tree = orjson.loads(text)
    except orjson.JSONDecodeError:
        return set()
    lists = tree.values() if isinstance(tree, dict) else ()
    return {str(name or "") for names in lists if isinstance(names, list) for name in names}
