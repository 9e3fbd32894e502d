"""Asks A2A agents for a person, watches the tasks that are open, and does what is said.

Agents are asked on workers, each at its own pace: soon again while all is well and somebody
looks, later and later while it is away.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from inspector.errors import InspectorError
from inspector.gui.controllers.a2a_watch import A2AWatch
from inspector.gui.controllers.hayhooks_book import HayhooksBook
from inspector.gui.controllers.hayhooks_secrets import HayhooksSecrets
from inspector.gui.controllers.served_clients import ServedClients
from inspector.gui.controllers.served_rounds import ServedRounds
from inspector.gui.controllers.served_watches import ServedWatches
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
        rounds = self._rounds = ServedRounds[AgentView, A2AClient](
            workspace, messages, self.secrets,
            connect=self.client, turn=self._ask, parent=self,
        )  # fmt: skip
        self.book.changed.connect(self._take_agents)
        self.book.saved.connect(self._on_saved)
        self.book.failed.connect(rounds.say_failure)
        self._opened: OpenAgents | None = None
        self._watches = ServedWatches[OpenTask, A2AWatch]()
        self._clients = ServedClients[A2AClient]()  # of messages and runs under way
        workspace.agents_removed.connect(self._on_agents_removed)
        workspace.task_removed.connect(self._watches.leave)

    # Tabs

    def open(self) -> OpenAgents:
        """Show the agents and their tasks, in the tab that does so already."""
        if self._opened is None:
            opened = self._opened = OpenAgents()
            opened.chosen_changed.connect(self._rounds.look)
            self._workspace.add(opened)
            self.book.read(opened.tasks)
            self._rounds.begin(opened)
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
        view = self._rounds.view_of(server.name)
        opened.card = view.card if view is not None else None
        watch = A2AWatch(opened, lambda: self.client(server), self)
        self._watches.add(opened, watch)
        watch.crashed.connect(self._messages.crashed)
        opened.attach(watch)
        opened.answered.connect(lambda _what: self.refresh(server.name))
        self._workspace.add(opened)
        watch.start()
        return opened

    def server_named(self, name: str) -> Server | None:
        """Return an agent that is known."""
        return self._rounds.server_named(name)

    # Agents

    def _take_agents(self, servers: tuple[Server, ...]) -> None:
        self._rounds.take_servers(servers, AgentView)
        self._rounds.look()

    def _on_saved(self, name: str) -> None:
        if self._opened is not None:
            self._opened.choose(name)
        self.refresh(name)

    # Asking

    def refresh(self, name: str = "") -> None:
        """Ask an agent now, or all of them."""
        self._rounds.refresh(name)

    def _ask(self, view: AgentView) -> None:
        server, known = view.server, view.tasks
        try:
            self._rounds.ask(
                server,
                lambda client, cancelled: ask_agent(client, known, cancelled),
                lambda asked: self._take(server, asked),
            )
        except InspectorError as error:
            said = f"{error} {error.hint}".strip()
            self._take(server, AskedAgent("refused", said, None, None, "", 0.0))

    def _take(self, server: Server, asked: AskedAgent) -> None:
        before = self._rounds.answered(server, asked)
        if before is None:
            return
        card, listed = asked.card or before.card, asked.tasks
        tasks = before.tasks
        if listed is not None:
            # A list under way does not know of what was begun meanwhile.
            tasks = _with_newer(listed, before.tasks) if asked.list_problem else listed
        answered = time.time_ns() if asked.is_well else before.answered_at_ns
        self._rounds.put(
            AgentView(server, asked.state, asked.message, card, tasks, answered, asked.list_problem)
        )
        for task in self._watches:
            if task.server.name == server.name:
                task.card = card

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
            view = self._rounds.view_of(server.name)
            if view is not None and task.id:
                others = (each for each in view.tasks if each.id != task.id)
                self._rounds.put(view._replace(tasks=newest_first((task, *others))))
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
        self._clients.start(tasks, client, ask, done=done, failed=failed, key=key)

    def client(self, server: Server) -> A2AClient:
        """Return who asks an agent, for one piece of work; whoever asked for it closes it.

        Raises:
            HayhooksError: The address is none, or a secret would travel in the open.

        """
        return A2AClient(server.url, self.secrets.access(server))

    # Ends

    def close(self) -> None:
        """End every stream and every question at once."""
        self._rounds.stop()
        self._clients.close()
        self._watches.close()

    def _on_agents_removed(self, _opened: OpenAgents) -> None:
        self._rounds.forget()
        self._clients.close()
        self._opened = None
        self.book.close()


def _with_newer(listed: tuple[A2ATask, ...], known: tuple[A2ATask, ...]) -> tuple[A2ATask, ...]:
    there = {task.id for task in listed}
    return newest_first((*listed, *(task for task in known if task.id not in there)))
