"""Brings what a stream says to the window, in slices that nobody feels."""

from time import perf_counter
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from inspector.errors import InspectorError
from inspector.gui.controllers.served_watch import ServedWatch
from inspector.gui.tasks.hayhooks_thread import Past, WatchThread
from inspector.gui.tasks.served_thread import Trouble
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.presentation.live_execution import LiveExecution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.model import StreamEvent

_TICK_MS = 40
_SLICE_S = 0.004
_PIECE = 64
_SWEEP_EVERY = 5  # ticks


class HayhooksWatch(ServedWatch[OpenExecution, "HayhooksClient", WatchThread]):
    """Stands between one open execution and the thread that watches it.

    Args:
        opened: The execution.
        connect: Makes a client for its server; a stream has one for itself.
        recall: Returns what was seen of it before; called on the thread.
        note: Keeps an event; called on the thread.

    """

    def __init__(
        self,
        opened: OpenExecution,
        connect: "Callable[[], HayhooksClient]",
        *,
        recall: "Callable[[], Iterable[StreamEvent]]",
        note: "Callable[[StreamEvent], None]",
        parent: QObject | None = None,
    ) -> None:
        where = opened.deployment, opened.execution_id

        def new_thread() -> WatchThread:
            return WatchThread(connect(), *where, recall=recall, note=note)

        super().__init__(
            opened, connect, new_thread,
            tick_ms=_TICK_MS, sweep_every=_SWEEP_EVERY, parent=parent,
        )  # fmt: skip
        self._deployment, self._execution = where

    # What a person says, as `ExecutionCommander`

    def cancel(self) -> None:
        """Ask that the execution ends."""
        self._ask("cancel", lambda client: client.cancel(self._deployment, self._execution))

    def resume(self, value: Any) -> None:
        """Answer what it waits for."""
        self._ask("resume", lambda client: client.resume(self._deployment, self._execution, value))

    # What comes

    def _bring(self, opened: OpenExecution | None) -> None:
        if opened is None:
            self._thread.take(_PIECE * _PIECE)
        else:
            self._show(opened)

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
