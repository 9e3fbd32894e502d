"""Draws the rows of the component tree."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from inspector.gui import theme
from inspector.gui.models.roles import MARK_ROLE, MATCH_ROLE, ROW_ROLE, Match
from inspector.gui.models.span_tree_model import Column
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.notes import Mark
from inspector.presentation.tree_row import TreeRow
from inspector.runfile.kinds import SpanStatus

AnyIndex = QModelIndex | QPersistentModelIndex
_BAR_PX = 6
_AROUND = 0.5  # how strong the picture is of what is only around a result
_DOT_PX = 6
_STATE_ICONS = {
    SpanStatus.FAILED: ("failed", "failed"),
    SpanStatus.CANCELED: ("canceled", "changed"),
    SpanStatus.UNFINISHED: ("unfinished", "changed"),
}
_RUNNING_ICON = ("live", "live")
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class SpanDelegate(QStyledItemDelegate):
    """Draws a `TreeRow`: what it is, how it went, how long it took."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, TreeRow):
            return
        painter.save()
        paint_ground(painter, option)
        place: QRect = option.rect.adjusted(theme.GRID_PX, 0, -theme.GRID_PX, 0)
        match index.column():
            case Column.NAME:
                _paint_name(painter, place, row, index.data(MATCH_ROLE), index.data(MARK_ROLE))
            case Column.SHARE:
                _paint_share(painter, place, row)
            case Column.DURATION:
                _paint_figure(painter, option.rect, row.duration, theme.current().text)
            case Column.TOKENS:
                _paint_figure(painter, option.rect, row.tokens, theme.current().secondary)
        painter.restore()


def _paint_name(
    painter: QPainter, place: QRect, row: TreeRow, match: Match | None, mark: Mark | None
) -> None:
    tokens = theme.current()
    size = theme.ICON_PX
    colour = tokens.name_for_kind(row.kind, row.role)
    top = place.top() + (place.height() - size) // 2
    painter.setOpacity(_AROUND if match is Match.AROUND else 1)
    painter.drawPixmap(place.left(), top, theme.pixmap(row.icon, colour, size))
    painter.setOpacity(1)
    left = place.left() + size + theme.GRID_PX + 2
    right = place.right() + 1
    if state := _RUNNING_ICON if row.running else _STATE_ICONS.get(row.status):
        right -= size
        painter.drawPixmap(right, top, theme.pixmap(*state, size))
        right -= theme.GRID_PX
    elif row.failed_inside:
        # Something below went wrong and was dealt with: quieter than a failure.
        right -= size
        _paint_dot(painter, QPoint(right + size // 2, place.center().y() + 1), tokens.failed)
        right -= theme.GRID_PX
    if mark is not None:
        right -= size
        icon = "bookmark" if mark.bookmarked else "note"
        painter.drawPixmap(right, top, theme.pixmap(icon, "accent", size))
        right -= theme.GRID_PX
    failed = row.status is SpanStatus.FAILED
    font = theme.font()
    metrics = QFontMetrics(font)
    label = metrics.elidedText(row.label, Qt.TextElideMode.ElideMiddle, max(0, right - left))
    painter.setFont(font)
    if match is Match.FOUND:
        found = QRect(left, place.top() + 3, metrics.horizontalAdvance(label), place.height() - 6)
        painter.fillRect(found.adjusted(-2, 0, 2, 0), tokens.match_ground)
    ink = tokens.secondary if match is Match.AROUND else tokens.text
    painter.setPen(tokens.failed if failed else ink)
    painter.drawText(QRect(left, place.top(), right - left, place.height()), _LEFT, label)
    left += metrics.horizontalAdvance(label) + theme.GAP_PX
    if row.detail and right - left > metrics.averageCharWidth() * 4:
        small = theme.font(-1)
        painter.setFont(small)
        painter.setPen(tokens.failed if failed else tokens.secondary)
        detail = QFontMetrics(small).elidedText(
            row.detail, Qt.TextElideMode.ElideRight, right - left
        )
        painter.drawText(QRect(left, place.top(), right - left, place.height()), _LEFT, detail)


def _paint_dot(painter: QPainter, middle: QPoint, ink: QColor) -> None:
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawEllipse(middle, _DOT_PX // 2, _DOT_PX // 2)
    painter.restore()


def _paint_share(painter: QPainter, place: QRect, row: TreeRow) -> None:
    tokens = theme.current()
    bar = QRect(place.left(), place.center().y() - _BAR_PX // 2 + 1, place.width(), _BAR_PX)
    track = QColor(tokens.border)
    track.setAlpha(110)
    painter.fillRect(bar, track)
    width = max(1, round(row.share * bar.width()))
    ink = tokens.failed if row.status is SpanStatus.FAILED else None
    painter.fillRect(
        QRect(bar.left(), bar.top(), width, bar.height()),
        ink or tokens.for_kind(row.kind, row.role),
    )


def _paint_figure(painter: QPainter, place: QRect, text: str, ink: QColor) -> None:
    painter.setFont(theme.font())
    painter.setPen(ink)
    painter.drawText(place.adjusted(0, 0, -theme.GAP_PX, 0), _RIGHT, text)
