"""What happened to an execution, a row each: for those who read instead of look."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.presentation.execution_story import Moment
from inspector.presentation.execution_words import when_words
from inspector.presentation.visible import one_line
from inspector.presentation.words import duration_words, elided

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_LONGEST = 1_000
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class EventColumn(IntEnum):
    """What stands in which column."""

    AT = 0
    AFTER = 1
    ATTEMPT = 2
    WHAT = 3


_TITLES = {
    EventColumn.AT: "At", EventColumn.AFTER: "After", EventColumn.ATTEMPT: "Attempt",
    EventColumn.WHAT: "What happened",
}  # fmt: skip


class EventsModel(QAbstractTableModel):
    """Adapts moments to Qt, the first one first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._moments: tuple[Moment, ...] = ()
        self._begin = self._now = 0

    def show(self, moments: Sequence[Moment], begin_ns: int, now_ns: int) -> None:
        """Show these; those that only came on at the end are put there."""
        new = tuple(moments)
        if new == self._moments:
            return
        old = self._moments
        self._begin, self._now = begin_ns, now_ns
        if old and new[: len(old)] == old:
            self.beginInsertRows(_NOWHERE, len(old), len(new) - 1)
            self._moments = new
            self.endInsertRows()
            return
        self.beginResetModel()
        self._moments = new
        self.endResetModel()

    def kind(self, index: AnyIndex) -> str:
        """Return what sort of thing a row tells of."""
        return self._moments[index.row()].kind

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._moments)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(EventColumn)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[EventColumn(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole and section == EventColumn.AFTER:
            return _RIGHT
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        moment, column = self._moments[index.row()], EventColumn(index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole and column is EventColumn.AFTER:
            return _RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        match column:
            case EventColumn.AT:
                return when_words(moment.at_ns, self._now)
            case EventColumn.AFTER:
                return duration_words(max(0, moment.at_ns - self._begin))
            case EventColumn.ATTEMPT:
                return str(moment.attempt) if moment.attempt else ""
            case EventColumn.WHAT:
                words = elided(one_line(moment.words), _LONGEST)
                return f"progress: {words}" if moment.kind == "progress" else words
