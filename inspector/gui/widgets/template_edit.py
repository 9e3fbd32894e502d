"""Where a person edits a prompt template: fixed font, Jinja in colour, the line that is wrong."""

from PySide6.QtGui import (
    QColor,
    QFont,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from inspector.gui import theme
from inspector.gui.widgets.edit_field import CodeField
from inspector.presentation.jinja_text import Part, State, read_line


class TemplateEdit(CodeField):
    """A plain text, since that is what a template is, with its Jinja in colour."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._line: int | None = None
        self._ink = JinjaInk(self.document())
        theme.changes.changed.connect(self._dress_ink)
        self._dress_ink()

    def mark_line(self, line: int | None) -> None:
        """Mark a line as the one in which something is wrong, from 1; None takes it away."""
        self._line = line
        self._mark()

    @property
    def marked_line(self) -> int | None:
        return self._line

    def _mark(self) -> None:
        block = self.document().findBlockByNumber(self._line - 1) if self._line else None
        if block is None or not block.isValid():
            self.setExtraSelections([])
            return
        selection = QTextEdit.ExtraSelection()
        cursor = QTextCursor(block)
        selection.cursor = cursor
        look = QTextCharFormat()
        look.setBackground(theme.current().removed_ground)
        look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        selection.format = look
        self.setExtraSelections([selection])

    def _dress_ink(self) -> None:
        self._ink.dress()
        self._mark()


class JinjaInk(QSyntaxHighlighter):
    """Colours what of a template is Jinja, a changed line at a time."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._looks: dict[Part, QTextCharFormat] = {}

    def dress(self) -> None:
        """Take the colours of now."""
        tokens = theme.current()
        self._looks = {
            Part.FENCE: _look(tokens.syntax_keyword, strong=True),
            Part.NAME: _look(tokens.syntax_name),
            Part.KEYWORD: _look(tokens.syntax_keyword),
            Part.TEXT: _look(tokens.syntax_string),
            Part.NUMBER: _look(tokens.syntax_number),
            Part.COMMENT: _look(tokens.syntax_comment),
        }
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        stretches, state = read_line(text, max(self.previousBlockState(), State.NOTHING))
        self.setCurrentBlockState(state)
        if not self._looks:
            return
        plain = text.isascii()
        for start, end, part in stretches:
            first, length = start, end - start
            if not plain:  # Qt counts an emoji twice
                first, length = _units(text[:start]), _units(text[start:end])
            self.setFormat(first, length, self._looks[part])


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _look(colour: QColor, *, strong: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setForeground(colour)
    if strong:
        made.setFontWeight(QFont.Weight.DemiBold)
    return made
