"""A list of records as a table that can be sorted."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.records_model import NOTHING_ROLE, RecordsModel
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.widgets.plain import Hairline
from inspector.gui.widgets.viewer_head import ViewerHead
from inspector.presentation.previews import text_preview
from inspector.presentation.records import Records
from inspector.presentation.words import number_words, plural, sentence

_WIDEST_PX = 320
_MEASURED = 40  # rows that say how wide a column is
_LIST_ORDER = -1


class RecordsView(QWidget):
    """Shows alike items below each other: a header sorts, Enter leads to the item."""

    item_requested = Signal(int)
    escape_pressed = Signal()

    def __init__(
        self,
        tasks: TaskRunner,
        parent: QWidget | None = None,
        *,
        name: str = "Records",
        buttons: Sequence[QWidget] = (),
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._sorted = (_LIST_ORDER, Qt.SortOrder.AscendingOrder)
        self._model = RecordsModel(self)
        self._head = ViewerHead(self)
        self._table = _Table(self)
        self._table.setModel(self._model)
        self._table.setAccessibleName(name)
        self._table.activated.connect(self._on_activated)
        self._table.escape_pressed.connect(self.escape_pressed)
        self._table.header().sectionClicked.connect(self._on_header_pressed)
        self._order = QToolButton(self)
        self._order.setAutoRaise(True)
        self._order.setText("Sort")
        self._order.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._order.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._order.setToolTip("Sort the table by a column")
        self._order.setAccessibleName("Sort the table")
        self._menu = QMenu(self._order)
        self._menu.aboutToShow.connect(self._fill_menu)
        self._order.setMenu(self._menu)
        for button in (*buttons, *(self._order,)):
            self._head.add_button(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(Hairline(self))
        layout.addWidget(self._table, 1)
        self.setFocusProxy(self._table)
        theme.changes.changed.connect(self._table.fit)

    def show_records(self, records: Records, title: str) -> None:
        """Show another list."""
        more = f"the first {number_words(len(records))}" if len(records) < records.total else ""
        self._head.say(sentence([title, plural(records.total, "item"), more]))
        before = self._model.records
        self._model.show_records(records)
        self._say_order(_LIST_ORDER, Qt.SortOrder.AscendingOrder)
        if before is None or before.columns != records.columns:
            self._table.fit()
        self._table.setCurrentIndex(self._model.index(0, 0))

    def sort_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sort by a column of the table, or put the rows back in the order of the list."""
        records = self._model.records
        if records is None:
            return
        if column == _LIST_ORDER or column == 0:
            down = column == 0 and order is Qt.SortOrder.DescendingOrder
            rows = range(len(records))
            self._put(column, order, rows[::-1] if down else rows)
            return
        downwards = order is Qt.SortOrder.DescendingOrder
        self._tasks.start(
            lambda _cancelled: records.order(column - 1, downwards=downwards),
            done=lambda rows: self._put(column, order, rows, records),
            failed=_pass_on,
            key=(self, "sort"),
        )

    def _put(
        self,
        column: int,
        order: Qt.SortOrder,
        rows: "list[int] | range",
        records: Records | None = None,
    ) -> None:
        if records is not None and records is not self._model.records:
            return
        chosen = self._model.item_of(self._table.currentIndex())
        self._model.put_in_order(rows)
        self._say_order(column, order)
        if chosen is not None:
            self._table.setCurrentIndex(self._model.index(self._model.row_of(chosen), 0))

    def _say_order(self, column: int, order: Qt.SortOrder) -> None:
        self._sorted = (column, order)
        self._table.header().setSortIndicator(column, order)
        if column == _LIST_ORDER:
            self._order.setAccessibleName("Sort the table; it stands in the order of the list")
            return
        title = self._model.headerData(column, Qt.Orientation.Horizontal)
        way = "up" if order is Qt.SortOrder.AscendingOrder else "down"
        self._order.setAccessibleName(f"Sort the table; it is sorted by {title}, {way}")

    def _on_header_pressed(self, column: int) -> None:
        """Sort up, then down, then as the list was."""
        if self._sorted[0] != column:
            self.sort_by(column, Qt.SortOrder.AscendingOrder)
        elif self._sorted[1] is Qt.SortOrder.AscendingOrder:
            self.sort_by(column, Qt.SortOrder.DescendingOrder)
        else:
            self.sort_by(_LIST_ORDER, Qt.SortOrder.AscendingOrder)

    def _fill_menu(self) -> None:
        self._menu.clear()
        up, down = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        as_list = self._menu.addAction("As in the list", partial(self.sort_by, _LIST_ORDER, up))
        as_list.setCheckable(True)
        as_list.setChecked(self._sorted[0] == _LIST_ORDER)
        self._menu.addSeparator()
        for column in range(1, self._model.columnCount()):
            title = self._model.headerData(column, Qt.Orientation.Horizontal).replace("&", "&&")
            for order, arrow in ((up, "up"), (down, "down")):
                action = self._menu.addAction(
                    f"{title}, {arrow}", partial(self.sort_by, column, order)
                )
                action.setCheckable(True)
                action.setChecked(self._sorted == (column, order))

    def _on_activated(self, index: QModelIndex) -> None:
        item = self._model.item_of(index)
        if item is not None:
            self.item_requested.emit(item)


def _pass_on(error: Exception) -> None:
    raise error


class _Table(QTreeView):
    escape_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        theme.dress_rows(self)
        self.setItemDelegate(_CellDelegate(self))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.setAllColumnsShowFocus(True)
        header = self.header()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)

    def fit(self) -> None:
        """Give each column the room that what stands in it needs, within reason."""
        model, metrics = self.model(), QFontMetrics(theme.monospace())
        pad = 6 * theme.GRID_PX
        for column in range(model.columnCount()):
            title = model.headerData(column, Qt.Orientation.Horizontal) or ""
            # The header keeps room for the arrow that says which way it is sorted.
            widest = self.fontMetrics().horizontalAdvance(title)
            for row in range(min(model.rowCount(), _MEASURED)):
                words = model.index(row, column).data() or ""
                widest = max(widest, metrics.horizontalAdvance(text_preview(words, 80)))
            self.header().resizeSection(column, min(widest + pad, _WIDEST_PX))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape:
                self.escape_pressed.emit()
                event.ignore()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.currentIndex().isValid():
                self.activated.emit(self.currentIndex())
            case _:
                super().keyPressEvent(event)


class _CellDelegate(QStyledItemDelegate):
    """Words from the file stand in the fixed font."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.font = theme.monospace()
        if option.displayAlignment & Qt.AlignmentFlag.AlignRight:
            # Figures at the right of one column would touch the words of the next.
            option.text += "\u2002"
        quiet = not index.column() or index.data(NOTHING_ROLE)
        colour = theme.current().secondary if quiet else theme.current().text
        palette = option.palette
        palette.setColor(palette.ColorRole.Text, colour)
        palette.setColor(palette.ColorRole.HighlightedText, colour)

    def sizeHint(
        self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(40, theme.row_height())
