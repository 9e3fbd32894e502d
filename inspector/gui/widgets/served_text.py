"""Text that grows at its end, and follows it while its end is in sight."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QStackedLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords

_LONGEST_LINE = 1_000  # characters; longer ones take a text view longer than a frame


class ServedText(QWidget):
    """Shows what comes from a server piece by piece.

    Args:
        name: Of the text, for those who hear it.
        nothing: What stands there before anything has come.

    """

    def __init__(self, name: str, nothing: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._empty = EmptyWords(words=nothing)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setUndoRedoEnabled(False)
        self._text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._text.setAccessibleName(name)
        self._text.document().setDocumentMargin(theme.GROUP_GAP_PX)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._text)
        self.setFocusProxy(self._text)
        self._column = 0
        theme.changes.changed.connect(self._write_all)

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text.toPlainText()

    def _write_all(self) -> None:
        """Write everything anew, in the colours of now."""

    @contextmanager
    def _follow_end(self) -> Iterator[None]:
        bar = self._text.verticalScrollBar()
        was, at_end = bar.value(), bar.value() >= bar.maximum() - 2
        yield
        bar.setValue(bar.maximum() if at_end else min(was, bar.maximum()))

    def _insert(self, cursor: QTextCursor, text: str, look: QTextCharFormat) -> None:
        """Write on where the last line ends, and break lines that are too long to be laid out."""
        for number, whole in enumerate(text.split("\n")):
            line = whole
            if number:
                cursor.insertText("\n", look)
                self._column = 0
            while self._column + len(line) > _LONGEST_LINE:
                head = _LONGEST_LINE - self._column
                cursor.insertText(f"{line[:head]}\n", look)
                line, self._column = line[head:], 0
            cursor.insertText(line, look)
            self._column += len(line)

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self._text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor


def ink(colour: str, font: QFont | None = None) -> QTextCharFormat:
    """Return how text is written in a colour; in the fixed font unless another is given."""
    made = QTextCharFormat()
    made.setForeground(getattr(theme.current(), colour))
    made.setFont(font or theme.monospace())
    return made
