"""Draws the rows of a cost estimate."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.cost_model import Column
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.cost_table import CostRow, CostRowKind

AnyIndex = QModelIndex | QPersistentModelIndex

SHARE_PX = 96
_BAR_PX = 5
_LEAST_WORDS_PX = 48
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class CostDelegate(QStyledItemDelegate):
    """Draws a `CostRow`: names from the file in the fixed font, figures at the right."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(60, theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, CostRow):
            return
        tokens = theme.current()
        painter.save()
        paint_ground(painter, option)
        place: QRect = option.rect.adjusted(theme.GRID_PX, 0, -theme.GAP_PX, 0)
        quiet = tokens.secondary
        match index.column():
            case Column.WHAT:
                _paint_what(painter, place, row)
            case Column.CALLS:
                _paint_figure(painter, place, row.calls, quiet)
            case Column.TOKENS:
                _paint_figure(painter, place, row.tokens_words, quiet)
            case Column.COST:
                ink = quiet if row.amount is None else tokens.text
                strong = row.kind is CostRowKind.GROUP and row.amount is not None
                _paint_figure(painter, place, row.cost, ink, strong=strong)
            case Column.SHARE:
                _paint_share(painter, place, row)
        painter.restore()


def _paint_what(painter: QPainter, place: QRect, row: CostRow) -> None:
    tokens = theme.current()
    # A multiplication is ours; the names of groups and calls come from the file.
    font = theme.font() if row.kind is CostRowKind.LINE else theme.monospace()
    left = _paint_words(painter, place, row.place or row.label, font, tokens.text)
    for words, quiet in ((row.llm, theme.monospace(-1)), (row.note, theme.font(-1))):
        rest = QRect(left, place.top(), place.right() - left, place.height())
        if words and rest.width() > _LEAST_WORDS_PX:
            left = _paint_words(painter, rest, words, quiet, tokens.secondary)


def _paint_words(painter: QPainter, place: QRect, text: str, font: QFont, ink: QColor) -> int:
    """Draw one line, without its middle where it is too long; return where more can stand."""
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, place.width())
    painter.setFont(font)
    painter.setPen(ink)
    painter.drawText(place, _LEFT, shown)
    return place.left() + metrics.horizontalAdvance(shown) + theme.GROUP_GAP_PX


def _paint_figure(
    painter: QPainter, place: QRect, text: str, ink: QColor, *, strong: bool = False
) -> None:
    painter.setFont(theme.font(strong=strong))
    painter.setPen(ink)
    painter.drawText(place, _RIGHT, text)


def _paint_share(painter: QPainter, place: QRect, row: CostRow) -> None:
    if row.share is None:
        return
    tokens = theme.current()
    font = theme.font(-1)
    figure = QFontMetrics(font).horizontalAdvance(">99 %") + theme.GRID_PX
    room = QRectF(place.left(), place.center().y() - 2, place.width() - figure, _BAR_PX)
    painter.fillRect(room, tokens.border)
    room.setWidth(max(1.0, room.width() * max(0.0, min(1.0, row.share))))
    painter.fillRect(room, tokens.llm)
    painter.setFont(font)
    painter.setPen(tokens.secondary)
    painter.drawText(place, _RIGHT, row.share_words)
