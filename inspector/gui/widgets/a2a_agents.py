"""The list of agents, with what can be done about it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Signal
from PySide6.QtWidgets import QMenu, QWidget

from inspector.gui.models.a2a_agents_model import AgentsModel
from inspector.gui.widgets.hayhooks_servers import ServerDelegate
from inspector.gui.widgets.served_names import ServedNames
from inspector.gui.workspace.open_agents import AgentView

AnyIndex = QModelIndex | QPersistentModelIndex


class A2AAgents(ServedNames):
    """Choosing a row looks at its card and its tasks."""

    chosen = Signal(str)  # name of an agent
    send_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        model = AgentsModel()
        super().__init__(
            model, model.name, what="agent", title="Agents",
            delegate=ServerDelegate(), parent=parent,
        )  # fmt: skip
        self._model = model
        self._tree.setRootIsDecorated(False)

    @property
    def current(self) -> str:
        """The agent that is looked at; empty for none."""
        return self._model.name(self._tree.currentIndex())

    def show_views(self, views: tuple[AgentView, ...], chosen: str) -> None:
        """Show these agents, with one of them chosen."""
        self._model.show(views)
        if self.current != chosen:
            self._tree.setCurrentIndex(self._model.index_of(chosen))
        self._allow()

    def _look_at(self, index: AnyIndex) -> None:
        if name := self._model.name(index):
            self.chosen.emit(name)

    def _begin_menu(self, menu: QMenu, index: AnyIndex) -> None:
        name = self._model.name(index)
        menu.addAction("Send a message…", lambda: self.send_requested.emit(name))
