"""What was said and made in a task, as it comes."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlockFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.gui.widgets.served_text import ServedText, ink
from inspector.presentation.a2a_talk import Saying

_NOTHING = "Nothing was said yet."
_INKS = {"user": "component", "agent": "agent", "asks": "changed", "made": "tool",
         "failed": "failed"}  # fmt: skip
_MARKS = {"user": "→", "agent": "←", "asks": "❙❙", "made": "■", "failed": "✕"}


class A2ATalk(ServedText):
    """What was said under who said it; what only grew is written on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("What was said and made", _NOTHING, parent)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._said: tuple[Saying, ...] = ()

    def show_sayings(self, said: Sequence[Saying]) -> None:
        """Show these; what only grew at its end is written on there."""
        new, old = tuple(said), self._said
        if new == old:
            return
        self._said = new
        self._pages.setCurrentIndex(1 if new else 0)
        with self._follow_end():
            if old and new[: len(old) - 1] == old[:-1] and _grew(old[-1], new[len(old) - 1 :]):
                cursor = self._end()
                cursor.beginEditBlock()  # it is laid out once
                self._insert(cursor, new[len(old) - 1].text[len(old[-1].text) :], ink("text"))
                for each in new[len(old) :]:
                    self._write(cursor, each)
                cursor.endEditBlock()
            else:
                self._write_all()

    def _write_all(self) -> None:
        self._text.setFont(theme.monospace())
        self._text.clear()
        cursor = self._end()
        cursor.beginEditBlock()
        for each in self._said:
            self._write(cursor, each)
        cursor.endEditBlock()

    def _write(self, cursor: QTextCursor, each: Saying) -> None:
        head = ink(_INKS[each.kind], theme.font(-1, strong=True))
        if not cursor.atStart():
            cursor.insertBlock(QTextBlockFormat(), ink("text"))
            cursor.insertBlock(QTextBlockFormat(), head)
        cursor.insertText(f"{_MARKS[each.kind]} {each.title}", head)
        cursor.insertBlock(QTextBlockFormat(), ink("text"))
        self._column = 0
        self._insert(cursor, each.text, ink("text"))


def _grew(before: Saying, now: Sequence[Saying]) -> bool:
    if not now or now[0][:2] != before[:2]:
        return False
    return now[0].text.startswith(before.text)
