"""Edits the documents that a call gave back: takes out, adds, reorders, and what is in one."""

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from inspector.errors import InspectorError
from inspector.gui import theme
from inspector.gui.dialogs.change_dialog import ChangeDialog, Fault
from inspector.gui.widgets.cells_view import CellsView
from inspector.gui.widgets.edit_field import CodeField, EditField
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.plain import IconButton
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.presentation.edited_documents import TITLES, EditedDocuments, title_words
from inspector.presentation.edited_value import from_json

if TYPE_CHECKING:
    from inspector.presentation.what_if_places import Place

_META_LINES = 4


class DocumentsDialog(ChangeDialog):
    """A table of the documents with the selected one below it, field by field."""

    def __init__(
        self,
        place: "Place",
        now: dict[str, Any],
        fault: Fault,
        at: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(place, fault, parent)
        self._edited = EditedDocuments.of(now, place.recorded)
        self._at = min(at, len(self._edited.documents) - 1)
        self._showing = False
        self._faulty = ""  # what is wrong in a field of the selected document
        self._count = Words(step=-1, colour="secondary")
        self._table = CellsView(TITLES, "Documents as they are to be", (13, 10, 20, 0.99))
        self._table.row_changed.connect(self._on_row_changed)
        self._score = QLineEdit()
        self._score.setAccessibleName("Score")
        self._score.setPlaceholderText("none")
        self._score.setFixedWidth(theme.row_height() * 5)
        self._content = CodeField("Content")
        self._meta = CodeField("Meta, as JSON")
        line = self._meta.fontMetrics().lineSpacing()
        self._meta.setFixedHeight(_META_LINES * line + 2 * theme.GAP_PX)
        self._buttons_row = (
            IconButton("up", "Move it up (Alt+Up)", lambda: self._move(-1)),
            IconButton("down", "Move it down (Alt+Down)", lambda: self._move(1)),
            IconButton("add", "Add a document below", self.add),
            IconButton("remove", "Take it out (Delete)", self.remove),
        )
        self._lay_out()
        for keys, do in (("Alt+Up", -1), ("Alt+Down", 1)):
            QShortcut(QKeySequence(keys), self, lambda do=do: self._move(do))
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self._table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self.remove)
        self._score.textEdited.connect(lambda _text: self._on_typed())
        self._content.textChanged.connect(self._on_typed)
        self._meta.textChanged.connect(self._on_typed)
        self._show()
        self._table.setFocus()
        self.resize(760, 620)
        self.check()

    @property
    def table(self) -> CellsView:
        return self._table

    @property
    def content(self) -> CodeField:
        return self._content

    @property
    def score(self) -> QLineEdit:
        return self._score

    @property
    def meta(self) -> CodeField:
        return self._meta

    def value(self) -> Any:
        if self._faulty:
            raise InspectorError(self._faulty)
        return self._edited.value()

    def reset(self) -> None:
        self._edited = EditedDocuments.of(self.place.recorded, self.place.recorded)
        self._at = max(0, min(self._at, len(self._edited.documents) - 1))
        self._show()
        self.check()

    def add(self) -> None:
        """Add an empty document below the selected one, and go there."""
        if self._must_stay():
            return
        self._edited = self._edited.with_new(self._at)
        self._at = min(self._at + 1, len(self._edited.documents) - 1)
        self._show()
        self._content.setFocus()
        self.check()

    def remove(self) -> None:
        """Take the selected document out."""
        if not self._edited.documents:
            return
        self._edited = self._edited.without(self._at)
        self._at = max(0, min(self._at, len(self._edited.documents) - 1))
        self._show()
        self.check()

    def _move(self, by: int) -> None:
        to = self._at + by
        if self._must_stay():
            return
        if 0 <= self._at < len(self._edited.documents) and 0 <= to < len(self._edited.documents):
            self._edited = self._edited.moved(self._at, to)
            self._at = to
            self._show()
            self.check()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(theme.GRID_PX)
        head.addWidget(self._count, 1)
        for button in self._buttons_row:
            head.addWidget(button)
        self.body.addLayout(head)
        form = QGridLayout()
        form.setContentsMargins(0, theme.GRID_PX, 0, 0)
        form.setHorizontalSpacing(theme.GAP_PX)
        form.setVerticalSpacing(theme.GRID_PX)
        form.setColumnStretch(1, 1)
        form.setRowStretch(1, 1)
        rows: tuple[tuple[str, QWidget], ...] = (
            ("Score", self._score), ("Content", EditField(self._content)),
            ("Meta", EditField(self._meta)),
        )  # fmt: skip
        for row, (words, widget) in enumerate(rows):
            name = Words(words, step=-1, colour="secondary")
            name.setContentsMargins(0, theme.GRID_PX, 0, 0)
            form.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            side = Qt.AlignmentFlag.AlignLeft if widget is self._score else Qt.AlignmentFlag(0)
            form.addWidget(widget, row, 1, side)
        below = QWidget()
        below.setLayout(form)
        parts = QuietSplitter(Qt.Orientation.Vertical, self)
        parts.addWidget(self._table)
        parts.addWidget(below)
        parts.setSizes([220, 320])
        place = QVBoxLayout()
        place.addWidget(parts)
        self.body.addLayout(place, 1)

    def _show(self) -> None:
        """Show the list, and the fields of the selected document."""
        self._list()
        self._showing = True
        self._faulty = ""
        documents = self._edited.documents
        document = documents[self._at] if 0 <= self._at < len(documents) else None
        for field in (self._score, self._content, self._meta):
            field.setEnabled(document is not None)
        for button in self._buttons_row[:2]:
            button.setEnabled(len(documents) > 1)
        self._buttons_row[3].setEnabled(document is not None)
        score = document.get("score") if document else None
        self._score.setText("" if score is None else json.dumps(score))
        self._score.setCursorPosition(0)
        content = document.get("content") if document else ""
        is_text = content is None or isinstance(content, str)
        self._content.setPlainText(content or "" if is_text else "")
        self._content.setReadOnly(not is_text)
        meta = document.get("meta") if document else None
        self._meta.setPlainText(json.dumps(meta or {}, ensure_ascii=False, indent=2))
        self._showing = False

    def _list(self) -> None:
        self._count.setText(title_words(self._edited))
        self._table.show_rows(self._edited.rows())
        self._table.make_current(self._at if self._edited.documents else None)

    def _on_row_changed(self, key: int) -> None:
        if key == self._at:
            return
        if self._must_stay():
            self._table.make_current(self._at)
            return
        self._at = key
        self._show()
        self.check()

    def _must_stay(self) -> bool:
        """Say whether a field holds what is nothing yet, which would be lost; say what."""
        return bool(self._faulty) and not self.check()

    def _on_typed(self) -> None:
        if self._showing or not self._edited.documents:
            return
        self._faulty = ""
        document = self._edited.documents[self._at]
        edited = self._edited
        if (document.get("content") or "") != self._content.toPlainText() and (
            not self._content.isReadOnly()
        ):
            edited = edited.changed(self._at, "content", self._content.toPlainText())
        try:
            score = _score(self._score.text())
            if score != document.get("score"):
                edited = edited.changed(self._at, "score", score)
        except InspectorError as error:
            self._faulty = str(error)
        try:
            meta = from_json(self._meta.toPlainText())
            if not isinstance(meta, dict):
                raise InspectorError("it is an object, such as {}.")
            if meta != (document.get("meta") or {}):
                edited = edited.changed(self._at, "meta", meta)
        except InspectorError as error:
            self._faulty = self._faulty or f"Meta: {error}"
        self._edited = edited
        self._list()
        self.look_later()


def _score(text: str) -> float | int | None:
    """Return the score that was written; none for an empty line.

    Raises:
        InspectorError: It is no number.

    """
    if not text.strip():
        return None
    try:
        found = from_json(text)
    except InspectorError:
        found = None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise InspectorError(f"The score {text.strip()[:20]!r} is no number.")
    return found
