"""Shows a list of records as a table."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.presentation.previews import text_preview
from inspector.presentation.records import Records

AnyIndex = QModelIndex | QPersistentModelIndex

NOTHING_ROLE = Qt.ItemDataRole.UserRole
"""Whether a cell holds the value for nothing."""

_NONE = QModelIndex()
_LONGEST_TITLE = 60
_LOOKED_AT = 20  # rows that tell what a column holds
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class RecordsModel(QAbstractTableModel):
    """Adapts `Records` to Qt. The first column is the number of the item in its list."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records: Records | None = None
        self._order: Sequence[int] = ()
        self._words: dict[tuple[int, int], str] = {}

    def show_records(self, records: Records | None) -> None:
        """Show another list, in its own order."""
        self.beginResetModel()
        self._records = records
        self._order = range(len(records)) if records is not None else ()
        self._words.clear()
        self.endResetModel()

    def put_in_order(self, order: Sequence[int]) -> None:
        """Show the same rows in another order."""
        self.layoutAboutToBeChanged.emit()
        self._order = order
        self.layoutChanged.emit()

    @property
    def records(self) -> Records | None:
        return self._records

    def item_of(self, index: AnyIndex) -> int | None:
        """Return which item of the list a row is."""
        return self._order[index.row()] if index.isValid() else None

    def row_of(self, item: int) -> int:
        """Return the row of an item; -1 where it is not shown."""
        return next((row for row, at in enumerate(self._order) if at == item), -1)

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: AnyIndex = _NONE) -> int:
        if parent.isValid() or self._records is None:
            return 0
        return len(self._records.columns) + 1

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or self._records is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            if not section:
                return "#"
            return text_preview(self._records.columns[section - 1], _LONGEST_TITLE)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if self._is_figures(section - 1) else _LEFT
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._records is None:
            return None
        item, column = self._order[index.row()], index.column() - 1
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return str(item) if column < 0 else self._text(item, column)
            case _ if role == NOTHING_ROLE:
                return column >= 0 and self._records.value(item, column) is None
            case Qt.ItemDataRole.AccessibleTextRole:
                title = self.headerData(index.column(), Qt.Orientation.Horizontal)
                return f"{title} {self.data(index)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                right = column < 0 or self._records.is_number(item, column)
                return _RIGHT if right else None
        return None

    def _is_figures(self, column: int) -> bool:
        """Say whether a column holds figures, by those items that it is filled of first."""
        records = self._records
        if column < 0 or records is None:
            return True
        looked_at = range(min(len(records), _LOOKED_AT))
        filled = [row for row in looked_at if records.value(row, column) is not None]
        return bool(filled) and all(records.is_number(row, column) for row in filled)

    def _text(self, item: int, column: int) -> str:
        # Views ask again with every repaint, and a preview is not free.
        if (item, column) not in self._words:
            assert self._records is not None
            self._words[item, column] = self._records.words(item, column)
        return self._words[item, column]
