"""Two runs as one tree for Qt."""

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.tips import tip
from inspector.presentation.compare_tree import NOBODY, CompareTree, CompareTreeRow, wanted

AnyIndex = QModelIndex | QPersistentModelIndex
PAIR_ROLE = Qt.ItemDataRole.UserRole
"""Everything a delegate draws of the row, as one value."""

_NOWHERE = QModelIndex()


class Column(IntEnum):
    """What stands in which column."""

    LEFT = 0
    MARK = 1
    RIGHT = 2


_TITLES = {Column.LEFT: "Left", Column.MARK: "", Column.RIGHT: "Right"}


class CompareTreeModel(QAbstractItemModel):
    """Adapts a `CompareTree` to Qt. Branches cost nothing until they are opened."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tree: CompareTree | None = None
        self._only_changed = False
        self._families: dict[int, list[int]] = {}
        self._places: dict[int, int] = {}
        self._texts: dict[int, CompareTreeRow] = {}

    @property
    def tree(self) -> CompareTree | None:
        return self._tree

    @property
    def words_made(self) -> int:
        """How many rows have been put into words so far."""
        return len(self._texts)

    def show_tree(self, tree: CompareTree | None, *, only_changed: bool) -> None:
        """Show another tree, or only what differs in it."""
        self.beginResetModel()
        if tree is not self._tree:
            self._texts.clear()
        self._tree = tree
        self._only_changed = only_changed
        self._families.clear()
        self._places.clear()
        self.endResetModel()

    def node(self, index: AnyIndex) -> int | None:
        """Return the node of a row."""
        return index.internalId() if index.isValid() else None

    def index_of(self, node: int) -> QModelIndex:
        """Return the row of a node; an invalid index where it is not shown."""
        if self._tree is None or (self._only_changed and not self._tree.changed[node]):
            return QModelIndex()
        self._family(self._tree.parent(node))
        return self.createIndex(self._places[node], Column.LEFT, node)

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        family = self._family(_node(parent))
        if not 0 <= row < len(family) or not 0 <= column < len(Column):
            return QModelIndex()
        return self.createIndex(row, column, family[row])

    def parent(self, index: AnyIndex = _NOWHERE) -> QModelIndex:  # type: ignore[override]  # Qt has two of it
        if not index.isValid() or self._tree is None:
            return QModelIndex()
        above = self._tree.parent(index.internalId())
        return QModelIndex() if above == NOBODY else self.index_of(above)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.column() > 0 else len(self._family(_node(parent)))

    def hasChildren(self, parent: AnyIndex = _NOWHERE) -> bool:
        # Asked for every row that is laid out, so it must not make what is below one.
        if parent.column() > 0 or self._tree is None:
            return False
        node = _node(parent)
        if self._only_changed and node != NOBODY:
            return bool(self._tree.changed_inside[node])
        return bool(self._tree.children(node))

    def columnCount(self, _parent: AnyIndex = _NOWHERE) -> int:
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[Column(section)]
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._tree is None:
            return None
        if role == PAIR_ROLE:
            return self._row(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(index)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            row = self._row(index)
            return row.spoken if index.column() == Column.LEFT else self._words(index)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self._row(index).spoken)
        return None

    def _words(self, index: AnyIndex) -> str:
        row = self._row(index)
        if index.column() == Column.MARK:
            return row.change.mark
        side = row.left if index.column() == Column.LEFT else row.right
        return "" if side is None else side.label

    def _row(self, index: AnyIndex) -> CompareTreeRow:
        node = index.internalId()
        if node not in self._texts:
            assert self._tree is not None
            self._texts[node] = self._tree.row(node)
        return self._texts[node]

    def _family(self, node: int) -> list[int]:
        known = self._families.get(node)
        if known is None:
            tree = self._tree
            known = (
                []
                if tree is None
                else wanted(tree.children(node), tree, only_changed=self._only_changed)
            )
            self._families[node] = known
            self._places.update((below, place) for place, below in enumerate(known))
        return known


def _node(index: AnyIndex) -> int:
    return index.internalId() if index.isValid() else NOBODY
