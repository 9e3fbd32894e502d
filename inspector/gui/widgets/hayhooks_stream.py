"""What an execution streams, as it comes: attempt under attempt, the abandoned ones marked."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QStackedLayout, QWidget

from inspector.gui import theme
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.presentation.chunk_text import AttemptText, Piece
from inspector.presentation.words import plural

_NOTHING = "Nothing was streamed yet. What the execution streams stands here as it comes."
_LONGEST_LINE = 1_000  # characters; longer ones take a text view longer than a frame
_MOST_SHOWN = 400_000


class HayhooksStream(QWidget):
    """Text that grows at its end, and follows it while its end is in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._empty = EmptyWords(words=_NOTHING)
        self._text = QPlainTextEdit()
        self._text.setReadOnly(True)
        self._text.setUndoRedoEnabled(False)
        self._text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._text.setAccessibleName("What was streamed")
        self._text.document().setDocumentMargin(theme.GROUP_GAP_PX)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self._text)
        self.setFocusProxy(self._text)
        self._attempts: Sequence[AttemptText] = ()
        self._current = 0
        self._written: list[list[int]] = []  # characters of each piece of each attempt
        self._column = 0
        theme.changes.changed.connect(self._write_all)
        self._text.setFont(theme.monospace())

    @property
    def text(self) -> str:
        """What is shown."""
        return self._text.toPlainText()

    def say_nothing(self, words: str) -> None:
        """Say why nothing is there."""
        self._empty.say(words)

    def show_attempts(self, attempts: Sequence[AttemptText], current: int) -> None:
        """Show what each attempt streamed so far; those before `current` were abandoned."""
        same = len(attempts) == len(self._attempts) and current == self._current
        self._attempts, self._current = tuple(attempts), current
        if not attempts:
            self._pages.setCurrentIndex(0)
            return
        self._pages.setCurrentIndex(1)
        if not same:
            self._write_all()
            return
        bar = self._text.verticalScrollBar()
        was, at_end = bar.value(), bar.value() >= bar.maximum() - 2
        self._append(len(attempts) - 1)
        bar.setValue(bar.maximum() if at_end else was)

    def _write_all(self) -> None:
        bar = self._text.verticalScrollBar()
        was, at_end = bar.value(), bar.value() >= bar.maximum() - 2
        self._text.setFont(theme.monospace())
        self._text.clear()
        self._written = [[] for _ in self._attempts]
        several = len(self._attempts) > 1 or any(each.attempt > 1 for each in self._attempts)
        for place, each in enumerate(self._attempts):
            if several or each.attempt < self._current:
                self._write_head(each)
            self._append(place)
        bar.setValue(bar.maximum() if at_end else was)

    def _write_head(self, each: AttemptText) -> None:
        cursor = self._end()
        is_first = self._text.document().isEmpty()
        if not is_first:
            cursor.insertBlock(_block(), _look("secondary"))
        abandoned = each.attempt < self._current
        words = f"Attempt {each.attempt}"
        if abandoned:
            words += f" · abandoned after {plural(each.chunks, 'chunk')}: nothing of it counts"
        head = _look("changed" if abandoned else "text", strong=True)
        if is_first:
            cursor.setBlockFormat(_block())
        else:
            cursor.insertBlock(_block(), head)
        cursor.insertText(f"{'⊘ ' if abandoned else '● '}{words}", head)
        cursor.insertBlock(_block(), _look("text"))
        self._column = 0

    def _append(self, place: int) -> None:
        """Write what one attempt has more than is there."""
        each, written = self._attempts[place], self._written[place]
        cursor = self._end()
        ink = "secondary" if each.attempt < self._current else "text"
        if self._text.document().characterCount() > _MOST_SHOWN:
            return
        for number, piece in enumerate(each.pieces):
            if number == len(written):
                written.append(0)
                self._begin_piece(cursor, each.pieces, number)
            more = piece.text[written[number] :]
            if more:
                written[number] = len(piece.text)
                self._insert(cursor, more, _look(_ink_of(piece, ink)))

    def _begin_piece(self, cursor: QTextCursor, pieces: Sequence[Piece], number: int) -> None:
        piece = pieces[number]
        if number:
            cursor.insertText("\n\n" if piece.kind == "text" else "\n", _look("secondary"))
            self._column = 0
        if piece.kind != "text" and piece.title:
            cursor.insertText(f"{_MARKS[piece.kind]} {piece.title}  ", _look("secondary"))

    def _insert(self, cursor: QTextCursor, text: str, look: QTextCharFormat) -> None:
        for line_number, line in enumerate(text.split("\n")):
            if line_number:
                cursor.insertText("\n", look)
                self._column = 0
            while self._column + len(line) > _LONGEST_LINE:
                head = _LONGEST_LINE - self._column
                cursor.insertText(f"{line[:head]}\n", look)
                line, self._column = line[head:], 0  # noqa: PLW2901 - what is left of it
            cursor.insertText(line, look)
            self._column += len(line)

    def _end(self) -> QTextCursor:
        cursor = QTextCursor(self._text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor


_MARKS = {"reasoning": "∴", "tool": "→", "result": "←", "other": "·"}


def _ink_of(piece: Piece, ink: str) -> str:
    if ink == "secondary" or piece.kind == "text":
        return ink
    return {"tool": "tool", "result": "tool"}.get(piece.kind, "secondary")


def _look(colour: str, *, strong: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(getattr(theme.current(), colour))
    font = theme.font(strong=True) if strong else theme.monospace()
    made.setFont(font)
    return made


def _block() -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setAlignment(Qt.AlignmentFlag.AlignLeft)
    return made
