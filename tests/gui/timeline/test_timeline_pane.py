import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.widgets.timeline_canvas import TimelineCanvas
from inspector.gui.widgets.timeline_overview import TimelineOverview
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.hands import pinch, wheel
from tests.gui.timeline.conftest import AGENT, Show, shown
from tests.helpers.drawn_runs import run_from_outline

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def id_of(open_run: OpenRun, name: str, nth: int = 0) -> str:
    table = open_run.run.table
    rows = [row for row in range(len(table)) if table.name(row) == name]
    return table.id(rows[nth])


def row_of(open_run: OpenRun, name: str, nth: int = 0) -> int:
    row = open_run.run.table.row_of(id_of(open_run, name, nth))
    assert row is not None
    return row


def bounds_of(open_run: OpenRun) -> tuple[int, int]:
    assert open_run.range.bounds is not None
    return open_run.range.bounds


def middle_of(canvas: TimelineCanvas, open_run: OpenRun, name: str, nth: int = 0) -> QPoint:
    """The middle of a bar, as far as it is on the screen."""
    rect = canvas.rect_of(row_of(open_run, name, nth))
    left, right = max(rect.left(), canvas.gutter_px), min(rect.right(), canvas.width())
    return QPoint(round((left + right) / 2), round(rect.center().y()))


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(widget, LEFT, NONE, start)
    QTest.mouseMove(widget, (start + end) / 2)
    QTest.mouseMove(widget, end)
    QTest.mouseRelease(widget, LEFT, NONE, end)


# Choosing


def test_clicking_a_bar_selects_its_span(canvas: TimelineCanvas, open_run: OpenRun) -> None:
    QTest.mouseClick(canvas, LEFT, NONE, middle_of(canvas, open_run, "search"))
    assert open_run.selection.span_id == id_of(open_run, "search")


def test_a_quick_tool_between_two_long_calls_can_be_clicked(show: Show) -> None:
    drawing = "agent 0-90000\n  llm 0-40000\n  quick:tool 40000-40001\n  llm 40001-90000"
    pane = show(run_from_outline(drawing))
    open_run = pane.open_run
    canvas = pane.timeline.canvas
    point = middle_of(canvas, open_run, "quick")
    QTest.mouseClick(canvas, LEFT, NONE, point)
    assert open_run.selection.span_id == id_of(open_run, "quick")
    QTest.mouseClick(canvas, LEFT, NONE, point - QPoint(8, 0))
    assert open_run.selection.span_id == id_of(open_run, "llm")


def test_clicking_beside_the_bars_changes_nothing(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    open_run.selection.select("s2")
    QTest.mouseClick(canvas, LEFT, NONE, QPoint(canvas.width() // 2, canvas.height() - 4))
    assert open_run.selection.span_id == "s2"


def test_selecting_elsewhere_never_moves_what_is_on_the_screen(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    canvas.zoom(1.5, 400)
    before = shown(canvas)
    open_run.selection.select(id_of(open_run, "search"))
    assert shown(canvas) == before


def test_selecting_elsewhere_brings_a_span_on_the_screen_at_the_same_zoom(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    canvas.zoom(8, 0)
    length = canvas.view.length_ns
    open_run.selection.select(id_of(open_run, "llm", 1))
    rect = canvas.rect_of(row_of(open_run, "llm", 1))
    assert rect.left() < canvas.width()
    assert rect.right() > 0
    assert canvas.view.length_ns == pytest.approx(length)


def test_arrow_keys_choose_neighbours(canvas: TimelineCanvas, open_run: OpenRun) -> None:
    open_run.selection.select(id_of(open_run, "llm"))
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert open_run.selection.span_id == id_of(open_run, "search")
    QTest.keyClick(canvas, Qt.Key.Key_Up)
    assert open_run.selection.span_id == id_of(open_run, "step")
    QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert open_run.selection.span_id == id_of(open_run, "llm")


# Moving about


def test_the_wheel_zooms_and_keeps_the_moment_under_the_mouse(canvas: TimelineCanvas) -> None:
    at = QPoint(400, 100)
    moment = canvas.view.ns_of(at.x() - canvas.gutter_px)
    wheel(canvas, at, down=240)
    assert canvas.view.length_ns < canvas.view.high_ns - canvas.view.low_ns
    assert canvas.view.x_of(moment) + canvas.gutter_px == pytest.approx(at.x(), abs=0.5)
    wheel(canvas, at, down=-240)
    assert canvas.view.shows_all


def test_ctrl_and_the_wheel_zooms_too(canvas: TimelineCanvas) -> None:
    wheel(canvas, QPoint(400, 100), down=120, held=Qt.KeyboardModifier.ControlModifier)
    assert not canvas.view.shows_all


def test_shift_and_the_wheel_pans(canvas: TimelineCanvas) -> None:
    canvas.zoom(4, 500)
    start, end = shown(canvas)
    wheel(canvas, QPoint(400, 100), down=-120, held=Qt.KeyboardModifier.ShiftModifier)
    assert canvas.view.start_ns > start
    assert canvas.view.length_ns == pytest.approx(end - start)


def test_two_fingers_pan_and_do_not_zoom(canvas: TimelineCanvas) -> None:
    canvas.zoom(4, 500)
    length, start = canvas.view.length_ns, canvas.view.start_ns
    wheel(canvas, QPoint(400, 100), across=-60, down=10, finger=True)
    assert canvas.view.length_ns == pytest.approx(length)
    assert canvas.view.start_ns > start


def test_two_fingers_that_part_zoom_where_they_are(canvas: TimelineCanvas) -> None:
    at = QPoint(canvas.width() // 3, 60)
    before, moment = canvas.view.length_ns, canvas.view.ns_of(at.x() - canvas.gutter_px)
    pinch(canvas, at, 0.5)
    assert canvas.view.length_ns == pytest.approx(before / 1.5, rel=0.01)
    assert canvas.view.ns_of(at.x() - canvas.gutter_px) == pytest.approx(moment, rel=0.01)
    pinch(canvas, at, -0.4)
    assert canvas.view.length_ns > before / 1.5


def test_keys_zoom_pan_frame_and_fit(canvas: TimelineCanvas, open_run: OpenRun) -> None:
    whole = canvas.view.length_ns
    QTest.keyClick(canvas, Qt.Key.Key_W)
    zoomed = canvas.view
    assert zoomed.length_ns < whole
    QTest.keyClick(canvas, Qt.Key.Key_D)
    assert canvas.view.start_ns > zoomed.start_ns
    QTest.keyClick(canvas, Qt.Key.Key_A)
    assert canvas.view.start_ns == pytest.approx(zoomed.start_ns)
    QTest.keyClick(canvas, Qt.Key.Key_S)
    QTest.keyClick(canvas, Qt.Key.Key_Home)
    assert canvas.view.shows_all
    open_run.selection.select(id_of(open_run, "search"))
    QTest.keyClick(canvas, Qt.Key.Key_F)
    rect = canvas.rect_of(row_of(open_run, "search"))
    assert rect.width() == pytest.approx(0.7 * canvas.view.width_px, rel=0.02)
    assert rect.center().x() == pytest.approx(canvas.gutter_px + canvas.view.width_px / 2, abs=2)


def test_dragging_pans_and_selects_nothing(canvas: TimelineCanvas, open_run: OpenRun) -> None:
    canvas.zoom(4, 500)
    start = canvas.view.start_ns
    drag(canvas, QPoint(600, 60), QPoint(500, 60))
    assert canvas.view.start_ns == pytest.approx(start + 100 * canvas.view.ns_per_px)
    assert open_run.selection.span_id is None


def test_letters_with_ctrl_are_left_to_the_window(canvas: TimelineCanvas) -> None:
    QTest.keyClick(canvas, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert canvas.view.shows_all


# The range


def test_dragging_on_the_overview_narrows_every_pane(
    overview: TimelineOverview, canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    drag(overview, QPoint(300, 14), QPoint(600, 14))
    start, end = bounds_of(open_run)
    assert (start, end) == pytest.approx((overview.ns_of(300), overview.ns_of(600)), abs=2)
    assert shown(canvas) == pytest.approx((start, end))


def test_an_edge_of_the_range_resizes_it(overview: TimelineOverview, open_run: OpenRun) -> None:
    open_run.range.set(200_000_000, 600_000_000)
    right = QPoint(round(overview.x_of(600_000_000)), 14)
    drag(overview, right, right + QPoint(100, 0))
    start, end = bounds_of(open_run)
    assert start == 200_000_000
    assert end > 650_000_000


def test_the_middle_of_the_range_moves_it_and_never_out_of_the_run(
    overview: TimelineOverview, open_run: OpenRun
) -> None:
    open_run.range.set(200_000_000, 600_000_000)
    middle = QPoint(round(overview.x_of(400_000_000)), 14)
    drag(overview, middle, middle + QPoint(2_000, 0))
    assert open_run.range.bounds == (600_000_000, 1_000_000_000)


def test_a_double_click_on_the_overview_shows_the_whole_run_again(
    overview: TimelineOverview, open_run: OpenRun
) -> None:
    open_run.range.set(200_000_000, 600_000_000)
    QTest.mouseDClick(overview, LEFT, NONE, QPoint(500, 14))
    assert open_run.range.bounds is None


def test_leaving_a_range_brings_back_what_was_seen_before(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    canvas.zoom(4, 700)
    before = shown(canvas)
    open_run.range.set(0, 100_000_000)
    assert shown(canvas) != before
    open_run.range.clear()
    assert shown(canvas) == pytest.approx(before)


def test_enter_keeps_a_range_and_backspace_comes_back_to_it(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    open_run.range.set(100_000_000, 500_000_000)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    open_run.range.set(200_000_000, 300_000_000)
    QTest.keyClick(canvas, Qt.Key.Key_Backspace)
    assert open_run.range.bounds == (100_000_000, 500_000_000)
    QTest.keyClick(canvas, Qt.Key.Key_Backspace)
    assert open_run.range.bounds is None


def test_zooming_never_leaves_the_range(canvas: TimelineCanvas, open_run: OpenRun) -> None:
    open_run.range.set(100_000_000, 500_000_000)
    for _ in range(10):
        wheel(canvas, QPoint(400, 100), down=-240)
    assert shown(canvas) == pytest.approx((100_000_000, 500_000_000))


def test_arrow_keys_on_the_overview_move_and_resize_the_range(
    overview: TimelineOverview, open_run: OpenRun
) -> None:
    open_run.range.set(200_000_000, 600_000_000)
    QTest.keyClick(overview, Qt.Key.Key_Right)
    start, end = bounds_of(open_run)
    assert (start > 200_000_000, end - start) == (True, 400_000_000)
    QTest.keyClick(overview, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert bounds_of(open_run)[0] == start
    assert bounds_of(open_run)[1] < end


def test_escape_lets_go_of_a_range_that_is_being_dragged(
    overview: TimelineOverview, open_run: OpenRun
) -> None:
    open_run.range.set(200_000_000, 600_000_000)
    middle = QPoint(round(overview.x_of(400_000_000)), 14)
    QTest.mousePress(overview, LEFT, NONE, middle)
    QTest.mouseMove(overview, middle + QPoint(60, 0))
    assert open_run.range.bounds != (200_000_000, 600_000_000)
    QTest.keyClick(overview, Qt.Key.Key_Escape)
    assert open_run.range.bounds == (200_000_000, 600_000_000)


def test_times_stand_above_each_other_in_overview_and_lanes(
    canvas: TimelineCanvas, overview: TimelineOverview
) -> None:
    for at_ns in (0, 300_000_000, 1_000_000_000):
        lanes_x = canvas.gutter_px + canvas.view.x_of(float(at_ns))
        assert overview.x_of(at_ns) == pytest.approx(lanes_x, abs=1)


# What is said


def tip_at(canvas: TimelineCanvas, point: QPoint) -> str:
    event = QHelpEvent(QEvent.Type.ToolTip, point, canvas.mapToGlobal(point))
    QApplication.sendEvent(canvas, event)
    return QToolTip.text()


def test_a_tooltip_says_name_kind_duration_state_and_place(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    tip = tip_at(canvas, middle_of(canvas, open_run, "search")).replace("\u202f", " ")
    for words in ("search", "Tool call", "150 ms", "failed", "agent#1/step0/tool:search[0]"):
        assert words in tip


def test_a_name_from_a_file_can_never_be_markup_in_a_tooltip(show: Show, qtbot: QtBot) -> None:
    run = run_from_outline(AGENT, fields={"search": {"name": "<img src=x>&amp;"}})
    pane = show(run)
    open_run = pane.open_run
    canvas = pane.timeline.canvas
    label = QLabel(tip_at(canvas, middle_of(canvas, open_run, "<img src=x>&amp;")))
    qtbot.addWidget(label)
    assert "&lt;img src=x&gt;&amp;amp;" in label.text()


def test_the_timeline_can_be_reached_and_named_without_a_mouse(
    canvas: TimelineCanvas, overview: TimelineOverview, open_run: OpenRun
) -> None:
    assert canvas.accessibleName() == "Timeline"
    assert overview.accessibleName() == "Overview"
    assert canvas.focusPolicy() & Qt.FocusPolicy.TabFocus
    open_run.selection.select(id_of(open_run, "fetch"))
    assert "fetch" in canvas.accessibleDescription()


def test_a_run_without_spans_says_so(show: Show) -> None:
    pane = show(run_from_outline(""))
    said = " ".join(label.text() for label in pane.findChildren(QLabel))
    assert "There is no span in this run." in said


# Bookmarks and notes


def test_a_ribbon_marks_where_a_person_left_something_and_leads_there(
    canvas: TimelineCanvas, open_run: OpenRun
) -> None:
    noted = id_of(open_run, "search")
    open_run.notes.write(noted, "is <b>this</b> it?")
    row = row_of(open_run, "search")
    at = QPoint(round(canvas.rect_of(row).left()), 14)
    assert canvas.note_at(at) == row
    assert canvas.note_at(at + QPoint(40, 0)) is None
    accent = theme.current().accent
    assert canvas.grab().toImage().pixelColor(at) == accent

    event = QHelpEvent(QEvent.Type.ToolTip, at, canvas.mapToGlobal(at))
    QApplication.sendEvent(canvas, event)
    assert "search" in QToolTip.text()
    assert "is &lt;b&gt;this&lt;/b&gt; it?" in QToolTip.text()
    QToolTip.hideText()

    QTest.mouseClick(canvas, LEFT, NONE, at)
    assert open_run.selection.span_id == noted
    open_run.notes.undo_stack.undo()
    assert canvas.note_at(at) is None
    assert canvas.grab().toImage().pixelColor(at) != accent


def test_the_overview_shows_ribbons_too(
    canvas: TimelineCanvas, overview: TimelineOverview, open_run: OpenRun
) -> None:
    before = overview.grab().toImage()
    open_run.notes.toggle_bookmark(id_of(open_run, "search"))
    start = open_run.run.table.start_ns[row_of(open_run, "search")]
    at = QPoint(round(overview.x_of(start)), 2)
    assert before.pixelColor(at) != theme.current().accent
    assert overview.grab().toImage().pixelColor(at) == theme.current().accent


def test_of_many_ribbons_at_one_place_the_first_is_met(show: Show) -> None:
    drawing = "agent 0-90000\n  a:tool 40000-40001\n  b:tool 40001-40002"
    pane = show(run_from_outline(drawing))
    open_run, canvas = pane.open_run, pane.timeline.canvas
    for name in ("b", "a"):
        open_run.notes.toggle_bookmark(id_of(open_run, name))
    x = round(canvas.rect_of(row_of(open_run, "a")).left())
    assert canvas.note_at(QPoint(x, 14)) == row_of(open_run, "a")
