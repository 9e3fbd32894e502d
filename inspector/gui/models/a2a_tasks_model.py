"""Tasks of an agent in rows, what changed last first."""

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.served_rows_model import RowRole, ServedRowsModel
from inspector.presentation.a2a_list import (
    TITLES,
    ListedTask,
    TaskColumn,
    cell_words,
    row_look,
    spoken,
)

AnyIndex = QModelIndex | QPersistentModelIndex


class TasksModel(ServedRowsModel[ListedTask]):
    """Adapts listed tasks to Qt."""

    def __init__(
        self, parent: QObject | None = None, *, clock: Callable[[], int] = time.time_ns
    ) -> None:
        super().__init__(TITLES, parent, clock=clock)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        listed = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell_words(listed, TaskColumn(index.column()), self._clock())
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == TaskColumn.STATE:
                return spoken(listed, self._clock())
            case RowRole.LISTED:
                return listed
            case RowRole.LOOK:
                return row_look(listed)
        return None
