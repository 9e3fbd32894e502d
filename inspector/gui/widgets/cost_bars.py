"""Bars over the time of a run: what was spent when."""

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.gui.widgets.cost_picture import CostPicture
from inspector.presentation.cost_pictures import CostInTime

_BARS_PX = 56
_LEAST_PX = 2.0
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class CostBars(CostPicture):
    """Draws a `CostInTime`. A click on a bar chooses its calls one after the other.

    Left and Right go from bar to bar, Enter chooses.
    """

    span_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Estimated cost over time", parent)
        self._shown: CostInTime | None = None
        self._selected_span = ""

    def show_course(self, shown: CostInTime) -> None:
        """Show another course."""
        self._shown = shown
        self._take(
            shown.title,
            shown.told,
            (slot.words for slot in shown.slots),
            (place for place, slot in enumerate(shown.slots) if slot.span_ids),
            shown.slot_of(self._selected_span) if self._selected_span else None,
        )

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
        painter.drawText(above, _LEFT, self._head(self._shown.title))
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

    def _part_at(self, at: QPointF) -> int | None:
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

    def _choose(self) -> None:
        if self._shown is None or self._current is None:
            return
        ids = self._shown.slots[self._current].span_ids
        if ids:
            at = ids.index(self._selected_span) + 1 if self._selected_span in ids else 0
            self.span_chosen.emit(ids[at % len(ids)])
        self._tell()
