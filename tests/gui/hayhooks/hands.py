"""What a person does with the forms and dialogs of durable executions."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from inspector.gui.app_program import Program


def dialog(program: Program) -> QDialog:
    """Return the one dialog that is open."""
    found = [each for each in program.window.findChildren(QDialog) if each.isVisible()]
    assert len(found) == 1, [each.windowTitle() for each in found]
    return found[0]


def named(parent: QWidget, name: str) -> QWidget:
    """Return what has this accessible name, or begins with it and a comma."""
    found = [
        each
        for each in parent.findChildren(QWidget)
        if each.isVisible() and each.accessibleName().partition(",")[0] == name
        and isinstance(each, QAbstractButton | QLineEdit | QPlainTextEdit)
    ]  # fmt: skip
    assert len(found) == 1, (name, found)
    return found[0]


def click(parent: QWidget, name: str) -> None:
    """Click what has this object name."""
    button = parent.findChild(QAbstractButton, name)
    assert isinstance(button, QAbstractButton)
    assert button.isVisible()
    assert button.isEnabled()
    at = button.rect().center()
    at.setX(min(at.x(), 8))  # radio buttons and boxes are pressed at their mark or words
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=at)


def write(parent: QWidget, name: str, text: str) -> None:
    """Type into the field of this name, in place of what is there."""
    field = named(parent, name)
    assert isinstance(field, QLineEdit | QPlainTextEdit)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def choose(parent: QWidget, name: str, words: str) -> None:
    """Choose what is called so in the box of this object name, with the keys."""
    box = parent.findChild(QComboBox, name)
    assert isinstance(box, QComboBox)
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    for _ in range(box.count()):
        if box.currentText().partition("  on ")[0] == words:
            return
        QTest.keyClick(box, Qt.Key.Key_Down)
    raise AssertionError(f"{words} is no choice")
