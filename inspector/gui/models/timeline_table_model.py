"""The timeline in rows: the same spans for those who read or listen instead of look."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.presentation.notes import Mark
from inspector.presentation.outline import span_label
from inspector.presentation.visible import one_line
from inspector.presentation.words import duration_words, elided, kind_words, status_words
from inspector.runfile.model import PipelineRun
from inspector.runfile.table import NO_END, NO_PARENT

AnyIndex = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()
_LONGEST = 200


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    KIND = 1
    BEGAN = 2
    TOOK = 3
    STATUS = 4
    INSIDE = 5
    MARK = 6


_TITLES = {
    Column.NAME: "Span",
    Column.KIND: "Kind",
    Column.BEGAN: "Began at",
    Column.TOOK: "Took",
    Column.STATUS: "State",
    Column.INSIDE: "Inside",
    Column.MARK: "Bookmark or note",
}
_FIGURES = (Column.BEGAN, Column.TOOK)


class TimelineTableModel(QAbstractTableModel):
    """Adapts the spans of a stretch of time to Qt, in the order in which they began."""

    def __init__(self, run: PipelineRun, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run = run
        self._rows: range | list[int] = range(len(run.table))
        self._marks: Mapping[str, Mark] = {}

    def show(self, run: PipelineRun, bounds: tuple[int, int] | None) -> None:
        """Show another value of the run, or another stretch of its time."""
        self.beginResetModel()
        self._run = run
        table = run.table
        if bounds is None:
            self._rows = range(len(table))
        else:
            low, high = bounds
            self._rows = [
                row
                for row, (start, end) in enumerate(zip(table.start_ns, table.end_ns, strict=True))
                if start <= high and (end == NO_END or end >= low)
            ]
        self.endResetModel()

    def show_marks(self, marks: Mapping[str, Mark]) -> None:
        """Show what a person left at spans."""
        self._marks = marks
        if self._rows:
            last = self.index(len(self._rows) - 1, Column.MARK)
            self.dataChanged.emit(self.index(0, Column.MARK), last)

    def index_of(self, span_id: str) -> QModelIndex:
        """Return where a span stands; an invalid index where it is not shown."""
        row = self._run.table.row_of(span_id)
        if row is None or row not in self._rows:
            return QModelIndex()
        return self.index(self._rows.index(row), Column.NAME)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[Column(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _FIGURES:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, Column(index.column()))
            case Qt.ItemDataRole.TextAlignmentRole if index.column() in _FIGURES:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _ if role == SPAN_ID_ROLE:
                return self._run.table.id(row)
        return None

    def _text(self, row: int, column: Column) -> str:
        table = self._run.table
        match column:
            case Column.NAME:
                return span_label(self._run, row)
            case Column.KIND:
                return kind_words(table.kind_of(row))
            case Column.BEGAN:
                return duration_words(table.start_ns[row])
            case Column.TOOK:
                return duration_words(table.duration_ns(row))
            case Column.STATUS:
                return status_words(table.status_of(row))
            case Column.MARK:
                mark = self._marks.get(table.id(row))
                return "" if mark is None else elided(one_line(mark.note) or mark.spoken, _LONGEST)
            case Column.INSIDE:
                parent = table.parent_row[row]
                return "" if parent == NO_PARENT else span_label(self._run, parent)
