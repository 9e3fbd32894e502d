"""What comes while a task is watched, put together to the task as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from inspector.importers.a2a_told import (
    A2AArtifact,
    A2AMessage,
    A2ATask,
    is_task,
    read_artifact,
    read_message,
    read_task,
    word,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

EventKind = Literal["task", "status", "artifact", "message"]
_MOST_HISTORY = 10_000
_MOST_PARTS = 100_000
_MOST_MADE = 10_000


@dataclass(frozen=True, slots=True)
class A2AEvent:
    """Something that happened to a task.

    Args:
        kind: What it was: all of the task, another status, something made, or a message alone.
        task: The task with it.
        artifact: What was made, only what is new of it; None with the other kinds.
        appended: Whether that goes on behind what there was; otherwise it takes its place.

    """

    kind: EventKind
    task: A2ATask
    artifact: A2AArtifact | None = None
    appended: bool = False


class Told:
    """Keeps a task up to date with its events."""

    def __init__(self) -> None:
        self._task = A2ATask("", "", "unknown")

    def events(self, results: Iterable[Mapping[str, Any]]) -> Iterator[A2AEvent]:
        """Yield what results of a stream say."""
        for tree in results:
            event = self._read(tree)
            if event is not None:
                self._task = event.task
                yield event

    def _read(self, tree: Mapping[str, Any]) -> A2AEvent | None:
        kind = word(tree.get("kind"))
        for name, old, read in (
            ("task", "task", self._whole),
            ("statusUpdate", "status-update", self._status),
            ("artifactUpdate", "artifact-update", self._made),
            ("message", "message", self._said),
        ):
            inner = tree if kind == old else tree.get(name)
            if isinstance(inner, dict):
                return read(inner)
        return self._whole(dict(tree)) if is_task(tree) else None

    def _whole(self, tree: dict[str, Any]) -> A2AEvent:
        return A2AEvent("task", read_task(tree))

    def _status(self, tree: dict[str, Any]) -> A2AEvent:
        told = read_task({"id": tree.get("taskId"), "status": tree.get("status")})
        history = self._task.history
        if told.message is not None and not told.asks and not told.is_over:
            known = {each.id for each in history[-50:]}
            if told.message.id not in known or not told.message.id:
                history = (*history, told.message)[-_MOST_HISTORY:]
        task = replace(
            self._task,
            id=self._task.id or told.id,
            context_id=self._task.context_id or word(tree.get("contextId")),
            state=told.state,
            message=told.message,
            changed_ns=told.changed_ns or self._task.changed_ns,
            history=history,
        )
        return A2AEvent("status", task)

    def _made(self, tree: dict[str, Any]) -> A2AEvent | None:
        inner = tree.get("artifact")
        if not isinstance(inner, dict):
            return None
        made = read_artifact(inner)
        appended = tree.get("append") is True
        task = self._task
        before = next((each for each in task.artifacts if each.id == made.id), None)
        whole = made
        if appended and before is not None:
            whole = replace(before, parts=(*before.parts, *made.parts)[:_MOST_PARTS])
        others = tuple(each for each in task.artifacts if each.id != made.id)[:_MOST_MADE]
        return A2AEvent("artifact", replace(task, artifacts=(*others, whole)), made, appended)

    def _said(self, tree: dict[str, Any]) -> A2AEvent:
        message: A2AMessage = read_message(tree)
        return A2AEvent("message", replace(self._task, state="completed", message=message))
