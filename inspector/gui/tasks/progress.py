"""Lets a worker say how far it is."""

from time import monotonic

from PySide6.QtCore import QObject, Signal

_SHORTEST_PAUSE_S = 0.03


class Progress(QObject):
    """Carries a fraction from a worker thread to the window.

    `report` may be called as often as the worker likes: only a call every
    30 ms crosses over, so that a busy worker cannot flood the event loop.
    """

    moved = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._last_s = 0.0

    def report(self, fraction: float) -> None:
        now_s = monotonic()
        if now_s - self._last_s >= _SHORTEST_PAUSE_S:
            self._last_s = now_s
            self.moved.emit(fraction)
