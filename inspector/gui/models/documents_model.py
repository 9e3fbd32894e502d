"""Shows one list of documents as a table."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.presentation.documents import DocumentRow
from inspector.presentation.previews import text_preview
from inspector.presentation.words import UNKNOWN, sentence

AnyIndex = QModelIndex | QPersistentModelIndex

_NONE = QModelIndex()


class Column(IntEnum):
    """The columns of a table of documents."""

    RANK = 0
    SCORE = 1
    ID = 2
    SOURCE = 3
    CONTENT = 4


_TITLES = ("Rank", "Score", "Id", "Source", "Content")
_FIGURES = (Column.RANK, Column.SCORE)


class DocumentRole(IntEnum):
    """What a row says of itself beyond its words."""

    ROW = Qt.ItemDataRole.UserRole
    SHARE = Qt.ItemDataRole.UserRole + 1


class DocumentsModel(QAbstractTableModel):
    """Adapts documents to Qt."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[DocumentRow] = ()

    def show_rows(self, rows: Sequence[DocumentRow]) -> None:
        """Show other documents."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def document(self, index: AnyIndex) -> DocumentRow | None:
        return self._rows[index.row()] if index.isValid() else None

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in _FIGURES:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return f"{_TITLES[section]}\u2002" if section in _FIGURES else _TITLES[section]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.document(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _words(row, index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{_TITLES[index.column()]} {_words(row, index.column())}"
            case DocumentRole.ROW:
                return row
            case DocumentRole.SHARE:
                return row.share
        return None


def _words(row: DocumentRow, column: int) -> str:
    match column:
        case Column.RANK:
            moved = row.rank_before is not None and row.rank_before != row.rank
            return sentence([f"was {row.rank_before}" if moved else "", str(row.rank)], "   ")
        case Column.SCORE:
            return UNKNOWN if row.score is None else f"{row.score:.4f}"
        case Column.ID:
            return text_preview(row.id, 80)
        case Column.SOURCE:
            return row.source or UNKNOWN
    return row.preview
