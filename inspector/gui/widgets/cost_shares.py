"""One bar, cut into the parts that things have in a whole."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from inspector.gui import theme
from inspector.gui.widgets.cost_picture import CostPicture
from inspector.presentation.cost_pictures import Shares
from inspector.presentation.words import percent_words

_CUT_PX = 2
_LEAST_NAME_PX = 48
_FADE = 0.6  # of the way from the ink of the first part to the ground, at the last
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class CostShares(CostPicture):
    """Draws `Shares` as one bar; each part is named inside it where there is room.

    A click on a part chooses it, as do Left, Right and Enter.
    """

    slice_chosen = Signal(str)  # its key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Shares of the estimated cost", parent)
        self._shown: Shares | None = None

    def show_shares(self, shown: Shares) -> None:
        """Show other shares."""
        self._shown = shown
        words = [each.words for each in shown.slices]
        self._take(shown.title, shown.told, words, range(len(words)), None)

    def slice_center(self, place: int) -> QPointF:
        """Return where a part is, for those who point at it."""
        return self._places()[place].center()

    def sizeHint(self) -> QSize:
        return QSize(240, QFontMetrics(theme.font(-1)).height() + theme.GRID_PX + self._bar_px())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._shown is None:
            return
        tokens = theme.current()
        painter = QPainter(self)
        font = theme.font(-1)
        line = QFontMetrics(font).height()
        painter.setFont(font)
        painter.setPen(tokens.secondary)
        painter.drawText(QRectF(0, 0, self.width(), line), _LEFT, self._head(self._shown.title))
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

    def _part_at(self, at: QPointF) -> int | None:
        return next((n for n, box in enumerate(self._places()) if box.contains(at)), None)

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
