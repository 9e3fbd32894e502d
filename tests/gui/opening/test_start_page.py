"""The page that is seen before a run is open, by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.app_program import Program
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.gui.widgets.speed_button import SpeedButton


def press(key: Qt.Key) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key)


def focus_words() -> str:
    focused = QApplication.focusWidget()
    return focused.text() if isinstance(focused, QPushButton | ChoiceRow) else str(focused)


def test_the_first_focus_is_on_opening_a_run(program: Program, qtbot: QtBot) -> None:
    program.window.activateWindow()
    qtbot.waitUntil(program.window.isActiveWindow)
    assert focus_words() == "Open a run…"


def test_tab_goes_on_to_the_examples_and_enter_opens_one(program: Program, qtbot: QtBot) -> None:
    program.window.activateWindow()
    qtbot.waitUntil(program.window.isActiveWindow)
    press(Qt.Key.Key_Tab)
    assert focus_words() == "Durable executions"
    press(Qt.Key.Key_Tab)
    assert focus_words() == "A question answered from a manual"
    with qtbot.waitSignal(program.workspace.added) as caught:
        press(Qt.Key.Key_Return)
    assert caught.args[0].title == "rag-answer.run.json"


def test_the_focus_is_there_again_when_the_last_run_is_closed(
    opened: Program, qtbot: QtBot
) -> None:
    opened.window.activateWindow()
    qtbot.waitUntil(opened.window.isActiveWindow)
    QTest.keyClick(opened.window, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert focus_words() == "Open a run…"


def test_the_speed_of_playing_is_off_without_a_run(opened: Program) -> None:
    speed = opened.window.findChild(SpeedButton)
    assert isinstance(speed, SpeedButton)
    assert speed.isEnabled()
    opened.content.action("start").trigger()
    assert not speed.isEnabled()


def test_everything_on_the_page_can_be_reached_by_tab(program: Program, qtbot: QtBot) -> None:
    program.window.activateWindow()
    qtbot.waitUntil(program.window.isActiveWindow)
    seen = set()
    for _ in range(40):
        seen.add(focus_words())
        press(Qt.Key.Key_Tab)
    rows = {row.text() for row in program.content.tabs.start_page.findChildren(ChoiceRow)}
    assert rows | {"Open a run…"} <= seen


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 2.0])
def test_no_word_about_an_example_is_cut_off(program: Program, scale: float, qtbot: QtBot) -> None:
    program.settings.update(text_scale=scale)
    words = "Retrieval, prompt, streamed answer with citations: the run to begin with."
    whole, shorter = ChoiceRow("A question", words), ChoiceRow("A question", words[:-6])
    for row in (whole, shorter):
        qtbot.addWidget(row)
    one_line = QFontMetrics(theme.font(-1)).horizontalAdvance(words)
    for width in (*range(one_line + 60, one_line + 20, -1), one_line // 2, one_line // 3):
        for row in (whole, shorter):
            row.resize(width, whole.heightForWidth(width))
        assert whole.grab().toImage() != shorter.grab().toImage(), width
    assert whole.heightForWidth(one_line // 2) > whole.heightForWidth(2 * one_line)
