"""A task of an A2A agent that is open in a tab: what is known of it, and what can be done."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QObject

from inspector.gui.workspace.open_served_work import OpenServedWork, WorkCommander
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from typing import Any

    from inspector.hayhooks.a2a.cards import A2ACard
    from inspector.hayhooks.client.model import Server
    from inspector.importers.a2a_told import A2ATask
    from inspector.presentation.execution_story import Moment
    from inspector.presentation.live_execution import Connection


class Answer(NamedTuple):
    """What is said to an agent: words, or what a form was filled in with."""

    text: str | None = None
    data: "Any" = None


class TaskCommander(WorkCommander, Protocol):
    """Who asks the agent for what a person wants; none of it blocks."""

    def answer(self, answer: Answer) -> None:
        """Answer what it asks for."""


class OpenTask(OpenServedWork[TaskCommander]):
    """One task in a tab."""

    front = "task"  # the word for it in `ActionSpec`

    def __init__(
        self, server: "Server", task_id: str, task: "A2ATask | None" = None,
        parent: QObject | None = None,
    ) -> None:  # fmt: skip
        from inspector.presentation.live_execution import Connection

        super().__init__(server, one_line(f"{server.name} {task_id[:8]}"), parent)
        self.task_id = task_id
        self.task = task
        self.card: A2ACard | None = None
        self.moments: tuple[Moment, ...] = ()
        self.connection: Connection = Connection.CONNECTING
        self.problem = self.hint = ""

    @property
    def key(self) -> tuple[str, str]:
        """What no other task has."""
        return self.server.url, self.task_id

    @property
    def is_stale(self) -> bool:
        """Whether what is shown may have been overtaken."""
        return self.connection in ("reconnecting", "refused")

    @property
    def is_settled(self) -> bool:
        """Whether nothing more becomes of it, as far as is known."""
        return self.task is not None and self.task.is_over and not self.is_stale

    def answer(self, answer: Answer) -> None:
        """Answer what it asks for."""
        if (commander := self._begin("answer")) is not None:
            commander.answer(answer)

    # What its controller says

    def show(self, task: "A2ATask") -> None:
        """Take note of the task as it is; `tell` says so to panes."""
        self.task = task

    def stand(self, connection: "Connection", problem: str = "", hint: str = "") -> None:
        """Take note of how we stand to the agent."""
        self.connection, self.problem, self.hint = connection, problem, hint

    def tell(self) -> None:
        """Tell that something has come."""
        self.changed.emit()

    def take_answer(self, what: str, task: "A2ATask") -> None:
        """Take note that the agent did what was asked."""
        self._asking = ""
        if task.id == self.task_id:
            self.task = task
        self._tell_taken(what)
