"""Brings what becomes of a task to the window, and asks its agent for what a person wants."""

import json
import time
from typing import TYPE_CHECKING
from uuid import uuid4

from PySide6.QtCore import QObject

from inspector.errors import InspectorError
from inspector.gui.controllers.served_watch import ServedWatch
from inspector.gui.tasks.a2a_thread import TaskThread
from inspector.gui.tasks.served_thread import Trouble
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


class A2AWatch(ServedWatch[OpenTask, "A2AClient", TaskThread]):
    """Stands between one open task and the thread that watches it.

    Args:
        opened: The task.
        connect: Makes a client for its agent; the thread has one for itself.

    """

    def __init__(
        self, opened: OpenTask, connect: "Callable[[], A2AClient]", parent: QObject | None = None
    ) -> None:
        task_id = opened.task_id
        super().__init__(
            opened, connect, lambda: TaskThread(connect(), task_id),
            tick_ms=_TICK_MS, sweep_every=_SWEEP_EVERY, parent=parent,
        )  # fmt: skip
        self._task_id = task_id
        self._sent: tuple[str, str] | None = None  # the answer sent last, and its id

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

    def _on_refused(self) -> None:
        # Somebody else may have answered.
        self.hurry()

    # What comes

    def _bring(self, opened: OpenTask | None) -> None:
        steps, task = self._thread.take()
        if opened is not None and (steps or task is not None):
            self._show(opened, steps, task)

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


def _moment(at_ns: int, task: "A2ATask") -> Moment:
    kinds = {"completed": "completed", "failed": "failed", "rejected": "failed",
             "canceled": "canceled", "submitted": "submitted", "working": "progress"}  # fmt: skip
    kind = "waits" if task.asks else kinds.get(task.state, "progress")
    said = task_words(task)
    words = f"{task_look(task.state).word}: {said}" if said else task_look(task.state).word
    return Moment(at_ns or time.time_ns(), kind, 0, words)  # type: ignore[arg-type]
