"""Putting pairs in an order, and saying of each how it came about and whether it is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import Pair, Pairing
from inspector.diff.sequences import rising

if TYPE_CHECKING:
    from inspector.diff.align_contents import Contents
    from inspector.diff.noise import NoiseRules

Rows = list[tuple[int, int]]


def merged(
    left: Contents,
    right: Contents,
    found: Rows,
    given: set[tuple[int, int]],
    noise: NoiseRules | None,
) -> tuple[Pair, ...]:
    """Return every span of both runs in a pair, each once."""
    partner = dict(found)
    behind = {two: one for one, two in found}
    judge = _Judge(left, right, noise)
    same = {one: judge.same(one, two) for one, two in found}
    inside = _inside(left, right, partner, same)
    after = _right_only(right, found, behind)
    pairs: list[Pair] = []
    for one in range(-1, len(left.table)):
        if one in partner:
            two = partner[one]
            how = _how(left, right, one, two, partner, given)
            pairs.append(Pair(one, two, how, same[one], inside[one]))
        elif one >= 0:
            pairs.append(Pair(one, None, Pairing.ALONE, same=False, same_inside=False))
        pairs += [
            Pair(None, two, Pairing.ALONE, same=False, same_inside=False)
            for two in after.get(one, ())
        ]
    return tuple(pairs)


def _how(
    left: Contents,
    right: Contents,
    one: int,
    two: int,
    partner: dict[int, int],
    given: set[tuple[int, int]],
) -> Pairing:
    if (one, two) in given:
        return Pairing.MANUAL
    above, beside = left.table.parent_row[one], right.table.parent_row[two]
    together = partner.get(above, -1) == beside if above >= 0 else beside < 0
    alike = left.asked_json(one) == right.asked_json(two) or left.asked(one) == right.asked(two)
    if together and left.group(one) == right.group(two):
        if not alike:
            return Pairing.PLACE
        here = left.facts[one].tail == right.facts[two].tail
        return Pairing.EXACT if here else Pairing.CONTENT
    return Pairing.CONTENT if alike and not together else Pairing.RENAMED


def _inside(
    left: Contents,
    right: Contents,
    partner: dict[int, int],
    same: dict[int, bool],
) -> dict[int, bool]:
    """Say of each pair whether everything in it is the same, the innermost first."""
    inside = dict(same)
    depth = left.table.depth
    for one in sorted(partner, key=depth.__getitem__, reverse=True):
        if not inside[one]:
            continue
        ones, twos = left.children(one), right.children(partner[one])
        members = set(twos)
        inside[one] = len(ones) == len(twos) and all(
            inside.get(child, False) and partner[child] in members for child in ones
        )
    return inside


def _right_only(right: Contents, found: Rows, behind: dict[int, int]) -> dict[int, list[int]]:
    """Return after which left row each row comes that only the right run has."""
    chain = {two: one for one, two in rising(sorted(found))}
    where: dict[int, int] = {}
    after: dict[int, list[int]] = {}
    before = -1
    for two in range(len(right.table)):
        if two in behind:
            where[two] = behind[two]
            before = max(before, chain.get(two, -1))
            continue
        # Never before what it happened in, which may stand further down in the left run.
        place = max(before, where.get(right.table.parent_row[two], -1))
        where[two] = place
        after.setdefault(place, []).append(two)
    return after


class _Judge:
    """Says whether what went in and came out is the same, but for noise."""

    def __init__(self, left: Contents, right: Contents, noise: NoiseRules | None) -> None:
        self._left, self._right = left, right
        self._noise = noise

    def same(self, one: int, two: int) -> bool:
        left, right = self._left, self._right
        if left.table.status_of(one) is not right.table.status_of(two):
            return False
        first, second = left.facts[one], right.facts[two]
        return (
            (first.failed == second.failed or left.failure(one) == right.failure(two))
            and (left.same_json(first.asked, second.asked) or self._asked_alike(one, two))
            and (left.same_json(first.said, second.said) or self._said_alike(one, two))
        )

    def _asked_alike(self, one: int, two: int) -> bool:
        left, right = self._left, self._right
        if left.was_asked(one) != right.was_asked(two):
            return False
        if left.asked(one) == right.asked(two):
            return True
        return self._alike_stripped(one, two, ("inputs", "arguments"))

    def _said_alike(self, one: int, two: int) -> bool:
        left, right = self._left, self._right
        first, second = left.said(one), right.said(two)
        if first is None or second is None:
            return first is second
        return first == second or self._alike_stripped(one, two, ("outputs",))

    def _alike_stripped(self, one: int, two: int, names: tuple[str, ...]) -> bool:
        """Look again without what the user calls noise, which depends on the place."""
        if self._noise is None or not self._noise.has_paths:
            return False
        return self._stripped(self._left, one, names) == self._stripped(self._right, two, names)

    def _stripped(self, side: Contents, row: int, names: tuple[str, ...]) -> list[bytes]:
        assert self._noise is not None
        span = side.run.spans[row]
        rules = self._noise.under(f"{span.path}.{names[0]}")
        return [side.print_of(rules.strip(getattr(span, name))) for name in names]
