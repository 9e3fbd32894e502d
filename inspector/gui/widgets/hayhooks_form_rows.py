"""The rows of a form: a title, a place for the value, and what is wrong with it."""

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.hayhooks_fields import (
    ChoiceEditor,
    FieldEditor,
    JsonEditor,
    NumberEditor,
    SwitchEditor,
    TextEditor,
)
from inspector.gui.widgets.labels import Icon, Words
from inspector.gui.widgets.plain import Hairline, IconButton
from inspector.presentation.json_form import NOTHING, Field
from inspector.presentation.json_form_check import Path

_MOST_ITEMS = 200
_EDITORS: Mapping[str, Callable[[Field, str], FieldEditor]] = {
    "text": TextEditor, "integer": NumberEditor, "number": NumberEditor, "switch": SwitchEditor,
    "choice": ChoiceEditor, "json": JsonEditor,
}  # fmt: skip


class FormRow(QWidget):
    """One value: its title, what its author says of it, where it is given, what is wrong."""

    changed = Signal()
    done = Signal()

    def __init__(self, field: Field, *, title: str = "", is_whole: bool = False) -> None:
        super().__init__()
        self.field = field
        self._title = title or field.title
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        self._head = QHBoxLayout()
        self._head.setSpacing(theme.GAP_PX)
        self.editor = _editor(field, self._spoken(), is_whole=is_whole)
        if not is_whole:
            self._head.addWidget(Words(self._title, strong=True))
            self._head.addWidget(
                Words("" if field.required else "optional", step=-1, colour="secondary")
            )
            self._head.addStretch(1)
            layout.addLayout(self._head)
        if field.description:
            said = Words(field.description, step=-1, colour="secondary", wrap=True)
            said.setAccessibleName(f"About {self._title}")
            layout.addWidget(said)
        layout.addWidget(self.editor)
        self._wrong_place = QWidget()
        wrong = QHBoxLayout(self._wrong_place)
        wrong.setContentsMargins(0, 2, 0, 0)
        wrong.setSpacing(theme.GRID_PX)
        wrong.addWidget(Icon("failed", colour="failed", size_px=14), 0, Qt.AlignmentFlag.AlignTop)
        self._wrong = Words("", step=-1, colour="failed", wrap=True)
        self._wrong.setObjectName("problem")
        wrong.addWidget(self._wrong, 1)
        self._wrong_place.hide()
        layout.addWidget(self._wrong_place)
        self.editor.changed.connect(self._on_changed)
        self.editor.done.connect(self.done)

    def add_to_head(self, widget: QWidget) -> None:
        """Put something at the right of the title."""
        self._head.addWidget(widget)

    @property
    def problem(self) -> str:
        """What is said to be wrong."""
        return "" if self._wrong_place.isHidden() else self._wrong.text()

    def say_wrong(self, words: str) -> None:
        """Say what is wrong with the value; empty words take that away."""
        self._wrong.setText(words)
        self._wrong_place.setVisible(bool(words))
        proxy = self.editor.focusProxy() or self.editor
        proxy.setAccessibleDescription(words)

    def _on_changed(self) -> None:
        self.say_wrong("")
        self.changed.emit()

    def _spoken(self) -> str:
        return f"{self._title}, {'required' if self.field.required else 'optional'}"


class ObjectEditor(FieldEditor):
    """Several values under names."""

    def __init__(self, field: Field, name: str, *, is_whole: bool = False) -> None:
        super().__init__(field, name)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        self._given: QCheckBox | None = None
        self._body = QWidget()
        if not is_whole and (not field.required or field.nullable):
            self._given = QCheckBox("Give it")
            self._given.setAccessibleName(f"{name}: give it")
            self._given.toggled.connect(self._body.setVisible)
            self._given.toggled.connect(lambda _on: self.changed.emit())
            self._body.hide()
            layout.addWidget(self._given)
        row = QHBoxLayout(self._body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GROUP_GAP_PX)
        if not is_whole:
            row.addWidget(Hairline(upright=True))
        column = QVBoxLayout()
        column.setSpacing(theme.GROUP_GAP_PX)
        row.addLayout(column, 1)
        layout.addWidget(self._body)
        self.rows = {each.name: FormRow(each) for each in field.fields}
        for each in self.rows.values():
            column.addWidget(each)
            each.changed.connect(self.changed)
            each.done.connect(self.done)

    def read(self) -> Any:
        if self._given is not None and not self._given.isChecked():
            return None if self.field.required else NOTHING
        read = {name: row.editor.read() for name, row in self.rows.items()}
        return {name: value for name, value in read.items() if value is not NOTHING}

    def write(self, value: Any) -> None:
        known = value if isinstance(value, Mapping) else {}
        if self._given is not None:
            self._given.setChecked(isinstance(value, Mapping))
        for name, row in self.rows.items():
            row.editor.write(known.get(name, row.field.default))


class ListEditor(FieldEditor):
    """Several values in a row, each of which may be taken away."""

    grown = Signal()

    def __init__(self, field: Field, name: str) -> None:
        super().__init__(field, name)
        self.rows: list[FormRow] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        body = QHBoxLayout()
        body.setSpacing(theme.GROUP_GAP_PX)
        body.addWidget(Hairline(upright=True))
        self._column = QVBoxLayout()
        self._column.setSpacing(theme.GAP_PX)
        body.addLayout(self._column, 1)
        layout.addLayout(body)
        self._add = QPushButton("Add")
        self._add.setObjectName("add")
        self._add.setAutoDefault(False)
        self._add.setAccessibleName(f"Add to {name}")
        self._add.clicked.connect(self._on_add)
        self._column.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)

    def read(self) -> Any:
        if not self.rows and not self.field.required:
            return NOTHING
        return [row.editor.read() for row in self.rows]

    def write(self, value: Any) -> None:
        for row in list(self.rows):
            self._remove(row)
        for item in (value if isinstance(value, list) else [])[:_MOST_ITEMS]:
            self._append().editor.write(item)

    def _on_add(self) -> None:
        row = self._append()
        row.editor.write(row.field.default)
        (row.editor.focusProxy() or row.editor).setFocus(Qt.FocusReason.OtherFocusReason)
        self.changed.emit()

    def _append(self) -> FormRow:
        assert self.field.item is not None
        number = len(self.rows) + 1
        row = FormRow(self.field.item, title=f"{self.field.title} {number}")
        remove = IconButton("remove", f"Take {self.field.title} {number} away")
        remove.clicked.connect(lambda _checked=False, row=row: self._on_remove(row))
        row.add_to_head(remove)
        row.changed.connect(self.changed)
        row.done.connect(self.done)
        self.rows.append(row)
        self._column.insertWidget(self._column.count() - 1, row)
        row.show()  # at once: who has added it goes on in it
        self._add.setEnabled(len(self.rows) < _MOST_ITEMS)
        return row

    def _on_remove(self, row: FormRow) -> None:
        self._remove(row)
        self.changed.emit()

    def _remove(self, row: FormRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._add.setEnabled(True)


def _editor(field: Field, name: str, *, is_whole: bool = False) -> FieldEditor:
    if field.kind == "object":
        return ObjectEditor(field, name, is_whole=is_whole)
    if field.kind == "list" and field.item is not None:
        return ListEditor(field, name)
    return _EDITORS.get(field.kind, JsonEditor)(field, name)


def rows_in(row: FormRow, path: Path = ()) -> list[tuple[Path, FormRow]]:
    """Return a row and all inside it, by where their values stand."""
    found = [(path, row)]
    match row.editor:
        case ObjectEditor() as editor:
            inner: list[tuple[str | int, FormRow]] = list(editor.rows.items())
        case ListEditor() as editor:
            inner = list(enumerate(editor.rows))
        case _:
            inner = []
    for step, each in inner:
        found += rows_in(each, (*path, step))
    return found
