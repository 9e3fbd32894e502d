"""The spans with bookmarks and notes as a list for Qt."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from inspector.gui.models.roles import ROW_ROLE, SPAN_ID_ROLE
from inspector.gui.tips import tip
from inspector.presentation.notes import MarkRow

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class NotesModel(QAbstractListModel):
    """Adapts `MarkRow`s to Qt."""

    _rows: tuple[MarkRow, ...] = ()

    def show(self, rows: list[MarkRow]) -> None:
        """Show other rows; the same ones change nothing."""
        if tuple(rows) == self._rows:
            return
        self.beginResetModel()
        self._rows = tuple(rows)
        self.endResetModel()

    def index_of(self, span_id: str) -> QModelIndex:
        """Return where a span stands; an invalid index where it is not shown."""
        places = (place for place, row in enumerate(self._rows) if row.span_id == span_id)
        place = next(places, None)
        return QModelIndex() if place is None else self.index(place)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.label
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return tip(row.mark.note)
            case _ if role == ROW_ROLE:
                return row
            case _ if role == SPAN_ID_ROLE:
                return row.span_id
        return None
