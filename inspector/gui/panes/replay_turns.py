"""Has the parts of a window drawn anew one after the other, never all in one turn of the loop."""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QObject, QTimer

_BETWEEN_MS = 25
_LONGEST_REST_S = 0.3


class ReplayTurns(QObject):
    """Calls what wants a turn: the one that has waited longest first, one each few milliseconds.

    While a replay streams in, timeline, tree and figures all change all the time. Each is drawn
    quickly; all at once they could be felt.

    Nothing is drawn for a moment while something computes in Python beside the window: each of
    the many calls of Qt that a drawing is made of would have to wait for the interpreter.
    """

    def __init__(self, is_computing: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_computing = is_computing
        self._resting_since: float | None = None
        self._waiting: dict[Callable[[], None], None] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_BETWEEN_MS)
        self._timer.timeout.connect(self._take)

    def want(self, turn: Callable[[], None]) -> None:
        """Have something called when it is its turn; asking again before that changes nothing."""
        self._waiting.setdefault(turn)
        if not self._timer.isActive():
            self._timer.start()

    def _take(self) -> None:
        turn = next(iter(self._waiting), None)
        if turn is None:
            self._timer.stop()
            return
        if self._rests():
            return
        del self._waiting[turn]
        turn()

    def _rests(self) -> bool:
        if not self._is_computing():
            self._resting_since = None
            return False
        now = monotonic()
        self._resting_since = self._resting_since or now
        return now - self._resting_since < _LONGEST_REST_S
