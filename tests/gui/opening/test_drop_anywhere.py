"""The whole window is a drop target, whatever stands in it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.pane_table import PANES
from tests.gui.conftest import run_window, wait_until_quiet

NONE = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
COPY = Qt.DropAction.CopyAction
STEP_PX = 61


def file(path: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    return mime


def asked(window: QWidget, at: QPoint) -> QWidget:
    """Return the one widget that Qt would ask about a drop there."""
    found = window.childAt(at) or window
    while not found.acceptDrops() and found is not window:
        parent = found.parentWidget()
        assert parent is not None
        found = parent
    return found


def enter(window: QWidget, at: QPoint, mime: QMimeData) -> bool:
    target = asked(window, at)
    event = QDragEnterEvent(target.mapFrom(window, at), COPY, mime, LEFT, NONE)
    QApplication.sendEvent(target, event)
    return event.isAccepted()


@pytest.mark.parametrize("shown", ["start", *(spec.key for spec in PANES)])
def test_a_file_can_be_dropped_on_any_part_of_the_window(
    opened: Program, run_file: Path, shown: str, qtbot: QtBot
) -> None:
    window, overlay = opened.window, opened.window.overlay
    if shown == "start":
        opened.content.action("start").trigger()
    else:
        run_window(opened).show_pane(shown)
        QTest.keyClick(window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        wait_until_quiet(opened, qtbot)
    mime = file(run_file)
    places = [
        QPoint(x, y)
        for x in range(2, window.width(), STEP_PX)
        for y in range(2, window.height(), STEP_PX)
    ]
    places += [
        one.mapTo(window, one.rect().center())
        for one in window.findChildren(QWidget)
        if one.acceptDrops() and one.isVisible() and not one.isWindow()
    ]
    for at in places:
        assert enter(window, at, mime), (at, asked(window, at))
        assert overlay.isVisible()
        QApplication.sendEvent(asked(window, at), QDragLeaveEvent())
        assert not overlay.isVisible()


def test_a_file_that_is_dropped_on_a_note_is_opened_and_not_written_into_it(
    opened: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    run_window(opened).show_pane("notes")
    window = opened.window
    (editor,) = [one for one in window.findChildren(QPlainTextEdit) if one.isVisible()]
    at = editor.mapTo(window, editor.rect().center())
    mime = file(other)
    assert enter(window, at, mime)
    target = asked(window, at)
    here = QPointF(target.mapFrom(window, at))
    move = QDragMoveEvent(here.toPoint(), COPY, mime, LEFT, NONE)
    QApplication.sendEvent(target, move)
    assert move.isAccepted()
    with qtbot.waitSignal(opened.workspace.added) as caught:
        QApplication.sendEvent(target, QDropEvent(here, COPY, mime, LEFT, NONE))
    assert caught.args[0].path == other
    assert editor.toPlainText() == ""
    assert not window.overlay.isVisible()


def test_words_can_still_be_dragged_into_a_line(opened: Program, qtbot: QtBot) -> None:
    QTest.keyClick(opened.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    line = next(
        one
        for one in opened.window.findChildren(QLineEdit)
        if one.accessibleName() == "Search this run" and one.isVisible()
    )
    words = QMimeData()
    words.setText("kind:tool")
    here = QPointF(line.rect().center())
    enters = QDragEnterEvent(here.toPoint(), COPY, words, LEFT, NONE)
    QApplication.sendEvent(line, enters)
    QApplication.sendEvent(line, QDropEvent(here, COPY, words, LEFT, NONE))
    assert line.text() == "kind:tool"
    assert not opened.window.overlay.isVisible()
