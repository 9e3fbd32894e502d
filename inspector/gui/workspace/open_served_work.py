"""Work on a server that is open in a tab: what a person asks of it, and how that is taken."""

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner

if TYPE_CHECKING:
    from inspector.errors import InspectorError
    from inspector.hayhooks.client.model import Server


class WorkCommander(Protocol):
    """Who asks the server for what a person wants; none of it blocks."""

    def cancel(self) -> None:
        """Ask that it ends."""

    def hurry(self) -> None:
        """Ask the server now."""


C = TypeVar("C", bound=WorkCommander)


class OpenServedWork(QObject, Generic[C]):
    """One piece of work in a tab. `changed` comes once for each batch of what comes."""

    changed = Signal()
    asked = Signal(str)  # what was sent off: "cancel", or the word for an answer
    answered = Signal(str)  # and was taken by the server
    refused = Signal(str, object)  # what was asked, and the InspectorError

    def __init__(self, server: "Server", title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.server = server
        self.title = title
        self.tasks = TaskRunner(self)
        self._commander: C | None = None
        self._asking = ""

    @property
    def asking(self) -> str:
        """What was sent off and is not answered yet; empty for nothing."""
        return self._asking

    def attach(self, commander: C) -> None:
        """Take note of who asks the server."""
        self._commander = commander

    # What a person says

    def cancel(self) -> None:
        """Ask that it ends."""
        if (commander := self._begin("cancel")) is not None:
            commander.cancel()

    def hurry(self) -> None:
        """Ask the server now, where the next try would be later."""
        if self._commander is not None:
            self._commander.hurry()

    def _begin(self, what: str) -> C | None:
        """Return who asks for it; None where something is asked already."""
        # Twice the same at once is a double press: the server would refuse the second.
        if self._commander is None or self._asking:
            return None
        self._asking = what
        self.asked.emit(what)
        return self._commander

    # What its controller says

    def _tell_taken(self, what: str) -> None:
        self.answered.emit(what)
        self.changed.emit()

    def take_refusal(self, what: str, error: "InspectorError") -> None:
        """Take note that the server did not do what was asked."""
        self._asking = ""
        self.refused.emit(what, error)
        self.changed.emit()

    def close(self) -> None:
        """End what was started for it."""
        self.tasks.close()
