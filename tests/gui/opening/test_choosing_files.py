"""Files are chosen in a dialog that stops nothing."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.compare_dialog import CompareDialog
from tests.gui.hands import name_file

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def asked(program: Program) -> QFileDialog:
    (dialog,) = program.window.findChildren(QFileDialog)
    return dialog


def test_ctrl_o_asks_for_files_and_remembers_where_they_lay(
    program: Program, run_file: Path, qtbot: QtBot
) -> None:
    QTest.keyClick(program.window, Qt.Key.Key_O, CTRL)
    with qtbot.waitSignal(program.workspace.added) as caught:
        name_file(asked(program), run_file)
    assert caught.args[0].path == run_file
    assert program.content.tabs.current_window is not None
    qtbot.waitUntil(lambda: program.window.findChildren(QFileDialog) == [])
    program.window.activateWindow()
    qtbot.waitUntil(program.window.isActiveWindow)
    QTest.keyClick(program.window, Qt.Key.Key_O, CTRL)
    assert Path(asked(program).directory().absolutePath()) == run_file.parent


def test_the_button_of_the_start_page_asks_too_and_escape_opens_nothing(
    program: Program, qtbot: QtBot
) -> None:
    page = program.content.tabs.start_page
    button = next(one for one in page.findChildren(QPushButton) if one.text() == "Open a run…")
    QTest.mouseClick(button, LEFT)
    QTest.keyClick(asked(program), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: program.window.findChildren(QFileDialog) == [])
    assert program.workspace.items == ()


def test_a_run_is_compared_with_a_file_that_is_not_open(
    opened: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    QTest.keyClick(opened.window, Qt.Key.Key_D, CTRL)
    (dialog,) = [one for one in opened.window.findChildren(QDialog) if one.isVisible()]
    assert isinstance(dialog, CompareDialog)
    more = next(one for one in dialog.findChildren(QPushButton) if one.text() == "Another file…")
    QTest.mouseClick(more, LEFT)
    with qtbot.waitSignal(opened.workspace.comparison_added) as caught:
        name_file(asked(opened), other)
    assert (caught.args[0].left.path, caught.args[0].right.path) == (run_file, other)
    qtbot.waitUntil(lambda: opened.window.findChildren(CompareDialog) == [])
