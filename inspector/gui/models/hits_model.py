"""The results of a search as a list for Qt."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import ROW_ROLE, SPAN_ID_ROLE
from inspector.gui.tips import tip
from inspector.gui.workspace.hits import Hit
from inspector.presentation.hit_row import HitRow, hit_row
from inspector.runfile.model import PipelineRun

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class HitsModel(QAbstractListModel):
    """Adapts results to Qt; words a result when it comes into sight."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: PipelineRun | None = None
        self._hits: Sequence[Hit] = ()
        self._rows: dict[int, HitRow] = {}

    def show(self, run: PipelineRun, hits: Sequence[Hit]) -> None:
        """Show other results."""
        self.beginResetModel()
        self._run = run
        self._hits = hits
        self._rows.clear()
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._run is None:
            return None
        row = self._row(self._run, index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.label
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken
            case Qt.ItemDataRole.ToolTipRole:
                return tip(row.tip)
            case _ if role == ROW_ROLE:
                return row
            case _ if role == SPAN_ID_ROLE:
                return self._run.table.id(self._hits[index.row()].row)
        return None

    def _row(self, run: PipelineRun, number: int) -> HitRow:
        if number not in self._rows:
            hit = self._hits[number]
            above = self._hits[number - 1].row if number else None
            self._rows[number] = hit_row(run, hit.row, hit.place, again=above == hit.row)
        return self._rows[number]
