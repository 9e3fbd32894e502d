import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.idle_gaps import IdleGap
from inspector.presentation.ticks import axis_ticks
from inspector.presentation.time_folds import UNFOLDED, TimeFolds, fold, folded_ticks

S = 1_000_000_000
GAP = IdleGap(10 * S, 90 * S, "for approval")


@pytest.fixture
def folds() -> TimeFolds:
    return fold([GAP], 100 * S)


@st.composite
def gaps(draw: st.DrawFn) -> list[IdleGap]:
    edges = sorted(draw(st.sets(st.integers(0, 10**12), max_size=12)))
    return [IdleGap(low, high) for low, high in zip(edges[::2], edges[1::2], strict=False)]


def test_a_folded_gap_is_short_and_what_is_around_it_as_long_as_before(folds: TimeFolds) -> None:
    assert folds.drawn(10 * S) == 10 * S
    assert folds.drawn(90 * S) - folds.drawn(10 * S) < 5 * S
    assert folds.drawn(100 * S) - folds.drawn(90 * S) == pytest.approx(10 * S)


@given(gaps(), st.lists(st.integers(0, 10**12), min_size=2, max_size=2))
def test_moments_keep_their_order_and_come_back(some: list[IdleGap], two: list[int]) -> None:
    folds = fold(some, 10**12)
    early, late = sorted(two)
    assert folds.drawn(early) <= folds.drawn(late)
    assert folds.real(folds.drawn(early)) == pytest.approx(early, rel=1e-9, abs=2)


@given(gaps())
def test_however_many_gaps_there_are_they_take_at_most_a_third(some: list[IdleGap]) -> None:
    folds = fold(some, 10**12)
    wide = sum(high - low for _, low, high in folds.bands())
    assert wide <= folds.drawn(10**12) / 3 + len(some) + 1


def test_a_place_in_the_band_is_its_gap(folds: TimeFolds) -> None:
    assert folds.gap_at(folds.drawn(50 * S)) == GAP
    assert folds.gap_at(9 * S) is None


def test_without_gaps_nothing_moves() -> None:
    assert not UNFOLDED
    assert UNFOLDED.drawn(5 * S) == UNFOLDED.real(5 * S) == 5 * S
    assert folded_ticks(UNFOLDED, 0, 10 * S, 8) == axis_ticks(0, 10 * S, 8)


def test_marks_say_the_time_of_the_run_and_none_stands_in_a_gap(folds: TimeFolds) -> None:
    ticks = folded_ticks(folds, 0, folds.drawn(100 * S), 12)
    assert not any(10 * S < tick.at_ns < folds.drawn(90 * S) for tick in ticks)
    words = [
        tick.words.replace("\u2009", " ").replace("\u202f", " ") for tick in ticks if tick.words
    ]
    assert words[0] == "0 s"
    assert words[-1] == "100 s"
