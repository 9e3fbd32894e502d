"""What a template would make: messages under their roles, with what is new in them marked."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QWidget

from inspector.gui import theme
from inspector.presentation.visible import visible_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.template_preview import PreviewPart

_INKS = {"system": "secondary", "user": "accent", "assistant": "llm"}


class PreviewView(QTextBrowser):
    """Plain text only, and nothing is ever loaded: it is made of a template and of a file."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: tuple[PreviewPart, ...] = ()
        self._words = ""
        self._failed = False
        self.setAccessibleName("Preview of the prompt")
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(theme.GAP_PX)
        theme.changes.changed.connect(self._write)

    def show_parts(self, shown: "Sequence[PreviewPart]") -> None:
        """Show other messages."""
        self._shown, self._words = tuple(shown), ""
        self._write()

    def say(self, words: str, *, failed: bool = False) -> None:
        """Say something where there is no preview."""
        self._shown, self._words, self._failed = (), words, failed
        self._write()

    def loadResource(self, _type: int, _name: QUrl | str) -> Any:
        return None

    def _write(self) -> None:
        place = self.verticalScrollBar().value()
        self.clear()
        cursor = QTextCursor(self.document())
        if self._words:
            ink = "failed" if self._failed else "secondary"
            cursor.insertText(f"✕ {self._words}" if self._failed else self._words,
                              _look(theme.font(), ink))  # fmt: skip
        for number, part in enumerate(self._shown):
            if part.role:
                if number:
                    _paragraph(cursor, theme.GROUP_GAP_PX)
                words = part.role[:1].upper() + part.role[1:]
                ink = _INKS.get(part.role, "secondary")
                cursor.insertText(visible_text(words), _look(theme.font(-1, strong=True), ink))
                _paragraph(cursor, 2)
            elif number:
                _paragraph(cursor, theme.GROUP_GAP_PX)
            for stretch in part.parts:
                look = _look(theme.monospace(), "text")
                if stretch.kind == "right":
                    look.setBackground(theme.current().added_ground)
                    look.setFontUnderline(True)
                shown = visible_text(stretch.text).replace("\n", "\u2028")
                cursor.insertText(shown, look)
            if part.note:
                _paragraph(cursor, 2)
                cursor.insertText(part.note, _look(theme.font(-1), "secondary"))
        self.verticalScrollBar().setValue(place)  # typing shall not move what is read


def _paragraph(cursor: QTextCursor, above_px: int) -> None:
    block = QTextBlockFormat()
    block.setTopMargin(above_px)
    cursor.insertBlock(block, QTextCharFormat())


def _look(font: QFont, colour: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font)
    made.setForeground(getattr(theme.current(), colour))
    return made
