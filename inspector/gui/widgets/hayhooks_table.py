"""The table of durable executions: one line each, its state in an icon and a word."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from inspector.gui import theme
from inspector.gui.models.hayhooks_executions_model import ExecutionsModel
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.widgets.served_table import LineDelegate, ServedTable, paint_state
from inspector.presentation.execution_list import FIGURES, ListColumn, row_look

AnyIndex = QModelIndex | QPersistentModelIndex
_LETTERS = {
    ListColumn.STATUS: 18, ListColumn.DEPLOYMENT: 18, ListColumn.WAITING: 22,
    ListColumn.ATTEMPT: 8, ListColumn.CREATED: 13, ListColumn.UPDATED: 13, ListColumn.TOOK: 12,
    ListColumn.ID: 16, ListColumn.REVISION: 14, ListColumn.SERVER: 14,
}  # fmt: skip
_FIXED_FONT = (ListColumn.ID, ListColumn.REVISION)
_FOREMOST = (ListColumn.DEPLOYMENT, ListColumn.WAITING, ListColumn.TOOK)
# What is left out where there is no room for everything: the tab of an execution says it, too.
_FIRST_TO_GO = (ListColumn.REVISION, ListColumn.UPDATED, ListColumn.ID, ListColumn.ATTEMPT)


class _Delegate(LineDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        painter.save()
        paint_ground(painter, option)
        pad = theme.GRID_PX
        place = option.rect.adjusted(pad, 0, -pad, 0)
        column = ListColumn(index.column())
        model = index.model()
        assert isinstance(model, ExecutionsModel)
        # Past Qt, which would ask the model three times for each cell.
        listed = model.rows[index.row()]
        text = model.words(index.row(), column)
        ink = "text" if column in _FOREMOST and not listed.is_stale else "secondary"
        font = theme.monospace(-1) if column in _FIXED_FONT else theme.font()
        if column is ListColumn.STATUS:
            ink = paint_state(painter, place, row_look(listed))
        elif column in FIGURES:
            painter.setFont(font)
            painter.setPen(getattr(theme.current(), ink))
            flags = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(place.adjusted(0, 0, -pad, 0), flags, text)
            text = ""
        if text:
            where = (
                Qt.TextElideMode.ElideRight
                if column is ListColumn.WAITING
                else Qt.TextElideMode.ElideMiddle
            )
            write_line(painter, place, text, font, ink, where)
        painter.restore()


class ExecutionsTable(ServedTable):
    """Says how wide each column is, and which of them are of use where there is little room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(
            "Executions, the newest first",
            _LETTERS,
            stretched=(ListColumn.WAITING,),
            least=2,
            first_to_go=_FIRST_TO_GO,
            delegate=_Delegate(),
            parent=parent,
        )
