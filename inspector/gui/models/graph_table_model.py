"""The graph in rows: the same nodes for those who read or listen instead of look."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.presentation.graph_words import (
    UNINVITED,
    card_words,
    node_detail,
    node_name,
    sends_to,
)
from inspector.presentation.words import number_words, sentence, status_words

if TYPE_CHECKING:
    from inspector.presentation.graph_traces import Bounds, Traces

AnyIndex = QModelIndex | QPersistentModelIndex

_NOWHERE = QModelIndex()


class Column(IntEnum):
    """What stands in which column."""

    NAME = 0
    TYPE = 1
    VISITS = 2
    TOOK = 3
    STATE = 4
    SENT_TO = 5


_TITLES = {
    Column.NAME: "Component",
    Column.TYPE: "Type",
    Column.VISITS: "Visits",
    Column.TOOK: "Took",
    Column.STATE: "State",
    Column.SENT_TO: "Sent to",
}
_FIGURES = (Column.VISITS, Column.TOOK)


class GraphTableModel(QAbstractTableModel):
    """Adapts the nodes of a graph to Qt, with what a run did to them."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._traces: Traces | None = None
        self._bounds: Bounds | None = None

    def show(self, traces: Traces | None, bounds: Bounds | None) -> None:
        """Show another graph, or what happened in another stretch of time."""
        self.beginResetModel()
        self._traces, self._bounds = traces, bounds
        self.endResetModel()

    def index_of(self, span_id: str) -> QModelIndex:
        """Return the row of the node that a span stands for or happened in."""
        row = self._traces.run.table.row_of(span_id) if self._traces else None
        node = None if row is None or self._traces is None else self._traces.node_of(row)
        return QModelIndex() if node is None else self.index(node, Column.NAME)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() or self._traces is None else len(self._traces.graph)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[Column(section)]
        return None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self._traces is None:
            return None
        node, column = index.row(), Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(self._traces, node, column)
            case Qt.ItemDataRole.AccessibleTextRole if column is Column.NAME:
                return card_words(self._traces, node, self._bounds).spoken
            case Qt.ItemDataRole.TextAlignmentRole if column in _FIGURES:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _ if role == SPAN_ID_ROLE:
                rows = self._traces.rows_within(self._traces.visits[node].rows, self._bounds)
                return self._traces.run.table.id(rows[0]) if rows else None
        return None

    def _text(self, traces: Traces, node: int, column: Column) -> str:
        graph = traces.graph
        words = card_words(traces, node, self._bounds)
        match column:
            case Column.NAME:
                around = [node_name(graph.nodes[one]) for one in graph.around(node)]
                return " › ".join((*reversed(around), words.name))
            case Column.TYPE:
                return node_detail(graph.nodes[node])
            case Column.VISITS:
                return number_words(traces.state(node, self._bounds).visits)
            case Column.TOOK:
                return words.duration
            case Column.STATE:
                state = "failed" if words.failed else "running" if words.running else "ok"
                if words.uninvited and state == "ok":
                    return UNINVITED
                ended = status_words(state) if words.ran else "did not run"
                return sentence([ended, UNINVITED if words.uninvited else ""])
            case Column.SENT_TO:
                return sends_to(traces, node, self._bounds)
