"""Findings as a list, with those of a severity left out."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.findings import Severity
from inspector.gui.models.roles import ROW_ROLE, SPAN_ID_ROLE
from inspector.presentation.finding_list import FindingRow

AnyIndex = QModelIndex | QPersistentModelIndex

_NONE = QModelIndex()


class FindingsModel(QAbstractListModel):
    """Adapts rows of findings to Qt."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: Sequence[FindingRow] = ()
        self._hidden: frozenset[Severity] = frozenset()
        self._rows: list[FindingRow] = []
        self._led_by: dict[str, int] = {}  # row by the first span that proves it
        self._proved_by: dict[str, int] = {}  # row by any of them

    def show_rows(self, rows: Sequence[FindingRow]) -> None:
        """Show other findings."""
        self._all = rows
        self._filter()

    def hide(self, hidden: frozenset[Severity]) -> None:
        """Leave out what is of these severities."""
        self._hidden = hidden
        self._filter()

    def row_at(self, index: AnyIndex) -> FindingRow | None:
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, span_id: str) -> QModelIndex:
        """Return the first finding that a span proves; one that begins with it before others."""
        row = self._led_by.get(span_id, self._proved_by.get(span_id, -1))
        return self.index(row) if row >= 0 else _NONE

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return f"{row.word}: {row.sentence}"
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.told
            case _ if role == ROW_ROLE:
                return row
            case _ if role == SPAN_ID_ROLE:
                return row.places[0].span_id if row.places else None
        return None

    def _filter(self) -> None:
        self.beginResetModel()
        self._rows = [row for row in self._all if row.severity not in self._hidden]
        self._led_by, self._proved_by = {}, {}
        for number, row in enumerate(self._rows):
            for place in row.places:
                self._proved_by.setdefault(place.span_id, number)
            if row.places:
                self._led_by.setdefault(row.places[0].span_id, number)
        self.endResetModel()
