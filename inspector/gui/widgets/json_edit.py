"""Where a person edits a value: JSON in colour or a plain text, with what is wrong underlined."""

import re

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui import theme

_WORDS = re.compile(
    r'(?P<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?P<string>"(?:[^"\\]|\\.)*"?)'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<keyword>\b(?:true|false|null)\b)"
)
_LONGEST_LINE = 20_000  # that is coloured; of a text, four times as much


class JsonEdit(QPlainTextEdit):
    """A text to edit; Tab leaves it, Ctrl+Enter says that it is done, Esc that it is not meant."""

    done = Signal()
    left = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._wrong: tuple[int, int] | None = None
        self._json = True
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.document().setDocumentMargin(theme.GAP_PX)
        self._ink = _JsonInk(self.document())
        theme.changes.changed.connect(self._dress)
        self._dress()

    def take_for(self, *, json: bool) -> None:
        """Colour the text as JSON, or leave it plain."""
        self._json = json
        self._ink.set_on(json)

    @property
    def wrong(self) -> tuple[int, int] | None:
        """Where what is underlined begins and ends, in characters."""
        return self._wrong

    def mark_wrong(self, place: tuple[int, int] | None) -> None:
        """Underline a stretch of the text; None takes that away."""
        self._wrong = place
        if place is None:
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        selection.cursor = self._between(*place)
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(theme.current().failed)
        look.setBackground(theme.current().failed_ground)
        selection.format = look
        self.setExtraSelections([selection])

    def go_to(self, place: int) -> None:
        """Put the caret before a character."""
        self.setTextCursor(self._between(place, place))
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _between(self, start: int, end: int) -> QTextCursor:
        text = self.toPlainText()
        last = max(0, self.document().characterCount() - 1)
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(_units(text[:start]), last))
        cursor.setPosition(min(_units(text[:end]), last), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def event(self, event: QEvent) -> bool:
        # Keys of the editor come before shortcuts of the window.
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and (event.key() == Qt.Key.Key_Escape or _is_done(event))
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_done(event):
            self.done.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def _dress(self) -> None:
        self.setFont(theme.monospace())
        self.setTabStopDistance(2 * self.fontMetrics().horizontalAdvance(" "))
        self._ink.dress()
        self.mark_wrong(self._wrong)


class _JsonInk(QSyntaxHighlighter):
    """Colours JSON a line at a time: none of its texts goes over the end of a line."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._looks: dict[str, QTextCharFormat] = {}
        self._on = True

    def set_on(self, on: bool) -> None:
        if on != self._on:
            self._on = on
            self.rehighlight()

    def dress(self) -> None:
        tokens = theme.current()
        self._looks = {
            "name": _look(tokens.syntax_name),
            "string": _look(tokens.syntax_string),
            "number": _look(tokens.syntax_number),
            "keyword": _look(tokens.syntax_keyword),
        }
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if not self._on or max(len(text), self.document().characterCount() // 4) > _LONGEST_LINE:
            return
        plain = text.isascii()
        for found in _WORDS.finditer(text):
            look = self._looks.get(found.lastgroup or "")
            if look is None:
                continue
            start, end = found.span()
            if not plain:  # Qt counts an emoji twice
                start, end = _units(text[:start]), _units(text[:end])
            self.setFormat(start, end - start, look)


def _is_done(event: QKeyEvent) -> bool:
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _look(colour: QColor) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(colour)
    return made
