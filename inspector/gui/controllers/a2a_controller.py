"""Asks A2A agents for a person, watches the tasks that are open, and does what is said.

Agents are asked on workers, each at its own pace: soon again while all is well and somebody
looks, later and later while it is away.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer

from inspector.errors import InspectorError
from inspector.gui.controllers.a2a_watch import A2AWatch
from inspector.gui.controllers.hayhooks_book import HayhooksBook
from inspector.gui.controllers.hayhooks_pace import Pace
from inspector.gui.controllers.hayhooks_secrets import HayhooksSecrets
from inspector.gui.messages import Messages
from inspector.gui.tasks.a2a_refresh import AskedAgent, ask_agent, newest_first
from inspector.gui.tasks.runner import Cancelled, TaskRunner
from inspector.gui.workspace.open_agents import AgentView, OpenAgents
from inspector.gui.workspace.open_task import Answer, OpenTask
from inspector.gui.workspace.workspace import Workspace
from inspector.hayhooks.a2a.as_run import fetched
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.a2a.known import agents_file
from inspector.hayhooks.client.model import Server
from inspector.importers.a2a_told import A2ATask

_LOOK_MS = 200  # how often it is asked whose turn it is


class A2AController(QObject):
    """Opens the tab of agents and a tab for each task.

    Args:
        workspace: Where tabs are.
        messages: Where failures of our own are told.
        file: Of the agents that are known; None for the usual place.

    """

    def __init__(
        self,
        workspace: Workspace,
        messages: Messages,
        parent: QObject | None = None,
        *,
        file: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._messages = messages
        self.secrets = HayhooksSecrets()
        self.book = HayhooksBook(self.secrets, file or agents_file(), self)
        self.book.changed.connect(self._take_agents)
        self.book.saved.connect(self._on_saved)
        self.book.failed.connect(self._say_failure)
        self._opened: OpenAgents | None = None
        self._watches: dict[OpenTask, A2AWatch] = {}
        self._leaving: list[A2AWatch] = []
        self._asking: dict[str, A2AClient] = {}  # by agent, while it is asked
        self._clients: set[A2AClient] = set()  # of messages and runs under way
        self._pace = Pace()
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)
        workspace.agents_removed.connect(self._on_agents_removed)
        workspace.task_removed.connect(self._on_task_removed)

    # Tabs

    def open(self) -> OpenAgents:
        """Show the agents and their tasks, in the tab that does so already."""
        if self._opened is None:
            opened = self._opened = OpenAgents()
            opened.chosen_changed.connect(self._look)
            self._workspace.add(opened)
            self.book.read(opened.tasks)
            self._timer.start()
        else:
            self._workspace.make_current(self._opened)
        return self._opened

    def open_task(self, server: Server, task_id: str, task: A2ATask | None = None) -> OpenTask:
        """Watch a task in a tab of its own, or in the one that does already.

        Raises:
            HayhooksError: The address is none, or a secret would travel in the open.

        """
        for known in self._watches:
            if known.key == (server.url, task_id):
                self._workspace.make_current(known)
                return known
        opened = OpenTask(server, task_id, task)
        view = self._opened.view_of(server.name) if self._opened is not None else None
        opened.card = view.card if view is not None else None
        watch = self._watches[opened] = A2AWatch(opened, lambda: self.client(server), self)
        watch.crashed.connect(self._messages.crashed)
        opened.attach(watch)
        opened.answered.connect(lambda _what: self.refresh(server.name))
        self._workspace.add(opened)
        watch.start()
        return opened

    def server_named(self, name: str) -> Server | None:
        """Return an agent that is known."""
        view = self._opened.view_of(name) if self._opened is not None else None
        return view.server if view is not None else None

    # Agents

    def _take_agents(self, servers: tuple[Server, ...]) -> None:
        opened = self._opened
        if opened is None:
            return
        opened.say_problem("")
        known = {view.server: view for view in opened.views}
        opened.show_views(tuple(known.get(server, AgentView(server)) for server in servers))
        self._pace.keep_only(server.name for server in servers)
        self._look()

    def _on_saved(self, name: str) -> None:
        if self._opened is not None:
            self._opened.choose(name)
        self.refresh(name)

    def _say_failure(self, error: Exception) -> None:
        if isinstance(error, InspectorError) and self._opened is not None:
            self._opened.say_problem(f"{error} {error.hint}".strip())
        else:
            self._messages.failed(error)

    # Asking

    def refresh(self, name: str = "") -> None:
        """Ask an agent now, or all of them."""
        for view in self._opened.views if self._opened is not None else ():
            if not name or view.server.name == name:
                self._pace.hurry(view.server.name)
        self._look()

    def _look(self) -> None:
        opened = self._opened
        if opened is None:
            return
        in_front = self._workspace.current_item is opened
        for view in opened.views:
            name = view.server.name
            is_seen = in_front and view is opened.chosen
            if name not in self._asking and self._pace.is_due(name, is_seen=is_seen):
                self._ask(view)

    def _ask(self, view: AgentView) -> None:
        assert self._opened is not None
        server, known = view.server, view.tasks
        try:
            client = self._asking[server.name] = self.client(server)
        except InspectorError as error:
            said = f"{error} {error.hint}".strip()
            self._take(server, AskedAgent("refused", said, None, None, "", 0.0))
            return

        def work(cancelled: Cancelled) -> AskedAgent:
            asked = ask_agent(client, known, cancelled)
            wants = asked.is_refused or bool(server.owner_headers)
            if wants and not cancelled() and self.secrets.ask_ring(server, cancelled):
                again = self._asking[server.name] = self.client(server)
                try:
                    return ask_agent(again, known, cancelled)
                finally:
                    again.close()
            return asked

        def done(asked: AskedAgent) -> None:
            self._asking.pop(server.name, None)
            client.close()
            self._take(server, asked)

        def failed(error: Exception) -> None:
            self._asking.pop(server.name, None)
            client.close()
            self._pace.answered(server.name, 0.0, None, is_well=False)
            self._say_failure(error)

        self._opened.tasks.start(work, done=done, failed=failed, key=("ask", server.name))

    def _take(self, server: Server, asked: AskedAgent) -> None:
        is_well = asked.state == "up"
        self._pace.answered(server.name, asked.took_s, asked.retry_after_s, is_well=is_well)
        opened = self._opened
        before = opened.view_of(server.name) if opened is not None else None
        if opened is None or before is None or before.server != server:
            return
        card, listed = asked.card or before.card, asked.tasks
        tasks = before.tasks
        if listed is not None:
            # A list under way does not know of what was begun meanwhile.
            tasks = _with_newer(listed, before.tasks) if asked.list_problem else listed
        answered = time.time_ns() if is_well else before.answered_at_ns
        self._put(
            AgentView(server, asked.state, asked.message, card, tasks, answered, asked.list_problem)
        )
        for task in self._watches:
            if task.server.name == server.name:
                task.card = card

    def _put(self, view: AgentView) -> None:
        if self._opened is not None:
            self._opened.show_views(
                tuple(
                    view if each.server.name == view.server.name else each
                    for each in self._opened.views
                )
            )

    # Messages and runs

    def send(
        self,
        server: Server,
        said: Answer,
        key: str,
        *,
        done: Callable[[A2ATask], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Begin a task, or find the one that the same key has begun."""

        def finish(task: A2ATask) -> None:
            view = self._opened.view_of(server.name) if self._opened is not None else None
            if view is not None and task.id:
                others = (each for each in view.tasks if each.id != task.id)
                self._put(view._replace(tasks=newest_first((task, *others))))
            self.refresh(server.name)
            done(task)

        self._do(
            self.open().tasks,
            server,
            lambda client, _stop: client.send(said.text, data=said.data, message_id=key),
            finish,
            failed,
            ("send", key),
        )

    def fetch(
        self,
        opened: OpenTask,
        *,
        done: Callable[[bytes], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Fetch a task as JSON that opens as a run."""
        self._do(
            opened.tasks,
            opened.server,
            lambda client, stop: fetched(client, [opened.task_id], cancelled=stop),
            done,
            failed,
            ("fetch", opened.task_id),
        )

    def _do(
        self,
        tasks: TaskRunner,
        server: Server,
        ask: Callable[[A2AClient, Cancelled], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        key: tuple[str, str],
    ) -> None:
        try:
            client = self.client(server)
        except InspectorError as error:
            failed(error)
            return
        self._clients.add(client)

        def work(cancelled: Cancelled) -> Any:
            try:
                return ask(client, cancelled)
            finally:
                client.close()

        def finish(found: Any) -> None:
            self._clients.discard(client)
            done(found)

        def fail(error: Exception) -> None:
            self._clients.discard(client)
            failed(error)

        tasks.start(work, done=finish, failed=fail, key=key)

    def client(self, server: Server) -> A2AClient:
        """Return who asks an agent, for one piece of work; whoever asked for it closes it.

        Raises:
            HayhooksError: The address is none, or a secret would travel in the open.

        """
        return A2AClient(server.url, self.secrets.access(server))

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

    def _abandon_questions(self) -> None:
        for client in (*self._asking.values(), *self._clients):
            client.close()
        self._asking.clear()
        self._clients.clear()

    def _on_agents_removed(self, _opened: OpenAgents) -> None:
        self._timer.stop()
        self._abandon_questions()
        self._opened = None
        self._pace = Pace()
        self.book.close()

    def _on_task_removed(self, opened: OpenTask) -> None:
        watch = self._watches.pop(opened, None)
        if watch is not None:
            watch.abandon()
            if watch.is_over:
                watch.deleteLater()
            else:
                self._leaving.append(watch)
                watch.over.connect(lambda: self._on_over(watch))

    def _on_over(self, watch: A2AWatch) -> None:
        if watch in self._leaving:
            self._leaving.remove(watch)
            watch.deleteLater()


def _with_newer(listed: tuple[A2ATask, ...], known: tuple[A2ATask, ...]) -> tuple[A2ATask, ...]:
    there = {task.id for task in listed}
    return newest_first((*listed, *(task for task in known if task.id not in there)))
