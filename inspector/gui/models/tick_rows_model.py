"""The rows with ticks of the dialog before a replay, for Qt."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt, Signal

from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.tips import tip
from inspector.presentation.replay_ticks import TickRow

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class TickRowsModel(QAbstractListModel):
    """Adapts `TickRow`s to Qt. It keeps no ticks: it says which one was asked for."""

    ticked = Signal(str, bool)  # the key of a row, and what it is to be

    _rows: tuple[TickRow, ...] = ()

    def show(self, rows: list[TickRow]) -> None:
        """Show other rows; where only their states changed, they stay where they are."""
        new = tuple(rows)
        if [row.key for row in new] == [row.key for row in self._rows]:
            self._rows = new
            if new:
                self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
            return
        self.beginResetModel()
        self._rows = new
        self.endResetModel()

    @property
    def rows(self) -> tuple[TickRow, ...]:
        return self._rows

    def place_of(self, key: str) -> QModelIndex:
        """Return where a row stands; an invalid index where it is not shown."""
        places = (place for place, row in enumerate(self._rows) if row.key == key)
        place = next(places, None)
        return QModelIndex() if place is None else self.index(place)

    def toggle(self, index: AnyIndex) -> None:
        """Ask for the other state of a row that has a tick."""
        row = self._rows[index.row()] if index.isValid() else None
        if row is not None and row.ticked is not None:
            self.ticked.emit(row.key, not row.ticked)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case Qt.ItemDataRole.ToolTipRole:
                lines = (row.name, f"{row.what}: {row.happens}", row.why, row.warning)
                return tip("\n".join(line for line in lines if line))
            case Qt.ItemDataRole.CheckStateRole if row.ticked is not None:
                return Qt.CheckState.Checked if row.ticked else Qt.CheckState.Unchecked
            case _ if role == ROW_ROLE:
                return row
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        row = self._rows[index.row()]
        wanted = Qt.CheckState(value) == Qt.CheckState.Checked
        if row.ticked is None or row.ticked == wanted:
            return False
        self.ticked.emit(row.key, wanted)
        return True

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.isValid() and self._rows[index.row()].ticked is not None:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags
