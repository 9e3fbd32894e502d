"""What was said and made in a task, as it comes."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QStackedLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.presentation.a2a_talk import Saying

_NOTHING = "Nothing was said yet."
_LONGEST_LINE = 1_000  # characters; longer ones take a text view longer than a frame
_INKS = {"user": "component", "agent": "agent", "asks": "changed", "made": "tool",
         "failed": "failed"}  # fmt: skip
_MARKS = {"user": "→", "agent": "←", "asks": "❙❙", "made": "■", "failed": "✕"}


class A2ATalk(QWidget):
    """Text that grows at its end, and follows it while its end is in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._empty = EmptyWords(words=_NOTHING)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setUndoRedoEnabled(False)
        self._text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._text.setAccessibleName("What was said and made")
        self._text.document().setDocumentMargin(theme.GROUP_GAP_PX)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._text)
        self.setFocusProxy(self._text)
        self._said: tuple[Saying, ...] = ()
        self._column = 0
        theme.changes.changed.connect(self._write_all)

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text.toPlainText()

    def show_sayings(self, said: Sequence[Saying]) -> None:
        """Show these; what only grew at its end is written on there."""
        new, old = tuple(said), self._said
        if new == old:
            return
        self._said = new
        self._pages.setCurrentIndex(1 if new else 0)
        bar = self._text.verticalScrollBar()
        was, at_end = bar.value(), bar.value() >= bar.maximum() - 2
        if old and new[: len(old) - 1] == old[:-1] and _grew(old[-1], new[len(old) - 1 :]):
            cursor = self._end()
            cursor.beginEditBlock()  # it is laid out once
            self._insert(cursor, new[len(old) - 1].text[len(old[-1].text) :])
            for each in new[len(old) :]:
                self._write(cursor, each)
            cursor.endEditBlock()
        else:
            self._write_all()
        bar.setValue(bar.maximum() if at_end else min(was, bar.maximum()))

    def _write_all(self) -> None:
        self._text.setFont(theme.monospace())
        self._text.clear()
        cursor = self._end()
        cursor.beginEditBlock()
        for each in self._said:
            self._write(cursor, each)
        cursor.endEditBlock()

    def _write(self, cursor: QTextCursor, each: Saying) -> None:
        head = _look(_INKS[each.kind], strong=True)
        if not cursor.atStart():
            cursor.insertBlock(QTextBlockFormat(), _look("text"))
            cursor.insertBlock(QTextBlockFormat(), head)
        cursor.insertText(f"{_MARKS[each.kind]} {each.title}", head)
        cursor.insertBlock(QTextBlockFormat(), _look("text"))
        self._column = 0
        self._insert(cursor, each.text)

    def _insert(self, cursor: QTextCursor, text: str) -> None:
        look = _look("text")
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


def _grew(before: Saying, now: Sequence[Saying]) -> bool:
    if not now or now[0][:2] != before[:2]:
        return False
    return now[0].text.startswith(before.text)


def _look(colour: str, *, strong: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(getattr(theme.current(), colour))
    made.setFont(theme.font(-1, strong=True) if strong else theme.monospace())
    return made
