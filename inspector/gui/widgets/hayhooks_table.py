"""The table of durable executions: one line each, its state in an icon and a word."""

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
from inspector.gui.models.hayhooks_executions_model import ExecutionRole, ExecutionsModel
from inspector.gui.widgets.row_paint import paint_ground, write_line
from inspector.gui.widgets.row_tree import dress_tree
from inspector.presentation.execution_list import FIGURES, ListColumn, Listed, row_look

AnyIndex = QModelIndex | QPersistentModelIndex
_LETTERS = {
    ListColumn.STATUS: 18, ListColumn.DEPLOYMENT: 18, ListColumn.WAITING: 22,
    ListColumn.ATTEMPT: 8, ListColumn.CREATED: 13, ListColumn.UPDATED: 13, ListColumn.TOOK: 12,
    ListColumn.ID: 16, ListColumn.REVISION: 14, ListColumn.SERVER: 14,
}  # fmt: skip
_FIXED_FONT = (ListColumn.ID, ListColumn.REVISION)
_FOREMOST = (ListColumn.DEPLOYMENT, ListColumn.WAITING, ListColumn.TOOK)
_STRETCHED = ListColumn.WAITING
# What is left out where there is no room for everything: the tab of an execution says it, too.
_FIRST_TO_GO = (ListColumn.REVISION, ListColumn.UPDATED, ListColumn.ID, ListColumn.ATTEMPT)


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

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
            look = row_look(listed)
            top = place.top() + (place.height() - theme.ICON_PX) // 2
            icon = theme.pixmap(look.icon, look.colour)
            painter.drawPixmap(place.left() + pad, top, icon)
            place.setLeft(place.left() + theme.ICON_PX + 2 * pad + 2)
            # What went well is not what one looks for: its icon says enough.
            ink = "secondary" if look.colour == "same" else look.colour
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


class ExecutionsTable(QTreeView):
    """A tree without branches: rows of one height are laid out without looking at each."""

    opened = Signal(object)  # Listed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._left_out: frozenset[ListColumn] = frozenset()
        dress_tree(self, "Executions, the newest first")
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

    def hide_columns(self, *columns: ListColumn) -> None:
        """Leave out what says the same in every row."""
        self._left_out = frozenset(columns)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        if self.model() is None:
            return
        letter = self.fontMetrics().averageCharWidth()
        widths = {column: letters * letter + 8 for column, letters in _LETTERS.items()}
        room = self.viewport().width()
        shown = [column for column in ListColumn if column not in self._left_out]
        for column in _FIRST_TO_GO:
            if column in shown and sum(widths[each] for each in shown) > room:
                shown.remove(column)
        for column in ListColumn:
            self.setColumnHidden(column, column not in shown)
        spare = room - sum(widths[column] for column in shown)
        widths[_STRETCHED] = max(widths[_STRETCHED] // 2, widths[_STRETCHED] + spare)
        for column, width in widths.items():
            self.header().resizeSection(column, width)

    def _open(self, index: AnyIndex) -> None:
        listed = index.data(ExecutionRole.LISTED) if index.isValid() else None
        if isinstance(listed, Listed):
            self.opened.emit(listed)
