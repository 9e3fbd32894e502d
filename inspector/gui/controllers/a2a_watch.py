"""Brings what becomes of a task to the window, and asks its agent for what a person wants."""

import json
import time
from typing import TYPE_CHECKING
from uuid import uuid4

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from inspector.errors import InspectorError
from inspector.gui.tasks import garbage
from inspector.gui.tasks.a2a_thread import TaskThread
from inspector.gui.tasks.hayhooks_thread import Trouble
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_task import Answer, OpenTask
from inspector.presentation.a2a_words import task_look, task_words
from inspector.presentation.execution_story import Moment
from inspector.presentation.live_execution import Connection

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.hayhooks.a2a.client import A2AClient
    from inspector.importers.a2a_told import A2ATask

_TICK_MS = 60
_SWEEP_EVERY = 4  # ticks
_MOST_MOMENTS = 5_000


class A2AWatch(QObject):
    """Stands between one open task and the thread that watches it.

    Args:
        opened: The task.
        connect: Makes a client for its agent; the thread has one for itself.

    """

    over = Signal()  # the thread has come to its end
    crashed = Signal(object)  # an exception that is a bug of ours

    def __init__(
        self, opened: OpenTask, connect: "Callable[[], A2AClient]", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._opened: OpenTask | None = opened
        self._connect = connect
        self._task_id = opened.task_id
        self._thread = TaskThread(connect(), self._task_id)
        self._clients: set[A2AClient] = set()
        self._sent: tuple[str, str] | None = None  # the answer sent last, and its id
        self._ticks = 0
        self._holds = False
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.CoarseTimer)
        self._timer.setInterval(_TICK_MS)
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
        for client in tuple(self._clients):
            client.close()

    def close(self) -> None:
        """End it, and wait until the thread is gone."""
        self.abandon()
        self._thread.join()
        self._rest()

    # What a person says, as `TaskCommander`

    def cancel(self) -> None:
        """Ask that the task ends."""
        self._ask("cancel", lambda client: client.cancel(self._task_id))

    def answer(self, answer: Answer) -> None:
        """Answer what it asks for; the same answer to the same question counts once."""
        opened = self._opened
        task = opened.task if opened is not None else None
        asked = task.message.id if task is not None and task.message is not None else ""
        wish = json.dumps([answer, asked, task.changed_ns if task is not None else 0])
        if self._sent is None or self._sent[0] != wish:
            self._sent = (wish, f"run-inspector-{uuid4()}")
        key = self._sent[1]
        self._ask(
            "answer",
            lambda client: client.send(
                answer.text, data=answer.data, task_id=self._task_id,
                context_id=task.context_id if task is not None else None, message_id=key,
            ),
        )  # fmt: skip

    def hurry(self) -> None:
        """Ask the agent now; look again where we had given up."""
        opened = self._opened
        if opened is None:
            return
        if self._thread.is_over:
            if opened.task is None or not opened.task.is_over or opened.is_stale:
                self._thread = TaskThread(self._connect(), self._task_id)
                self.start()
            return
        self._thread.hurry()

    def _ask(self, what: str, ask: "Callable[[A2AClient], A2ATask]") -> None:
        opened = self._opened
        if opened is None:
            return
        try:
            client = self._connect()
        except InspectorError as error:
            opened.take_refusal(what, error)
            return
        self._clients.add(client)

        def work(_cancelled: Cancelled) -> "A2ATask":
            try:
                return ask(client)
            finally:
                client.close()

        def done(task: "A2ATask") -> None:
            self._clients.discard(client)
            opened.take_answer(what, task)
            self.hurry()

        def failed(error: Exception) -> None:
            self._clients.discard(client)
            if isinstance(error, InspectorError):
                opened.take_refusal(what, error)
                self.hurry()
            else:
                opened.take_refusal(what, InspectorError("That went wrong in here."))
                self.crashed.emit(error)

        opened.tasks.start(work, done=done, failed=failed, key=what)

    # What comes

    def _tick(self) -> None:
        self._ticks += 1
        if self._ticks % _SWEEP_EVERY == 0:
            garbage.sweep()
        steps, task = self._thread.take()
        opened = self._opened
        if opened is not None and (steps or task is not None):
            self._show(opened, steps, task)
        if self._thread.is_over:
            self._rest()

    def _show(
        self,
        opened: OpenTask,
        steps: "list[tuple[int, A2ATask] | Trouble]",
        task: "A2ATask | None",
    ) -> None:
        trouble: Trouble | None = None
        moments = list(opened.moments)
        for step in steps:
            if isinstance(step, Trouble):
                trouble = step
            else:
                trouble = None
                moments.append(_moment(*step))
        opened.moments = tuple(moments[-_MOST_MOMENTS:])
        if task is not None:
            opened.show(task)
            opened.stand(Connection.OVER if task.is_over else Connection.ATTACHED)
        if trouble is not None:
            self._say_trouble(opened, trouble)
        opened.tell()

    def _say_trouble(self, opened: OpenTask, trouble: Trouble) -> None:
        error = trouble.error
        if not isinstance(error, InspectorError):
            self.crashed.emit(error)
            error = InspectorError("The task could not be followed.")
        stand = Connection.REFUSED if trouble.for_good else Connection.RECONNECTING
        opened.stand(stand, str(error), error.hint)

    def _rest(self) -> None:
        self._timer.stop()
        if self._holds:
            self._holds = False
            garbage.release()
            self.over.emit()


def _moment(at_ns: int, task: "A2ATask") -> Moment:
    kinds = {"completed": "completed", "failed": "failed", "rejected": "failed",
             "canceled": "canceled", "submitted": "submitted", "working": "progress"}  # fmt: skip
    kind = "waits" if task.asks else kinds.get(task.state, "progress")
    said = task_words(task)
    words = f"{task_look(task.state).word}: {said}" if said else task_look(task.state).word
    return Moment(at_ns or time.time_ns(), kind, 0, words)  # type: ignore[arg-type]
