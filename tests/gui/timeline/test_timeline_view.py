import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inspector.gui.widgets.timeline_view import TimelineView, whole

lengths = st.integers(1_000, 10**15)
widths = st.integers(50, 4_000)


@st.composite
def views(draw: st.DrawFn) -> TimelineView:
    view = TimelineView.of_all(0, draw(lengths), draw(widths))
    for _ in range(draw(st.integers(0, 3))):
        view = view.zoomed(draw(st.floats(0.1, 20)), draw(st.floats(0, view.width_px)))
    return view


@given(views(), st.floats(0.05, 50), st.floats(0, 1))
def test_the_moment_under_the_mouse_never_moves_while_zooming_in_reach(
    view: TimelineView, factor: float, share: float
) -> None:
    x = share * view.width_px
    at_ns = view.ns_of(x)
    zoomed = view.zoomed(factor, x)
    assume(zoomed.start_ns > view.low_ns and zoomed.end_ns < view.high_ns)
    assert zoomed.x_of(at_ns) == pytest.approx(x, abs=0.5)


@given(views(), st.lists(st.tuples(st.sampled_from("zp"), st.floats(-500, 500)), max_size=8))
def test_no_movement_ever_leaves_the_limits(
    view: TimelineView, moves: list[tuple[str, float]]
) -> None:
    for kind, amount in moves:
        view = view.panned(amount) if kind == "z" else view.zoomed(abs(amount) / 100 + 0.01, 10)
        assert view.start_ns >= view.low_ns - 1
        assert view.end_ns <= view.high_ns + 1
        assert view.length_ns > 0


@given(views(), st.floats(0, 1))
def test_a_moment_and_its_pixel_always_agree(view: TimelineView, share: float) -> None:
    x = share * view.width_px
    assert view.x_of(view.ns_of(x)) == pytest.approx(x, abs=1e-3)


@given(views(), lengths)
def test_a_view_of_everything_still_shows_everything_when_the_run_grows(
    view: TimelineView, more: int
) -> None:
    all_of_it = view.showing(view.low_ns, view.high_ns)
    grown = all_of_it.bounded(0, view.high_ns + more)
    assert grown.shows_all
    assert grown.end_ns == view.high_ns + more


@given(views(), lengths)
def test_a_part_of_the_time_stays_on_the_screen_when_the_run_grows(
    view: TimelineView, more: int
) -> None:
    assume(not view.shows_all)
    grown = view.bounded(0, view.high_ns + more)
    assert (grown.start_ns, grown.end_ns) == pytest.approx((view.start_ns, view.end_ns), abs=1)


@given(views(), st.floats(0, 1), st.floats(0, 0.2))
def test_what_is_on_the_screen_is_never_moved_to_be_shown(
    view: TimelineView, start: float, length: float
) -> None:
    begin = view.start_ns + start * view.length_ns
    assert view.holding(begin, begin + length * view.length_ns) == view


@given(views(), lengths, lengths)
def test_what_is_off_the_screen_is_always_brought_on_it_at_the_same_zoom(
    view: TimelineView, start: int, length: int
) -> None:
    begin = min(start, view.high_ns)
    end = min(begin + length, view.high_ns)
    moved = view.holding(begin, end)
    assert begin <= moved.end_ns + 1
    assert end >= moved.start_ns - 1
    assert moved.length_ns == pytest.approx(view.length_ns)


@given(lengths, widths, st.floats(0.1, 0.9))
def test_having_been_elsewhere_does_not_keep_a_view_from_showing_all(
    end: int, width: int, share: float
) -> None:
    view = TimelineView.of_all(*whole(end), width)
    back = view.showing(end * share, end * share + end / 100).showing(view.start_ns, view.end_ns)
    assert back.shows_all
