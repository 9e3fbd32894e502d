"""Work of servers in rows: what comes is compared with what is there."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class Row(Protocol):
    """What stands in a row."""

    @property
    def key(self) -> Hashable:
        """What no other row has."""


R = TypeVar("R", bound=Row)


class RowRole(IntEnum):
    """What a row says of itself beyond its words."""

    LISTED = Qt.ItemDataRole.UserRole
    LOOK = Qt.ItemDataRole.UserRole + 1


class ServedRowsModel(QAbstractTableModel, Generic[R]):
    """Touches only the rows that a refresh has changed, so that nobody loses his place.

    Args:
        titles: Of the columns, in their order.
        clock: Returns the time, from which it is written how long ago something was.

    """

    def __init__(
        self,
        titles: Mapping[Any, str],
        parent: QObject | None = None,
        *,
        clock: Callable[[], int] = time.time_ns,
    ) -> None:
        super().__init__(parent)
        self._titles = tuple(titles[column] for column in sorted(titles))
        self._clock = clock
        self._rows: tuple[R, ...] = ()

    @property
    def rows(self) -> tuple[R, ...]:
        return self._rows

    def show(self, rows: Sequence[R]) -> None:
        """Show these rows instead."""
        new, old = tuple(rows), self._rows
        if new == old:
            return
        added = len(new) - len(old)
        if added >= 0 and [one.key for one in new[added:]] == [one.key for one in old]:
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

    def _tell_changed(self, old: Sequence[R], new: Sequence[R], first: int) -> None:
        changed = [row for row, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
        if changed:
            # One signal for all of them: views look at what is in sight only.
            begin = self.index(first + changed[0], 0)
            end = self.index(first + changed[-1], len(self._titles) - 1)
            self.dataChanged.emit(begin, end)

    def listed(self, index: AnyIndex) -> R | None:
        """Return what a row shows."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, key: Hashable) -> QModelIndex:
        """Return where something stands; an invalid index where it is not shown."""
        row = next((row for row, one in enumerate(self._rows) if one.key == key), None)
        return QModelIndex() if row is None else self.index(row, 0)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None
