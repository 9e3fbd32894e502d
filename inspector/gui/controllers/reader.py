"""Reads files beside the window, and says so when it takes a while."""

from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.errors import InspectorError
from inspector.gui.messages import Messages
from inspector.gui.tasks.progress import Progress
from inspector.gui.tasks.runner import Cancelled, Task, TaskRunner

SLOW_MS = 200

T = TypeVar("T")
Report = Callable[[float], None]


class Source(Hashable, Protocol):
    """What is read: something with a name for it."""

    @property
    def title(self) -> str: ...


class Reader(QObject):
    """Knows what is being read, and can stop it.

    Only what takes longer than 200 ms is announced (`slowed`); then `moved` says how far
    it is, and `settled` that it is over, whichever way. `failed` says why nothing came of it.
    """

    slowed = Signal(object)  # Source
    moved = Signal(object, float)  # Source, fraction
    settled = Signal(object)  # Source
    failed = Signal(object, str, str)  # Source, message, hint

    def __init__(
        self, tasks: TaskRunner, messages: Messages, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._messages = messages
        self._under_way: dict[Source, Task] = {}

    @property
    def under_way(self) -> tuple[Source, ...]:
        return tuple(self._under_way)

    def cancel(self, source: Source) -> None:
        """Stop reading."""
        if task := self._under_way.get(source):
            task.cancel()
            self._settle(source)

    def _begin(
        self, source: Source, read: Callable[[Cancelled, Report], T], done: Callable[[T], None]
    ) -> None:
        """Read on a worker, and hand on what was found; nothing is read twice at a time."""
        if source in self._under_way:
            return
        progress = Progress(self)
        progress.moved.connect(lambda fraction: self._on_moved(source, fraction))

        def found(result: T) -> None:
            self._settle(source)
            done(result)

        def failed(error: Exception) -> None:
            self._settle(source)
            self._say(error, source)

        self._under_way[source] = self._tasks.start(
            lambda cancelled: read(cancelled, progress.report),
            done=found,
            failed=failed,
            key=(self, source),
        )
        QTimer.singleShot(SLOW_MS, self, lambda: self._on_slow(source))

    def _say(self, error: Exception, source: Source) -> None:
        if isinstance(error, InspectorError):
            self.failed.emit(source, str(error), error.hint)
        elif isinstance(error, MemoryError):
            self.failed.emit(
                source, f"There is not enough memory to open {source.title}.", "Close other runs."
            )
        else:
            self._messages.failed(error)

    def _settle(self, source: Source) -> None:
        if self._under_way.pop(source, None) is not None:
            self.settled.emit(source)

    def _on_slow(self, source: Source) -> None:
        if self._is_read(source):
            self.slowed.emit(source)

    def _on_moved(self, source: Source, fraction: float) -> None:
        if self._is_read(source):
            self.moved.emit(source, fraction)

    def _is_read(self, source: Source) -> bool:
        # A window that closes stops all of its tasks, and nobody settles them.
        task = self._under_way.get(source)
        return task is not None and not task.cancelled()
