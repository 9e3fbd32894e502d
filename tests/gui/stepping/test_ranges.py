from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QTreeView

from inspector.gui.app_program import Program
from inspector.gui.widgets.range_trail import RangeTrail
from inspector.gui.widgets.timeline import Timeline
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.stepping.conftest import Press

S = 1_000_000_000
LEFT = Qt.MouseButton.LeftButton
Settle = Callable[[Program], None]


def timeline_of(program: Program) -> Timeline:
    found = program.window.findChild(Timeline)
    assert isinstance(found, Timeline)
    return found


def trail_of(program: Program) -> list[QToolButton]:
    trail = program.window.findChild(RangeTrail)
    assert isinstance(trail, RangeTrail)
    return [one for one in trail.findChildren(QToolButton) if one.isVisibleTo(trail)]


def drag(program: Program, from_ns: float, to_ns: float) -> None:
    """Drag a range on the overview with the mouse."""
    overview = timeline_of(program).overview
    y = overview.height() // 2
    start, end = (QPoint(round(overview.x_of(at)), y) for at in (from_ns, to_ns))
    QTest.mousePress(overview, LEFT, pos=start)
    QTest.mouseMove(overview, end)
    QTest.mouseRelease(overview, LEFT, pos=end)


def test_ranges_one_came_through_are_buttons_that_lead_back(
    program: Program, agent: OpenRun
) -> None:
    assert trail_of(program) == []
    drag(program, 1 * S, 4 * S)
    outer = agent.range.bounds
    QTest.keyClick(timeline_of(program).canvas, Qt.Key.Key_Return)
    assert agent.range.breadcrumbs == (outer,)
    agent.range.set(2 * S, 3 * S)
    names = [button.text() for button in trail_of(program)]
    assert names[0] == "Whole run"
    assert names[-1] == "Keep"
    assert len(names) == 3
    QTest.mouseClick(trail_of(program)[1], LEFT)
    assert agent.range.bounds == outer
    QTest.mouseClick(trail_of(program)[0], LEFT)
    assert agent.range.bounds is None
    assert trail_of(program) == []


def test_keep_does_what_enter_does_and_backspace_takes_it_back(
    program: Program, agent: OpenRun, press: Press
) -> None:
    drag(program, 1 * S, 4 * S)
    keep = next(one for one in trail_of(program) if one.text() == "Keep")
    QTest.mouseClick(keep, LEFT)
    assert agent.range.breadcrumbs == (agent.range.bounds,)
    drag_inside = agent.range.bounds
    agent.range.set(2 * S, 3 * S)
    press(Qt.Key.Key_Backspace)
    assert agent.range.bounds == drag_inside
    press(Qt.Key.Key_Backspace)
    assert agent.range.bounds is None


def test_a_range_moves_nothing_but_what_it_narrows(
    program: Program, agent: OpenRun, settle: Settle
) -> None:
    settle(program)
    window = program.content.tabs.current_window
    assert window is not None
    window.arrange()  # panes come in one by one; the last of them may still move the others
    settle(program)
    canvas = timeline_of(program).canvas
    before = canvas.mapTo(program.window, QPoint(0, 0)), canvas.size()
    drag(program, 1 * S, 4 * S)
    settle(program)
    assert (canvas.mapTo(program.window, QPoint(0, 0)), canvas.size()) == before


def test_leaving_a_range_brings_back_how_far_the_tree_was_scrolled(
    program: Program, agent: OpenRun, press: Press, settle: Settle
) -> None:
    program.window.resize(1000, 560)
    press(Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)  # the last span
    window = program.content.tabs.current_window
    assert window is not None
    tree = window.tree_pane.findChild(QTreeView)
    assert isinstance(tree, QTreeView)
    bar = tree.verticalScrollBar()
    bar.setValue(bar.maximum() - 1)
    scrolled, selected = bar.value(), agent.selection.span_id
    assert scrolled > 0
    drag(program, 1 * S, 1.2 * S)
    assert bar.value() < scrolled
    press(Qt.Key.Key_Backspace)
    assert bar.value() == scrolled
    assert agent.selection.span_id == selected


def test_history_walks_back_across_a_change_of_range(
    program: Program, agent: OpenRun, press: Press
) -> None:
    press(Qt.Key.Key_T)
    first = agent.selection.span_id
    drag(program, 2 * S, 4.5 * S)
    press(Qt.Key.Key_T)
    second = agent.selection.span_id
    assert second != first
    press(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert agent.selection.span_id == first
    assert agent.range.bounds is not None
    press(Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert agent.selection.span_id == second


def test_selecting_what_is_in_sight_moves_no_viewport(
    program: Program, agent: OpenRun, press: Press
) -> None:
    canvas = timeline_of(program).canvas
    canvas.zoom(2, canvas.width() / 2)
    press(Qt.Key.Key_T)
    view = canvas.view
    press(Qt.Key.Key_K)
    assert canvas.view == view
