"""A run as a tree for Qt."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import MARK_ROLE, MATCH_ROLE, ROW_ROLE, SPAN_ID_ROLE, Match
from inspector.gui.tips import tip
from inspector.presentation.notes import Mark
from inspector.presentation.run_tree import ROOT, Key, RunTree
from inspector.presentation.tree_row import TreeRow, tree_row
from inspector.runfile.model import PipelineRun

if TYPE_CHECKING:
    from inspector.presentation.breakpoints import BreakpointSpec, GutterMark

AnyIndex = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    SHARE = 1
    DURATION = 2
    TOKENS = 3


_TITLES = {
    Column.NAME: "Component",
    Column.SHARE: "",
    Column.DURATION: "Time",
    Column.TOKENS: "Tokens",
}


class SpanTreeModel(QAbstractItemModel):
    """Adapts a `RunTree` to Qt. It decides nothing and formats nothing itself."""

    def __init__(self, run: PipelineRun, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run = run
        self._tree = RunTree(run.table)
        self._texts: dict[int, TreeRow] = {}
        self._matched: bytes | None = None
        self._only_matched = False
        self._marks: Mapping[str, Mark] = {}
        self._breakpoints: Sequence[BreakpointSpec] = ()
        self._gutter: dict[int, GutterMark | None] = {}  # by row of the table

    @property
    def tree(self) -> RunTree:
        return self._tree

    def show(
        self, run: PipelineRun, bounds: tuple[int, int] | None, only: bytes | None = None
    ) -> None:
        """Show another value of the run, another stretch of its time, or only what matches."""
        self.beginResetModel()
        same = run.table is self._run.table
        tree = self._tree if same else RunTree(run.table)
        self._tree = tree.within(bounds, only)
        self._run = run
        self._texts.clear()
        self._gutter.clear()
        self.endResetModel()

    def mark(self, matched: bytes | None, *, only: bool) -> None:
        """Take note of which rows of the table a search found; the view has to be painted anew."""
        self._matched = matched
        self._only_matched = only

    def show_marks(self, marks: Mapping[str, Mark]) -> None:
        """Take note of what a person left at spans; the view has to be painted anew."""
        self._marks = marks

    def show_breakpoints(self, specs: "Sequence[BreakpointSpec]") -> None:
        """Take note of where a replay is to pause; view and gutter have to be painted anew."""
        self._breakpoints = specs
        self._gutter.clear()

    def gutter_mark(self, index: AnyIndex) -> "GutterMark | None":
        """Return what stands before a row in the gutter; None where no replay can pause."""
        # Rows that gather several calls stand for none of them.
        row = self._tree.row(index.internalId()) if index.isValid() else None
        if row is None:
            return None
        if row not in self._gutter:
            from inspector.presentation.breakpoints import mark_of_row

            self._gutter[row] = mark_of_row(self._breakpoints, self._run, row)
        return self._gutter[row]

    def index_of(self, span_id: str) -> QModelIndex:
        """Return where a span stands; an invalid index where it is not shown."""
        row = self._run.table.row_of(span_id)
        node = None if row is None else self._tree.node_of(row)
        return QModelIndex() if node is None else self._index(node, Column.NAME)

    def span_id(self, index: AnyIndex) -> str | None:
        """Return the span of a row; of several gathered in one, the first."""
        if not index.isValid():
            return None
        return self._run.table.id(self._tree.first_row(index.internalId()))

    def key(self, index: AnyIndex) -> Key:
        """Return a name for a row that outlives `show`."""
        return self._tree.key(index.internalId())

    def index_for(self, key: Key) -> QModelIndex:
        """Return the row of that name; invalid where it is not shown."""
        node = self._tree.node_for(key)
        return QModelIndex() if node is None else self._index(node, Column.NAME)

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        children = self._tree.children(_node(parent))
        if not 0 <= row < len(children) or not 0 <= column < len(Column):
            return QModelIndex()
        # Indexes carry a number, not a Python object: Qt keeps no reference,
        # so an object could be gone by the time we ask for it.
        return self.createIndex(row, column, children[row])

    def parent(self, index: AnyIndex = _NOWHERE) -> QModelIndex:  # type: ignore[override]  # Qt has two of it
        if not index.isValid():
            return QModelIndex()
        above = self._tree.parent(index.internalId())
        return QModelIndex() if above == ROOT else self._index(above, Column.NAME)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        if parent.column() > 0:
            return 0
        return len(self._tree.children(_node(parent)))

    def hasChildren(self, parent: AnyIndex = _NOWHERE) -> bool:
        if parent.column() > 0:
            return False
        return self._tree.has_children(_node(parent))

    def columnCount(self, _parent: AnyIndex = _NOWHERE) -> int:
        return len(Column)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        match role, index.column():
            case Qt.ItemDataRole.DisplayRole, Column.NAME:
                return self._row(index).label
            case Qt.ItemDataRole.DisplayRole, Column.DURATION:
                return self._row(index).duration
            case Qt.ItemDataRole.DisplayRole, Column.TOKENS:
                return self._row(index).tokens
            case Qt.ItemDataRole.AccessibleTextRole, Column.NAME:
                found = ", found" if self._match(index) is Match.FOUND else ""
                mark = self._mark(index)
                left = f", {mark.spoken}" if mark else ""
                pauses = self.gutter_mark(index) if self._breakpoints else None
                held = f", {pauses.spoken}" if pauses is not None and pauses.spoken else ""
                return f"{self._row(index).spoken}{found}{left}{held}"
            case Qt.ItemDataRole.ToolTipRole, Column.NAME:
                return tip(self._row(index).spoken)
            case Qt.ItemDataRole.TextAlignmentRole, Column.DURATION | Column.TOKENS:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case role, _ if role == ROW_ROLE:
                return self._row(index)
            case role, _ if role == SPAN_ID_ROLE:
                return self.span_id(index)
            case role, _ if role == MATCH_ROLE:
                return self._match(index)
            case role, _ if role == MARK_ROLE:
                return self._mark(index)
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[Column(section)]
        if role == Qt.ItemDataRole.TextAlignmentRole and section >= Column.DURATION:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _mark(self, index: AnyIndex) -> Mark | None:
        # A row that gathers several spans bears no mark of one of them.
        row = self._tree.row(index.internalId()) if self._marks else None
        return None if row is None else self._marks.get(self._run.table.id(row))

    def _match(self, index: AnyIndex) -> Match | None:
        matched = self._matched
        if matched is None or len(matched) != len(self._run.table):
            return None
        if any(matched[row] for row in self._tree.rows_in(index.internalId())):
            return None if self._only_matched else Match.FOUND
        return Match.AROUND if self._only_matched else None

    def _index(self, node: int, column: int) -> QModelIndex:
        return self.createIndex(self._tree.place(node), column, node)

    def _row(self, index: AnyIndex) -> TreeRow:
        node = index.internalId()
        if node not in self._texts:
            self._texts[node] = tree_row(self._run, self._tree, node)
        return self._texts[node]


def _node(index: AnyIndex) -> int:
    return index.internalId() if index.isValid() else ROOT
