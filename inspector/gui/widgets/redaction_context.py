"""The text that a place stands in: as it is, and as it is in the copy."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.edit_field import EditField
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.widgets.quiet_splitter import QuietSplitter
from inspector.presentation.redaction_places import Piece, PreviewPlace
from inspector.presentation.redaction_preview import RedactionPreview
from inspector.presentation.redaction_words import where_words
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import elided

_LONGEST_TERM = 2_000
_LONGEST_SHOWN = 32
_NOTHING = "The rules found nothing. Write below what has to go."


class RedactionContext(QWidget):
    """Two texts, one above the other; what is selected in the upper one can be taken out, too."""

    term_asked = Signal(str)
    run_asked = Signal(object)  # PreviewPlace

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place: PreviewPlace | None = None
        self._pieces: list[Piece] = []
        self._where = ElidedWords("", strong=True)
        self._go = LinkButton("Show in the run", self._ask_for_run)
        self._now = _Text("The text as it is")
        self._then = _Text("The text in the copy")
        self._add = QPushButton("Take out the selection")
        self._add.setObjectName("add-selection")
        self._add.setAutoDefault(False)
        self._add.clicked.connect(self._ask_for_term)
        self._now.selectionChanged.connect(self._on_selection)
        head = QHBoxLayout()
        head.setSpacing(theme.GAP_PX)
        head.addWidget(self._where, 1)
        head.addWidget(self._go)
        parts = QuietSplitter(Qt.Orientation.Vertical)
        parts.addWidget(_titled("As it is: select to take out more", self._now, self._add))
        parts.addWidget(_titled("In the copy", self._then))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(theme.GRID_PX, 0, 0, 0)
        layout.setSpacing(theme.GRID_PX)
        layout.addLayout(head)
        layout.addWidget(parts, 1)
        theme.changes.changed.connect(self._write)
        self._on_selection()

    @property
    def now(self) -> QPlainTextEdit:
        """The text as it is."""
        return self._now

    @property
    def then(self) -> QPlainTextEdit:
        """The text in the copy."""
        return self._then

    def show_place(self, preview: RedactionPreview | None, place: PreviewPlace | None) -> None:
        """Show what stands around a place; nothing for none."""
        moved = place != self._place
        self._place = place
        self._pieces = []
        if preview is not None and place is not None:
            self._pieces = place.pieces(preview.replaced_in(place))
        self._where.setText(where_words(place) if place else "")
        if preview is not None and not preview.kinds:
            self._where.setText(_NOTHING)
        self._go.setVisible(place is not None)
        self._write(moved=moved)

    @property
    def selected(self) -> str:
        """What is selected in the text as it is, on one line."""
        return " ".join(self._now.textCursor().selectedText().split())

    def _write(self, *, moved: bool = True) -> None:
        tokens = theme.current()
        self._now.write(
            [(p.text, tokens.removed_ground if p.instead else None, p.here) for p in self._pieces],
            tokens.changed_ground, moved=moved,
        )  # fmt: skip
        self._then.write(
            [
                (p.instead or p.text, tokens.added_ground if p.instead else None, p.here)
                for p in self._pieces
            ],
            tokens.changed_ground, moved=moved,
        )  # fmt: skip

    def _on_selection(self) -> None:
        text = self.selected
        self._add.setEnabled(0 < len(text) <= _LONGEST_TERM)
        shown = elided(one_line(text), _LONGEST_SHOWN).replace("&", "&&")
        self._add.setText(f"Take out “{shown}”" if text else "Take out the selection")
        self._add.setAccessibleName("Take out the selection everywhere")

    def _ask_for_term(self) -> None:
        self.term_asked.emit(self.selected)

    def _ask_for_run(self) -> None:
        if self._place is not None:
            self.run_asked.emit(self._place)


class _Text(QPlainTextEdit):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._dress()
        theme.changes.changed.connect(self._dress)

    def write(
        self, pieces: list[tuple[str, QColor | None, bool]], stays: QColor, *, moved: bool
    ) -> None:
        """Show pieces of text on their grounds, with the one that is looked at in sight."""
        scrolled = self.verticalScrollBar().value()
        self.clear()
        cursor = self.textCursor()
        here = 0
        for text, ground, is_here in pieces:
            look = QTextCharFormat()
            if ground is not None:
                look.setBackground(ground)
            elif is_here:
                look.setBackground(stays)
            if is_here:
                look.setFontUnderline(True)
                here = cursor.position()
            cursor.insertText(visible_text(text), look)
        start = self.textCursor()
        start.setPosition(here)
        self.setTextCursor(start)
        if moved:
            self.centerCursor()
        else:
            self.verticalScrollBar().setValue(scrolled)

    def _dress(self) -> None:
        self.setFont(theme.monospace())


def _titled(title: str, text: QPlainTextEdit, button: QPushButton | None = None) -> QWidget:
    part = QWidget()
    head = QHBoxLayout()
    head.setSpacing(theme.GAP_PX)
    head.addWidget(Words(title, step=-1, colour="secondary", wrap=True), 1)
    if button is not None:
        head.addWidget(button)
    layout = QVBoxLayout(part)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(theme.GRID_PX)
    layout.addLayout(head)
    layout.addWidget(EditField(text), 1)
    return part
