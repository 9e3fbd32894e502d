"""Which items of two sequences are the same ones: a longest common subsequence.

Up to some twenty thousand items a side the result is one of the longest there are. Beyond that
the sequences are cut at stretches that each side has once, and only loops without any such
stretch can lose a few matches. Memory stays linear in the longer side.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from inspector.diff.bit_rows import longest

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_EXACT = 20_000
"""Up to this many items on the shorter side no match is lost."""

_STRETCHES = (1, 12)
"""How many items in a row may make a place that each side has once."""

_SPARSE = 200
"""Fewer places than one in so many items may be chance, and are not cut at."""

Pairs = list[tuple[int, int]]


def matches(left: Sequence[Hashable], right: Sequence[Hashable]) -> Pairs:
    """Return pairs of places with equal items, both rising: as many as there can be.

    Of places that do equally well at the ends, the outer ones are taken: in `abb` and `ab` the
    first `b` counts, and in `aab` and `ab` the last `a`.
    """
    first = 0
    shorter = min(len(left), len(right))
    while first < shorter and left[first] == right[first]:
        first += 1
    last = 0
    while last < shorter - first and left[-1 - last] == right[-1 - last]:
        last += 1
    found = [(place, place) for place in range(first)]
    found += _inner(left, right, first, len(left) - last, first, len(right) - last)
    found += [(len(left) - place, len(right) - place) for place in range(last, 0, -1)]
    return found


def _inner(
    left: Sequence[Hashable], right: Sequence[Hashable],
    left_from: int, left_to: int, right_from: int, right_to: int,
) -> Pairs:  # fmt: skip
    """Match what stands between equal ends, without what only one side has."""
    ones, twos = left[left_from:left_to], right[right_from:right_to]
    first, second = set(ones), set(twos)
    shared = first & second
    if not shared:
        return []
    if len(first) == len(ones) and len(second) == len(twos):
        # Each item stands once: a longest common subsequence is a longest rising one.
        where = dict(zip(twos, range(right_from, right_to), strict=True))
        both = enumerate(map(where.get, ones), left_from)
        return rising([(one, two) for one, two in both if two is not None])
    codes = dict(zip(shared, range(len(shared)), strict=True))
    one_places, one_codes = _coded(ones, codes, left_from)
    two_places, two_codes = _coded(twos, codes, right_from)
    # What is left may begin and end alike where the whole did not.
    fewer = len(one_codes) < len(ones) or len(two_codes) < len(twos)
    found = (matches if fewer else _common)(one_codes, two_codes)
    return [(one_places[one], two_places[two]) for one, two in found]


def _coded(
    items: Sequence[Hashable], codes: dict[Hashable, int], start: int
) -> tuple[Sequence[int], list[int]]:
    found = [code for code in map(codes.get, items) if code is not None]
    if len(found) == len(items):
        return range(start, start + len(items)), found
    return [place for place, item in enumerate(items, start) if item in codes], found


def _common(ones: list[int], twos: list[int]) -> Pairs:
    shorter = min(len(ones), len(twos))
    if shorter <= _EXACT:
        return longest(ones, twos, certain=True)
    # In a loop of few items none stands alone.
    loops = 4 * (max(ones) + 1) < shorter
    for length in _STRETCHES[1:] if loops else _STRETCHES:
        anchors = rising(_once(ones, twos, length))
        if len(anchors) * _SPARSE >= shorter:
            return _between(ones, twos, anchors)
    return longest(ones, twos, certain=False)


def _between(ones: list[int], twos: list[int], anchors: Pairs) -> Pairs:
    found: Pairs = []
    one = two = 0
    for next_one, next_two in [*anchors, (len(ones), len(twos))]:
        if next_one > one and next_two > two:
            gap = matches(ones[one:next_one], twos[two:next_two])
            found += [(one + first, two + second) for first, second in gap]
        if next_one < len(ones):
            found.append((next_one, next_two))
        one, two = next_one + 1, next_two + 1
    return found


def _once(ones: list[int], twos: list[int], length: int) -> Pairs:
    """Return where the stretches of a length begin that each side has once, by the left side."""
    where = _places_of_single(_stretches(twos, length))
    single = _places_of_single(_stretches(ones, length))
    return [(one, where[each]) for each, one in single.items() if each in where]


def _places_of_single(items: list[int]) -> dict[int, int]:
    # The last place of each, and what it held before counts as more than one.
    where = dict(zip(items, range(len(items)), strict=True))
    if len(where) == len(items):
        return where
    first = dict(zip(reversed(items), range(len(items) - 1, -1, -1), strict=True))
    return {each: place for each, place in where.items() if first[each] == place}


def _stretches(codes: list[int], length: int) -> list[int]:
    if length == 1:
        return codes
    return list(map(hash, zip(*(codes[start:] for start in range(length)), strict=False)))


def rising(pairs: Pairs) -> Pairs:
    """Return a longest choice of pairs, sorted by their first, in which the second rises too."""
    seconds = [second for _, second in pairs]
    if seconds == sorted(seconds):
        return pairs
    ends: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for number, second in enumerate(seconds):
        length = len(ends) if not ends or second > ends[-1] else bisect_left(ends, second)
        before.append(holders[length - 1] if length else -1)
        if length == len(ends):
            ends.append(second)
            holders.append(number)
        else:
            ends[length], holders[length] = second, number
    found = []
    number = holders[-1] if holders else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]
