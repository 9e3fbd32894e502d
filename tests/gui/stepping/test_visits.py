from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QTreeView
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.difference_view import DifferenceView
from inspector.gui.widgets.visits_bar import VisitsBar
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.examples import bundled_examples
from tests.gui.conftest import open_file
from tests.gui.stepping.conftest import Press

LEFT = Qt.MouseButton.LeftButton
Settle = Callable[[Program], None]


@pytest.fixture
def bar(program: Program, agent: OpenRun) -> VisitsBar:
    found = program.window.findChild(VisitsBar)
    assert isinstance(found, VisitsBar)
    return found


def press_button(bar: VisitsBar, name: str) -> None:
    button = next(one for one in bar.findChildren(QToolButton) if name in one.accessibleName())
    QTest.mouseClick(button, LEFT)


def difference(program: Program) -> DifferenceView | None:
    return program.window.findChild(DifferenceView)


def test_the_bar_says_which_visit_it_is_and_goes_to_the_others(
    program: Program, agent: OpenRun, bar: VisitsBar, press: Press, settle: Settle
) -> None:
    press(Qt.Key.Key_T)
    assert bar.words == "visit 1 of 3 of read_sensor"
    press_button(bar, "Next visit")
    settle(program)
    assert bar.words == "visit 2 of 3 of read_sensor"
    press(Qt.Key.Key_Period)
    assert bar.words == "visit 3 of 3 of read_sensor"
    press_button(bar, "Previous visit")
    settle(program)
    assert bar.words == "visit 2 of 3 of read_sensor"


def test_a_single_visit_says_so(program: Program, agent: OpenRun, bar: VisitsBar) -> None:
    assert bar.words == "the only visit of greenhouse_assistant"


def test_steps_are_counted_and_not_named_a_second_time(
    program: Program, agent: OpenRun, bar: VisitsBar, settle: Settle
) -> None:
    steps = [span for span in agent.run.spans if span.kind == "step"]
    agent.selection.select(steps[2].id)  # which is called step 2
    settle(program)
    assert bar.words.replace("\u202f", " ") == "3 of 4 steps"


def test_v_shows_what_changed_since_the_visit_before_until_it_is_pressed_again(
    program: Program, agent: OpenRun, bar: VisitsBar, press: Press
) -> None:
    press(Qt.Key.Key_T)
    press(Qt.Key.Key_V)
    assert difference(program) is None  # nothing came before the first visit
    press(Qt.Key.Key_Period)
    press(Qt.Key.Key_Period)
    press(Qt.Key.Key_V)
    shown = difference(program)
    assert shown is not None
    assert shown.isVisible()
    text = shown.toPlainText()
    assert "wake" in text
    assert "+ true" in text
    press(Qt.Key.Key_V)
    assert not shown.isVisible()


def test_the_changes_stay_in_front_from_visit_to_visit(
    program: Program, agent: OpenRun, bar: VisitsBar, press: Press
) -> None:
    press(Qt.Key.Key_T)
    press(Qt.Key.Key_Period)
    press(Qt.Key.Key_V)
    shown = difference(program)
    assert shown is not None
    assert "− tomatoes" in shown.toPlainText()
    press(Qt.Key.Key_Period)
    assert shown.isVisible()
    assert "wake" in shown.toPlainText()
    press(Qt.Key.Key_Comma)
    press(Qt.Key.Key_Comma)
    assert not shown.isVisible()


def test_holding_shift_shows_the_changes_and_letting_go_hides_them(
    program: Program, agent: OpenRun, bar: VisitsBar, press: Press, settle: Settle, qtbot: QtBot
) -> None:
    press(Qt.Key.Key_T)
    press(Qt.Key.Key_Period)
    tree = program.window.findChild(QTreeView)
    assert isinstance(tree, QTreeView)
    QTest.keyPress(tree, Qt.Key.Key_Shift)
    qtbot.waitUntil(lambda: (view := difference(program)) is not None and view.isVisible())
    QTest.keyRelease(tree, Qt.Key.Key_Shift)
    shown = difference(program)
    assert shown is not None
    assert not shown.isVisible()


def test_shift_with_a_letter_shows_nothing(
    program: Program, agent: OpenRun, bar: VisitsBar, press: Press, settle: Settle
) -> None:
    press(Qt.Key.Key_T)
    press(Qt.Key.Key_Period)
    tree = program.window.findChild(QTreeView)
    assert isinstance(tree, QTreeView)
    QTest.keyPress(tree, Qt.Key.Key_Shift)
    QTest.keyClick(tree, Qt.Key.Key_T, Qt.KeyboardModifier.ShiftModifier)
    settle(program)
    assert difference(program) is None
    QTest.keyRelease(tree, Qt.Key.Key_Shift)


def test_m_goes_to_the_generator_of_a_pipeline_as_the_verdict_counts_it(
    program: Program, press: Press, qtbot: QtBot
) -> None:
    path = next(one.path for one in bundled_examples() if one.path.name == "rag-answer.run.json")
    run = open_file(program, path, qtbot)
    press(Qt.Key.Key_M)
    assert run.selection.span_id is not None
    assert run.run.span(run.selection.span_id).path == "llm#1"
