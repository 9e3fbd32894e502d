"""Recognising siblings that go by another name in the other run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from inspector.diff.align_contents import TOOL
from inspector.diff.sequences import matches

if TYPE_CHECKING:
    from inspector.diff.align_contents import Contents

Rows = list[tuple[int, int]]

_ENOUGH = 5.0
_MOST_NAMES = 60
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
    found: Rows = []
    free_ones, free_twos = list(ones), list(twos)
    while free_ones and free_twos:
        # Again after each: who sent to whom is told by the names that are known by then.
        judge = _Judge(left, right, [*paired, *found])
        scores = [
            (judge.score(first, second), -number, -place)
            for number, first in enumerate(free_ones)
            for place, second in enumerate(free_twos)
        ]
        best, number, place = max(scores)
        if best < _ENOUGH:
            break
        found += _visits(left, right, free_ones.pop(-number), free_twos.pop(-place))
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

    def __init__(self, left: Contents, right: Contents, paired: Rows) -> None:
        self._left, self._right = left, right
        self._names = {left.table.name(one): right.table.name(two) for one, two in paired}
        self._paired = sorted(paired)

    def score(self, ones: list[int], twos: list[int]) -> float:
        one, two = ones[0], twos[0]
        if self._left.table.kind[one] != self._right.table.kind[two]:
            return 0.0
        first, second = self._left.facts[one], self._right.facts[two]
        if first.type != second.type and first.role != second.role:
            # Whatever they were asked: a retriever is not the pipeline that was put around it.
            return 0.0
        is_tool = self._left.table.kind[one] == TOOL
        total = 0.0
        if first.type and first.type == second.type:
            # All tools are of the same class or two: it says nothing about them.
            total += 1.0 if is_tool else 4.0
        if first.role == second.role and first.role not in ("", "other"):
            total += 1.0
        if first.asked and second.asked and self._any_asked_alike(ones, twos):
            total += 4.0
        if first.said and second.said and self._left.said(one) == self._right.said(two):
            total += 1.5
        if not is_tool:
            total += self._neighbours(one, two)
        return total

    def _any_asked_alike(self, ones: list[int], twos: list[int]) -> bool:
        asked = {self._left.asked(row) for row in ones[:_MOST_VISITS]}
        return any(self._right.asked(row) in asked for row in twos[:_MOST_VISITS])

    def _neighbours(self, one: int, two: int) -> float:
        first, second = self._left.facts[one], self._right.facts[two]
        total = 0.0
        for here, there in ((first.senders, second.senders), (first.receivers, second.receivers)):
            mine = {self._names.get(name, name) for name in _named(here)}
            theirs = _named(there)
            if mine and theirs:
                total += 2.0 * len(mine & theirs) / len(mine | theirs)
        # Nothing of the kind was recorded, or nothing more than the caller: where it stands.
        before = sum(row < one for row, _ in self._paired)
        beside = sum(row < two for _, row in self._paired)
        return total + (1.0 if before == beside else 0.0)


def _named(text: bytes) -> set[str]:
    """Return which components stand in recorded senders or receivers; "" is the caller."""
    if not text:
        return set()
    try:
        tree = orjson.loads(text)
    except orjson.JSONDecodeError:
        return set()
    lists = tree.values() if isinstance(tree, dict) else ()
    return {name or "" for names in lists if isinstance(names, list) for name in names}
