"""The rows of the command palette for Qt."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from inspector.gui.models.roles import ROW_ROLE
from inspector.presentation.palette import PaletteRow

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class PaletteModel(QAbstractListModel):
    """Adapts `PaletteRow`s to Qt."""

    _rows: Sequence[PaletteRow] = ()

    def show(self, rows: Sequence[PaletteRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def row(self, index: AnyIndex) -> PaletteRow | None:
        """Return the row that stands there."""
        return self._rows[index.row()] if index.isValid() else None

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.entry.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case _ if role == ROW_ROLE:
                return row
        return None
