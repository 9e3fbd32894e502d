"""Tasks of an agent in rows, what changed last first."""

import time
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.presentation.a2a_list import (
    TITLES,
    ListedTask,
    TaskColumn,
    cell_words,
    row_look,
    spoken,
)

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class TaskRole(IntEnum):
    """What a row says of itself beyond its words."""

    LISTED = Qt.ItemDataRole.UserRole
    LOOK = Qt.ItemDataRole.UserRole + 1


class TasksModel(QAbstractTableModel):
    """Adapts listed tasks to Qt; a refresh that changes nothing in their order keeps all rows."""

    def __init__(
        self, parent: QObject | None = None, *, clock: Callable[[], int] = time.time_ns
    ) -> None:
        super().__init__(parent)
        self._clock = clock
        self._rows: tuple[ListedTask, ...] = ()

    @property
    def rows(self) -> tuple[ListedTask, ...]:
        return self._rows

    def show(self, rows: Sequence[ListedTask]) -> None:
        """Show these rows instead."""
        new, old = tuple(rows), self._rows
        if new == old:
            return
        if [one.task.id for one in new] == [one.task.id for one in old]:
            self._rows = new
            changed = [
                row for row, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]
            ]
            begin = self.index(changed[0], 0)
            self.dataChanged.emit(begin, self.index(changed[-1], len(TaskColumn) - 1))
            return
        self.beginResetModel()
        self._rows = new
        self.endResetModel()

    def listed(self, index: AnyIndex) -> ListedTask | None:
        """Return what a row shows."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, task_id: str) -> QModelIndex:
        """Return where a task stands; an invalid index where it is not shown."""
        row = next((row for row, one in enumerate(self._rows) if one.task.id == task_id), None)
        return QModelIndex() if row is None else self.index(row, 0)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(TaskColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return TITLES[TaskColumn(section)]
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        listed = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell_words(listed, TaskColumn(index.column()), self._clock())
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == TaskColumn.STATE:
                return spoken(listed, self._clock())
            case TaskRole.LISTED:
                return listed
            case TaskRole.LOOK:
                return row_look(listed)
        return None
