"""The tab of servers of any kind: what is known of each. Filled by its controller."""

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner

if TYPE_CHECKING:
    from inspector.hayhooks.client.model import Server

_WORKERS = 6


class Viewed(Protocol):
    """What is known of a server."""

    @property
    def server(self) -> "Server": ...


V = TypeVar("V", bound=Viewed)


class OpenServers(QObject, Generic[V]):
    """All servers in one tab; panes listen."""

    changed = Signal()  # what is known of servers, or why nothing can be known

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.tasks = TaskRunner(self, workers=_WORKERS)
        self.views: tuple[V, ...] = ()
        self.problem = ""  # why nothing can be known at all, such as a damaged file

    def view_of(self, name: str) -> V | None:
        """Return what is known of a server."""
        return next((view for view in self.views if view.server.name == name), None)

    def looks_at(self, _view: V) -> bool:
        """Say whether what a server tells is shown while the tab is in front."""
        return True

    # What its controller says

    def show_views(self, views: tuple[V, ...]) -> None:
        """Take note of the servers."""
        if views != self.views:
            self.views = views
            self.changed.emit()

    def say_problem(self, words: str) -> None:
        """Say why nothing can be known; empty words take that back."""
        if words != self.problem:
            self.problem = words
            self.changed.emit()

    def close(self) -> None:
        """End what was started for it."""
        self.tasks.close()
