"""One bar, cut into the parts that things have in a whole."""

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
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
from inspector.presentation.cost_pictures import Shares
from inspector.presentation.words import percent_words

_CUT_PX = 2
_LEAST_NAME_PX = 48
_FADE = 0.6  # of the way from the ink of the first part to the ground, at the last
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class CostShares(QWidget):
    """Draws `Shares` as one bar; each part is named inside it where there is room.

    A click on a part chooses it, as do Left, Right and Enter.
    """

    slice_chosen = Signal(str)  # its key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Shares | None = None
        self._current: int | None = None
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Shares of the estimated cost")
        theme.changes.changed.connect(self.updateGeometry)

    def show_shares(self, shown: Shares) -> None:
        """Show other shares."""
        self._shown = shown
        self._current = self._hovered = None
        self.setAccessibleName(shown.title)
        self.setAccessibleDescription(shown.told)
        self.update()

    def slice_center(self, place: int) -> QPointF:
        """Return where a part is, for those who point at it."""
        return self._places()[place].center()

    def sizeHint(self) -> QSize:
        return QSize(240, QFontMetrics(theme.font(-1)).height() + theme.GRID_PX + self._bar_px())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            place = self._slice_at(QPointF(event.pos()))
            words = self._shown.slices[place].words if self._shown and place is not None else ""
            QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._slice_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = self._slice_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and place is not None:
            self._current = place
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Left:
                self._move(-1)
            case Qt.Key.Key_Right:
                self._move(1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space:
                self._choose()
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
        line = QFontMetrics(font).height()
        painter.setFont(font)
        painter.setPen(tokens.secondary)
        painter.drawText(QRectF(0, 0, self.width(), line), _LEFT, self._head())
        for place, box in enumerate(self._places()):
            self._paint_slice(painter, place, box)
        painter.end()

    def _paint_slice(self, painter: QPainter, place: int, box: QRectF) -> None:
        assert self._shown is not None
        tokens = theme.current()
        each = self._shown.slices[place]
        ground = _shade(place, len(self._shown.slices))
        painter.fillRect(box, ground)
        if place in (self._hovered, self._current if self.hasFocus() else None):
            painter.setPen(QPen(tokens.accent, 2))
            painter.drawRect(box.adjusted(1, 1, -1, -1))
        percent = percent_words(each.share, 1.0)
        font = theme.monospace(-1)
        metrics = QFontMetrics(font)
        room = box.adjusted(theme.GRID_PX + 2, 0, -theme.GRID_PX, 0)
        painter.setFont(font)
        painter.setPen(_ink_on(ground))
        left = room.width() - metrics.horizontalAdvance(f" {percent}")
        if left >= min(_LEAST_NAME_PX, metrics.horizontalAdvance(each.label)):
            middle = Qt.TextElideMode.ElideMiddle
            name = metrics.elidedText(each.label, middle, int(left))
            painter.drawText(room, _LEFT, f"{name} {percent}")
        elif left >= -metrics.horizontalAdvance(" "):
            painter.drawText(room, _LEFT, percent)

    def _head(self) -> str:
        assert self._shown is not None
        place = self._hovered
        if place is None and self.hasFocus():
            place = self._current
        return self._shown.title if place is None else self._shown.slices[place].words

    def _bar_px(self) -> int:
        return theme.row_height() + theme.GRID_PX

    def _places(self) -> list[QRectF]:
        """Return where each part stands: by its share, with a cut in between."""
        if self._shown is None:
            return []
        top = self.height() - self._bar_px()
        left, places = 0.0, []
        for each in self._shown.slices:
            width = each.share * self.width()
            shown = max(1.0, width - _CUT_PX)
            places.append(QRectF(left, top, shown, self._bar_px()))
            left += width
        return places

    def _slice_at(self, at: QPointF) -> int | None:
        return next((n for n, box in enumerate(self._places()) if box.contains(at)), None)

    def _hover(self, place: int | None) -> None:
        if place == self._hovered:
            return
        self._hovered = place
        shape = Qt.CursorShape.ArrowCursor if place is None else Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)
        self.update()

    def _move(self, by: int) -> None:
        if self._shown is None or not self._shown.slices:
            return
        last = len(self._shown.slices) - 1
        self._current = 0 if self._current is None else min(last, max(0, self._current + by))
        self.setAccessibleDescription(
            f"{self._shown.slices[self._current].words}. {self._shown.told}"
        )
        self.update()

    def _choose(self) -> None:
        if self._shown is not None and self._current is not None:
            self.slice_chosen.emit(self._shown.slices[self._current].key)
        self.update()


def _shade(place: int, count: int) -> QColor:
    """Return the ground of a part: the ink of LLMs, paler from part to part.

    The cut between the parts and their words tell them apart where shades do not.
    """
    tokens = theme.current()
    part = _FADE * place / max(1, count - 1) if count > 1 else 0.0
    ink, ground = tokens.llm, tokens.panel
    return QColor(
        round(ink.red() + (ground.red() - ink.red()) * part),
        round(ink.green() + (ground.green() - ink.green()) * part),
        round(ink.blue() + (ground.blue() - ink.blue()) * part),
    )


def _ink_on(ground: QColor) -> QColor:
    """Return the ink that stands out more from a ground."""
    tokens = theme.current()
    inks = (tokens.on_kind, tokens.text)
    return max(inks, key=lambda ink: _contrast(ink, ground))


def _contrast(one: QColor, other: QColor) -> float:
    bright = sorted(_luminance(each) for each in (one, other))
    return (bright[1] + 0.05) / (bright[0] + 0.05)


def _luminance(colour: QColor) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
