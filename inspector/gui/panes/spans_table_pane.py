"""The timeline in rows, for those who read or listen instead of look."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.timeline_table_model import Column, TimelineTableModel
from inspector.gui.panes.follow_selection import FollowSelection
from inspector.gui.widgets.row_tree import dress_tree
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.words import status_words

_WIDTHS = {
    Column.NAME: 21, Column.KIND: 14, Column.BEGAN: 10, Column.TOOK: 10, Column.STATUS: 11,
    Column.INSIDE: 14,
}  # fmt: skip
_FIGURES = (Column.BEGAN, Column.TOOK)
_PAD_PX = 8
_FOREMOST = (Column.NAME, Column.TOOK)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
AnyIndex = QModelIndex | QPersistentModelIndex


class SpansTablePane(QWidget):
    """Lists what the timeline draws: when each span began, how long it took, how it ended."""

    def __init__(self, open_run: OpenRun, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._open_run = open_run
        self._model = TimelineTableModel(open_run.run, self)
        self._view = _view()
        self._view.setModel(self._model)
        self._view.setItemDelegate(_Delegate(self._view))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._view)
        self.setFocusProxy(self._view)
        self._follow = FollowSelection(self._view, self._model, open_run.selection)
        open_run.range.changed.connect(self._show)
        open_run.run_changed.connect(self._show)
        open_run.notes.changed.connect(self._show_marks)
        theme.changes.changed.connect(self._lay_out_columns)
        self._show_marks()
        self._show()
        self._lay_out_columns()

    @property
    def view(self) -> QTreeView:
        return self._view

    def _show(self) -> None:
        scrolled = self._view.verticalScrollBar().value()
        self._model.show(self._open_run.run, self._open_run.range.bounds)
        self._view.updateGeometries()  # at once: until then it does not know how far it scrolls
        self._follow.show_selected(self._open_run.selection.span_id)
        self._view.verticalScrollBar().setValue(scrolled)

    def _show_marks(self) -> None:
        self._model.show_marks(self._open_run.notes.marks)

    def _lay_out_columns(self) -> None:
        letter = self._view.fontMetrics().averageCharWidth()
        for column, letters in _WIDTHS.items():
            self._view.header().resizeSection(column, letters * letter + _PAD_PX)


class _Delegate(QStyledItemDelegate):
    """Writes a cell with the room round it that rows have everywhere."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        tokens = theme.current()
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, option.palette.color(QPalette.ColorRole.Highlight))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, tokens.hover)
        place = option.rect.adjusted(theme.GRID_PX, 0, -theme.GRID_PX, 0)
        if index.column() in _FIGURES:
            # They stand at the right and would touch the words of the next column.
            place.setRight(place.right() - theme.GRID_PX)
        text = index.data()
        text = text if isinstance(text, str) else ""
        painter.setFont(theme.font())
        ink = tokens.text if index.column() in _FOREMOST else tokens.secondary
        if index.column() == Column.STATUS and text.startswith(status_words("failed")):
            ink = tokens.failed
        painter.setPen(ink)
        shown = QFontMetrics(theme.font()).elidedText(
            text, Qt.TextElideMode.ElideMiddle, place.width()
        )
        aligned = index.data(Qt.ItemDataRole.TextAlignmentRole)
        painter.drawText(place, aligned if isinstance(aligned, int) else _LEFT, shown)
        painter.restore()


def _view() -> QTreeView:
    # A tree without branches: rows of one height are laid out without looking at each.
    view = QTreeView()
    dress_tree(view, "Spans in the order in which they began")
    view.setRootIsDecorated(False)
    view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    view.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    return view
