"""Servers and what they run, as a tree of two levels below "All servers"."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector.gui.tips import tip
from inspector.gui.workspace.open_hayhooks import ServerView
from inspector.presentation.execution_words import SERVER_LOOKS, Look
from inspector.presentation.visible import one_line
from inspector.presentation.words import plural

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_ALL = 0
_OWN = 1_000_000  # ids of rows below a server begin with its own times this


class ServerNode(NamedTuple):
    """A row: everything, a server, or a deployment of it."""

    server: str = ""
    deployment: str = ""


class ServerRole(IntEnum):
    """What a row says of itself beyond its words."""

    NODE = Qt.ItemDataRole.UserRole
    LOOK = Qt.ItemDataRole.UserRole + 1
    DETAIL = Qt.ItemDataRole.UserRole + 2


class ServersModel(QAbstractItemModel):
    """Adapts servers to Qt. What did not change keeps its row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: tuple[ServerView, ...] = ()

    def show(self, views: Sequence[ServerView]) -> bool:
        """Show these servers; say whether all rows were made anew."""
        new = tuple(views)
        if _shape(new) == _shape(self._views):
            self._views = new
            if new:
                self.dataChanged.emit(self.index(0, 0), self.index(len(new), 0))
            return False
        self.beginResetModel()
        self._views = new
        self.endResetModel()
        return True

    def node(self, index: AnyIndex) -> ServerNode:
        """Return what a row stands for."""
        found = self.data(index, ServerRole.NODE)
        return found if isinstance(found, ServerNode) else ServerNode()

    def index_of(self, node: ServerNode) -> QModelIndex:
        """Return the row that stands for something; the first one where there is none."""
        for row, view in enumerate(self._views):
            if view.server.name != node.server:
                continue
            parent = self.index(row + 1, 0)
            for place, deployment in enumerate(_durable(view)):
                if deployment == node.deployment:
                    return self.index(place, 0, parent)
            return parent
        return self.index(0, 0)

    def index(self, row: int, column: int, parent: AnyIndex = _NOWHERE) -> QModelIndex:
        if column != 0 or row < 0 or row >= self.rowCount(parent):
            return QModelIndex()
        if not parent.isValid():
            return self.createIndex(row, 0, row)
        return self.createIndex(row, 0, parent.internalId() * _OWN + row + 1)

    def parent(self, index: AnyIndex = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        place = index.internalId() if index.isValid() else 0
        if place < _OWN:
            return QModelIndex()
        return self.createIndex(place // _OWN, 0, place // _OWN)

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        if not parent.isValid():
            return len(self._views) + 1
        place = parent.internalId()
        if place == _ALL or place >= _OWN:
            return 0
        return len(_durable(self._views[place - 1]))

    def columnCount(self, _parent: AnyIndex = _NOWHERE) -> int:
        return 1

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        place = index.internalId()
        if place == _ALL:
            return self._all_data(role)
        view = self._views[(place // _OWN if place >= _OWN else place) - 1]
        if place >= _OWN:
            return self._deployment_data(view, _durable(view)[index.row()], role)
        look = SERVER_LOOKS[view.state]
        words, detail = one_line(view.server.name), _detail(view, look)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return words
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{words}, {detail}"
            case ServerRole.NODE:
                return ServerNode(view.server.name)
            case ServerRole.LOOK:
                return look
            case ServerRole.DETAIL:
                return detail
        return None

    def _all_data(self, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return "All servers"
            case ServerRole.NODE:
                return ServerNode()
        return None

    def _deployment_data(self, view: ServerView, name: str, role: int) -> Any:
        about = next((each for each in view.deployments if each.name == name), None)
        refused = dict(view.unlisted).get(name, "")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return one_line(name)
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{one_line(name)}, not listed" if refused else one_line(name)
            case ServerRole.NODE:
                return ServerNode(view.server.name, name)
            case ServerRole.DETAIL:
                kind = "" if about is None or about.kind == "unknown" else about.kind
                return "not listed" if refused else kind
            case Qt.ItemDataRole.ToolTipRole:
                return tip(one_line(refused))
        return None


def _durable(view: ServerView) -> list[str]:
    return [each.name for each in view.deployments if each.is_durable]


def _shape(views: Sequence[ServerView]) -> list[tuple[str, list[str]]]:
    return [(view.server.name, _durable(view)) for view in views]


def _detail(view: ServerView, look: Look) -> str:
    if view.list_problem and view.state == "up":
        return "up, list refused"
    if view.state in ("up", "degraded"):
        return f"{look.word} · {plural(len(_durable(view)), 'deployment')}"
    return look.word
