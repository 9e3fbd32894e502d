"""The table of an agent's tasks: one line each, its state in an icon and a word."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from inspector.gui import theme
from inspector.gui.models.served_rows_model import RowRole
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.widgets.served_table import LineDelegate, ServedTable, paint_state
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


class _Delegate(LineDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        paint_ground(painter, option)
        pad = theme.GRID_PX
        place = option.rect.adjusted(pad, 0, -pad, 0)
        column, text = TaskColumn(index.column()), index.data() or ""
        listed, look = index.data(RowRole.LISTED), index.data(RowRole.LOOK)
        is_stale = isinstance(listed, ListedTask) and listed.is_stale
        ink = "text" if column in _STRETCHED and not is_stale else "secondary"
        font = theme.monospace(-1) if column in _FROM_AGENT else theme.font()
        where = Qt.TextElideMode.ElideMiddle
        if column is TaskColumn.STATE and isinstance(look, Look):
            ink = paint_state(painter, place, look)
        elif column in _STRETCHED:
            where = Qt.TextElideMode.ElideRight
        write_line(painter, place, text, font, ink, where)
        painter.restore()


class TasksTable(ServedTable):
    """Says how wide each column is, and which of them are of use where there is little room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Tasks, what changed last first",
            _LETTERS,
            stretched=_STRETCHED,
            least=3,
            first_to_go=_FIRST_TO_GO,
            delegate=_Delegate(),
            parent=parent,
        )
