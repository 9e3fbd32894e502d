"""Asks Hayhooks servers for a person, watches the executions that are open, and does what is said.

Servers are asked on workers, each at its own pace: soon again while all is well and somebody
looks, later and later while it is away.
"""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from inspector.errors import InspectorError
from inspector.gui.controllers.hayhooks_book import HayhooksBook
from inspector.gui.controllers.hayhooks_pace import Pace
from inspector.gui.controllers.hayhooks_secrets import HayhooksSecrets
from inspector.gui.controllers.hayhooks_watch import HayhooksWatch
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

_LOOK_MS = 200  # how often it is asked whose turn it is


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
        self.book.changed.connect(self._take_servers)
        self.book.saved.connect(self.refresh)
        self.book.failed.connect(self._say_failure)
        self._opened: OpenHayhooks | None = None
        self._watches: dict[OpenExecution, HayhooksWatch] = {}
        self._leaving: list[HayhooksWatch] = []
        self._asking: dict[str, HayhooksClient] = {}  # by server, while it is asked
        self._submitting: set[HayhooksClient] = set()
        self._pace = Pace()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        workspace.hayhooks_removed.connect(self._on_hayhooks_removed)
        workspace.execution_removed.connect(self._on_execution_removed)

    # Tabs

    def open(self) -> OpenHayhooks:
        """Show the servers and their executions, in the tab that does so already."""
        if self._opened is None:
            opened = self._opened = OpenHayhooks()
            opened.filter_changed.connect(self._read_rows)
            self._workspace.add(opened)
            self.book.read(opened.tasks)
            self._timer.start()
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
        watch = self._watches[opened] = HayhooksWatch(
            opened,
            lambda: self.client(server),
            recall=lambda: self.index().witnessed(server, execution_id),
            note=lambda event: self.index().note_event(server, execution_id, event),
            parent=self,
        )
        watch.crashed.connect(self._messages.crashed)
        opened.attach(watch)
        opened.answered.connect(lambda _what: self.refresh(server.name))
        self._workspace.add(opened)
        watch.start()
        return opened

    def server_named(self, name: str) -> Server | None:
        """Return a server that is known."""
        view = self._opened.view_of(name) if self._opened is not None else None
        return view.server if view is not None else None

    # Servers

    def _take_servers(self, servers: tuple[Server, ...]) -> None:
        opened = self._opened
        if opened is None:
            return
        opened.say_problem("")
        known = {view.server: view for view in opened.views}
        opened.show_views(tuple(known.get(server, ServerView(server)) for server in servers))
        self._pace.keep_only(server.name for server in servers)
        self._read_rows()

    # Asking

    def refresh(self, name: str = "") -> None:
        """Ask a server now, or all of them."""
        for view in self._opened.views if self._opened is not None else ():
            if not name or view.server.name == name:
                self._pace.hurry(view.server.name)
        self._look()

    def _say_failure(self, error: Exception) -> None:
        if isinstance(error, InspectorError) and self._opened is not None:
            self._opened.say_problem(f"{error} {error.hint}".strip())
        else:
            self._messages.failed(error)

    def _look(self) -> None:
        opened = self._opened
        if opened is None:
            return
        is_seen = self._workspace.current_item is opened
        for view in opened.views:
            name = view.server.name
            if name not in self._asking and self._pace.is_due(name, is_seen=is_seen):
                self._ask(view.server)

    def _ask(self, server: Server) -> None:
        assert self._opened is not None
        client = self._asking[server.name] = self.client(server)

        def work(cancelled: Cancelled) -> Asked:
            asked = ask_server(client, self.index(), cancelled)
            wants = asked.is_refused or bool(server.owner_headers)
            if wants and not cancelled() and self.secrets.ask_ring(server, cancelled):
                again = self._asking[server.name] = self.client(server)
                try:
                    return ask_server(again, self.index(), cancelled)
                finally:
                    again.close()
            return asked

        self._opened.tasks.start(
            work,
            done=lambda asked: self._on_asked(server, client, asked),
            failed=lambda error: self._on_ask_failed(server, client, error),
            key=("ask", server.name),
        )

    def _on_asked(self, server: Server, client: HayhooksClient, asked: Asked) -> None:
        self._end_asking(server, client)
        is_well = asked.status.state == "up" and not asked.list_problem
        self._pace.answered(server.name, asked.took_s, asked.retry_after_s, is_well=is_well)
        opened = self._opened
        before = opened.view_of(server.name) if opened is not None else None
        if opened is None or before is None or before.server != server:
            return
        answered = time.time_ns() if is_well else before.answered_at_ns
        view = ServerView(
            server,
            asked.status.state,
            asked.status.message,
            asked.deployments or before.deployments,
            answered,
            asked.list_problem,
            asked.unlisted,
        )
        opened.show_views(
            tuple(view if each.server.name == server.name else each for each in opened.views)
        )
        for execution in self._watches:
            if execution.server.name == server.name:
                execution.about = opened.deployment(server.name, execution.deployment)
        self._read_rows()

    def _on_ask_failed(self, server: Server, client: HayhooksClient, error: Exception) -> None:
        self._end_asking(server, client)
        self._pace.answered(server.name, 0.0, None, is_well=False)
        self._say_failure(error)

    def _end_asking(self, server: Server, client: HayhooksClient) -> None:
        self._asking.pop(server.name, None)
        client.close()

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

        opened.tasks.start(work, done=done, failed=self._say_failure, key="rows")

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
        client = self.client(server)
        self._submitting.add(client)

        def work(_cancelled: Cancelled) -> Submitted:
            try:
                submitted = client.submit(deployment.name, value, key=key)
                self.index().note_rows(server, [submitted.execution.row], client.scope)
                return submitted
            finally:
                client.close()

        def finish(submitted: Submitted) -> None:
            self._submitting.discard(client)
            self.refresh(server.name)
            done(submitted)

        def fail(error: Exception) -> None:
            self._submitting.discard(client)
            failed(error)

        opened.tasks.start(work, done=finish, failed=fail, key=("submit", key))

    # Ends

    def close(self) -> None:
        """End every stream and every question at once."""
        self._timer.stop()
        self._abandon_questions()
        watches = (*self._watches.values(), *self._leaving)
        for watch in watches:
            watch.abandon()
        for watch in watches:
            watch.close()
        self._watches.clear()
        self._leaving.clear()
        if self._index is not None:
            self._index.close()
            self._index = None

    def _abandon_questions(self) -> None:
        for client in (*self._asking.values(), *self._submitting):
            client.close()
        self._asking.clear()
        self._submitting.clear()

    def _on_hayhooks_removed(self, _opened: OpenHayhooks) -> None:
        self._timer.stop()
        self._abandon_questions()
        self._opened = None
        self._pace = Pace()
        self.book.close()

    def _on_execution_removed(self, opened: OpenExecution) -> None:
        watch = self._watches.pop(opened, None)
        if watch is not None:
            watch.abandon()
            if watch.is_over:
                watch.deleteLater()
            else:
                self._leaving.append(watch)
                watch.over.connect(lambda: self._on_over(watch))

    def _on_over(self, watch: HayhooksWatch) -> None:
        if watch in self._leaving:
            self._leaving.remove(watch)
            watch.deleteLater()

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
