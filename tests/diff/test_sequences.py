"""Longest common subsequences: right, as long as can be, and the same for huge sequences."""

import random
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff import bit_rows
from inspector.diff.sequences import matches

SHORT = st.lists(st.integers(0, 3), max_size=24)


def longest(left: list[int], right: list[int]) -> int:
    """Count by the table that everybody knows."""
    before = [0] * (len(right) + 1)
    for item in left:
        row = [0]
        for place, other in enumerate(right):
            row.append(before[place] + 1 if item == other else max(before[place + 1], row[-1]))
        before = row
    return before[-1]


def check(left: list[int], right: list[int], found: list[tuple[int, int]]) -> None:
    assert all(left[one] == right[two] for one, two in found)
    for before, after in pairwise(found):
        assert before[0] < after[0]
        assert before[1] < after[1]


@pytest.fixture(params=[(1024, 256, 10**9), (3, 1, 10**9), (2, 1, 0), (5, 2, 0)], ids=str)
def table_of_any_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the table into blocks and bands of different sizes, with rows kept or made again."""
    block, band, kept = request.param
    monkeypatch.setattr(bit_rows, "_BLOCK", block)
    monkeypatch.setattr(bit_rows, "_FIRST_BAND", band)
    monkeypatch.setattr(bit_rows, "_KEPT_BITS", kept)


@pytest.mark.usefixtures("table_of_any_size")
def test_the_table_finds_as_many_as_there_are_however_it_is_cut() -> None:
    draw = random.Random(4)
    for _ in range(1_500):
        left, right = ([draw.randrange(4) for _ in range(draw.randrange(25))] for _ in range(2))
        if left and right:
            found = bit_rows.longest(left, right, certain=True)
            check(left, right, found)
            assert len(found) == longest(left, right)
            check(left, right, bit_rows.longest(left, right, certain=False))


@given(SHORT, SHORT)
def test_no_match_is_lost(left: list[int], right: list[int]) -> None:
    found = matches(left, right)

    check(left, right, found)
    assert len(found) == longest(left, right)


@given(SHORT, SHORT)
def test_as_many_match_from_the_other_side(left: list[int], right: list[int]) -> None:
    assert len(matches(left, right)) == len(matches(right, left))


@given(SHORT)
def test_a_sequence_matches_itself_place_by_place(items: list[int]) -> None:
    assert matches(items, items) == [(place, place) for place in range(len(items))]


@given(st.permutations(range(12)))
def test_of_items_that_stand_once_the_longest_rising_choice_matches(order: list[int]) -> None:
    found = matches(list(range(12)), order)

    check(list(range(12)), order, found)
    assert len(found) == longest(list(range(12)), order)


def edited(items: list[int], share: float, kinds: int, seed: int) -> list[int]:
    """Leave out, put in and replace a share of the items."""
    draw = random.Random(seed)
    out: list[int] = []
    for item in items:
        change = draw.randrange(3) if draw.random() < share else None
        if change != 0 and change is not None:
            out.append(draw.randrange(kinds))
        if change is None or change == 1:
            out.append(item)
    return out


@pytest.mark.parametrize("kinds", [3, 40, 1_000, 10**9])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_no_fewer_match_than_difflib_finds(kinds: int, share: float) -> None:
    draw = random.Random(11)
    left = [draw.randrange(kinds) for _ in range(1_200)]
    right = edited(left, share, kinds, seed=12)

    found = matches(left, right)

    check(left, right, found)
    peer = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
    assert len(found) >= sum(block.size for block in peer)


@pytest.mark.parametrize("kinds", [2, 40, 10**9])
def test_beyond_what_is_exact_hardly_a_match_is_lost(
    kinds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(7)
    left = [draw.randrange(kinds) for _ in range(3_000)]
    right = edited(left, 0.05, kinds, seed=8)
    best = len(matches(left, right))
    monkeypatch.setattr("inspector.diff.sequences._EXACT", 100)

    found = matches(left, right)

    check(left, right, found)
    assert len(found) >= 0.98 * best


def test_a_block_that_was_put_in_is_skipped_however_long_it_is() -> None:
    draw = random.Random(3)
    left = [draw.randrange(5) for _ in range(3_000)]
    right = left[:1_000] + [draw.randrange(5) for _ in range(4_000)] + left[1_000:]

    assert len(matches(left, right)) == len(left)
