"""Bars over the time of a run: what was spent when."""

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from inspector.gui import theme
from inspector.gui.tips import tip
from inspector.presentation.cost_pictures import CostInTime

_BARS_PX = 56
_LEAST_PX = 2.0
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class CostBars(QWidget):
    """Draws a `CostInTime`. A click on a bar chooses its calls one after the other.

    Left and Right go from bar to bar, Enter chooses.
    """

    span_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: CostInTime | None = None
        self._current: int | None = None  # the slot that keys and clicks are at
        self._hovered: int | None = None
        self._selected_span = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Estimated cost over time")
        theme.changes.changed.connect(self.updateGeometry)

    def show_course(self, shown: CostInTime) -> None:
        """Show another course."""
        self._shown = shown
        self._hovered = None
        self._current = shown.slot_of(self._selected_span) if self._selected_span else None
        self.setAccessibleName(shown.title)
        self.setAccessibleDescription(shown.told)
        self.update()

    def show_selected(self, span_id: str) -> None:
        """Mark the bar of a call; nothing for a span that is none."""
        self._selected_span = span_id
        self._current = self._shown.slot_of(span_id) if self._shown and span_id else None
        self.update()

    def slot_center(self, place: int) -> QPointF:
        """Return where the bar of a slot stands, for those who point at it."""
        return self._slot(place).center()

    def sizeHint(self) -> QSize:
        line = QFontMetrics(theme.font(-1)).height()
        return QSize(240, _BARS_PX + 2 * line + theme.GRID_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            place = self._slot_at(QPointF(event.pos()))
            words = self._shown.slots[place].words if self._shown and place is not None else ""
            QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._slot_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._slot_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and place is not None:
            self._current = place
            self._choose_next()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._move(-1)
            case Qt.Key.Key_Right:
                self._move(1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._choose_next()
            case _:
                super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._shown is None:
            return
        tokens = theme.current()
        painter = QPainter(self)
        font = theme.font(-1)
        painter.setFont(font)
        room = self._room()
        line = QFontMetrics(font).height()
        above = QRectF(0, 0, self.width(), line)
        painter.setPen(tokens.secondary)
        painter.drawText(above, _LEFT, self._head())
        painter.drawText(above, _RIGHT, f"up to {self._shown.top}" if self._shown.top else "")
        below = QRectF(0, room.bottom() + 1, self.width(), line)
        painter.drawText(below, _LEFT, "0")
        painter.drawText(below, _RIGHT, self._shown.end)
        painter.setPen(QPen(tokens.border, 1))
        painter.drawLine(QLineF(room.bottomLeft(), room.bottomRight()))
        for place, slot in enumerate(self._shown.slots):
            if slot.span_ids:
                self._paint_bar(painter, place, slot.height, has_unknown=slot.has_unknown)
        painter.end()

    def _paint_bar(
        self, painter: QPainter, place: int, height: float, *, has_unknown: bool
    ) -> None:
        tokens = theme.current()
        slot = self._slot(place)
        tall = max(_LEAST_PX, slot.height() * height)
        bar = QRectF(slot.left(), slot.bottom() - tall, slot.width(), tall)
        ink = tokens.llm
        if place == self._hovered:
            ink = ink.lighter(115) if tokens.dark else ink.darker(115)
        painter.fillRect(bar, ink)
        if has_unknown:
            # What has no price would stand above it: a dashed line says that something is missing.
            painter.setPen(QPen(tokens.changed, 1.5, Qt.PenStyle.DotLine))
            top = max(slot.top(), bar.top() - theme.GRID_PX)
            painter.drawLine(QLineF(bar.left(), top, bar.right(), top))
        if place == self._current:
            painter.setPen(QPen(tokens.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(bar.adjusted(-2, -2, 2, 1))

    def _head(self) -> str:
        """Say what the bars are, or what the current one is while keys are here."""
        assert self._shown is not None
        place = self._hovered
        if place is None and self.hasFocus():
            place = self._current
        return self._shown.title if place is None else self._shown.slots[place].words

    def _room(self) -> QRectF:
        line = QFontMetrics(theme.font(-1)).height()
        top = line + theme.GRID_PX
        return QRectF(2, top, max(1, self.width() - 4), max(1, self.height() - top - line - 1))

    def _slot(self, place: int) -> QRectF:
        room = self._room()
        count = len(self._shown.slots) if self._shown else 1
        width = room.width() / count
        gap = 1.0 if width > 4 else 0.0
        left = room.left() + place * width
        return QRectF(left + gap / 2, room.top(), max(1.0, width - gap), room.height())

    def _slot_at(self, at: QPointF) -> int | None:
        """Return the used slot below the pointer, or beside it where that is empty."""
        if self._shown is None:
            return None
        room = self._room()
        count = len(self._shown.slots)
        place = int((at.x() - room.left()) * count / room.width())
        for each in (place, place - 1, place + 1):
            if 0 <= each < count and self._shown.slots[each].span_ids:
                return each
        return None

    def _hover(self, place: int | None) -> None:
        if place == self._hovered:
            return
        self._hovered = place
        shape = Qt.CursorShape.ArrowCursor if place is None else Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)
        self.update()

    def _move(self, by: int) -> None:
        if self._shown is None:
            return
        used = [place for place, slot in enumerate(self._shown.slots) if slot.span_ids]
        if not used:
            return
        if self._current in used:
            at = used.index(self._current) + by
            self._current = used[min(len(used) - 1, max(0, at))]
        else:
            self._current = used[0]
        self._tell()

    def _choose_next(self) -> None:
        if self._shown is None or self._current is None:
            return
        ids = self._shown.slots[self._current].span_ids
        if ids:
            at = ids.index(self._selected_span) + 1 if self._selected_span in ids else 0
            self.span_chosen.emit(ids[at % len(ids)])
        self._tell()

    def _tell(self) -> None:
        if self._shown is not None and self._current is not None:
            words = self._shown.slots[self._current].words
            self.setAccessibleDescription(f"{words}. {self._shown.told}")
        self.update()
