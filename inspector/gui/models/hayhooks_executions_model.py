"""Durable executions in rows, the newest first."""

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.served_rows_model import RowRole, ServedRowsModel
from inspector.presentation.execution_list import (
    FIGURES,
    TITLES,
    ListColumn,
    Listed,
    cell_words,
    row_look,
    spoken,
)

AnyIndex = QModelIndex | QPersistentModelIndex
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ExecutionsModel(ServedRowsModel[Listed]):
    """Adapts listed executions to Qt."""

    def __init__(
        self, parent: QObject | None = None, *, clock: Callable[[], int] = time.time_ns
    ) -> None:
        super().__init__(TITLES, parent, clock=clock)

    def tick(self) -> None:
        """Have the times of what goes on be written anew."""
        if self._rows:
            last = self.index(len(self._rows) - 1, ListColumn.TOOK)
            self.dataChanged.emit(self.index(0, ListColumn.TOOK), last)

    def words(self, row: int, column: ListColumn) -> str:
        """Return what stands in a cell."""
        return cell_words(self._rows[row], column, self._clock())

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and section in FIGURES:
            return _RIGHT
        return super().headerData(section, orientation, role)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        listed = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.words(index.row(), ListColumn(index.column()))
            case Qt.ItemDataRole.TextAlignmentRole if index.column() in FIGURES:
                return _RIGHT
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == ListColumn.STATUS:
                return spoken(listed, self._clock())
            case RowRole.LISTED:
                return listed
            case RowRole.LOOK:
                return row_look(listed)
        return None
