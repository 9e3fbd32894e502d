"""A replay and its recording as one tree for Qt."""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import ROW_ROLE
from inspector.gui.tips import tip
from inspector.presentation.replay_row import ReplayRow, replay_row
from inspector.presentation.run_tree import ROOT, Key, RunTree

if TYPE_CHECKING:
    from inspector.presentation.replay_table import ReplayTable

AnyIndex = QModelIndex | QPersistentModelIndex
TABLE_ROW_ROLE = ROW_ROLE + 10
"""The row of the replay's table that a row of the tree stands for; the first of several."""

FLASH_ROLE = ROW_ROLE + 11
"""Whether a row is lit for a moment because it turned out to differ."""

_NOWHERE = QModelIndex()


class ReplayColumn(IntEnum):
    """What stands in which column."""

    NAME = 0
    HOW = 1
    TIME = 2


_TITLES = {
    ReplayColumn.NAME: "Component",
    ReplayColumn.HOW: "Against the recording",
    ReplayColumn.TIME: "Time",
}


class ReplayTreeModel(QAbstractItemModel):
    """Adapts a `ReplayTable` to Qt. Rows are made when a branch is looked into."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: ReplayTable | None = None
        self._tree: RunTree | None = None
        self._texts: dict[int, ReplayRow] = {}
        self._held: Mapping[int, str] = {}
        self._flashing: frozenset[int] = frozenset()
        self._more: Callable[[AnyIndex], str] = lambda _index: ""

    def show(self, table: "ReplayTable", tree: RunTree) -> None:
        """Show the rows of a tree."""
        self.beginResetModel()
        self._table = table
        self._tree = tree
        self._texts.clear()
        self.endResetModel()

    def refresh(self) -> None:
        """Forget what rows say, because it may be something else now; paint them anew."""
        self._texts.clear()

    def show_held(self, held: Mapping[int, str]) -> None:
        """Take note of where calls are held, in words by row; paint anew."""
        self._held = held
        self._texts.clear()

    def flash(self, rows: frozenset[int]) -> None:
        """Light these rows and no others; paint anew."""
        self._flashing = rows

    def index_of(self, row: int) -> QModelIndex:
        """Return where a row of the table stands; an invalid index where it is not shown yet."""
        if self._tree is None or self._table is None or row >= self._tree.row_count:
            return QModelIndex()
        node = self._tree.node_of(row)
        return QModelIndex() if node is None else self._index(node, ReplayColumn.NAME)

    def table_row(self, index: AnyIndex) -> int | None:
        """Return the row of the table that an index stands for, the first of several."""
        if not index.isValid() or self._tree is None:
            return None
        return self._tree.first_row(index.internalId())

    def own_row(self, index: AnyIndex) -> int | None:
        """Return the row of the table that an index alone stands for; None of several."""
        if not index.isValid() or self._tree is None:
            return None
        return self._tree.row(index.internalId())

    def say_with(self, more: Callable[[AnyIndex], str]) -> None:
        """Have something more said of rows to those who listen."""
        self._more = more

    def key(self, index: AnyIndex) -> Key:
        """Return a name for a row that outlives `show`."""
        assert self._tree is not None
        return self._tree.key(index.internalId())

    def index_for(self, key: Key) -> QModelIndex:
        """Return the row of that name; invalid where it is not shown."""
        node = None if self._tree is None else self._tree.node_for(key)
        return QModelIndex() if node is None else self._index(node, ReplayColumn.NAME)

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        if self._tree is None:
            return QModelIndex()
        children = self._tree.children(_node(parent))
        if not 0 <= row < len(children) or not 0 <= column < len(ReplayColumn):
            return QModelIndex()
        return self.createIndex(row, column, children[row])

    def parent(self, index: AnyIndex = _NOWHERE) -> QModelIndex:  # type: ignore[override]  # Qt has two of it
        if not index.isValid() or self._tree is None:
            return QModelIndex()
        above = self._tree.parent(index.internalId())
        return QModelIndex() if above == ROOT else self._index(above, ReplayColumn.NAME)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        if parent.column() > 0 or self._tree is None:
            return 0
        return len(self._tree.children(_node(parent)))

    def hasChildren(self, parent: AnyIndex = _NOWHERE) -> bool:
        if parent.column() > 0 or self._tree is None:
            return False
        return self._tree.has_children(_node(parent))

    def columnCount(self, _parent: AnyIndex = _NOWHERE) -> int:
        return len(ReplayColumn)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._tree is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._said(index)
            case Qt.ItemDataRole.AccessibleTextRole if index.column() == ReplayColumn.NAME:
                more = self._more(index)
                return f"{self._row(index).spoken}, {more}" if more else self._row(index).spoken
            case Qt.ItemDataRole.ToolTipRole if index.column() == ReplayColumn.NAME:
                return tip(self._row(index).spoken)
            case _ if role == ROW_ROLE:
                return self._row(index)
            case _ if role == TABLE_ROW_ROLE:
                return self.table_row(index)
            case _ if role == FLASH_ROLE:
                return self._tree.first_row(index.internalId()) in self._flashing
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[ReplayColumn(section)]
        return None

    def _said(self, index: AnyIndex) -> str:
        row = self._row(index)
        match index.column():
            case ReplayColumn.NAME:
                return row.label
            case ReplayColumn.HOW:
                return row.how
            case _:
                return row.time

    def _index(self, node: int, column: int) -> QModelIndex:
        assert self._tree is not None
        return self.createIndex(self._tree.place(node), column, node)

    def _row(self, index: AnyIndex) -> ReplayRow:
        node = index.internalId()
        if node not in self._texts:
            assert self._table is not None
            assert self._tree is not None
            self._texts[node] = replay_row(self._table, self._tree, node, self._held)
        return self._texts[node]


def _node(index: AnyIndex) -> int:
    return index.internalId() if index.isValid() else ROOT
