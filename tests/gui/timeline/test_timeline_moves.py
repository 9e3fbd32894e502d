import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTreeView

from inspector.gui.app_program import Program
from inspector.gui.widgets.timeline_canvas import TimelineCanvas


def canvas_of(program: Program) -> TimelineCanvas:
    canvas = program.window.findChild(TimelineCanvas)
    assert isinstance(canvas, TimelineCanvas)
    return canvas


def test_letters_move_the_timeline_while_the_focus_is_elsewhere(opened: Program) -> None:
    opened.window.activateWindow()
    run_window = opened.content.tabs.current_window
    assert run_window is not None
    tree = run_window.tree_pane.findChild(QTreeView)
    assert isinstance(tree, QTreeView)
    tree.setFocus()
    canvas = canvas_of(opened)
    QTest.keyClick(tree, Qt.Key.Key_W)
    assert not canvas.view.shows_all
    start = canvas.view.start_ns
    QTest.keyClick(tree, Qt.Key.Key_D)
    assert canvas.view.start_ns > start
    QTest.keyClick(tree, Qt.Key.Key_F, Qt.KeyboardModifier.ShiftModifier)
    assert canvas.view.shows_all


def test_letters_are_only_letters_while_one_writes(opened: Program) -> None:
    field = QLineEdit(opened.window)
    field.show()
    field.setFocus()
    QTest.keyClicks(field, "wsadf")
    assert field.text() == "wsadf"
    assert canvas_of(opened).view.shows_all


@pytest.mark.parametrize("name", ["zoom-in", "zoom-out", "pan-left", "pan-right", "frame", "fit"])
def test_without_a_run_nothing_happens(program: Program, name: str) -> None:
    action = program.content.action(name)
    assert not action.isEnabled()
    action.setEnabled(True)
    action.trigger()
    assert program.window.findChild(TimelineCanvas) is None
