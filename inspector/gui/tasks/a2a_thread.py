"""Watches one task of an A2A agent on a thread of its own.

The thread touches nothing of Qt. The window takes the task as it is last, so that an agent that
floods costs the window nothing; only changes of state are kept one by one, up to a number.
"""

import threading
import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.gui.tasks.served_thread import ServedThread, Trouble

if TYPE_CHECKING:
    from inspector.hayhooks.a2a.client import A2AClient
    from inspector.importers.a2a_told import A2ATask

_MOST_STEPS = 2_000
_PASSING = frozenset({"down", "degraded", "busy", "odd"})
_POLL_S = 1.0
_ASKING_S = 2.0  # how often it is looked whether somebody else answered


class TaskThread(ServedThread["A2AClient"]):
    """Looks at a task and follows it, again and again while its agent is away.

    Args:
        client: Asks the agent; it is this thread's alone, and closed with it.
        task_id: Which task.

    """

    def __init__(self, client: "A2AClient", task_id: str) -> None:
        super().__init__(client, "inspector-task")
        self._task_id = task_id
        self._steps: deque[tuple[int, A2ATask] | Trouble] = deque(maxlen=_MOST_STEPS)
        self._lock = threading.Lock()
        self._task: A2ATask | None = None
        self._is_new = False
        self._can_stream = True

    def take(self) -> "tuple[list[tuple[int, A2ATask] | Trouble], A2ATask | None]":
        """Return what has come: changes of state with their times, and the task as it is now.

        The task is None when nothing of it changed. Never waits.
        """
        with self._lock:
            steps = list(self._steps)
            self._steps.clear()
            task = self._task if self._is_new else None
            self._is_new = False
        return steps, task

    # On the thread

    def _watch(self) -> None:
        from inspector.hayhooks.client.model import HayhooksError

        while not self._stopped.is_set():
            try:
                if self._client.card().streams is False:
                    self._can_stream = False
                task = self._client.task(self._task_id)
                self._see(task)
                self._went_well()
                if task.is_over:
                    return
                if task.asks:
                    self._wait(_ASKING_S)
                    continue
                self._follow()
                if self._task is not None and not (self._task.is_over or self._task.asks):
                    self._wait(_POLL_S)
            except HayhooksError as error:
                if self._stopped.is_set():
                    return
                if not self._goes_on_after(error, _PASSING):
                    return

    def _follow(self) -> None:
        """Follow the stream of the task to its end, where it has one."""
        from inspector.hayhooks.client.model import HayhooksError

        came = False
        if not self._can_stream:
            return
        try:
            for event in self._client.stream(self._task_id, cancelled=self._stopped.is_set):
                came = True
                if event.kind != "message":
                    self._see(event.task)
        except HayhooksError as error:
            if error.kind == "conflict":
                self._can_stream = False
            elif not (came and error.kind == "down"):
                # A stream that is cut off tells nothing of the agent: the next look does.
                raise

    def _see(self, task: "A2ATask") -> None:
        before = self._task
        if before is not None:
            task = _with_what_was_known(task, before)
        if task == before:
            # It answers again: that is something to tell, too.
            with self._lock:
                self._is_new = True
            return
        is_step = before is None or _stand(task) != _stand(before)
        with self._lock:
            self._task, self._is_new = task, True
            if is_step:
                self._steps.append((task.changed_ns or time.time_ns(), task))

    def _has_more(self) -> bool:
        return bool(self._steps) or self._is_new

    def _put(self, what: Trouble) -> None:
        with self._lock:
            self._steps.append(what)


def _stand(task: "A2ATask") -> tuple[object, ...]:
    said = task.message
    return task.state, said and (said.id, said.text)


def _with_what_was_known(task: "A2ATask", before: "A2ATask") -> "A2ATask":
    """Return a task with what a stream leaves out of it: earlier messages, what was made."""
    made = {each.id for each in task.artifacts}
    kept = tuple(each for each in before.artifacts if each.id not in made)
    longer = len(task.history) >= len(before.history)
    return replace(
        task,
        id=task.id or before.id,
        context_id=task.context_id or before.context_id,
        history=task.history if longer else before.history,
        artifacts=(*kept, *task.artifacts),
        metadata=task.metadata or before.metadata,
    )
