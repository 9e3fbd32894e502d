"""Rows of cells as a flat table for Qt."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.tips import tip
from inspector.presentation.table_cells import Cell, TableRow

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

    def show_rows(self, rows: Sequence[TableRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def key(self, index: AnyIndex) -> int | None:
        """Return what a choice of a row stands for."""
        return self._rows[index.row()].key if index.isValid() else None

    def index_of(self, key: int | None) -> QModelIndex:
        """Return the row of a key; an invalid index where it is not shown."""
        place = next((at for at, row in enumerate(self._rows) if row.key == key), None)
        return QModelIndex() if place is None else self.index(place, 0)

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._rows)

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
