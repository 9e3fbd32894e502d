"""Rows of cells as a flat table for Qt."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.tips import tip
from inspector.presentation.table_cells import Cell, MadeRows, TableRow

AnyIndex = QModelIndex | QPersistentModelIndex
CELL_ROLE = Qt.ItemDataRole.UserRole
"""The cell itself, as a delegate draws it."""

_NONE = QModelIndex()
_TIP_FROM = 24  # shorter words are seen whole
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class CellsModel(QAbstractTableModel):
    """Adapts rows of cells to Qt. It decides nothing and formats nothing itself."""

    def __init__(self, titles: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = tuple(titles)
        self._rows: Sequence[TableRow] = ()
        self._count = 0
        self._place_of: dict[int, int] | None = None

    def show_titles(self, titles: Sequence[str]) -> None:
        """Give the columns other titles."""
        self._titles = tuple(titles)
        last = len(self._titles) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)

    def show_rows(self, rows: Sequence[TableRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = rows
        self._count = len(rows)
        self._place_of = None
        self.endResetModel()

    def key(self, index: AnyIndex) -> int | None:
        """Return what a choice of a row stands for."""
        if not index.isValid():
            return None
        rows = self._rows
        return rows.keys[index.row()] if isinstance(rows, MadeRows) else rows[index.row()].key

    def index_of(self, key: int | None) -> QModelIndex:
        """Return the row of a key; an invalid index where it is not shown."""
        place = self._places().get(key) if key is not None else None
        return QModelIndex() if place is None else self.index(place, 0)

    def _places(self) -> dict[int, int]:
        if self._place_of is None:
            rows = self._rows
            keys = rows.keys if isinstance(rows, MadeRows) else [row.key for row in rows]
            self._place_of = {key: place for place, key in enumerate(keys)}
        return self._place_of

    def index(self, row: int, column: int, parent: AnyIndex = _NONE) -> QModelIndex:
        # Qt's own asks for both counts first, for every row there is: this is twice as quick.
        inside = 0 <= row < self._count and 0 <= column < len(self._titles)
        return self.createIndex(row, column) if inside and not parent.isValid() else QModelIndex()

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else self._count

    def columnCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self._is_figure(section):
            return _RIGHT
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        cell: Cell = row.cells[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken if index.column() == 0 else cell.text
            case Qt.ItemDataRole.ToolTipRole:
                return tip(cell.text) if len(cell.text) > _TIP_FROM else None
        return cell if role == CELL_ROLE else None

    def _is_figure(self, column: int) -> bool:
        return bool(self._rows) and self._rows[0].cells[column].figure
