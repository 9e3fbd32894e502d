"""A text laid out as Markdown, as inert as the text itself."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QTextEdit, QWidget

from inspector.gui import theme
from inspector.gui.widgets.text_block import InertDocument, lay_out_markdown
from inspector.presentation.visible import visible_text

MOST_LAID_OUT = 100_000
"""Characters that are laid out: Qt needs a tenth of a second for them, and does it at once."""


class MarkdownPage(QTextEdit):
    """Draws headings, lists and tables.

    HTML stays text, pictures are not fetched, and links say where they lead instead of
    leading there.
    """

    escape_pressed = Signal()

    def __init__(self, parent: QWidget | None = None, *, name: str = "Text") -> None:
        super().__init__(parent)
        self._text = ""
        self.setAccessibleName(f"{name}, laid out")
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        theme.changes.changed.connect(self._write)

    def show_text(self, text: str) -> None:
        """Lay a text out, as much of it as is shown."""
        head = visible_text(text[:MOST_LAID_OUT])
        if head != self._text:
            self._text = head
            self._write()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _write(self) -> None:
        document = InertDocument(self)
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(theme.GROUP_GAP_PX)
        document.setDefaultFont(theme.font())
        lay_out_markdown(document, self._text)
        self.setDocument(document)
