"""A table of the work of servers: one line each, its state in an icon and a word."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from inspector.gui import theme
from inspector.gui.models.served_rows_model import RowRole
from inspector.gui.widgets.row_tree import dress_tree
from inspector.presentation.execution_words import Look

AnyIndex = QModelIndex | QPersistentModelIndex


class LineDelegate(QStyledItemDelegate):
    """Draws rows that are one line high."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), theme.row_height())


class ServedTable(QTreeView):
    """A tree without branches: rows of one height are laid out without looking at each.

    Args:
        title: Names the table.
        letters: How wide each column is, in letters.
        stretched: The columns that take what room is left.
        least: The part of their width that those keep where there is none.
        first_to_go: The columns that are left out where there is no room for everything.
        delegate: Draws the cells.

    """

    opened = Signal(object)  # what the row shows

    def __init__(
        self,
        title: str,
        letters: Mapping[Any, int],
        *,
        stretched: Sequence[int],
        least: int,
        first_to_go: Sequence[int],
        delegate: QStyledItemDelegate,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._letters: dict[int, int] = dict(letters)
        self._stretched, self._least = tuple(stretched), least
        self._first_to_go = tuple(first_to_go)
        self._left_out: frozenset[int] = frozenset()
        dress_tree(self, title)
        self.setRootIsDecorated(False)
        delegate.setParent(self)
        self.setItemDelegate(delegate)
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

    def hide_columns(self, *columns: int) -> None:
        """Leave out what says the same in every row."""
        self._left_out = frozenset(columns)
        self._lay_out_columns()

    def _lay_out_columns(self) -> None:
        if self.model() is None:
            return
        letter = self.fontMetrics().averageCharWidth()
        widths = {column: letters * letter + 8 for column, letters in self._letters.items()}
        room = self.viewport().width()
        shown = [column for column in widths if column not in self._left_out]
        for column in self._first_to_go:
            if column in shown and sum(widths[each] for each in shown) > room:
                shown.remove(column)
        for column in widths:
            self.setColumnHidden(column, column not in shown)
        spare = (room - sum(widths[column] for column in shown)) // len(self._stretched)
        for column in self._stretched:
            widths[column] = max(widths[column] // self._least, widths[column] + spare)
        for column, width in widths.items():
            self.header().resizeSection(column, width)

    def _open(self, index: AnyIndex) -> None:
        listed = index.data(RowRole.LISTED) if index.isValid() else None
        if listed is not None:
            self.opened.emit(listed)


def paint_state(painter: QPainter, place: QRect, look: Look) -> str:
    """Draw the icon of a state at the left of a place, which then begins behind it.

    Returns the colour of the words beside it.
    """
    pad = theme.GRID_PX
    top = place.top() + (place.height() - theme.ICON_PX) // 2
    painter.drawPixmap(place.left() + pad, top, theme.pixmap(look.icon, look.colour))
    place.setLeft(place.left() + theme.ICON_PX + 2 * pad + 2)
    # What went well is not what one looks for: its icon says enough.
    return "secondary" if look.colour == "same" else look.colour
