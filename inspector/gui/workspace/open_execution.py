"""A durable execution that is open in a tab: what is known of it, and what can be done."""

import time
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.errors import InspectorError
    from inspector.hayhooks.client.model import Deployment, Execution, Server


class ExecutionCommander(Protocol):
    """Who asks the server for what a person wants; none of it blocks."""

    def cancel(self) -> None:
        """Ask that it ends."""

    def resume(self, value: Any) -> None:
        """Answer what it waits for."""

    def hurry(self) -> None:
        """Ask the server now."""


class OpenExecution(QObject):
    """One execution in a tab.

    `changed` comes once for each batch of events; `streamed` when there is more text.
    """

    front = "execution"  # the word for it in `ActionSpec`

    changed = Signal()
    streamed = Signal()
    asked = Signal(str)  # "cancel" or "resume" was sent off
    answered = Signal(str)  # and was taken by the server
    refused = Signal(str, object)  # what was asked, and the InspectorError

    def __init__(
        self,
        server: "Server",
        deployment: str,
        execution_id: str,
        parent: QObject | None = None,
    ) -> None:
        # An empty window has no execution, and needs none of it.
        from inspector.presentation.live_execution import LiveExecution

        super().__init__(parent)
        self.server = server
        self.deployment = deployment
        self.execution_id = execution_id
        self.about: Deployment | None = None
        self.live: LiveExecution = LiveExecution()
        self.tasks = TaskRunner(self)
        self.title = one_line(f"{deployment} {execution_id[:8]}")
        self._commander: ExecutionCommander | None = None
        self._asking = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What no other execution has."""
        return self.server.name, self.deployment, self.execution_id

    @property
    def execution(self) -> "Execution | None":
        return self.live.execution

    @property
    def is_settled(self) -> bool:
        """Whether nothing more becomes of it, as far as is known."""
        return self.execution is not None and self.execution.row.status.is_over

    @property
    def asking(self) -> str:
        """What was sent off and is not answered yet; empty for nothing."""
        return self._asking

    def attach(self, commander: ExecutionCommander) -> None:
        """Take note of who asks the server."""
        self._commander = commander

    # What a person says

    def cancel(self) -> None:
        """Ask that it ends."""
        self._ask("cancel")

    def resume(self, value: Any) -> None:
        """Answer what it waits for."""
        self._ask("resume", value)

    def hurry(self) -> None:
        """Ask the server now, where the next try would be later."""
        if self._commander is not None:
            self._commander.hurry()

    def _ask(self, what: str, *given: Any) -> None:
        # Twice the same at once is a double press: the server would refuse the second.
        if self._commander is None or self._asking:
            return
        self._asking = what
        self.asked.emit(what)
        getattr(self._commander, what)(*given)

    # What its controller says

    def tell_of(self, *, text: bool) -> None:
        """Tell that `live` has taken something, and whether there is more text."""
        if text:
            self.streamed.emit()
        self.changed.emit()

    def take_answer(self, what: str, execution: "Execution") -> None:
        """Take note that the server did what was asked."""
        self._asking = ""
        self.live.see(execution, time.time_ns())
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
