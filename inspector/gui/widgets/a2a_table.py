"""The table of an agent's tasks: one line each, its state in an icon and a word."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.a2a_tasks_model import TaskRole
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.widgets.row_tree import dress_tree
from inspector.presentation.a2a_list import ListedTask, TaskColumn
from inspector.presentation.execution_words import Look

AnyIndex = QModelIndex | QPersistentModelIndex
_LETTERS = {
    TaskColumn.STATE: 25, TaskColumn.WISH: 30, TaskColumn.SAYS: 30, TaskColumn.CHANGED: 13,
    TaskColumn.CONTEXT: 16, TaskColumn.ID: 16,
}  # fmt: skip
_STRETCHED = (TaskColumn.WISH, TaskColumn.SAYS)
_FIRST_TO_GO = (TaskColumn.CONTEXT, TaskColumn.ID)
_FROM_AGENT = (TaskColumn.CONTEXT, TaskColumn.ID)


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        paint_ground(painter, option)
        pad = theme.GRID_PX
        place = option.rect.adjusted(pad, 0, -pad, 0)
        column, text = TaskColumn(index.column()), index.data() or ""
        listed, look = index.data(TaskRole.LISTED), index.data(TaskRole.LOOK)
        is_stale = isinstance(listed, ListedTask) and listed.is_stale
        ink = "text" if column in _STRETCHED and not is_stale else "secondary"
        font = theme.monospace(-1) if column in _FROM_AGENT else theme.font()
        where = Qt.TextElideMode.ElideMiddle
        if column is TaskColumn.STATE and isinstance(look, Look):
            top = place.top() + (place.height() - theme.ICON_PX) // 2
            painter.drawPixmap(place.left() + pad, top, theme.pixmap(look.icon, look.colour))
            place.setLeft(place.left() + theme.ICON_PX + 2 * pad + 2)
            # What went well is not what one looks for: its icon says enough.
            ink = "secondary" if look.colour == "same" else look.colour
        elif column in _STRETCHED:
            where = Qt.TextElideMode.ElideRight
        write_line(painter, place, text, font, ink, where)
        painter.restore()


class TasksTable(QTreeView):
    """A tree without branches: rows of one height are laid out without looking at each."""

    opened = Signal(object)  # ListedTask

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress_tree(self, "Tasks, what changed last first")
        self.setRootIsDecorated(False)
        self.setItemDelegate(_Delegate(self))
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(False)
        self.doubleClicked.connect(self._open)
        theme.changes.changed.connect(self._lay_out_columns)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex())
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        if self.model() is None:
            return
        letter = self.fontMetrics().averageCharWidth()
        widths = {column: letters * letter + 8 for column, letters in _LETTERS.items()}
        room, shown = self.viewport().width(), list(TaskColumn)
        for column in _FIRST_TO_GO:
            if sum(widths[each] for each in shown) > room:
                shown.remove(column)
        for column in TaskColumn:
            self.setColumnHidden(column, column not in shown)
        spare = room - sum(widths[column] for column in shown)
        for column in _STRETCHED:
            least = widths[column] // 3
            widths[column] = max(least, widths[column] + spare // len(_STRETCHED))
        for column, width in widths.items():
            self.header().resizeSection(column, width)

    def _open(self, index: AnyIndex) -> None:
        listed = index.data(TaskRole.LISTED) if index.isValid() else None
        if isinstance(listed, ListedTask):
            self.opened.emit(listed)
