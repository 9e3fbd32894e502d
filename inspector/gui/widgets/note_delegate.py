"""Draws the spans with bookmarks and notes: the name, and below it what was written."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.presentation.notes import MarkRow

AnyIndex = QModelIndex | QPersistentModelIndex
_PAD_PX = 4


class NoteDelegate(QStyledItemDelegate):
    """Draws a `MarkRow` in one line, or in two where there is a note."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row = index.data(ROW_ROLE)
        high = QFontMetrics(theme.font()).height() + 2 * _PAD_PX
        if isinstance(row, MarkRow) and row.line:
            high += QFontMetrics(theme.font(-1)).height() + _PAD_PX
        return QSize(super().sizeHint(option, index).width(), high)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, MarkRow):
            return
        tokens = theme.current()
        painter.save()
        paint_ground(painter, option)
        place = option.rect.adjusted(theme.GROUP_GAP_PX, _PAD_PX, -theme.GAP_PX, -_PAD_PX)
        high = QFontMetrics(theme.font()).height()
        size = theme.ICON_PX
        top = place.top() + (high - size) // 2
        ink = tokens.name_for_kind(row.kind, row.role)
        painter.drawPixmap(place.left(), top, theme.pixmap(row.icon, ink, size))
        right = place.right() + 1
        if row.mark.bookmarked:
            right -= size
            painter.drawPixmap(right, top, theme.pixmap("bookmark", "accent", size))
        left = place.left() + size + theme.GRID_PX + 2
        upper = QRect(left, place.top(), right - theme.GAP_PX - left, high)
        write_line(painter, upper, row.label, theme.font(), "text", Qt.TextElideMode.ElideMiddle)
        if row.line:
            lower = QRect(left, upper.bottom() + 1 + _PAD_PX, place.right() + 1 - left, 0)
            lower.setBottom(place.bottom())
            small = theme.font(-1)
            write_line(painter, lower, row.line, small, "secondary", Qt.TextElideMode.ElideRight)
        painter.restore()
