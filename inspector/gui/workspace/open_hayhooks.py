"""The tab of servers and their executions: what is known, and which of it is looked at."""

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.open_servers import OpenServers

if TYPE_CHECKING:
    from inspector.hayhooks.client.model import Deployment, ExecutionStatus, Server
    from inspector.presentation.execution_list import Listed


class ServerView(NamedTuple):
    """What is known of a server.

    Args:
        server: Which.
        state: up, degraded, down, refused or asking.
        message: A sentence, when not all is well.
        deployments: What it runs, as it last said.
        answered_at_ns: When its list was last had; 0 for never.
        list_problem: Why its executions cannot be listed, though it answers.
        unlisted: The deployments whose executions are not listed to us, and why.

    """

    server: "Server"
    state: str = "asking"
    message: str = ""
    deployments: "tuple[Deployment, ...]" = ()
    answered_at_ns: int = 0
    list_problem: str = ""
    unlisted: tuple[tuple[str, str], ...] = ()

    @property
    def is_stale(self) -> bool:
        """Whether what is shown of it may have been overtaken."""
        return self.state != "asking" and bool(self.state != "up" or self.list_problem)

    @property
    def stale_deployments(self) -> frozenset[str] | None:
        """Of which deployments nothing new is known; None for all of them."""
        return None if self.is_stale else frozenset(name for name, _words in self.unlisted)


class ListFilter(NamedTuple):
    """Which executions are looked at; empty words and None stand for all."""

    server: str = ""
    deployment: str = ""
    status: "ExecutionStatus | None" = None
    search: str = ""


class OpenHayhooks(OpenServers[ServerView]):
    """All servers in one tab. Filled by its controller; panes write the filter and listen."""

    front = "executions"  # the word for it in `ActionSpec`

    rows_changed = Signal()
    filter_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__("Hayhooks", parent)
        self.rows: tuple[Listed, ...] = ()
        self.matching = 0  # how many fit the filter
        self.total = 0
        self.waiting = 0  # how many of all wait for a person
        self.is_loaded = False
        self._filter = ListFilter()

    @property
    def filter(self) -> ListFilter:
        return self._filter

    def narrow(self, filter: ListFilter) -> None:  # noqa: A002 - it is one
        """Look at other executions."""
        if filter != self._filter:
            self._filter = filter
            self.filter_changed.emit()

    def deployment(self, server: str, name: str) -> "Deployment | None":
        """Return a deployment of a server, as it last said."""
        view = self.view_of(server)
        known = view.deployments if view is not None else ()
        return next((each for each in known if each.name == name), None)

    # What its controller says

    def show_rows(
        self, rows: "tuple[Listed, ...]", *, matching: int, total: int, waiting: int
    ) -> None:
        """Take note of the executions that fit the filter."""
        self.rows, self.matching, self.total = rows, matching, total
        self.waiting, self.is_loaded = waiting, True
        self.rows_changed.emit()
