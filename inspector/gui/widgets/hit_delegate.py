"""Draws the results of a search: the span, the field, and the words with what is around them."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.presentation.hit_row import HitRow
from inspector.runfile.kinds import SpanStatus

AnyIndex = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_PAD_PX = 4
_FEWEST_LETTERS = 6


class HitDelegate(QStyledItemDelegate):
    """Draws a `HitRow` in two lines. What the row above says of the span is not said again."""

    def height_px(self) -> int:
        """Return how high every row is, in the font of now."""
        lines = QFontMetrics(theme.font()).height() + QFontMetrics(theme.monospace(-1)).height()
        return lines + 3 * _PAD_PX

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), self.height_px())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, HitRow):
            return
        tokens = theme.current()
        painter.save()
        paint_ground(painter, option)
        place = option.rect.adjusted(theme.GAP_PX, _PAD_PX, -theme.GAP_PX, -_PAD_PX)
        first = QFontMetrics(theme.font()).height()
        indent = theme.ICON_PX + theme.GRID_PX + 2
        upper = QRect(place.left() + indent, place.top(), place.width() - indent, first)
        lower = QRect(upper.left(), upper.bottom() + 1 + _PAD_PX, upper.width(), 0)
        lower.setBottom(place.bottom())
        if row.again:
            write_line(painter, upper, row.field, theme.font(-1), "secondary")
        else:
            top = upper.top() + (first - theme.ICON_PX) // 2
            colour = tokens.name_for_kind(row.kind, row.role)
            painter.drawPixmap(place.left(), top, theme.pixmap(row.icon, colour, theme.ICON_PX))
            _write_head(painter, upper, row)
        _write_words(painter, lower, row)
        painter.restore()


def _write_head(painter: QPainter, place: QRect, row: HitRow) -> None:
    """Write the span at the left and the field at the right; where it sits gives way first."""
    failed = row.status is SpanStatus.FAILED
    left = place.left() + write_line(
        painter, place, row.label, theme.font(), "failed" if failed else "text"
    )
    small = theme.font(-1)
    room = place.right() + 1 - left - theme.GAP_PX
    field = QFontMetrics(small).elidedText(row.field, Qt.TextElideMode.ElideMiddle, room)
    if len(field) >= _FEWEST_LETTERS or field == row.field:
        painter.setFont(small)
        painter.setPen(theme.current().secondary)
        painter.drawText(place, _RIGHT, field)
        room -= QFontMetrics(small).horizontalAdvance(field) + theme.GROUP_GAP_PX
    if room > QFontMetrics(small).averageCharWidth() * _FEWEST_LETTERS:
        where = QRect(left + theme.GAP_PX, place.top(), room, place.height())
        write_line(painter, where, row.where, small, "secondary")


def _write_words(painter: QPainter, place: QRect, row: HitRow) -> None:
    if not row.match:
        write_line(
            painter, place, row.after, theme.font(-1), "secondary", Qt.TextElideMode.ElideRight
        )
        return
    font = theme.monospace(-1)
    metrics = QFontMetrics(font)
    # What was found stays in sight: what stands before it gives way.
    before = row.before
    room = place.width() - metrics.horizontalAdvance(row.match)
    while before and metrics.horizontalAdvance(before) > room // 2:
        before = f"…{before[len(before) // 3 + 1 :]}"
        if before == "…":
            break
    left = place.left() + write_line(painter, place, before, font, "secondary")
    rest = QRect(left, place.top(), place.right() + 1 - left, place.height())
    shown = metrics.elidedText(row.match, Qt.TextElideMode.ElideRight, rest.width())
    ground = QRect(left, rest.top(), metrics.horizontalAdvance(shown), rest.height())
    painter.fillRect(ground, theme.current().match_ground)
    left += write_line(painter, rest, row.match, font, "text")
    rest.setLeft(left)
    write_line(painter, rest, row.after, font, "secondary", Qt.TextElideMode.ElideRight)
