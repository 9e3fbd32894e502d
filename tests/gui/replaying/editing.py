"""What a person does to change something of a recording: menus, editors, buttons."""

from typing import TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QPushButton, QTreeView, QWidget

from inspector.gui.app_program import Program
from inspector.gui.workspace.open_run import OpenRun


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
