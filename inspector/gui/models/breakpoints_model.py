"""Breakpoints as a list for Qt, each of which can be switched off."""

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.tips import tip
from inspector.gui.workspace.run_breakpoints import RunBreakpoints
from inspector.presentation.breakpoints import BreakpointSpec

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class BreakpointsModel(QAbstractListModel):
    """Adapts `RunBreakpoints` to Qt."""

    def __init__(self, breakpoints: RunBreakpoints, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._breakpoints = breakpoints
        self._specs = breakpoints.specs
        breakpoints.changed.connect(self._show)

    def spec(self, index: AnyIndex) -> BreakpointSpec | None:
        """Return the breakpoint of a row."""
        there = index.isValid() and index.row() < len(self._specs)
        return self._specs[index.row()] if there else None

    def index_of(self, key: str) -> QModelIndex:
        """Return the row of a breakpoint; invalid where there is none of that key."""
        rows = (row for row, spec in enumerate(self._specs) if spec.key == key)
        row = next(rows, None)
        return QModelIndex() if row is None else self.index(row)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._specs)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        spec = self.spec(index)
        if spec is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return spec.words
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(spec.words)
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if spec.enabled else Qt.CheckState.Unchecked
        return spec if role == ROW_ROLE else None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        spec = self.spec(index)
        if spec is None or role != Qt.ItemDataRole.CheckStateRole:
            return False
        self._breakpoints.enable(spec.key, Qt.CheckState(value) is Qt.CheckState.Checked)
        return True

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        more = Qt.ItemFlag.ItemIsUserCheckable if index.isValid() else Qt.ItemFlag.NoItemFlags
        return super().flags(index) | more

    def _show(self) -> None:
        before, after = self._specs, self._breakpoints.specs
        if [spec.key for spec in before] == [spec.key for spec in after]:
            self._specs = after
            self.dataChanged.emit(self.index(0), self.index(len(after) - 1))
            return
        self.beginResetModel()
        self._specs = after
        self.endResetModel()
