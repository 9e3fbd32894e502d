"""Handing finished runs to other people's code, on a thread of its own.

A sink may take as long as a network takes. The writer must not wait for it, or every
journal of the process would fall behind.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("inspector.recording")

_CLOSE_S = 30.0


class DeliveryThread:
    """Runs tasks one after the other; starts with the first."""

    def __init__(self) -> None:
        self._registered = False
        self._reset()

    def _reset(self) -> None:
        self._tasks: deque[Callable[[], None]] = deque()
        self._news = threading.Condition()
        self._thread: threading.Thread | None = None
        self._busy = False

    def submit(self, task: Callable[[], None]) -> None:
        """Run `task` soon; whatever it raises is logged."""
        with self._news:
            if not self._registered and hasattr(os, "register_at_fork"):
                self._registered = True
                os.register_at_fork(after_in_child=self._reset)
            self._tasks.append(task)
            if self._thread is None or not self._thread.is_alive():
                thread = threading.Thread(target=self._loop, name="inspector-sinks", daemon=True)
                try:
                    thread.start()
                except RuntimeError:
                    self._thread = None  # the interpreter is about to exit: `close` will do it
                else:
                    self._thread = thread
            self._news.notify_all()

    def close(self) -> None:
        """Wait until everything was delivered, but not for ever; called at the exit."""
        deadline = monotonic() + _CLOSE_S
        with self._news:
            alive = self._thread is not None and self._thread.is_alive()
            if alive:
                self._news.wait_for(lambda: not (self._tasks or self._busy), timeout=_CLOSE_S)
        while not alive and self._tasks and monotonic() < deadline:
            _run(self._tasks.popleft())

    def _loop(self) -> None:
        while True:
            with self._news:
                self._busy = False
                self._news.notify_all()
                self._news.wait_for(lambda: self._tasks)
                task = self._tasks.popleft()
                self._busy = True
            _run(task)


def _run(task: Callable[[], None]) -> None:
    try:
        task()
    except Exception as error:
        log.warning("A sink failed: %s: %s", type(error).__name__, error, exc_info=error)


DELIVERIES = DeliveryThread()
"""Serves the sinks of all runs of this process."""
