"""Asks Hayhooks servers for a person, watches the executions that are open, and does what is said.

Servers are asked on workers, each at its own pace: soon again while all is well and somebody
looks, later and later while it is away.
"""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from inspector.gui.controllers.hayhooks_book import HayhooksBook
from inspector.gui.controllers.hayhooks_secrets import HayhooksSecrets
from inspector.gui.controllers.hayhooks_watch import HayhooksWatch
from inspector.gui.controllers.served_clients import ServedClients
from inspector.gui.controllers.served_rounds import ServedRounds
from inspector.gui.controllers.served_watches import ServedWatches
from inspector.gui.messages import Messages
from inspector.gui.tasks.hayhooks_refresh import Asked, Shown, ask_server, listed_rows
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.gui.workspace.open_hayhooks import OpenHayhooks, ServerView
from inspector.gui.workspace.workspace import Workspace
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.index import ExecutionIndex
from inspector.hayhooks.client.model import ExecutionRow, Server, Submitted

if TYPE_CHECKING:
    from inspector.hayhooks.client.model import Deployment


class HayhooksController(QObject):
    """Opens the tab of servers and a tab for each execution.

    Args:
        workspace: Where tabs are.
        messages: Where failures of our own are told.
        index_file: Of the executions that are known; None for the usual place.
        servers_file: Of the servers; None for the usual place.

    """

    def __init__(
        self,
        workspace: Workspace,
        messages: Messages,
        parent: QObject | None = None,
        *,
        index_file: Path | None = None,
        servers_file: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._messages = messages
        self._index_file = index_file
        self._index: ExecutionIndex | None = None
        self._opening = Lock()
        self.secrets = HayhooksSecrets()
        self.book = HayhooksBook(self.secrets, servers_file, self)
        rounds = self._rounds = ServedRounds[ServerView, HayhooksClient](
            workspace, messages, self.secrets,
            connect=self.client, turn=self._ask, parent=self,
        )  # fmt: skip
        self.book.changed.connect(self._take_servers)
        self.book.saved.connect(self.refresh)
        self.book.failed.connect(rounds.say_failure)
        self._opened: OpenHayhooks | None = None
        self._watches = ServedWatches[OpenExecution, HayhooksWatch]()
        self._submitting = ServedClients[HayhooksClient]()
        workspace.hayhooks_removed.connect(self._on_hayhooks_removed)
        workspace.execution_removed.connect(self._watches.leave)

    # Tabs

    def open(self) -> OpenHayhooks:
        """Show the servers and their executions, in the tab that does so already."""
        if self._opened is None:
            opened = self._opened = OpenHayhooks()
            opened.filter_changed.connect(self._read_rows)
            self._workspace.add(opened)
            self.book.read(opened.tasks)
            self._rounds.begin(opened)
        else:
            self._workspace.make_current(self._opened)
        return self._opened

    def open_execution(
        self, server: Server, deployment: str, execution_id: str, row: ExecutionRow | None = None
    ) -> OpenExecution:
        """Watch an execution in a tab of its own, or in the one that does already.

        Args:
            server: Where it is.
            deployment: What runs.
            execution_id: Which.
            row: What a list says of it, which nobody else does.

        """
        for known in self._watches:
            if known.key == (server.name, deployment, execution_id):
                self._workspace.make_current(known)
                return known
        opened = OpenExecution(server, deployment, execution_id)
        if row is not None:
            opened.live.know(row.kind, row.revision)
        if self._opened is not None:
            opened.about = self._opened.deployment(server.name, deployment)
        watch = HayhooksWatch(
            opened,
            lambda: self.client(server),
            recall=lambda: self.index().witnessed(server, execution_id),
            note=lambda event: self.index().note_event(server, execution_id, event),
            parent=self,
        )
        self._watches.add(opened, watch)
        watch.crashed.connect(self._messages.crashed)
        opened.attach(watch)
        opened.answered.connect(lambda _what: self.refresh(server.name))
        self._workspace.add(opened)
        watch.start()
        return opened

    def server_named(self, name: str) -> Server | None:
        """Return a server that is known."""
        return self._rounds.server_named(name)

    # Servers

    def refresh(self, name: str = "") -> None:
        """Ask a server now, or all of them."""
        self._rounds.refresh(name)

    def _take_servers(self, servers: tuple[Server, ...]) -> None:
        self._rounds.take_servers(servers, ServerView)
        self._read_rows()

    def _ask(self, view: ServerView) -> None:
        self._rounds.ask(
            view.server,
            lambda client, cancelled: ask_server(client, self.index(), cancelled),
            lambda asked: self._on_asked(view.server, asked),
        )

    def _on_asked(self, server: Server, asked: Asked) -> None:
        before, opened = self._rounds.answered(server, asked), self._opened
        if before is None or opened is None:
            return
        self._rounds.put(
            ServerView(
                server,
                asked.status.state,
                asked.status.message,
                asked.deployments or before.deployments,
                time.time_ns() if asked.is_well else before.answered_at_ns,
                asked.list_problem,
                asked.unlisted,
            )
        )
        for execution in self._watches:
            if execution.server.name == server.name:
                execution.about = opened.deployment(server.name, execution.deployment)
        self._read_rows()

    def _read_rows(self) -> None:
        opened = self._opened
        if opened is None:
            return
        servers = tuple(view.server for view in opened.views)
        stale = {view.server.name: view.stale_deployments for view in opened.views}
        wanted = opened.filter

        def work(_cancelled: Cancelled) -> Shown:
            return listed_rows(self.index(), servers, stale, **wanted._asdict())

        def done(shown: Shown) -> None:
            opened.show_rows(
                shown.rows, matching=shown.matching, total=shown.total, waiting=shown.waiting
            )

        opened.tasks.start(work, done=done, failed=self._rounds.say_failure, key="rows")

    # Submitting

    def submit(
        self,
        server: Server,
        deployment: "Deployment",
        value: Any,
        key: str,
        *,
        done: Callable[[Submitted], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Start an execution, or find the one that the same key has started."""
        opened = self.open()

        def start(client: HayhooksClient, _cancelled: Cancelled) -> Submitted:
            submitted = client.submit(deployment.name, value, key=key)
            self.index().note_rows(server, [submitted.execution.row], client.scope)
            return submitted

        def finish(submitted: Submitted) -> None:
            self.refresh(server.name)
            done(submitted)

        self._submitting.start(
            opened.tasks, self.client(server), start,
            done=finish, failed=failed, key=("submit", key),
        )  # fmt: skip

    # Ends

    def close(self) -> None:
        """End every stream and every question at once."""
        self._rounds.stop()
        self._submitting.close()
        self._watches.close()
        if self._index is not None:
            self._index.close()
            self._index = None

    def _on_hayhooks_removed(self, _opened: OpenHayhooks) -> None:
        self._rounds.forget()
        self._submitting.close()
        self._opened = None
        self.book.close()

    def client(self, server: Server) -> HayhooksClient:
        """Return who asks a server, for one piece of work; whoever asked for it closes it."""
        return HayhooksClient(server, self.secrets.access(server))

    def index(self) -> ExecutionIndex:
        """Return what is known of executions here; any thread may ask for it."""
        # Several workers may be the first.
        with self._opening:
            if self._index is None:
                self._index = ExecutionIndex(self._index_file)
            return self._index
