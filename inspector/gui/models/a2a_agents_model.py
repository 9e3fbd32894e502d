"""Agents in a list, with how each of them is."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.models.hayhooks_servers_model import ServerNode, ServerRole
from inspector.gui.workspace.open_agents import AgentView
from inspector.presentation.execution_words import SERVER_LOOKS
from inspector.presentation.visible import one_line
from inspector.presentation.words import number_words, plural

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class AgentsModel(QAbstractListModel):
    """Adapts agents to Qt. What did not change keeps its row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: tuple[AgentView, ...] = ()

    def show(self, views: Sequence[AgentView]) -> bool:
        """Show these agents; say whether all rows were made anew."""
        new = tuple(views)
        if [view.name for view in new] == [view.name for view in self._views]:
            self._views = new
            if new:
                self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, 0))
            return False
        self.beginResetModel()
        self._views = new
        self.endResetModel()
        return True

    def name(self, index: AnyIndex) -> str:
        """Return which agent a row stands for; empty for none."""
        return self._views[index.row()].name if index.isValid() else ""

    def index_of(self, name: str) -> QModelIndex:
        """Return the row of an agent; an invalid index where there is none."""
        row = next((row for row, view in enumerate(self._views) if view.name == name), None)
        return QModelIndex() if row is None else self.index(row, 0)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._views)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        view = self._views[index.row()]
        look = SERVER_LOOKS[view.state]
        words = one_line(view.name)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{words}, {_detail(view)}"
            case ServerRole.NODE:
                return ServerNode(view.name)
            case ServerRole.LOOK:
                return look
            case ServerRole.DETAIL:
                return _detail(view)
        return None


def _detail(view: AgentView) -> str:
    if view.state != "up":
        return SERVER_LOOKS[view.state].word
    if view.asking:
        return f"{number_words(view.asking)} {'asks' if view.asking == 1 else 'ask'}"
    return plural(len(view.tasks), "task")
