"""The tab of A2A agents: what is known of them, and which one is looked at."""

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.open_servers import OpenServers

if TYPE_CHECKING:
    from inspector.hayhooks.a2a.cards import A2ACard
    from inspector.hayhooks.client.model import Server
    from inspector.importers.a2a_told import A2ATask


class AgentView(NamedTuple):
    """What is known of an agent.

    Args:
        server: Where it is, by the name a person gave it.
        state: up, down, refused or asking.
        message: A sentence, when not all is well.
        card: What it says of itself, as it last said.
        tasks: What changed last first.
        answered_at_ns: When it last answered; 0 for never.
        list_problem: Why its tasks are not listed, though it answers.

    """

    server: "Server"
    state: str = "asking"
    message: str = ""
    card: "A2ACard | None" = None
    tasks: "tuple[A2ATask, ...]" = ()
    answered_at_ns: int = 0
    list_problem: str = ""

    @property
    def name(self) -> str:
        return self.server.name

    @property
    def is_stale(self) -> bool:
        """Whether what is shown of it may have been overtaken."""
        return self.state != "asking" and bool(self.state != "up" or self.list_problem)

    @property
    def asking(self) -> int:
        """How many of its tasks wait for an answer."""
        return sum(task.asks for task in self.tasks)


class OpenAgents(OpenServers[AgentView]):
    """All agents in one tab. Filled by its controller; panes choose and listen."""

    front = "agents"  # the word for it in `ActionSpec`

    chosen_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("A2A agents", parent)
        self.is_loaded = False
        self._chosen = ""

    @property
    def chosen(self) -> AgentView | None:
        """The agent that is looked at: the one that was chosen, else the first."""
        return self.view_of(self._chosen) or (self.views[0] if self.views else None)

    def choose(self, name: str) -> None:
        """Look at another agent."""
        if name != self._chosen:
            self._chosen = name
            self.chosen_changed.emit()

    def looks_at(self, view: AgentView) -> bool:
        """Say whether what an agent tells is shown while the tab is in front."""
        return view is self.chosen

    # What its controller says

    def show_views(self, views: tuple[AgentView, ...]) -> None:
        """Take note of the agents."""
        self.is_loaded = True
        super().show_views(views)
