import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presentation.idle_gaps import IdleGap
from inspector.presentation.playback import LEAST_GLOW_S, MOST_GLOWING, Playback, Speed
from inspector.presentation.time_folds import fold
from inspector.runfile.table import SpanTable
from tests.helpers.tables import Drawn, table_from_outline, table_of, tables

MS = 1_000_000
OUTLINE = """
pipeline 0-10000
  quick 1000-1001
  slow 2000-9000
"""


@pytest.fixture
def table() -> SpanTable:
    return table_from_outline(OUTLINE)


def names(table: SpanTable, rows: tuple[int, ...]) -> list[str]:
    return [table.name(row) for row in rows]


def test_what_runs_at_a_moment_glows(table: SpanTable) -> None:
    play = Playback(table, None, 10_000 * MS)
    assert names(table, play.moment(500 * MS, Speed.NORMAL).glowing) == ["pipeline"]
    assert names(table, play.moment(5_000 * MS, Speed.NORMAL).glowing) == ["pipeline", "slow"]


@pytest.mark.parametrize("speed", list(Speed))
def test_the_shortest_span_glows_a_fifth_of_a_second_at_every_speed(
    table: SpanTable, speed: Speed
) -> None:
    play = Playback(table, None, 10_000 * MS)
    seen_ns = LEAST_GLOW_S * 1_000 * MS * speed.factor(play.length_ns)
    still = play.moment(1_000 * MS + round(seen_ns * 0.95), speed)
    gone = play.moment(1_000 * MS + round(seen_ns * 1.05) + 2 * MS, speed)
    assert "quick" in names(table, still.glowing)
    assert "quick" not in names(table, gone.glowing)


@given(tables(), st.lists(st.integers(0, 60), max_size=8), st.sampled_from(list(Speed)))
def test_going_on_shows_the_same_as_going_there_at_once(
    table: SpanTable, moments: list[int], speed: Speed
) -> None:
    going = Playback(table, None, 60)
    for at_ns in moments:
        assert going.moment(at_ns, speed) == Playback(table, None, 60).moment(at_ns, speed)


def test_the_last_span_glows_out_before_it_is_over() -> None:
    play = Playback(table_from_outline("a 0-10\nlate 10-10"), None, 10 * MS)
    assert not play.moment(10 * MS + 100 * MS, Speed.NORMAL).is_over
    over = play.moment(10 * MS + 201 * MS, Speed.NORMAL)
    assert over.is_over
    assert over.at_ns == 10 * MS


def test_a_range_is_played_alone(table: SpanTable) -> None:
    play = Playback(table, (1_500 * MS, 3_000 * MS), 10_000 * MS)
    assert play.moment(1_600 * MS, Speed.NORMAL).newest is None
    newest = play.moment(2_500 * MS, Speed.NORMAL).newest
    assert newest is not None
    assert table.name(newest) == "slow"
    assert play.moment(3_300 * MS, Speed.NORMAL).is_over


def test_fitting_takes_ten_seconds_however_long_the_run_is() -> None:
    assert 10_000 * MS * Speed.FIT.factor(36_000_000 * MS) == pytest.approx(36_000_000 * MS)


def test_of_very_many_spans_at_once_the_newest_glow() -> None:
    table = table_of([Drawn("a", "tool", n, 10_000, None) for n in range(2_000)])
    glowing = Playback(table, None, 10_000).moment(5_000, Speed.NORMAL).glowing
    assert glowing == tuple(range(2_000 - MOST_GLOWING, 2_000))


def test_faster_and_slower_stop_at_the_ends() -> None:
    assert Speed.TEN.stepped(1) is Speed.TEN
    assert Speed.HALF.stepped(-1) is Speed.HALF
    assert Speed.NORMAL.stepped(1) is Speed.DOUBLE
    assert Speed.FIT.stepped(1) is Speed.TEN


def test_what_is_folded_is_passed_over_in_playing_and_what_is_not_takes_its_time() -> None:
    table = table_from_outline("pipeline 0-10000\n  early 0-1000\n  late 9000-10000")
    folds = fold([IdleGap(1_000 * MS, 9_000 * MS)], 10_000 * MS)
    play = Playback(table, None, 10_000 * MS, folds)
    assert play.later(0, 500 * MS, Speed.NORMAL) == 500 * MS
    late = play.later(0, 1_500 * MS, Speed.NORMAL)
    assert late > 9_000 * MS
    assert play.later(0, 10_000 * MS, Speed.FIT) == pytest.approx(10_000 * MS)
