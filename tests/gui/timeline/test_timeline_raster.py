import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from inspector.gui.widgets.timeline_raster import draw_lanes
from inspector.gui.widgets.timeline_scene import (
    FAILED_SHADE,
    SHADES,
    TimelineScene,
    build_scene,
    running_sums,
)
from inspector.gui.widgets.timeline_view import TimelineView
from inspector.runfile.table import SpanTable
from tests.helpers.synthetic_tables import synthetic_table
from tests.helpers.tables import Drawn, table_from_outline, table_of, tables

COLOURS = np.array([0xFF000000 | code for code in range(1, len(SHADES) + 1)], np.uint32)
GROUND = 0xFFFFFFFF


def drawn(scene: TimelineScene, view: TimelineView) -> NDArray[np.uint32]:
    return draw_lanes(scene, view, range(scene.lane_count), COLOURS, GROUND).pixels


def shown(scene: TimelineScene, width: int = 40) -> list[str]:
    """The lanes as text: a letter for each kind, a blank where nothing ran."""
    letters = " " + "".join(kind[0] for kind, _ in SHADES)
    view = TimelineView.of_all(0, scene.end_ns, width)
    return ["".join(letters[pixel & 0xFF] for pixel in line) for line in drawn(scene, view)]


def test_bars_stand_where_their_time_is() -> None:
    scene = build_scene(
        table_from_outline("agent 0-40\n  llm 0-10\n  search:tool 20-39\n  fetch:tool 30-40")
    )
    assert shown(scene) == [
        "a" * 40,
        "l" * 10 + " " * 10 + "t" * 19 + " ",
        " " * 30 + "t" * 10,
    ]


def test_bars_that_touch_are_set_apart_by_a_pixel() -> None:
    scene = build_scene(table_from_outline("agent 0-40\n  llm 0-20\n  search:tool 20-40"))
    assert shown(scene)[1] == "l" * 19 + " " + "t" * 20


def test_a_span_shorter_than_a_pixel_is_seen_all_the_same() -> None:
    scene = build_scene(table_of([Drawn("r", "pipeline", 0, 10**9, None),
                                  Drawn("t", "tool", 500_000_000, 500_000_000, 0)]))  # fmt: skip
    assert shown(scene)[1].strip() == "tt"


def test_a_quick_tool_between_two_long_calls_is_seen() -> None:
    spans = [Drawn("agent", "agent", 0, 10**9, None), Drawn("llm", "llm", 0, 500_000_000, 0),
             Drawn("t", "tool", 500_000_000, 500_010_000, 0),
             Drawn("llm", "llm", 500_010_000, 10**9, 0)]  # fmt: skip
    line = shown(build_scene(table_of(spans)))[1]
    assert line.replace(" ", "l") == "l" * 20 + "tt" + "l" * 18


def test_only_where_it_went_wrong_is_red() -> None:
    scene = build_scene(
        table_from_outline("agent 0-40 failed\n  llm 0-10\n  search:tool 10-40 failed")
    )
    assert [line.count("f") for line in shown(scene)] == [0, 30]


def test_a_retriever_has_a_colour_of_its_own() -> None:
    table = table_from_outline("pipeline 0-40\n  retriever 0-20\n  prompt 20-40")
    scene = build_scene(table, roles={table.name_code[1]: "retrieval"})
    shades = {table.name(row): SHADES[s] for row, s in zip(scene.row, scene.shade, strict=True)}
    assert shades["retriever"] == ("component", "retrieval")
    assert shades["prompt"] == ("component", "")


@settings(max_examples=60)
@given(tables(largest=25), st.integers(5, 200), st.floats(1, 60), st.floats(0, 1))
def test_every_span_in_view_always_leaves_a_pixel_in_its_lane(
    table: SpanTable, width: int, factor: float, share: float
) -> None:
    scene = build_scene(table)
    if not len(scene):
        return
    view = TimelineView.of_all(0, scene.end_ns, width).zoomed(factor, share * width)
    pixels = drawn(scene, view)
    for place in range(len(scene)):
        if scene.end[place] > view.start_ns and scene.start[place] < view.end_ns:
            middle = (
                max(scene.start[place], view.start_ns) + min(scene.end[place], view.end_ns)
            ) / 2
            x = min(int(view.x_of(float(middle))), width - 1)
            around = pixels[scene.lane[place], max(0, x - 1) : x + 2]
            assert around.any()


def test_no_failure_among_a_hundred_thousand_spans_is_lost_at_any_zoom() -> None:
    scene = build_scene(synthetic_table(100_000))
    assert len(scene.failed)
    view = TimelineView.of_all(0, scene.end_ns, 1_000)
    for _ in range(12):
        picture = draw_lanes(scene, view, range(scene.lane_count), COLOURS, GROUND)
        seen = scene.failed[
            (scene.end[scene.failed] >= view.start_ns) & (scene.start[scene.failed] < view.end_ns)
        ]
        left = np.clip(view.x_of(scene.start[seen]).astype(int), 0, 999)
        lanes = scene.lane[seen]
        red = picture.pixels[lanes, left] == COLOURS[FAILED_SHADE]
        assert (red | picture.ticks[lanes, left]).all()
        view = view.zoomed(3, 400)


def test_many_failures_leave_the_rest_to_be_seen() -> None:
    scene = build_scene(synthetic_table(100_000))
    view = TimelineView.of_all(0, scene.end_ns, 100)
    picture = draw_lanes(scene, view, range(scene.lane_count), COLOURS, GROUND)
    dense = picture.ticks.mean(axis=1) > 0.5
    assert dense.any()
    assert not (picture.pixels[dense] == COLOURS[FAILED_SHADE]).any()


def test_density_says_how_busy_each_pixel_was() -> None:
    """Ten thousand spans, each busy for a quarter of its turn, on a hundred pixels."""
    spans = [Drawn("run", "pipeline", 0, 40_000_000, None)]
    spans += [Drawn("t", "tool", n * 4_000, n * 4_000 + 1_000, 0) for n in range(10_000)]
    scene = build_scene(table_of(spans))
    black = np.full(len(SHADES), 0xFF000000, np.uint32)
    view = TimelineView.of_all(0, scene.end_ns, 100)
    line = draw_lanes(scene, view, range(1, 2), black, GROUND).pixels[0]
    busy = 1 - (line & 0xFF) / 255
    assert np.allclose(busy, 0.35 + 0.65 * 0.25, atol=0.03)


def test_density_and_single_bars_agree_where_they_meet() -> None:
    spans = [Drawn("run", "pipeline", 0, 8_000_000, None)]
    spans += [Drawn("t", "tool", n * 4_000, n * 4_000 + 4_000, 0) for n in range(2_000)]
    scene = build_scene(table_of(spans))
    view = TimelineView.of_all(0, scene.end_ns, 500)
    dense = draw_lanes(scene, view, range(1, 2), COLOURS, GROUND).pixels[0]
    assert (dense == COLOURS[5]).all()


def test_the_overview_marks_every_failure() -> None:
    scene = build_scene(table_from_outline("agent 0-100 failed\n  t:tool 50-51 failed"))
    columns = np.flatnonzero(scene.overview_failed)
    assert columns.tolist() == [len(scene.overview_failed) // 2]


def test_the_nearest_span_is_found_within_reach_only() -> None:
    scene = build_scene(table_from_outline("agent 0-100\n  a:tool 10-20\n  b:tool 60-61"))
    ms = 1_000_000
    assert scene.nearest(1, 15 * ms, 0) == 1
    assert scene.nearest(1, 59 * ms, 2 * ms) == 2
    assert scene.nearest(1, 40 * ms, 2 * ms) is None


def test_amounts_are_added_up_where_they_run_at_the_same_time() -> None:
    sums = running_sums([0, 50, 90], [100, 100, 90], [10, 5, 1], 100)
    assert sums[0] == 10
    assert sums[1_500] == 15
    assert sums[int(0.9 * len(sums))] == 16


def test_a_run_without_spans_makes_an_empty_scene() -> None:
    scene = build_scene(table_of([]))
    assert scene.lane_count == len(scene) == 0


@given(
    st.lists(
        st.tuples(st.integers(0, 2**63 - 1), st.none() | st.integers(0, 2**63 - 1)), max_size=6
    )
)
def test_no_time_that_a_file_can_claim_is_too_much(times: list[tuple[int, int | None]]) -> None:
    spans = [
        Drawn("t", "tool", start, None if end is None else max(start, end), None)
        for start, end in times
    ]
    scene = build_scene(table_of(spans))
    view = TimelineView.of_all(0, scene.end_ns, 300).zoomed(7, 200)
    assert drawn(scene, view).shape == (scene.lane_count, 300)
