"""Brings what a stream says to the window, in slices that nobody feels."""

from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from inspector.errors import InspectorError
from inspector.gui.tasks import garbage
from inspector.gui.tasks.hayhooks_thread import Past, Trouble, WatchThread
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.presentation.live_execution import LiveExecution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.model import Execution, StreamEvent

_TICK_MS = 40
_SLICE_S = 0.004
_PIECE = 64
_SWEEP_EVERY = 5  # ticks


class HayhooksWatch(QObject):
    """Stands between one open execution and the thread that watches it.

    Args:
        opened: The execution.
        connect: Makes a client for its server; a stream has one for itself.
        recall: Returns what was seen of it before; called on the thread.
        note: Keeps an event; called on the thread.

    """

    over = Signal()  # the thread has come to its end
    crashed = Signal(object)  # an exception that is a bug of ours

    def __init__(
        self,
        opened: OpenExecution,
        connect: "Callable[[], HayhooksClient]",
        *,
        recall: "Callable[[], Iterable[StreamEvent]]",
        note: "Callable[[StreamEvent], None]",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._opened: OpenExecution | None = opened
        self._connect = connect
        self._deployment, self._execution = opened.deployment, opened.execution_id
        self._recall, self._note = recall, note
        self._thread = self._new_thread()
        self._clients: set[HayhooksClient] = set()
        self._ticks = 0
        self._holds = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    def _new_thread(self) -> WatchThread:
        return WatchThread(
            self._connect(), self._deployment, self._execution,
            recall=self._recall, note=self._note,
        )  # fmt: skip

    @property
    def is_over(self) -> bool:
        """Whether its thread is gone."""
        return not self._holds

    def start(self) -> None:
        """Begin."""
        if not self._holds:
            garbage.hold()
            self._holds = True
        self._thread.start()
        self._timer.start()

    def abandon(self) -> None:
        """End the stream and every question at once; nobody wants to know any more."""
        self._opened = None
        self._thread.stop()
        for client in tuple(self._clients):
            client.close()

    def close(self) -> None:
        """End it, and wait until the thread is gone."""
        self.abandon()
        self._thread.join()
        self._rest()

    # What a person says, as `ExecutionCommander`

    def cancel(self) -> None:
        """Ask that the execution ends."""
        self._ask("cancel", lambda client: client.cancel(self._deployment, self._execution))

    def resume(self, value: Any) -> None:
        """Answer what it waits for."""
        self._ask("resume", lambda client: client.resume(self._deployment, self._execution, value))

    def hurry(self) -> None:
        """Ask the server now; attach again where we had given up."""
        opened = self._opened
        if opened is None:
            return
        if self._thread.is_over:
            if opened.execution is None or not opened.execution.row.status.is_over:
                self._thread = self._new_thread()
                self.start()
            return
        self._thread.hurry()

    def _ask(self, what: str, ask: "Callable[[HayhooksClient], Execution]") -> None:
        opened = self._opened
        if opened is None:
            return
        client = self._connect()
        self._clients.add(client)

        def work(_cancelled: Cancelled) -> "Execution":
            try:
                return ask(client)
            finally:
                client.close()

        def done(execution: "Execution") -> None:
            self._clients.discard(client)
            opened.take_answer(what, execution)
            self.hurry()

        def failed(error: Exception) -> None:
            self._clients.discard(client)
            if isinstance(error, InspectorError):
                opened.take_refusal(what, error)
            else:
                opened.take_refusal(what, InspectorError("That went wrong in here."))
                self.crashed.emit(error)

        opened.tasks.start(work, done=done, failed=failed, key=what)

    # What comes

    def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % _SWEEP_EVERY == 0:
            garbage.sweep()
        opened = self._opened
        if opened is None:
            self._thread.take(_PIECE * _PIECE)
        else:
            self._show(opened)
        if self._thread.is_over:
            self._rest()

    def _show(self, opened: OpenExecution) -> None:
        began, live = perf_counter(), opened.live
        took = False
        chunks, attempt = live.chunks, live.attempt
        while perf_counter() - began < _SLICE_S:
            taken = self._thread.take(_PIECE)
            if not taken:
                break
            took = True
            for each in taken:
                self._take(live, each)
        if took:
            opened.tell_of(text=(live.chunks, live.attempt) != (chunks, attempt))

    def _take(self, live: LiveExecution, what: "StreamEvent | Trouble | Past") -> None:
        match what:
            case Past():
                live.take_past(what.events)
            case Trouble():
                error = what.error
                if not isinstance(error, InspectorError):
                    self.crashed.emit(error)
                    error = InspectorError("The stream could not be followed.")
                live.refuse(error, for_good=what.for_good)
            case _:
                live.take(what)

    def _rest(self) -> None:
        self._timer.stop()
        if self._holds:
            self._holds = False
            garbage.release()
            self.over.emit()
