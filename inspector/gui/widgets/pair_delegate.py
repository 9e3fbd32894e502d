"""Draws the rows of the tree of two runs."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.compare_tree_model import PAIR_ROLE, Column
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.compare_tree import CompareTreeRow, SideText

AnyIndex = QModelIndex | QPersistentModelIndex
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_MIDDLE = int(Qt.AlignmentFlag.AlignCenter)


class PairDelegate(QStyledItemDelegate):
    """Draws a `CompareTreeRow`: who stands on the left, whether they differ, who on the right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(PAIR_ROLE)
        if not isinstance(row, CompareTreeRow):
            return
        tokens = theme.current()
        painter.save()
        paint_ground(painter, option)
        place: QRect = option.rect.adjusted(theme.GRID_PX, 0, -theme.GRID_PX, 0)
        quiet = row.change.mark in "=∙"
        match index.column():
            case Column.LEFT:
                _paint_side(painter, place, row.left, "removed_ground" if row.change.mark == "−"
                            else "", quiet)  # fmt: skip
            case Column.MARK:
                painter.setFont(theme.font(strong=not quiet))
                painter.setPen(getattr(tokens, row.change.ink))
                painter.drawText(option.rect, _MIDDLE, row.change.mark)
            case Column.RIGHT:
                # The branches stand before the left column only: the right one is moved in here.
                place.setLeft(place.left() + row.depth * theme.ICON_PX)
                _paint_side(painter, place, row.right, "added_ground" if row.change.mark == "+"
                            else "", quiet)  # fmt: skip
        painter.restore()


def _paint_side(
    painter: QPainter, place: QRect, side: SideText | None, ground: str, quiet: bool
) -> None:
    if side is None:
        return
    tokens = theme.current()
    if ground:
        painter.fillRect(place.adjusted(0, 1, 0, -1), getattr(tokens, ground))
    size = theme.ICON_PX
    top = place.top() + (place.height() - size) // 2
    colour = tokens.name_for_kind(side.kind, side.role)
    painter.drawPixmap(place.left(), top, theme.pixmap(side.icon, colour, size))
    left = place.left() + size + theme.GRID_PX + 2
    right = place.right() + 1
    small = theme.font(-1)
    # Who it is comes before how long it took.
    needed = QFontMetrics(theme.font()).horizontalAdvance(side.label) + theme.GAP_PX
    needed += QFontMetrics(small).horizontalAdvance(side.duration)
    if needed <= right - left:
        painter.setFont(small)
        painter.setPen(tokens.failed if side.failed else tokens.secondary)
        painter.drawText(QRect(left, place.top(), right - left, place.height()), _RIGHT,
                         side.duration)  # fmt: skip
        right -= QFontMetrics(small).horizontalAdvance(side.duration) + theme.GAP_PX
    font = theme.font()
    painter.setFont(font)
    painter.setPen(tokens.failed if side.failed else tokens.secondary if quiet else tokens.text)
    room = max(0, right - left)
    label = QFontMetrics(font).elidedText(side.label, Qt.TextElideMode.ElideMiddle, room)
    painter.drawText(QRect(left, place.top(), room, place.height()), _LEFT, label)
