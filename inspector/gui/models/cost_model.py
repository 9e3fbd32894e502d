"""A cost estimate as a tree: groups, their calls, and the multiplications of each."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import ROW_ROLE, SPAN_ID_ROLE
from inspector.presentation.cost_table import CostRow, CostRows

AnyIndex = QModelIndex | QPersistentModelIndex

_NONE = QModelIndex()


class Column(IntEnum):
    """The columns of the tree."""

    WHAT = 0
    CALLS = 1
    TOKENS = 2
    COST = 3
    SHARE = 4


_TITLES = ("What", "Calls", "Tokens", "Cost (estimate)", "Share")


class _Node:
    __slots__ = ("children", "parent", "place", "rows", "unfolds")

    def __init__(self, rows: Sequence[CostRow], parent: int, place: int, *, unfolds: bool) -> None:
        self.rows = rows  # among which this one stands; it is made when it is looked at
        self.parent = parent
        self.place = place
        self.unfolds = unfolds
        self.children: list[int] | None = None  # not unfolded yet

    @property
    def row(self) -> CostRow:
        return self.rows[self.place]


class CostModel(QAbstractItemModel):
    """Adapts rows of an estimate to Qt, unfolding them when they are asked for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._nodes: list[_Node] = []
        self._roots: list[int] = []
        self._calls: dict[str, int] = {}  # the nodes of those that were unfolded, by span

    def show_rows(self, rows: tuple[CostRow, ...]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self._nodes = _nodes_of(rows, -1)
        self._roots = list(range(len(rows)))
        self._calls = {}
        self.endResetModel()

    def row_at(self, index: AnyIndex) -> CostRow | None:
        return self._nodes[index.internalId()].row if index.isValid() else None

    def span_of(self, index: AnyIndex) -> str:
        """Return the call that a row is, or belongs to; nothing for a group."""
        number = index.internalId() if index.isValid() else -1
        while number >= 0:
            if span_id := self._nodes[number].row.span_id:
                return span_id
            number = self._nodes[number].parent
        return ""

    def group_of(self, label: str) -> QModelIndex:
        """Return the group with this label; invalid where there is none."""
        for number in self._roots:
            if self._nodes[number].row.label == label:
                return self.createIndex(self._nodes[number].place, Column.WHAT, number)
        return QModelIndex()

    def call_of(self, span_id: str) -> QModelIndex:
        """Return a call by its span; invalid where its group was not unfolded yet."""
        number = self._calls.get(span_id, -1)
        if number < 0:
            return QModelIndex()
        return self.createIndex(self._nodes[number].place, Column.WHAT, number)

    def index(self, row: int, column: int, parent: AnyIndex = _NONE) -> QModelIndex:
        if row < 0 or not 0 <= column < len(Column):
            return QModelIndex()
        numbers = self._children(parent)
        return self.createIndex(row, column, numbers[row]) if row < len(numbers) else QModelIndex()

    def parent(self, index: AnyIndex = _NONE) -> QModelIndex:  # type: ignore[override]  # Qt has two of it
        if not index.isValid():
            return QModelIndex()
        above = self._nodes[index.internalId()].parent
        if above < 0:
            return QModelIndex()
        return self.createIndex(self._nodes[above].place, Column.WHAT, above)

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        return 0 if parent.column() > 0 else len(self._children(parent))

    def hasChildren(self, parent: AnyIndex = _NONE) -> bool:
        if not parent.isValid():
            return bool(self._roots)
        return parent.column() == 0 and self._nodes[parent.internalId()].unfolds

    def columnCount(self, _parent: AnyIndex = _NONE) -> int:
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section in (
            Column.CALLS, Column.TOKENS, Column.COST,
        ):  # fmt: skip
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return _TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index)
        if row is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _words(row, index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{_TITLES[index.column()]}: {_words(row, index.column()) or 'none'}"
            case Qt.ItemDataRole.AccessibleDescriptionRole:
                return row.note
            case _ if role == ROW_ROLE:
                return row
            case _ if role == SPAN_ID_ROLE:
                return self.span_of(index) or None
        return None

    def _children(self, parent: AnyIndex) -> list[int]:
        if not parent.isValid():
            return self._roots
        number = parent.internalId()
        node = self._nodes[number]
        if node.children is None:
            first = len(self._nodes)
            rows = node.row.children
            self._nodes += _nodes_of(rows, number)
            node.children = list(range(first, len(self._nodes)))
            if isinstance(rows, CostRows):
                self._calls.update(zip(rows.span_ids, node.children, strict=True))
        return node.children


def _nodes_of(rows: Sequence[CostRow], parent: int) -> list[_Node]:
    # Whether it unfolds is asked of every row at once; what it says, of those that are seen.
    unfolds = rows.unfolds if isinstance(rows, CostRows) else [row.unfolds for row in rows]
    return [_Node(rows, parent, place, unfolds=each) for place, each in enumerate(unfolds)]


def _words(row: CostRow, column: int) -> str:
    return (row.label, row.calls, row.tokens_words, row.cost, row.share_words)[column]
