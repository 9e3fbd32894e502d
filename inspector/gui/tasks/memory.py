"""Gives memory that was read with and is not needed any more back to the system."""

import ctypes
import sys
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from inspector.gui.tasks.runner import Cancelled, TaskRunner

_EVERY_MS = 5_000


class MemoryKeeper(QObject):
    """Trims the heap now and then, on a worker thread.

    Texts of some kilobytes come and go with every span that is read. The C library keeps
    what they leave, in a heap a thread: twice what is in use after a long run was read.
    """

    def __init__(self, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._trim = _trimmer()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.trim)
        if self._trim is not None:
            self._timer.start()

    def trim(self) -> None:
        """Give back what is free."""
        trim = self._trim
        if trim is None:
            return

        def work(_cancelled: Cancelled) -> None:
            trim(0)

        self._tasks.start(work, done=_nothing, failed=_nothing, key=(self, "trim"))


def _trimmer() -> Callable[[int], int] | None:
    """Return glibc's own function for it; other systems have none, and little need of it."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
    return found


def _nothing(_outcome: object) -> None:
    """There is nothing to say, whatever came of it."""
