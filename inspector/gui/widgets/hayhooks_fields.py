"""Where a person gives one value of a form: text, a number, yes or no, one of several, JSON.

Each reads as the value, as `NOTHING` where nothing was given, or as `Wrong` with the reason.
"""

import json
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.widgets.edit_field import EditField
from inspector.gui.widgets.json_edit import JsonEdit
from inspector.presentation.json_form import NOTHING, Field
from inspector.presentation.json_form_check import json_from, number_from
from inspector.presentation.visible import one_line

_MOST_LINES = 9
_LONGEST_TEXT = 1_000_000
_LONGEST_CHOICE = 120


class Wrong(NamedTuple):
    """What was written is no value at all."""

    words: str


class FieldEditor(QWidget):
    """What all of them have; `changed` comes with every change that a person makes."""

    changed = Signal()
    done = Signal()  # Ctrl+Enter

    def __init__(self, field: Field, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self.name = name
        self._null: QCheckBox | None = None

    def read(self) -> Any:
        """Return the value; `NOTHING` when none was given; `Wrong` when it is none."""
        if self._null is not None and self._null.isChecked():
            return None
        return self._read()

    def write(self, value: Any) -> None:
        """Show a value; `NOTHING` empties it."""
        if self._null is not None:
            self._null.setChecked(value is None)
        self._write(NOTHING if value is None else value)

    def null_box(self, *others: QWidget) -> QCheckBox | None:
        """Return a box that makes the value null, where that is another thing than leaving it."""
        field = self.field
        if not field.nullable or not (field.required or field.default not in (None, NOTHING)):
            return None
        box = self._null = QCheckBox("null")
        box.setAccessibleName(f"{self.name}: null")
        for each in others:
            box.toggled.connect(each.setDisabled)
        box.toggled.connect(lambda _on: self.changed.emit())
        return box

    def _read(self) -> Any:
        raise NotImplementedError

    def _write(self, value: Any) -> None:
        raise NotImplementedError


class GrowingText(QPlainTextEdit):
    """One line to begin with, and as many as its text has, up to nine. Tab leaves it."""

    done = Signal()

    def __init__(self, name: str, *, least: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._least = least
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(3)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.textChanged.connect(self._grow)
        theme.changes.changed.connect(self._grow)
        self._grow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.done.emit()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def _grow(self) -> None:
        lines = min(max(self._least, self.document().lineCount()), _MOST_LINES)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + 8)


class TextEditor(FieldEditor):
    """Text of any length."""

    def __init__(self, field: Field, name: str) -> None:
        super().__init__(field, name)
        self._edit = GrowingText(name, least=4 if field.is_long else 1)
        self._edit.setObjectName("text")
        self._edit.textChanged.connect(self.changed)
        self._edit.done.connect(self.done)
        _lay_out(self, EditField(self._edit), self.null_box(self._edit))
        self.setFocusProxy(self._edit)

    def _read(self) -> Any:
        text = self._edit.toPlainText()[:_LONGEST_TEXT]
        if text:
            return text
        # An empty text is a value where the default was one, and was taken away.
        was_taken_away = isinstance(self.field.default, str) and bool(self.field.default)
        return "" if was_taken_away else NOTHING

    def _write(self, value: Any) -> None:
        self._edit.setPlainText(value if isinstance(value, str) else "")


class NumberEditor(FieldEditor):
    """A number, as it is written: no step would suit all of them."""

    def __init__(self, field: Field, name: str) -> None:
        super().__init__(field, name)
        self._line = QLineEdit()
        self._line.setObjectName("number")
        self._line.setAccessibleName(name)
        self._line.setMaxLength(100)
        self._line.setMaximumWidth(self.fontMetrics().averageCharWidth() * 28)
        whole = field.kind == "integer"
        self._line.setPlaceholderText("a whole number" if whole else "a number")
        self._line.textEdited.connect(lambda _text: self.changed.emit())
        self._line.returnPressed.connect(self.done)
        _lay_out(self, self._line, self.null_box(self._line), stretch=True)
        self.setFocusProxy(self._line)

    def _read(self) -> Any:
        text = self._line.text()
        if not text.strip():
            return NOTHING
        whole = self.field.kind == "integer"
        number = number_from(text, whole=whole)
        if number is None:
            return Wrong("This takes a whole number." if whole else "This takes a number.")
        return number

    def _write(self, value: Any) -> None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        self._line.setText(str(value) if is_number else "")


class SwitchEditor(FieldEditor):
    """Yes or no; neither until somebody says so, where the schema has no default."""

    def __init__(self, field: Field, name: str) -> None:
        super().__init__(field, name)
        self._yes, self._no = QRadioButton("Yes"), QRadioButton("No")
        for button, word in ((self._yes, "yes"), (self._no, "no")):
            button.setObjectName(word)
            button.setAccessibleName(f"{name}: {word}")
            button.toggled.connect(lambda _on: self.changed.emit())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * theme.GROUP_GAP_PX)
        row.addWidget(self._yes)
        row.addWidget(self._no)
        if (box := self.null_box(self._yes, self._no)) is not None:
            row.addWidget(box)
        row.addStretch(1)
        self.setFocusProxy(self._yes)

    def _read(self) -> Any:
        if self._yes.isChecked():
            return True
        return False if self._no.isChecked() else NOTHING

    def _write(self, value: Any) -> None:
        for button, means in ((self._yes, True), (self._no, False)):
            button.setAutoExclusive(False)
            button.setChecked(value is means)
            button.setAutoExclusive(True)


class ChoiceEditor(FieldEditor):
    """One of several values."""

    def __init__(self, field: Field, name: str) -> None:
        super().__init__(field, name)
        self._box = QComboBox()
        self._box.setObjectName("choice")
        self._box.setAccessibleName(name)
        self._box.addItem("Choose…" if field.required else "Left out")
        for choice in field.choices:
            spelled = choice if isinstance(choice, str) else json.dumps(choice, ensure_ascii=False)
            self._box.addItem(one_line(spelled)[:_LONGEST_CHOICE] or "(empty)")
        if field.nullable:
            self._box.addItem("null")
        self._box.activated.connect(lambda _place: self.changed.emit())
        _lay_out(self, self._box, None, stretch=True)
        self.setFocusProxy(self._box)

    def _read(self) -> Any:
        place = self._box.currentIndex()
        if place <= 0:
            return NOTHING
        return self.field.choices[place - 1] if place <= len(self.field.choices) else None

    def write(self, value: Any) -> None:
        if value is None and self.field.nullable and self.field.default is not None:
            self._box.setCurrentIndex(self._box.count() - 1)
        else:
            self._write(NOTHING if value is None else value)

    def _write(self, value: Any) -> None:
        alike = [
            place
            for place, choice in enumerate(self.field.choices)
            if type(choice) is type(value) and choice == value
        ]
        self._box.setCurrentIndex(alike[0] + 1 if alike else 0)


class JsonEditor(FieldEditor):
    """Anything, written as JSON."""

    def __init__(self, field: Field, name: str) -> None:
        super().__init__(field, name)
        self._edit = JsonEdit(name)
        self._edit.setObjectName("json")
        self._edit.setPlaceholderText("JSON")
        self._edit.textChanged.connect(self.changed)
        self._edit.done.connect(self.done)
        self._edit.setFixedHeight(5 * self._edit.fontMetrics().lineSpacing() + 2 * theme.GAP_PX)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(EditField(self._edit))
        self.setFocusProxy(self._edit)

    def _read(self) -> Any:
        text = self._edit.toPlainText()[:_LONGEST_TEXT]
        if not text.strip():
            return NOTHING
        value, problem = json_from(text)
        return Wrong(problem) if problem else value

    def write(self, value: Any) -> None:
        is_left = value is NOTHING or (value is None and self.field.default is None)
        self._edit.setPlainText("" if is_left else json_spelled(value))

    def _write(self, value: Any) -> None:
        self.write(value)


def json_spelled(value: Any) -> str:
    """Return a value as JSON that one can read and change."""
    return json.dumps(value, ensure_ascii=False, indent=2)


class WheelPasses(QObject):
    """Has the wheel scroll the form, and not the choice that happens to be below the mouse."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Wheel and isinstance(watched, QComboBox):
            event.ignore()
            return True
        return super().eventFilter(watched, event)


def _lay_out(
    editor: QWidget, first: QWidget, second: QWidget | None, *, stretch: bool = False
) -> None:
    row = QHBoxLayout(editor)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(theme.GAP_PX)
    row.addWidget(first, 1 if not stretch else 0)
    if second is not None:
        row.addWidget(second)
    if stretch:
        row.addStretch(1)
