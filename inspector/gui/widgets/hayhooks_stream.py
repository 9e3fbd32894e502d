"""What an execution streams, as it comes: attempt under attempt, the abandoned ones marked."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.gui.widgets.served_text import ServedText, ink
from inspector.presentation.chunk_text import AttemptText, Piece
from inspector.presentation.words import plural

_NOTHING = "Nothing was streamed yet. What the execution streams stands here as it comes."
_MOST_SHOWN = 400_000


class HayhooksStream(ServedText):
    """What each attempt streams, the abandoned ones marked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("What was streamed", _NOTHING, parent)
        self._attempts: Sequence[AttemptText] = ()
        self._current = 0
        self._written: list[list[int]] = []  # characters of each piece of each attempt
        self._text.setFont(theme.monospace())

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
        with self._follow_end():
            self._append(len(attempts) - 1)

    def _write_all(self) -> None:
        with self._follow_end():
            self._text.setFont(theme.monospace())
            self._text.clear()
            self._written = [[] for _ in self._attempts]
            several = len(self._attempts) > 1 or any(each.attempt > 1 for each in self._attempts)
            for place, each in enumerate(self._attempts):
                if several or each.attempt < self._current:
                    self._write_head(each)
                self._append(place)

    def _write_head(self, each: AttemptText) -> None:
        cursor = self._end()
        is_first = self._text.document().isEmpty()
        if not is_first:
            cursor.insertBlock(_block(), ink("secondary"))
        abandoned = each.attempt < self._current
        words = f"Attempt {each.attempt}"
        if abandoned:
            words += f" · abandoned after {plural(each.chunks, 'chunk')}: nothing of it counts"
        head = ink("changed" if abandoned else "text", theme.font(strong=True))
        if is_first:
            cursor.setBlockFormat(_block())
        else:
            cursor.insertBlock(_block(), head)
        cursor.insertText(f"{'⊘ ' if abandoned else '● '}{words}", head)
        cursor.insertBlock(_block(), ink("text"))
        self._column = 0

    def _append(self, place: int) -> None:
        """Write what one attempt has more than is there."""
        each, written = self._attempts[place], self._written[place]
        cursor = self._end()
        colour = "secondary" if each.attempt < self._current else "text"
        if self._text.document().characterCount() > _MOST_SHOWN:
            return
        for number, piece in enumerate(each.pieces):
            if number == len(written):
                written.append(0)
                self._begin_piece(cursor, each.pieces, number)
            more = piece.text[written[number] :]
            if more:
                written[number] = len(piece.text)
                self._insert(cursor, more, ink(_ink_of(piece, colour)))

    def _begin_piece(self, cursor: QTextCursor, pieces: Sequence[Piece], number: int) -> None:
        piece = pieces[number]
        if number:
            cursor.insertText("\n\n" if piece.kind == "text" else "\n", ink("secondary"))
            self._column = 0
        if piece.kind != "text" and piece.title:
            cursor.insertText(f"{_MARKS[piece.kind]} {piece.title}  ", ink("secondary"))


_MARKS = {"reasoning": "∴", "tool": "→", "result": "←", "other": "·"}


def _ink_of(piece: Piece, usual: str) -> str:
    if usual == "secondary" or piece.kind == "text":
        return usual
    return {"tool": "tool", "result": "tool"}.get(piece.kind, "secondary")


def _block() -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setAlignment(Qt.AlignmentFlag.AlignLeft)
    return made
