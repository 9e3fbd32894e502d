"""Two texts in two columns that scroll as one, with what differs marked."""

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from inspector.gui import theme
from inspector.gui.widgets.row_heights import RowHeights
from inspector.gui.widgets.side_layouts import (
    LINE_PAD_PX,
    SideLayouts,
    Spot,
    paint_fold,
    stretch,
    units,
)
from inspector.presentation.side_by_side import SideBySide, SideLine, TextRow
from inspector.presentation.visible import one_line

EMPTY = SideBySide(())
_SIGN_CHARACTERS = 2
_LEAST_TEXT_PX = 60
_CHANGE_FROM_TOP = 3  # a difference that is gone to stands so many rows from the top
_SPOKEN = 160


class SideBySideView(QAbstractScrollArea):
    """Draws rows of two texts. Only rows in sight are ever laid out, however many there are."""

    fold_chosen = Signal()  # a row that stands for others was clicked
    change_moved = Signal(int, int)  # which difference is current, from 0 or -1; how many

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = EMPTY
        self._changes: tuple[tuple[int, int], ...] = ()
        self._change = -1
        self._wraps = True
        self._layouts = SideLayouts()
        self._rows_px = RowHeights()
        self._side = 0  # in which text is selected
        self._anchor = self._head = Spot(0, 0)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName("Texts side by side")
        theme.changes.changed.connect(self._on_theme_changed)

    # What is shown

    @property
    def changes(self) -> tuple[tuple[int, int], ...]:
        return self._changes

    @property
    def current_change(self) -> int:
        """Which difference is current; -1 before the first was gone to."""
        return self._change

    @property
    def laid_out(self) -> int:
        """How many lines are laid out and kept."""
        return len(self._layouts)

    def show_texts(self, shown: SideBySide) -> None:
        """Show other texts, from their first difference on."""
        self._shown = shown
        self._changes = shown.changes
        self._change = -1
        self._anchor = self._head = Spot(0, 0)
        self._forget()
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)
        if self._changes:
            self.go_to_change(0)
        else:
            self._tell()

    def set_wrap(self, wraps: bool) -> None:
        """Break long lines at the edge, or let them go on beyond it."""
        top = self._rows_px.at(self.verticalScrollBar().value())
        self._wraps = wraps
        self._forget()
        self.horizontalScrollBar().setValue(0)
        self.verticalScrollBar().setValue(self._rows_px.top(top))

    def step(self, by: int) -> bool:
        """Go to the next difference, or with -1 to the one before; say whether there was one."""
        wanted = self._change + by
        if not 0 <= wanted < len(self._changes):
            return False
        self.go_to_change(wanted)
        return True

    def go_to_change(self, number: int) -> None:
        """Make a difference current and bring it into sight."""
        self._change = number
        first, after = self._changes[number]
        self._measure_around(first)
        page = self.viewport().height()
        top, bottom = self._rows_px.top(first), self._rows_px.top(after)
        at = self.verticalScrollBar().value()
        if top < at or bottom > at + page:
            ahead = self._rows_px.top(max(0, first - _CHANGE_FROM_TOP))
            self.verticalScrollBar().setValue(ahead)
        self._tell()
        self.viewport().update()

    def place_of(self, row: int, side: int) -> QRect:
        """Return where a cell is now, in the viewport."""
        top = self._rows_px.top(row) - self.verticalScrollBar().value()
        left, width = self._column(side)
        return QRect(left, top, width, self._rows_px.height(row))

    @property
    def selected_text(self) -> str:
        """What is selected, as text."""
        first, last = sorted((self._anchor, self._head))
        said = []
        for row in range(first.row, min(last.row + 1, len(self._shown.rows))):
            line = self._line(row, self._side)
            if line is None:
                continue
            text = self._layouts.text(row, self._side, line)
            start = first.unit if row == first.row else 0
            stop = last.unit if row == last.row else units(text)
            said.append(stretch(text, start, stop))
            if line.ends and row < last.row:
                said.append("\n")
        return "".join(said)

    def copy(self) -> None:
        """Put what is selected on the clipboard."""
        if text := self.selected_text:
            QGuiApplication.clipboard().setText(text)

    # Drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), theme.current().panel)
        painter.setFont(theme.monospace())
        first = self._measure_seen()
        left, _ = self._column(1)
        painter.fillRect(left - 1, 0, 1, self.viewport().height(), theme.current().border)
        offset = self.verticalScrollBar().value()
        bottom = self.viewport().height()
        row = first
        while row < len(self._shown.rows) and self._rows_px.top(row) - offset < bottom:
            self._paint_row(painter, row)
            row += 1
        painter.end()

    def _paint_row(self, painter: QPainter, number: int) -> None:
        tokens = theme.current()
        row = self._shown.rows[number]
        if row.hidden:
            whole = self.place_of(number, 0).united(self.place_of(number, 1))
            paint_fold(painter, whole, row.hidden)
            return
        marked = self._is_current(number)
        for side in (0, 1):
            box = self.place_of(number, side)
            line = row.line(side)
            if row.changed:
                gone = tokens.removed_ground if side == 0 else tokens.added_ground
                painter.fillRect(box, tokens.window if line is None else gone)
            if marked and side == 0:
                painter.fillRect(box.left(), box.top(), 3, box.height(), tokens.accent)
            if line is not None:
                self._paint_line(painter, box, number, side, line, row)

    def _paint_line(
        self, painter: QPainter, box: QRect, number: int, side: int, line: SideLine, row: TextRow
    ) -> None:
        tokens = theme.current()
        gutter, sign = self._gutter_px(), self._sign_px()
        height = self._line_px()
        if not self._goes_on(number, side):
            painter.setPen(tokens.secondary)
            place = QRect(box.left(), box.top(), gutter - theme.GRID_PX, height)
            right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(place, right, str(line.number))
        if row.changed:
            painter.setPen(tokens.failed if side == 0 else tokens.same)
            place = QRect(box.left() + gutter, box.top(), sign, height)
            middle = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(place, middle, "−" if side == 0 else "+")
        layout = self._layout(number, side, line)
        text_left = box.left() + gutter + sign
        painter.save()
        painter.setClipRect(QRect(text_left, box.top(), box.right() - text_left, box.height()))
        painter.setPen(tokens.text)
        corner = QPoint(text_left - self.horizontalScrollBar().value(), box.top() + LINE_PAD_PX)
        layout.draw(painter, corner, self._selection_in(number, side))
        painter.restore()

    def _selection_in(self, row: int, side: int) -> list[QTextLayout.FormatRange]:
        first, last = sorted((self._anchor, self._head))
        if side != self._side or first == last or not first.row <= row <= last.row:
            return []
        line = self._line(row, side)
        assert line is not None
        start = first.unit if row == first.row else 0
        stop = last.unit if row == last.row else units(self._layouts.text(row, side, line)) + 1
        return [self._layouts.selection(start, stop)]

    # Measuring

    def _forget(self) -> None:
        """Begin anew: another text, another width or another way to break lines."""
        self._layouts.clear()
        height, pad = self._line_px(), 2 * LINE_PAD_PX
        across = max(8, self._text_px() // max(1, self._character_px()))
        lengths = self._shown.lengths if self._wraps else (0,) * len(self._shown.rows)
        about = [height * max(1, -(-length // across)) + pad for length in lengths]
        self._rows_px.guess(about)
        self._retop()

    def _retop(self) -> None:
        self._rows_px.settle()
        page = self.viewport().height()
        bar = self.verticalScrollBar()
        bar.setRange(0, max(0, self._rows_px.total - page))
        bar.setPageStep(page)
        bar.setSingleStep(self._line_px())
        across = self.horizontalScrollBar()
        room = self._text_px()
        widest = 0
        if not self._wraps:
            longest = max(self._shown.lengths, default=0)
            widest = (longest + 2) * self._character_px()
        across.setRange(0, max(0, widest - room))
        across.setPageStep(room)
        across.setSingleStep(4 * self._character_px())

    def _measure_seen(self) -> int:
        """Lay out what is in sight, without moving its first row; return that row."""
        bar = self.verticalScrollBar()
        first = self._rows_px.at(bar.value())
        inside = bar.value() - self._rows_px.top(first)
        room = self.viewport().height() + inside
        row, changed = first, False
        while row < len(self._shown.rows) and room > 0:
            changed |= self._measure(row)
            room -= self._rows_px.height(row)
            row += 1
        if changed:
            self._retop()
            bar.setValue(self._rows_px.top(first) + inside)
        return first

    def _measure_around(self, row: int) -> None:
        rows = range(max(0, row - _CHANGE_FROM_TOP), min(row + 12, len(self._shown.rows)))
        if sum(self._measure(at) for at in rows):  # all of them, not the first that changed
            self._retop()

    def _measure(self, row: int) -> bool:
        if self._rows_px.is_measured(row):
            return False
        tallest = self._line_px()
        for side in (0, 1):
            line = self._line(row, side)
            if line is not None:
                layout = self._layout(row, side, line)
                tallest = max(tallest, round(layout.boundingRect().height()))
        return self._rows_px.measure(row, tallest + 2 * LINE_PAD_PX)

    def _layout(self, row: int, side: int, line: SideLine) -> QTextLayout:
        width = self._text_px() if self._wraps else None
        by_words = self._shown.rows[row].by_words
        return self._layouts.layout(row, side, line, width, by_words=by_words)

    def _column(self, side: int) -> tuple[int, int]:
        half = self.viewport().width() // 2
        return (0, half - 1) if side == 0 else (half, self.viewport().width() - half)

    def _text_px(self) -> int:
        room = self._column(0)[1] - self._gutter_px() - self._sign_px() - theme.GRID_PX
        return max(_LEAST_TEXT_PX, room)

    def _gutter_px(self) -> int:
        digits = max(2, len(str(len(self._shown.rows))))
        return digits * self._character_px() + theme.GAP_PX

    def _sign_px(self) -> int:
        return _SIGN_CHARACTERS * self._character_px()

    def _character_px(self) -> int:
        return QFontMetrics(theme.monospace()).horizontalAdvance("0")

    def _line_px(self) -> int:
        return QFontMetrics(theme.monospace()).height()

    def _line(self, row: int, side: int) -> SideLine | None:
        rows = self._shown.rows
        return rows[row].line(side) if 0 <= row < len(rows) else None

    def _goes_on(self, row: int, side: int) -> bool:
        """Say whether a cell goes on with a line that began above it."""
        at = row - 1
        line = self._line(row, side)
        above = self._line(at, side)
        return above is not None and line is not None and above.number == line.number

    def _is_current(self, row: int) -> bool:
        if self._change < 0:
            return False
        first, after = self._changes[self._change]
        return first <= row < after

    # What a person does

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._select_all()
        elif event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            bar = self.verticalScrollBar()
            bar.setValue(bar.minimum() if event.key() == Qt.Key.Key_Home else bar.maximum())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._shown.rows:
            spot = event.position().toPoint()
            at = self._rows_px.at(spot.y() + self.verticalScrollBar().value())
            if self._shown.rows[at].hidden:
                self.fold_chosen.emit()
                return
            self._side = 0 if spot.x() < self._column(1)[0] else 1
            self._anchor = self._head = self._spot_at(spot)
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._shown.rows:
            self._head = self._spot_at(event.position().toPoint())
            self.viewport().update()

    def _spot_at(self, point: QPoint) -> Spot:
        row = self._rows_px.at(point.y() + self.verticalScrollBar().value())
        line = self._line(row, self._side)
        if line is None:
            return Spot(row, 0)
        box = self.place_of(row, self._side)
        text_left = box.left() + self._gutter_px() + self._sign_px()
        x = point.x() - text_left + self.horizontalScrollBar().value()
        return Spot(row, self._layouts.unit_at(self._layout(row, self._side, line), x,
                                               point.y() - box.top()))  # fmt: skip

    def _select_all(self) -> None:
        last = len(self._shown.rows) - 1
        if last >= 0:
            line = self._line(last, self._side)
            end = 0 if line is None else units(self._layouts.text(last, self._side, line))
            self._anchor, self._head = Spot(0, 0), Spot(last, end)
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            top = self._rows_px.at(self.verticalScrollBar().value())
            self._forget()
            self.verticalScrollBar().setValue(self._rows_px.top(top))
        else:
            self._retop()

    def _on_theme_changed(self) -> None:
        self._forget()
        self.viewport().update()

    def _tell(self) -> None:
        total = len(self._changes)
        self.setAccessibleDescription(self._spoken())
        self.change_moved.emit(self._change, total)

    def _spoken(self) -> str:
        if self._change < 0:
            return "Both texts are the same." if self._shown.rows else ""
        first, after = self._changes[self._change]
        said = [f"Difference {self._change + 1} of {len(self._changes)}."]
        for side, word in ((0, "Left"), (1, "Right")):
            lines = (self._line(row, side) for row in range(first, after))
            text = one_line(" ".join(line.text for line in lines if line is not None))
            said.append(f"{word}: {text[:_SPOKEN] or 'nothing'}.")
        return " ".join(said)
