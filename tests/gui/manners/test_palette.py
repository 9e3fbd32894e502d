from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from inspector.gui.actions import ACTIONS
from inspector.gui.app_program import Program
from inspector.gui.panes.pane_table import PANES
from inspector.gui.widgets.command_palette import CommandPalette
from tests.gui.conftest import open_file, wait_until_quiet

CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def summon(program: Program) -> CommandPalette:
    focus = QApplication.focusWidget() or program.window
    QTest.keyClick(focus, Qt.Key.Key_P, CONTROL_SHIFT)
    (palette,) = program.window.findChildren(CommandPalette)
    assert palette.isVisible()
    return palette


def press(palette: CommandPalette, key: Qt.Key) -> None:
    QTest.keyClick(palette.line, key)


def listed(palette: CommandPalette) -> list[str]:
    model = palette.view.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


@pytest.fixture
def palette(opened: Program) -> CommandPalette:
    return summon(opened)


def test_everything_there_is_to_do_stands_in_it(opened: Program, palette: CommandPalette) -> None:
    texts = set(listed(palette))
    assert {spec.text for spec in ACTIONS if spec.id not in ("palette", "undo", "redo")} <= texts
    assert {f"Go to {spec.title.lower()}" for spec in PANES} <= texts


def test_letters_and_enter_do_it(opened: Program, palette: CommandPalette) -> None:
    run = opened.workspace.current
    assert run is not None
    QTest.keyClicks(palette.line, "last span")
    assert listed(palette)[0] == "Last span"
    press(palette, Qt.Key.Key_Return)
    assert not palette.isVisible()
    assert run.selection.span_id == run.run.table.id(len(run.run.spans) - 1)


def test_esc_leaves_it_and_gives_the_focus_back(opened: Program) -> None:
    window = opened.content.tabs.current_window
    assert window is not None
    window.show_pane("tree")
    held = QApplication.focusWidget()
    palette = summon(opened)
    assert QApplication.focusWidget() is palette.line
    press(palette, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is held


def test_the_same_keys_close_it_again(opened: Program, palette: CommandPalette) -> None:
    QTest.keyClick(palette.line, Qt.Key.Key_P, CONTROL_SHIFT)
    assert not palette.isVisible()


def test_what_cannot_be_done_says_why_and_is_not_done(program: Program) -> None:
    palette = summon(program)
    QTest.keyClicks(palette.line, "next tool call")
    current = palette.view.currentIndex()
    assert current.data() == "Next tool call"
    assert "needs an open run" in current.data(Qt.ItemDataRole.AccessibleTextRole)
    assert "needs an open run" in palette.line.accessibleDescription()
    press(palette, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_arrows_go_round_and_tab_stays_in_the_line(palette: CommandPalette) -> None:
    count = palette.view.model().rowCount()
    press(palette, Qt.Key.Key_Up)
    assert palette.view.currentIndex().row() == count - 1
    press(palette, Qt.Key.Key_Down)
    press(palette, Qt.Key.Key_Tab)
    assert palette.view.currentIndex().row() == 1
    press(palette, Qt.Key.Key_PageUp)
    assert palette.view.currentIndex().row() == 0
    assert isinstance(QApplication.focusWidget(), QLineEdit)


def test_what_was_done_last_stands_first_the_next_time(
    opened: Program, palette: CommandPalette
) -> None:
    QTest.keyClicks(palette.line, "last span")
    press(palette, Qt.Key.Key_Return)
    assert listed(summon(opened))[0] == "Last span"


def test_recent_files_and_open_runs_are_in_it(
    opened: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    first = opened.workspace.current
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    open_file(opened, other, qtbot)
    palette = summon(opened)
    QTest.keyClicks(palette.line, "looping run")
    press(palette, Qt.Key.Key_Return)
    assert opened.workspace.current is first
    assert first is not None
    opened.workspace.remove(first)
    palette = summon(opened)
    QTest.keyClicks(palette.line, "recent looping")
    press(palette, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(opened.workspace.open_runs) == 2)
    wait_until_quiet(opened, qtbot)
    assert opened.workspace.current is not None
    assert opened.workspace.current.path == run_file


def test_a_click_outside_closes_it(opened: Program, palette: CommandPalette) -> None:
    window = opened.content.tabs.current_window
    assert window is not None
    window.show_pane("tree")
    assert not palette.isVisible()


def test_with_larger_text_every_row_that_fits_is_seen(opened: Program, qtbot: QtBot) -> None:
    opened.settings.update(text_scale=1.5)
    palette = summon(opened)
    QTest.keyClicks(palette.line, "graph")
    assert 3 < palette.view.model().rowCount() <= 12
    qtbot.waitUntil(lambda: palette.view.verticalScrollBar().maximum() == 0)
    opened.settings.update(text_scale=1.0)


def test_nothing_found_says_so(palette: CommandPalette) -> None:
    QTest.keyClicks(palette.line, "qqqqq")
    assert listed(palette) == []
    assert "Nothing" in palette.line.accessibleDescription()
    press(palette, Qt.Key.Key_Return)
    assert palette.isVisible()
