"""What a person does to change something of a recording: menus, editors, buttons."""

from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.what_if_pane import WhatIfPane
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.conftest import open_file, run_window
from tests.gui.replaying.conftest import DATA, Replaying


def span_id(opened: OpenRun, path: str) -> str:
    span = opened.run.at(path)
    assert span is not None
    return span.id


T = TypeVar("T", bound=QDialog)


def dialog(program: Program, kind: type[T]) -> T:
    """Return the editor that is open."""
    found = [each for each in program.window.findChildren(kind) if each.isVisible()]
    assert len(found) == 1
    return found[0]


def button(parent: QWidget, words: str) -> QPushButton:
    return next(each for each in parent.findChildren(QPushButton) if each.text() == words)


def press(parent: QWidget, words: str) -> None:
    QTest.mouseClick(button(parent, words), Qt.MouseButton.LeftButton)


def open_menu(widget: QWidget, at: QPoint) -> QMenu:
    """Ask for a context menu with the mouse, and return the menu that comes."""
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    (menu,) = [each for each in widget.window().findChildren(QMenu) if each.isVisible()]
    return menu


def menu_of_current(view: QTreeView) -> QMenu:
    return open_menu(view.viewport(), view.visualRect(view.currentIndex()).center())


def choose(menu: QMenu, words: str) -> None:
    """Choose an entry of an open menu with the mouse."""
    action = next(each for each in menu.actions() if each.text().startswith(words))
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def entries(menu: QMenu) -> list[str]:
    return [each.text() for each in menu.actions() if not each.isSeparator()]


def replace_all(edit: QWidget, text: str) -> None:
    """Write something else by keys."""
    edit.setFocus()
    QTest.keyClick(edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(edit, text)


@pytest.fixture
def rag(replaying: Replaying, qtbot: QtBot) -> OpenRun:
    """Return a recording of a RAG pipeline, open in the window."""
    replaying.record("rag", DATA)
    opened = open_file(replaying.program, replaying.path, qtbot)
    replaying.program.window.resize(1280, 900)
    return opened


def pane(program: Program) -> WhatIfPane:
    window = run_window(program)
    window.show_pane("what-if")
    found = window.findChild(WhatIfPane)
    assert found is not None
    return found
