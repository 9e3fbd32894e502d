"""Runs slow functions beside the window."""

import sys
from collections.abc import Callable, Hashable
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

_TURN_S = 0.0005


class Cancelled:
    """A flag that worker functions look at now and then.

    Calling it answers whether to stop, so it can be handed on as the
    `cancelled=` argument of functions that know nothing of tasks.
    """

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = Event()

    def __call__(self) -> bool:
        return self._event.is_set()

    def is_set(self) -> bool:
        return self._event.is_set()

    def set(self) -> None:
        self._event.set()


class Task:
    """One piece of work under way."""

    __slots__ = ("cancelled", "done", "failed", "key")

    def __init__(
        self,
        key: Hashable,
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self.key = key
        self.done = done
        self.failed = failed
        self.cancelled = Cancelled()

    def cancel(self) -> None:
        """Ask the worker to stop. Neither `done` nor `failed` is called afterwards."""
        self.cancelled.set()


class TaskRunner(QObject):
    """Runs plain functions on worker threads and answers on the GUI thread.

    A worker function takes the task's `cancelled` flag, looks at it now and
    then, and returns a value. It must not touch Qt. Starting a task under a
    `key` that is in use cancels the older one, whose result is then dropped
    however late it comes.
    """

    _finished = Signal(object, object, object)  # Task, result, Exception | None

    def __init__(self, parent: QObject | None = None, *, workers: int = 2) -> None:
        super().__init__(parent)
        self._workers = workers
        self._pool: ThreadPoolExecutor | None = None
        self._latest: dict[Hashable, Task] = {}
        self._closed = False
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        return bool(self._latest)

    def start(
        self,
        work: Callable[[Cancelled], T],
        *,
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        key: Hashable,
    ) -> Task:
        """Run `work` on a worker thread, then `done` or `failed` on this one."""
        if older := self._latest.get(key):
            older.cancel()
        task = Task(key, done, failed)
        if self._closed:
            task.cancel()
            return task
        self._latest[key] = task
        if self._pool is None:
            # Imported with the first task: an empty window has none.
            from concurrent.futures import ThreadPoolExecutor

            # The window draws in Python too, and waits this long for every call while a
            # worker computes. At the usual 5 ms a step through a run took four times as long.
            sys.setswitchinterval(_TURN_S)
            self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="inspector")
        self._pool.submit(self._run, task, work)
        return task

    def close(self) -> None:
        """Cancel everything and wait for the workers to notice."""
        self._closed = True
        for task in self._latest.values():
            task.cancel()
        self._latest.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _run(self, task: Task, work: Callable[[Cancelled], Any]) -> None:
        # On a worker thread. The only Qt thing it may do is emit.
        try:
            result = None if task.cancelled() else work(task.cancelled)
        except Exception as error:  # noqa: BLE001 - handed to the task's owner
            self._finished.emit(task, None, error)
        else:
            self._finished.emit(task, result, None)

    @Slot(object, object, object)
    def _deliver(self, task: Task, result: Any, error: Exception | None) -> None:
        if self._latest.get(task.key) is task:
            del self._latest[task.key]
        if task.cancelled():
            return
        if error is None:
            task.done(result)
        else:
            task.failed(error)
