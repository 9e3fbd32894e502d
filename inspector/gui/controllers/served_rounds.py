"""Goes round the servers of a tab: each is asked on a worker when it is its turn."""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer

from inspector.errors import InspectorError
from inspector.gui.controllers.hayhooks_pace import Pace
from inspector.gui.controllers.hayhooks_secrets import HayhooksSecrets
from inspector.gui.controllers.served_clients import C
from inspector.gui.messages import Messages
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_servers import OpenServers, V
from inspector.gui.workspace.workspace import Workspace
from inspector.hayhooks.client.model import Server

_LOOK_MS = 200  # how often it is asked whose turn it is


class Answered(Protocol):
    """How a server answered."""

    @property
    def is_well(self) -> bool: ...
    @property
    def is_refused(self) -> bool: ...
    @property
    def took_s(self) -> float: ...
    @property
    def retry_after_s(self) -> float | None: ...


A = TypeVar("A", bound=Answered)


class ServedRounds(Generic[V, C]):
    """Asks servers soon again while all is well and somebody looks, and later while one is away.

    Args:
        workspace: Where tabs are.
        messages: Where failures of our own are told.
        secrets: What servers are shown.
        connect: Makes a client for one question.
        turn: Hears of each server that is to be asked now.
        parent: Of the clock.

    """

    def __init__(
        self,
        workspace: Workspace,
        messages: Messages,
        secrets: HayhooksSecrets,
        *,
        connect: Callable[[Server], C],
        turn: Callable[[V], None],
        parent: QObject,
    ) -> None:
        self._workspace = workspace
        self._messages = messages
        self._secrets = secrets
        self._connect = connect
        self._turn = turn
        self._tab: OpenServers[V] | None = None
        self._asking: dict[str, C] = {}  # by server, while it is asked
        self._pace = Pace()
        self._timer = QTimer(parent)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self.look)

    def begin(self, tab: OpenServers[V]) -> None:
        """Go round the servers of a tab from now on."""
        self._tab = tab
        self._timer.start()

    def stop(self) -> None:
        """End every question at once, and ask nothing more."""
        self._timer.stop()
        for client in self._asking.values():
            client.close()
        self._asking.clear()

    def forget(self) -> None:
        """Stop, and forget the tab."""
        self.stop()
        self._tab = None
        self._pace = Pace()

    # Servers

    def view_of(self, name: str) -> V | None:
        """Return what is known of a server."""
        return self._tab.view_of(name) if self._tab is not None else None

    def server_named(self, name: str) -> Server | None:
        """Return a server that is known."""
        view = self.view_of(name)
        return view.server if view is not None else None

    def take_servers(self, servers: tuple[Server, ...], fresh: Callable[[Server], V]) -> None:
        """Take note of who is known now, and keep what is known of those that stay."""
        tab = self._tab
        if tab is None:
            return
        tab.say_problem("")
        known = {view.server: view for view in tab.views}
        tab.show_views(tuple(known.get(server) or fresh(server) for server in servers))
        self._pace.keep_only(server.name for server in servers)

    def put(self, view: V) -> None:
        """Show what is known of a server now."""
        if self._tab is not None:
            name = view.server.name
            self._tab.show_views(
                tuple(view if each.server.name == name else each for each in self._tab.views)
            )

    def say_failure(self, error: Exception) -> None:
        """Say in the tab why nothing can be known, or tell of a bug of ours."""
        if isinstance(error, InspectorError) and self._tab is not None:
            self._tab.say_problem(f"{error} {error.hint}".strip())
        else:
            self._messages.failed(error)

    # Asking

    def refresh(self, name: str = "") -> None:
        """Ask a server now, or all of them."""
        for view in self._tab.views if self._tab is not None else ():
            if not name or view.server.name == name:
                self._pace.hurry(view.server.name)
        self.look()

    def look(self) -> None:
        """Ask those whose turn it is."""
        tab = self._tab
        if tab is None:
            return
        current: object = self._workspace.current_item
        in_front = current is tab
        for view in tab.views:
            name, is_seen = view.server.name, in_front and tab.looks_at(view)
            if name not in self._asking and self._pace.is_due(name, is_seen=is_seen):
                self._turn(view)

    def ask(
        self,
        server: Server,
        question: Callable[[C, Cancelled], A],
        done: Callable[[A], None],
    ) -> None:
        """Ask a server on a worker; again with what the keyring has for it, where it wants that.

        Raises:
            HayhooksError: The address is none, or a secret would travel in the open.

        """
        if self._tab is None:
            return
        client = self._asking[server.name] = self._connect(server)

        def work(cancelled: Cancelled) -> A:
            asked = question(client, cancelled)
            wants = asked.is_refused or bool(server.owner_headers)
            if wants and not cancelled() and self._secrets.ask_ring(server, cancelled):
                again = self._asking[server.name] = self._connect(server)
                try:
                    return question(again, cancelled)
                finally:
                    again.close()
            return asked

        def finish(asked: A) -> None:
            self._end(server, client)
            done(asked)

        def fail(error: Exception) -> None:
            self._end(server, client)
            self._pace.answered(server.name, 0.0, None, is_well=False)
            self.say_failure(error)

        self._tab.tasks.start(work, done=finish, failed=fail, key=("ask", server.name))

    def answered(self, server: Server, asked: Answered) -> V | None:
        """Take note of how a question went; return what was known if it is wanted still."""
        self._pace.answered(server.name, asked.took_s, asked.retry_after_s, is_well=asked.is_well)
        before = self.view_of(server.name)
        return before if before is not None and before.server == server else None

    def _end(self, server: Server, client: C) -> None:
        self._asking.pop(server.name, None)
        client.close()
