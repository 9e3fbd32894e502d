import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from inspector.gui import theme
from inspector.gui.app_program import Program
from inspector.gui.dialogs.crash_dialog import CrashDialog
from inspector.gui.dialogs.shortcuts_dialog import KeyCap
from inspector.gui.settings import ThemeChoice

SECRET = "what a person wrote"


def dialogs(program: Program) -> list[QDialog]:
    return [one for one in program.window.findChildren(QDialog) if one.isVisible()]


def test_question_mark_shows_the_sheet_of_keys(program: Program) -> None:
    QTest.keyClick(program.window, Qt.Key.Key_Question)
    (sheet,) = dialogs(program)
    caps = {cap.text() for cap in sheet.findChildren(KeyCap)}
    assert {"J", "K", "G G", "Ctrl+O", "?"} <= caps


def test_escape_closes_the_sheet_and_it_can_be_shown_again(program: Program, qtbot: QtBot) -> None:
    for _ in range(2):
        program.content.action("shortcuts").trigger()
        (sheet,) = dialogs(program)
        QTest.keyClick(sheet, Qt.Key.Key_Escape)
        qtbot.waitUntil(lambda: program.window.findChildren(QDialog) == [])


def test_asking_twice_shows_one_sheet(program: Program) -> None:
    program.content.action("shortcuts").trigger()
    program.content.action("shortcuts").trigger()
    assert len(dialogs(program)) == 1


def test_a_setting_counts_at_once(program: Program) -> None:
    program.content.action("settings").trigger()
    (dialog,) = dialogs(program)
    box = dialog.findChildren(QComboBox)[0]
    box.setCurrentIndex(box.findText("Dark"))
    box.activated.emit(box.currentIndex())
    assert program.settings.current.theme is ThemeChoice.DARK
    assert theme.current() is theme.DARK


def test_the_settings_follow_what_is_chosen_elsewhere(program: Program) -> None:
    program.content.action("settings").trigger()
    (dialog,) = dialogs(program)
    program.settings.update(theme=ThemeChoice.LIGHT)
    assert dialog.findChildren(QComboBox)[0].currentText() == "Light"


def test_about_names_the_version_and_the_promise(program: Program) -> None:
    from inspector.gui.widgets.labels import Words

    program.content.action("about").trigger()
    (dialog,) = dialogs(program)
    said = "\n".join(label.text() for label in dialog.findChildren(Words))
    assert "Version" in said
    assert "Nothing leaves this machine" in said


@pytest.fixture
def crash() -> Exception:
    def careless(value: str) -> None:
        raise KeyError(value)

    try:
        careless(SECRET)
    except KeyError as error:
        return error


def test_a_bug_shows_a_report_that_holds_nothing_of_the_run(
    program: Program, crash: Exception
) -> None:
    program.messages.failed(crash)
    (dialog,) = dialogs(program)
    assert isinstance(dialog, CrashDialog)
    assert "KeyError" in dialog.report
    assert "test_dialogs.py" in dialog.report
    assert "in careless" in dialog.report
    assert SECRET not in dialog.report


def test_the_report_can_be_copied(program: Program, crash: Exception) -> None:
    program.messages.crashed(crash)
    (dialog,) = dialogs(program)
    assert isinstance(dialog, CrashDialog)
    (copy,) = [b for b in dialog.findChildren(QPushButton) if "Copy" in b.text()]
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == dialog.report
    QApplication.clipboard().clear()


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5])
def test_every_key_of_the_sheet_is_in_sight_without_scrolling_sideways(
    program: Program, scale: float
) -> None:
    program.settings.update(text_scale=scale)
    program.content.action("shortcuts").trigger()
    (sheet,) = dialogs(program)
    area = sheet.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    QApplication.processEvents()
    assert area.horizontalScrollBar().maximum() == 0
    assert sheet.width() <= sheet.screen().availableSize().width()
