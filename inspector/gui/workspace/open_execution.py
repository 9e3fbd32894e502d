"""A durable execution that is open in a tab: what is known of it, and what can be done."""

import time
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.open_served_work import OpenServedWork, WorkCommander
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.hayhooks.client.model import Deployment, Execution, Server


class ExecutionCommander(WorkCommander, Protocol):
    """Who asks the server for what a person wants; none of it blocks."""

    def resume(self, value: Any) -> None:
        """Answer what it waits for."""


class OpenExecution(OpenServedWork[ExecutionCommander]):
    """One execution in a tab; `streamed` comes when there is more text."""

    front = "execution"  # the word for it in `ActionSpec`

    streamed = Signal()

    def __init__(
        self,
        server: "Server",
        deployment: str,
        execution_id: str,
        parent: QObject | None = None,
    ) -> None:
        # An empty window has no execution, and needs none of it.
        from inspector.presentation.live_execution import LiveExecution

        super().__init__(server, one_line(f"{deployment} {execution_id[:8]}"), parent)
        self.deployment = deployment
        self.execution_id = execution_id
        self.about: Deployment | None = None
        self.live: LiveExecution = LiveExecution()

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

    def resume(self, value: Any) -> None:
        """Answer what it waits for."""
        if (commander := self._begin("resume")) is not None:
            commander.resume(value)

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
        self._tell_taken(what)
