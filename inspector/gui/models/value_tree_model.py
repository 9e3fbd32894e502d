"""Shows recorded values as a tree that is made while it is opened."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.presentation.previews import preview, text_preview, type_words
from inspector.presentation.values import ValueNode, rows_to
from inspector.presentation.words import plural, sentence
from inspector.runfile.value import tag_of

AnyIndex = QModelIndex | QPersistentModelIndex

_NONE = QModelIndex()
_LONGEST_LABEL = 120
_DEEPEST = 500  # levels that are opened for a path; views go down them recursively


class Column(IntEnum):
    """The columns of a value tree."""

    NAME = 0
    VALUE = 1
    ABOUT = 2


class ValueRole(IntEnum):
    """What a row says of itself beyond its words."""

    NODE = Qt.ItemDataRole.UserRole
    PATH = Qt.ItemDataRole.UserRole + 1
    INK = Qt.ItemDataRole.UserRole + 2  # what colour the value is written in


@dataclass(slots=True)
class _Row:
    node: ValueNode
    parent: int
    position: int
    children: list[int] | None = None
    texts: dict[int, str] = field(default_factory=dict)


class ValueTreeModel(QAbstractItemModel):
    """Adapts value nodes to Qt. A branch costs nothing until it is opened."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Indexes carry a position in this list: Qt keeps no reference to a Python object.
        self._rows: list[_Row] = []
        self._roots: list[int] = []

    def show_nodes(self, roots: Sequence[ValueNode]) -> None:
        """Show other values."""
        self.beginResetModel()
        self._rows = [_Row(node, -1, position) for position, node in enumerate(roots)]
        self._roots = list(range(len(roots)))
        self.endResetModel()

    def node(self, index: AnyIndex) -> ValueNode | None:
        return self._rows[index.internalId()].node if index.isValid() else None

    def index_of(self, path: str) -> QModelIndex:
        """Return the index of the value at a path, opening what leads there; invalid for none."""
        rows = rows_to([self._rows[number].node for number in self._roots], path) or []
        index = QModelIndex()
        if len(rows) > _DEEPEST:
            return index
        for row in rows:
            index = self.index(row, Column.NAME, index)
        return index

    def index(self, row: int, column: int, parent: AnyIndex = _NONE) -> QModelIndex:
        if not 0 <= column < len(Column) or row < 0:
            return QModelIndex()
        numbers = self._children(parent)
        return self.createIndex(row, column, numbers[row]) if row < len(numbers) else QModelIndex()

    def parent(self, index: AnyIndex = _NONE) -> QModelIndex:  # type: ignore[override]  # Qt has two of it
        if not index.isValid():
            return QModelIndex()
        above = self._rows[index.internalId()].parent
        if above < 0:
            return QModelIndex()
        return self.createIndex(self._rows[above].position, Column.NAME, above)

    def rowCount(self, parent: AnyIndex = _NONE) -> int:
        if parent.column() > 0:
            return 0
        node = self.node(parent)
        return len(self._roots) if node is None else node.child_count

    def hasChildren(self, parent: AnyIndex = _NONE) -> bool:
        return self.rowCount(parent) > 0

    def columnCount(self, _parent: AnyIndex = _NONE) -> int:
        return len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("Name", "Value", "What it is")[section]
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.internalId()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(row, index.column())
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._text(row, Column.NAME)}: {self._text(row, index.column())}"
            case ValueRole.NODE:
                return row.node
            case ValueRole.PATH:
                return row.node.path
            case ValueRole.INK:
                return "" if row.node.is_page else ink_of(row.node.value)
        return None

    def _text(self, row: _Row, column: int) -> str:
        # Views ask again with every repaint, and a preview is not free.
        if column not in row.texts:
            row.texts[column] = _words(row.node, column)
        return row.texts[column]

    def _children(self, parent: AnyIndex) -> Sequence[int]:
        if not parent.isValid():
            return self._roots
        number = parent.internalId()
        row = self._rows[number]
        if row.children is None:
            first = len(self._rows)
            self._rows += [
                _Row(node, number, position) for position, node in enumerate(row.node.children)
            ]
            row.children = list(range(first, len(self._rows)))
        return row.children


def _words(node: ValueNode, column: int) -> str:
    match column:
        case Column.NAME:
            return text_preview(node.label, _LONGEST_LABEL) or "“”"
        case Column.VALUE:
            return plural(node.total, "item") if node.is_page else preview(node.value)
    return "" if node.is_page else sentence([node.note, type_words(node.value)])


def ink_of(value: Any) -> str:
    """Return what a value is written as: text, a number, or words of ours about it."""
    match value:
        case str():
            return "text"
        case None | bool():
            return "keyword"
        case int() | float():
            return "number"
    tag = tag_of(value)
    if tag in ("missing", "truncated", "redacted", "opaque"):
        return "gap"
    return "number" if tag in ("int", "float", "decimal") else ""
