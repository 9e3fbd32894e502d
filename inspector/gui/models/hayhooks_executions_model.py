"""Durable executions in rows, the newest first."""

import time
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

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
_NOWHERE = QModelIndex()
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class ExecutionRole(IntEnum):
    """What a row says of itself beyond its words."""

    LISTED = Qt.ItemDataRole.UserRole
    LOOK = Qt.ItemDataRole.UserRole + 1


class ExecutionsModel(QAbstractTableModel):
    """Adapts listed executions to Qt.

    What comes is compared with what is there, so that a refresh that changes one row touches
    one row, and nobody loses the place that he looks at.
    """

    def __init__(
        self, parent: QObject | None = None, *, clock: Callable[[], int] = time.time_ns
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._rows: tuple[Listed, ...] = ()

    @property
    def rows(self) -> tuple[Listed, ...]:
        return self._rows

    def show(self, rows: Sequence[Listed]) -> None:
        """Show these rows instead."""
        new, old = tuple(rows), self._rows
        if new == old:
            return
        added = len(new) - len(old)
        old_keys = [one.key for one in old]
        new_keys = [one.key for one in new]
        if added >= 0 and new_keys[added:] == old_keys:
            if added:
                self.beginInsertRows(_NOWHERE, 0, added - 1)
                self._rows = new
                self.endInsertRows()
            self._rows = new
            self._tell_changed(old, new[added:], added)
            return
        self.beginResetModel()
        self._rows = new
        self.endResetModel()

    def _tell_changed(self, old: Sequence[Listed], new: Sequence[Listed], first: int) -> None:
        changed = [row for row, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
        if changed:
            # One signal for all of them: views look at what is in sight only.
            begin = self.index(first + changed[0], 0)
            end = self.index(first + changed[-1], len(ListColumn) - 1)
            self.dataChanged.emit(begin, end)

    def tick(self) -> None:
        """Have the times of what goes on be written anew."""
        if self._rows:
            last = self.index(len(self._rows) - 1, ListColumn.TOOK)
            self.dataChanged.emit(self.index(0, ListColumn.TOOK), last)

    def words(self, row: int, column: ListColumn) -> str:
        """Return what stands in a cell."""
        return cell_words(self._rows[row], column, self._clock())

    def listed(self, index: AnyIndex) -> Listed | None:
        """Return what a row shows."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, key: tuple[str, str, str]) -> QModelIndex:
        """Return where an execution stands; an invalid index where it is not shown."""
        row = next((row for row, one in enumerate(self._rows) if one.key == key), None)
        return QModelIndex() if row is None else self.index(row, 0)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(ListColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[ListColumn(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in FIGURES:
            return _RIGHT
        return None

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
            case ExecutionRole.LISTED:
                return listed
            case ExecutionRole.LOOK:
                return row_look(listed)
        return None
