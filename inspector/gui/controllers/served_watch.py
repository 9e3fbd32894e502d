"""Stands between something of a server that is open in a tab and the thread that watches it."""

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from inspector.errors import InspectorError
from inspector.gui.controllers.served_clients import C, ServedClients
from inspector.gui.tasks import garbage
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.tasks.served_thread import ServedThread


class Watched(Protocol):
    """What is open, such as an `OpenExecution`."""

    tasks: TaskRunner

    @property
    def is_settled(self) -> bool:
        """Whether nothing more becomes of it, as far as is known."""

    def take_answer(self, what: str, answer: Any, /) -> None:
        """Take note that the server did what was asked."""

    def take_refusal(self, what: str, error: InspectorError) -> None:
        """Take note that it did not."""


O = TypeVar("O", bound=Watched)  # noqa: E741 - what is open
T = TypeVar("T", bound=ServedThread[Any])


class ServedWatch(QObject, Generic[O, C, T]):
    """Starts and ends the thread, takes what it brings, and asks for what a person wants.

    Args:
        opened: What is open.
        connect: Makes a client for its server, for one question.
        new_thread: Makes a thread that watches it.
        tick_ms: How often is taken what the thread brings.
        sweep_every: After how many ticks garbage is looked for.

    """

    over = Signal()  # the thread has come to its end
    crashed = Signal(object)  # an exception that is a bug of ours

    def __init__(
        self,
        opened: O,
        connect: Callable[[], C],
        new_thread: Callable[[], T],
        *,
        tick_ms: int,
        sweep_every: int,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._opened: O | None = opened
        self._connect = connect
        self._new_thread = new_thread
        self._thread = new_thread()
        self._clients = ServedClients[C]()
        self._sweep_every = sweep_every
        self._ticks = 0
        self._holds = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.setInterval(tick_ms)
        self._timer.timeout.connect(self._tick)

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
        self._clients.close()

    def close(self) -> None:
        """End it, and wait until the thread is gone."""
        self.abandon()
        self._thread.join()
        self._rest()

    def hurry(self) -> None:
        """Ask the server now; look again where we had given up."""
        opened = self._opened
        if opened is None:
            return
        if self._thread.is_over:
            if not opened.is_settled:
                self._thread = self._new_thread()
                self.start()
            return
        self._thread.hurry()

    def _ask(self, what: str, ask: Callable[[C], Any]) -> None:
        opened = self._opened
        if opened is None:
            return
        try:
            client = self._connect()
        except InspectorError as error:
            opened.take_refusal(what, error)
            return

        def done(answer: Any) -> None:
            opened.take_answer(what, answer)
            self.hurry()

        def failed(error: Exception) -> None:
            if isinstance(error, InspectorError):
                opened.take_refusal(what, error)
                self._on_refused()
            else:
                opened.take_refusal(what, InspectorError("That went wrong in here."))
                self.crashed.emit(error)

        self._clients.start(
            opened.tasks, client, lambda asked, _stop: ask(asked),
            done=done, failed=failed, key=what,
        )  # fmt: skip

    def _on_refused(self) -> None:
        """Do more where a refusal says that something has changed."""

    def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % self._sweep_every == 0:
            garbage.sweep()
        self._bring(self._opened)
        if self._thread.is_over:
            self._rest()

    def _bring(self, opened: O | None) -> None:
        """Take what has come from the thread, and show it; nobody wants it where None is open."""

    def _rest(self) -> None:
        self._timer.stop()
        if self._holds:
            self._holds = False
            garbage.release()
            self.over.emit()
