"""A task of an A2A agent that is open in a tab: what is known of it, and what can be done."""

from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from typing import Any

    from inspector.errors import InspectorError
    from inspector.hayhooks.a2a.cards import A2ACard
    from inspector.hayhooks.client.model import Server
    from inspector.importers.a2a_told import A2ATask
    from inspector.presentation.execution_story import Moment
    from inspector.presentation.live_execution import Connection


class Answer(NamedTuple):
    """What is said to an agent: words, or what a form was filled in with."""

    text: str | None = None
    data: "Any" = None


class TaskCommander(Protocol):
    """Who asks the agent for what a person wants; none of it blocks."""

    def cancel(self) -> None:
        """Ask that the task ends."""

    def answer(self, answer: Answer) -> None:
        """Answer what it asks for."""

    def hurry(self) -> None:
        """Ask the agent now."""


class OpenTask(QObject):
    """One task in a tab. `changed` comes once for each batch of what comes."""

    front = "task"  # the word for it in `ActionSpec`

    changed = Signal()
    asked = Signal(str)  # "cancel" or "answer" was sent off
    answered = Signal(str)  # and was taken by the agent
    refused = Signal(str, object)  # what was asked, and the InspectorError

    def __init__(
        self, server: "Server", task_id: str, task: "A2ATask | None" = None,
        parent: QObject | None = None,
    ) -> None:  # fmt: skip
        from inspector.presentation.live_execution import Connection

        super().__init__(parent)
        self.server = server
        self.task_id = task_id
        self.task = task
        self.card: A2ACard | None = None
        self.moments: tuple[Moment, ...] = ()
        self.connection: Connection = Connection.CONNECTING
        self.problem = self.hint = ""
        self.tasks = TaskRunner(self)
        self.title = one_line(f"{server.name} {task_id[:8]}")
        self._commander: TaskCommander | None = None
        self._asking = ""

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

    @property
    def asking(self) -> str:
        """What was sent off and is not answered yet; empty for nothing."""
        return self._asking

    def attach(self, commander: TaskCommander) -> None:
        """Take note of who asks the agent."""
        self._commander = commander

    # What a person says

    def cancel(self) -> None:
        """Ask that it ends."""
        if self._begin("cancel") and self._commander is not None:
            self._commander.cancel()

    def answer(self, answer: Answer) -> None:
        """Answer what it asks for."""
        if self._begin("answer") and self._commander is not None:
            self._commander.answer(answer)

    def hurry(self) -> None:
        """Ask the agent now, where the next try would be later."""
        if self._commander is not None:
            self._commander.hurry()

    def _begin(self, what: str) -> bool:
        # Twice the same at once is a double press: the agent would refuse the second.
        if self._commander is None or self._asking:
            return False
        self._asking = what
        self.asked.emit(what)
        return True

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
        self.answered.emit(what)
        self.changed.emit()

    def take_refusal(self, what: str, error: "InspectorError") -> None:
        """Take note that it did not."""
        self._asking = ""
        self.refused.emit(what, error)
        self.changed.emit()

    def close(self) -> None:
        """End what was started for it."""
        self.tasks.close()
