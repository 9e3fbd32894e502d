"""A read-only text that stays quick however long it is."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QMimeData, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLayout,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from inspector.gui import theme
from inspector.gui.widgets.highlight import Ink, Stretch
from inspector.presentation.long_text import DisplayText

# What is laid out before the first paint, and in every turn of the event loop after it.
_FIRST_CHARACTERS = 20_000
_MORE_CHARACTERS = 100_000

Mark = tuple[int, int, QTextCharFormat]


class CodeEdit(QPlainTextEdit):
    """Shows a `DisplayText`: fills itself bit by bit, numbers lines, copies what was written.

    Long lines stand in pieces; copying puts them together again. Only blocks in
    sight are ever coloured or marked.
    """

    find_requested = Signal()
    find_stepped = Signal(int)  # 1 forward, -1 back
    view_moved = Signal()
    escape_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._display = DisplayText("")
        self._filled = 1  # display lines that stand in the document
        self._inks: dict[int, list[tuple[int, int, Ink]]] = {}
        self._inked_blocks: set[int] = set()
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setWordWrapMode(self.wordWrapMode().WrapAtWordBoundaryOrAnywhere)
        # With a caret the text is read and selected by keyboard alone.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._numbered = True
        self._gutter = _Gutter(self)
        self._filling = QTimer(self)
        self._filling.setInterval(0)
        self._filling.timeout.connect(self._fill_more)
        self._moving = QTimer(self)
        self._moving.setSingleShot(True)
        self._moving.setInterval(0)
        self._moving.timeout.connect(self.view_moved)
        self.updateRequest.connect(self._on_update)
        self._dress()
        theme.changes.changed.connect(self._dress)

    @property
    def display(self) -> DisplayText:
        return self._display

    def show_display(self, display: DisplayText) -> None:
        """Show another text from its beginning."""
        self._filling.stop()
        self._display = display
        self._forget_inks()
        self._filled = self._take(0, _FIRST_CHARACTERS)
        self.setPlainText(display.lines(0, self._filled))
        self._after_filling()

    def extend_display(self, display: DisplayText) -> None:
        """Show a text of which the present one is the beginning, without moving anything."""
        self._filling.stop()
        self._display = display
        self._forget_inks()
        # The last line may go on now: write it again.
        cursor = self._end_cursor()
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        cursor.removeSelectedText()
        self._filled = max(0, self._filled - 1)
        self._fill_more()

    def scroll_to(self, offset: int) -> None:
        """Bring a character of the source into sight and put the caret there."""
        line, column = self._display.place(offset)
        while self._filled <= line:
            self._fill_more()
        cursor = self._cursor_at(line, column)
        self.setTextCursor(cursor)
        if not self.viewport().rect().contains(self.cursorRect(cursor).center()):
            self.centerCursor()

    def number_lines(self, numbered: bool) -> None:
        """Number the lines, or leave the numbers out where the lines have their own."""
        if numbered != self._numbered:
            self._numbered = numbered
            self._gutter.place()

    @property
    def is_numbered(self) -> bool:
        return self._numbered

    def caret_offset(self) -> int:
        """Return where the caret stands, as an offset into the source."""
        cursor = self.textCursor()
        return self._offset_of(min(cursor.position(), cursor.anchor()))

    def lines_in_sight(self) -> range:
        """Return the display lines that are at least partly visible."""
        block = self.firstVisibleBlock()
        first = block.blockNumber()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= self.viewport().height():
            top += self.blockBoundingRect(block).height()
            block = block.next()
        last = block.blockNumber() if block.isValid() else self.blockCount()
        return range(max(0, first), max(first, last))

    def set_inks(self, first_line: int, stretches: Sequence[Stretch]) -> None:
        """Colour stretches of the source; offsets count from the start of `first_line`."""
        start = self._display.start(first_line)
        if stretches:
            # Two pieces of a text may share a line: the later reading of it counts.
            last_line, _ = self._display.place(start + stretches[-1][1] - 1)
            for line in range(first_line, last_line + 1):
                self._inks.pop(line, None)
                self._inked_blocks.discard(line)
        for begin, end, ink in stretches:
            self._add_ink(start + begin, start + end, ink)
        self.paint_inks()

    def clear_inks(self) -> None:
        """Take all colours away."""
        document = self.document()
        for number in self._inked_blocks:
            block = document.findBlockByNumber(number)
            if block.isValid():
                block.layout().setFormats([])
                document.markContentsDirty(block.position(), block.length())
        self._forget_inks()

    def paint_inks(self) -> None:
        """Colour what is in sight and was not coloured yet."""
        for number in self.lines_in_sight():
            if number in self._inked_blocks or number not in self._inks:
                continue
            self._inked_blocks.add(number)
            block = self.document().findBlockByNumber(number)
            line = block.text()
            ranges = []
            for begin, end, ink in self._inks[number]:
                made = QTextLayout.FormatRange()
                made.start = _units(line, begin, self._display.line(number))
                made.length = _units(line, end, self._display.line(number)) - made.start
                made.format = self._formats[ink]
                ranges.append(made)
            block.layout().setFormats(ranges)
            self.document().markContentsDirty(block.position(), block.length())

    def show_marks(self, marks: Sequence[Mark]) -> None:
        """Mark stretches of the source; only those whose lines are filled are shown."""
        selections = []
        for begin, end, look in marks:
            cursor = self._cursor_between(begin, end)
            if cursor is not None:
                selection = QTextEdit.ExtraSelection()
                selection.cursor = cursor
                selection.format = look
                selections.append(selection)
        self.setExtraSelections(selections)

    def selected_text(self) -> str:
        """Return what is selected as it was written, long lines in one piece."""
        cursor = self.textCursor()
        return self._display.source[
            self._offset_of(cursor.selectionStart()) : self._offset_of(cursor.selectionEnd())
        ]

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.selected_text())
        return data

    def event(self, event: QEvent) -> bool:
        # Find keys belong to the text that has the focus, before any window shortcut.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (_find_step(event) is not None or event.matches(QKeySequence.StandardKey.Find))
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _find_step(event)
        if event.matches(QKeySequence.StandardKey.Find):
            self.find_requested.emit()
        elif step is not None:
            self.find_stepped.emit(step)
        elif event.key() == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
            event.ignore()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._gutter.place()
        self._moving.start()

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Draw the line numbers beside the blocks in `area`."""
        painter.setFont(theme.monospace(-1))
        painter.setPen(theme.current().secondary)
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= area.bottom():
            number = block.blockNumber()
            if number < len(self._display):
                ended = self._display.continues(number)
                word = "↪" if ended else str(self._display.number(number))
                room = QRect(0, round(top), self._gutter.width() - theme.GAP_PX, self._line_px())
                painter.drawText(
                    room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, word
                )
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def _line_px(self) -> int:
        return self.fontMetrics().height()

    def _dress(self) -> None:
        tokens = theme.current()
        self.setFont(theme.monospace())
        self.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        colours = {
            Ink.NAME: tokens.syntax_name,
            Ink.STRING: tokens.syntax_string,
            Ink.NUMBER: tokens.syntax_number,
            Ink.KEYWORD: tokens.syntax_keyword,
            Ink.COMMENT: tokens.syntax_comment,
            Ink.HEADING: tokens.syntax_name,
        }
        self._formats: dict[Ink, QTextCharFormat] = {}
        for ink, colour in colours.items():
            look = QTextCharFormat()
            look.setForeground(colour)
            if ink is Ink.HEADING:
                look.setFontWeight(700)
            self._formats[ink] = look
        self._inked_blocks.clear()
        self._gutter.place()
        self._moving.start()

    def _take(self, first: int, characters: int) -> int:
        """Return how many lines after `first` hold about so many characters."""
        start = self._display.start(first)
        line, _ = self._display.place(min(start + characters, len(self._display.source)))
        return max(first + 1, line + 1)

    def _fill_more(self) -> None:
        stop = self._take(self._filled, _MORE_CHARACTERS)
        text = self._display.lines(self._filled, stop)
        cursor = self._end_cursor()
        cursor.insertText(text if self.document().isEmpty() and not self._filled else f"\n{text}")
        self._filled = min(stop, len(self._display))
        self._after_filling()

    def _after_filling(self) -> None:
        self._filled = min(self._filled, len(self._display))
        if self._filled < len(self._display):
            self._filling.start()
        else:
            self._filling.stop()
        self._gutter.place()
        self._moving.start()

    def _end_cursor(self) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return cursor

    def _forget_inks(self) -> None:
        self._inks.clear()
        self._inked_blocks.clear()

    def _add_ink(self, begin: int, end: int, ink: Ink) -> None:
        while begin < end:
            line, column = self._display.place(begin)
            stop = min(end, self._display.end(line))
            if stop > begin:
                length = stop - begin
                self._inks.setdefault(line, []).append((column, column + length, ink))
            begin = max(
                stop, self._display.start(line + 1) if line + 1 < len(self._display) else end
            )

    def _cursor_at(self, line: int, column: int) -> QTextCursor:
        block = self.document().findBlockByNumber(line)
        cursor = QTextCursor(block)
        units = _units(block.text(), column, self._display.line(line))
        cursor.setPosition(block.position() + min(units, max(0, block.length() - 1)))
        return cursor

    def _cursor_between(self, begin: int, end: int) -> QTextCursor | None:
        first, column = self._display.place(begin)
        last, last_column = self._display.place(end)
        if last >= self._filled:
            return None
        cursor = self._cursor_at(first, column)
        stop = self._cursor_at(last, last_column)
        cursor.setPosition(stop.position(), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _offset_of(self, position: int) -> int:
        block: QTextBlock = self.document().findBlock(position)
        if not block.isValid() or block.blockNumber() >= len(self._display):
            return len(self._display.source)
        units = position - block.position()
        before = block.text().encode("utf-16-le", "surrogatepass")[: 2 * units]
        return self._display.start(block.blockNumber()) + len(
            before.decode("utf-16-le", "surrogatepass")
        )

    def _on_update(self, area: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
            self._moving.start()
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())


class _Gutter(QWidget):
    """The line numbers; none for a text of one line."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__(edit)
        self._edit = edit

    def place(self) -> None:
        display = self._edit.display
        last = display.number(len(display) - 1)
        digits = len(str(last)) if len(display) > 1 and self._edit.is_numbered else 0
        advance = self._edit.fontMetrics().horizontalAdvance("0")
        width = digits * advance + 3 * theme.GRID_PX if digits else 0
        self.setVisible(width > 0)
        self._edit.setViewportMargins(width + (0 if width else theme.GRID_PX), 0, 0, 0)
        inner = self._edit.contentsRect()
        self.setGeometry(QRect(inner.left(), inner.top(), width, inner.height()))

    def sizeHint(self) -> QSize:
        return QSize(self.width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), theme.current().panel)
        self._edit.paint_numbers(painter, self.rect())
        painter.end()


def _units(shown: str, column: int, line: str) -> int:
    """Return a column as Qt counts it, where an emoji takes two places."""
    if len(shown) == len(line) and line.isascii():
        return column
    return len(line[:column].encode("utf-16-le", "surrogatepass")) // 2


def _find_step(event: QKeyEvent) -> int | None:
    if event.matches(QKeySequence.StandardKey.FindNext):
        return 1
    return -1 if event.matches(QKeySequence.StandardKey.FindPrevious) else None
