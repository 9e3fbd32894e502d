"""Draws the rows of the tree of a replay."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.replay_tree_model import FLASH_ROLE, ReplayColumn
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.presentation.replay_row import ReplayRow
from inspector.presentation.replay_words import MATCH_COLOURS

AnyIndex = QModelIndex | QPersistentModelIndex
_GHOST = 0.45  # how strong the picture is of what has not come yet
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ReplayDelegate(QStyledItemDelegate):
    """Draws a `ReplayRow`: what it is, how it stands to the recording, how long it took."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, ReplayRow):
            return
        painter.save()
        # Deep inside of others a name has no room, and its icons would stand on what is beside.
        painter.setClipRect(option.rect)
        if index.data(FLASH_ROLE):
            painter.fillRect(option.rect, theme.current().changed_ground)
        elif row.held:
            painter.fillRect(option.rect, theme.current().notice_ground)
        paint_ground(painter, option)
        place: QRect = option.rect.adjusted(theme.GRID_PX, 0, -theme.GRID_PX, 0)
        match index.column():
            case ReplayColumn.NAME:
                _paint_name(painter, place, row)
            case ReplayColumn.HOW:
                colour = "secondary" if row.match is None else MATCH_COLOURS[row.match]
                write_line(painter, place, row.how, theme.font(-1), colour)
            case ReplayColumn.TIME:
                painter.setFont(theme.font())
                painter.setPen(theme.current().text)
                painter.drawText(place.adjusted(0, 0, -theme.GRID_PX, 0), _RIGHT, row.time)
        painter.restore()


def _paint_name(painter: QPainter, place: QRect, row: ReplayRow) -> None:
    size = theme.ICON_PX
    top = place.top() + (place.height() - size) // 2
    colour = theme.current().name_for_kind(row.kind, row.role)
    painter.setOpacity(_GHOST if row.match is None else 1)
    painter.drawPixmap(place.left(), top, theme.pixmap(row.icon, colour, size))
    painter.setOpacity(1)
    left = place.left() + size + theme.GRID_PX + 2
    right = place.right() + 1
    state = ("paused", "accent") if row.held else ("failed", "failed") if row.failed else None
    if state is not None:
        right -= size
        painter.drawPixmap(right, top, theme.pixmap(*state, size))
        right -= theme.GRID_PX
    ink = "failed" if row.failed else "secondary" if row.match is None else "text"
    room = QRect(left, place.top(), right - left, place.height())
    left += write_line(painter, room, row.label, theme.font(), ink) + theme.GAP_PX
    if row.detail and right - left > size:
        room = QRect(left, place.top(), right - left, place.height())
        ink = "accent" if row.held else "failed" if row.failed else "secondary"
        write_line(painter, room, row.detail, theme.font(-1), ink, Qt.TextElideMode.ElideRight)
