"""Runs slow functions beside the window."""

import sys
from collections.abc import Callable, Hashable
from itertools import count
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from inspector.gui.tasks import garbage

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

_TURN_S = 0.0005
_SWEEP_MS = 100


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

    _finished = Signal(int, object, object)  # number of the task, result, Exception | None

    def __init__(self, parent: QObject | None = None, *, workers: int = 2) -> None:
        super().__init__(parent)
        self._workers = workers
        self._pool: ThreadPoolExecutor | None = None
        self._latest: dict[Hashable, Task] = {}
        # Workers know a task by its number only: whoever drops the last reference to what
        # hears of its end frees that, and it may well be a widget.
        self._under_way: dict[int, Task] = {}
        self._numbers = count()
        self._sweeping = QTimer(self)
        self._sweeping.setInterval(_SWEEP_MS)
        self._sweeping.timeout.connect(garbage.sweep)
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
        if not self._under_way:
            garbage.hold()
            self._sweeping.start()
        number = next(self._numbers)
        self._under_way[number] = task
        self._pool.submit(self._run, number, task.cancelled, work)
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
        if self._under_way:
            self._under_way.clear()
            self._rest()

    def _run(self, number: int, cancelled: Cancelled, work: Callable[[Cancelled], Any]) -> None:
        # On a worker thread. The only Qt thing it may do is emit.
        try:
            result = None if cancelled() else work(cancelled)
        except Exception as error:  # noqa: BLE001 - handed to the task's owner
            self._finished.emit(number, None, error)
        else:
            self._finished.emit(number, result, None)

    def _rest(self) -> None:
        self._sweeping.stop()
        garbage.release()

    @Slot(int, object, object)
    def _deliver(self, number: int, result: Any, error: Exception | None) -> None:
        task = self._under_way.pop(number, None)
        if task is None:
            return
        if not self._under_way:
            self._rest()
        if self._latest.get(task.key) is task:
            del self._latest[task.key]
        if task.cancelled():
            return
        if error is None:
            task.done(result)
        else:
            task.failed(error)
