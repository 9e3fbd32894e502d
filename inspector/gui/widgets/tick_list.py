"""A list whose rows say what becomes of something, and may be ticked."""

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.models.tick_rows_model import TickRowsModel
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.presentation.replay_ticks import TickRow

AnyIndex = QModelIndex | QPersistentModelIndex
_BOX_PX = 16
_PAD_PX = theme.GRID_PX + 2
_LEFT_PX = theme.GAP_PX
_RIGHT = Qt.TextElideMode.ElideRight


def _lines() -> tuple[int, int]:
    return QFontMetrics(theme.font()).height(), QFontMetrics(theme.font(-1)).height()


class TickDelegate(QStyledItemDelegate):
    """Draws a `TickRow` in two lines: what it is and what becomes of it, then why."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: AnyIndex) -> QSize:
        return QSize(120, sum(_lines()) + 2 * _PAD_PX + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, TickRow):
            return
        painter.save()
        paint_ground(painter, option)
        upper, lower = _lines()
        place: QRect = option.rect.adjusted(_LEFT_PX, _PAD_PX, -theme.GAP_PX, -_PAD_PX)
        first = QRect(place.left(), place.top(), place.width(), upper)
        if row.ticked is not None:
            _paint_box(painter, option, box_in(option.rect), is_ticked=row.ticked)
        first.setLeft(first.left() + _BOX_PX + theme.GAP_PX)
        left = first.left()
        self._paint_first(painter, first, row)
        second = QRect(left, place.top() + upper + 2, place.right() - left, lower)
        if row.warning:
            icon = theme.pixmap("warning", "failed", 12)
            painter.drawPixmap(second.left(), second.top() + (lower - 12) // 2, icon)
            second.setLeft(second.left() + 16)
            write_line(painter, second, row.warning, theme.font(-1), "failed", _RIGHT)
        else:
            said = f"{row.what} · {row.why}" if row.why else row.what
            write_line(painter, second, said, theme.font(-1), "secondary", _RIGHT)
        painter.restore()

    def _paint_first(self, painter: QPainter, place: QRect, row: TickRow) -> None:
        metrics = QFontMetrics(theme.font(-1))
        state = min(metrics.horizontalAdvance(row.happens) + 20, place.width() // 2)
        at = place.right() - state
        icon = theme.pixmap(row.icon, row.colour, 14)
        painter.drawPixmap(at, place.top() + (place.height() - 14) // 2, icon)
        right = QRect(at + 20, place.top(), state - 20 + 1, place.height())
        write_line(painter, right, row.happens, theme.font(-1), row.ink, _RIGHT)
        room = QRect(place.left(), place.top(), at - place.left() - theme.GAP_PX, place.height())
        font = theme.monospace() if row.is_code else theme.font()
        write_line(painter, room, row.name, font, "text")


def box_in(rect: QRect) -> QRect:
    """Return where the tick of a row stands."""
    upper, _lower = _lines()
    top = rect.top() + _PAD_PX + (upper - _BOX_PX) // 2
    return QRect(rect.left() + _LEFT_PX, top, _BOX_PX, _BOX_PX)


def _paint_box(
    painter: QPainter, option: QStyleOptionViewItem, box: QRect, *, is_ticked: bool
) -> None:
    button = QStyleOptionButton()
    button.rect = box
    button.palette = QApplication.palette()
    button.state = QStyle.StateFlag.State_Enabled | (
        QStyle.StateFlag.State_On if is_ticked else QStyle.StateFlag.State_Off
    )
    style = option.widget.style() if option.widget is not None else QApplication.style()
    style.drawPrimitive(QStyle.PrimitiveElement.PE_IndicatorCheckBox, button, painter)


class TickList(QListView):
    """Shows `TickRow`s; a click on a tick, or Space, asks for its other state."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = TickRowsModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(TickDelegate(self))
        self.setAccessibleName(name)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme.dress_rows(self)
        theme.changes.changed.connect(self.doItemsLayout)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and event.button() is Qt.MouseButton.LeftButton:
            reach = box_in(self.visualRect(index)).adjusted(-6, -6, 6, 6)
            if reach.contains(event.position().toPoint()):
                self.rows.toggle(index)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.rows.rows:
            self.setCurrentIndex(self.rows.index(0))  # Space needs a row

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and self.currentIndex().isValid():
            self.rows.toggle(self.currentIndex())
            return
        super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        # Space is ours while the list has the focus, and no shortcut of the window's.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Space
        ):
            event.accept()
            return True
        return super().event(event)
