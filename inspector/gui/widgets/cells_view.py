"""A table of cells: quiet, reached by keys, drawn in what the words mean."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.cells_model import CELL_ROLE, CellsModel
from inspector.gui.widgets.row_paint import paint_ground
from inspector.presentation.table_cells import Cell, TableRow

AnyIndex = QModelIndex | QPersistentModelIndex
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class CellsView(QTreeView):
    """Rows of cells. Says which row became current; Enter and a double click choose it."""

    row_changed = Signal(int)  # its key, when a person moved to it
    row_chosen = Signal(int)

    def __init__(
        self,
        titles: Sequence[str],
        name: str,
        widths: Sequence[int | float],
        parent: QWidget | None = None,
    ) -> None:
        """Make an empty table.

        Args:
            titles: Of the columns.
            name: Its name for those who listen.
            widths: Of the columns: how many characters, or, below 1, which share of the rest.
            parent: Where it stands.

        """
        super().__init__(parent)
        self._widths = widths
        self._placing = False
        self._model = CellsModel(titles, self)
        self.setModel(self._model)
        self.setAccessibleName(name)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setMouseTracking(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(CellDelegate(self))
        self.header().setSectionsMovable(False)
        self.header().setMinimumSectionSize(0)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.header().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        theme.dress_rows(self)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.activated.connect(self._on_activated)
        theme.changes.changed.connect(self._lay_out)

    @property
    def cells(self) -> CellsModel:
        return self._model

    def show_rows(self, rows: Sequence[TableRow]) -> None:
        """Show other rows; the current one stays where it is among them."""
        kept = self._model.key(self.currentIndex())
        self._placing = True
        self._model.show_rows(rows)
        self._placing = False
        self.make_current(kept)

    def make_current(self, key: int | None) -> None:
        """Go to a row without telling anybody."""
        index = self._model.index_of(key)
        if index == self.currentIndex() and self.selectionModel().isSelected(index):
            return
        self._placing = True
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)
        else:
            self.selectionModel().clear()
        self._placing = False

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def focusInEvent(self, event: QFocusEvent) -> None:
        # Qt makes the first row current then, which nobody chose.
        self._placing = True
        super().focusInEvent(event)
        self._placing = False

    def _lay_out(self) -> None:
        character = QFontMetrics(theme.font()).averageCharWidth()
        fixed = [round(width * character) if width > 1 else 0 for width in self._widths]
        room = max(0, self.viewport().width() - sum(fixed))
        for column, width in enumerate(self._widths):
            size = fixed[column] if width > 1 else int(room * width)
            self.header().resizeSection(column, size)

    def _on_current_changed(self, index: QModelIndex) -> None:
        key = self._model.key(index)
        if key is not None and not self._placing:
            self.row_changed.emit(key)

    def _on_activated(self, index: QModelIndex) -> None:
        key = self._model.key(index)
        if key is not None:
            self.row_chosen.emit(key)


class CellDelegate(QStyledItemDelegate):
    """Draws one cell."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = index.data(CELL_ROLE)
        if not isinstance(cell, Cell):
            return
        tokens = theme.current()
        painter.save()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        paint_ground(painter, option)
        if cell.ground and not chosen:
            box = option.rect.adjusted(0, 1, -theme.GRID_PX, -1)
            painter.fillRect(box, getattr(tokens, cell.ground))
        _paint_cell(painter, option.rect, cell)
        painter.restore()


def _paint_cell(painter: QPainter, whole: QRect, cell: Cell) -> None:
    tokens = theme.current()
    place = whole.adjusted(theme.GAP_PX, 0, -theme.GAP_PX, 0)
    if cell.icon:
        size = theme.ICON_PX
        ink = cell.icon_ink or cell.ink
        top = place.top() + (place.height() - size) // 2
        painter.drawPixmap(place.left(), top, theme.pixmap(cell.icon, ink, size))
        place.setLeft(place.left() + size + theme.GRID_PX + 2)
    if place.width() <= 0 or not cell.text:
        return
    font = theme.monospace(-1) if cell.quoted else theme.font(strong=cell.strong)
    painter.setFont(font)
    painter.setPen(getattr(tokens, cell.ink))
    # What is far too long would be measured whole for every paint.
    text = cell.text[: place.width()]
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
    painter.drawText(place, _RIGHT if cell.figure else _LEFT, shown)
