"""Watching an execution as the events of its task, from now on or from its beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from a2a.types import (
    Artifact,
    Part,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from hayhooks.durable.models import decode_json
from hayhooks.durable.store import (
    CHUNK_CURSOR_START,
    ChunkCursorExpiredError,
    chunk_read_count,
)

from inspector.hayhooks.a2a.tasks import OVER, chunk_parts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable

    from a2a.types import Message, Task
    from hayhooks.durable.store import StreamChunk

    from inspector.hayhooks.a2a.deployment import TaskDeployment
    from inspector.hayhooks.a2a.tasks import View

LOOK_S = 0.25
"""How often a change is looked for that the stream does not tell, such as waiting."""
_LARGEST = 4_000_000


class Pieces:
    """What an execution streamed, as an artifact for each of its attempts.

    An attempt that was taken up again may have streamed the same as the one before: each has an
    artifact of its own, so that nothing runs together.
    """

    def __init__(self, deployment: TaskDeployment, run_id: str) -> None:
        self._deployment = deployment
        self._run_id = run_id
        self.cursor = CHUNK_CURSOR_START
        self._begun: set[int] = set()
        self._lost = False

    async def kept(self) -> list[Artifact]:
        """Return all that is still there, an artifact an attempt, and go on behind it."""
        attempts: dict[int, list[Part]] = {}
        count = 0
        for chunk in await self._read():
            count += 1
            parts = self._parts(chunk)
            if parts:
                attempts.setdefault(chunk.attempt, []).extend(parts)
        self._begun |= attempts.keys()
        limit = self._deployment.store.config.max_stream_chunks
        cut = bool(limit) and count >= limit
        return [
            self._artifact(attempt, joined(parts), begins_late=cut and attempt == min(attempts))
            for attempt, parts in attempts.items()
        ]

    async def _read(self) -> list[StreamChunk]:
        store, found = self._deployment.store, list[Any]()
        full = chunk_read_count(store.config)
        while True:
            try:
                page = await store.read_chunks(self._run_id, self.cursor)
            except ChunkCursorExpiredError:
                self._forget()
                continue
            found += page
            if page:
                self.cursor = page[-1].cursor
            if len(page) < full:
                return found

    def _forget(self) -> None:
        """Begin again with what is kept: what came after the last piece is gone."""
        self.cursor, self._lost = CHUNK_CURSOR_START, True
        self._begun.clear()

    async def wait(self) -> list[StreamChunk] | None:
        """Return what comes within a moment; None when the server closes."""
        try:
            page = await self._deployment.wait_chunks(self._run_id, self.cursor, LOOK_S)
        except ChunkCursorExpiredError:
            self._forget()
            return []
        if page is None:
            return None
        if page:
            self.cursor = page[-1].cursor
        return list(page)

    async def rest(self) -> list[StreamChunk]:
        """Return what is there and was not told yet."""
        return await self._read()

    def events(self, view: View, chunks: Iterable[StreamChunk]) -> list[TaskArtifactUpdateEvent]:
        """Return pieces as events, those that came together as one."""
        attempts: dict[int, list[Part]] = {}
        for chunk in chunks:
            if parts := self._parts(chunk):
                attempts.setdefault(chunk.attempt, []).extend(parts)
        made = []
        for attempt, parts in attempts.items():
            artifact = self._artifact(attempt, joined(parts), begins_late=self._lost)
            made.append(
                TaskArtifactUpdateEvent(
                    task_id=view.task_id,
                    context_id=view.context_id,
                    artifact=artifact,
                    append=attempt in self._begun,
                )
            )
            self._begun.add(attempt)
            self._lost = False
        return made

    @staticmethod
    def _parts(chunk: StreamChunk) -> list[Part]:
        if chunk.terminal or chunk.skipped:
            return []
        try:
            return chunk_parts(decode_json(chunk.data, max_bytes=_LARGEST))
        except (ValueError, RuntimeError):
            return []

    @staticmethod
    def _artifact(attempt: int, parts: list[Part], *, begins_late: bool) -> Artifact:
        facts: dict[str, Any] = {"attempt": attempt}
        if begins_late:
            facts["begins_late"] = True
        return Artifact(
            artifact_id=f"stream-{attempt}", name=f"stream-{attempt}", parts=parts, metadata=facts
        )


def joined(parts: list[Part]) -> list[Part]:
    """Return parts with texts that follow each other as one."""
    made: list[Part] = []
    for part in parts:
        if made and part.HasField("text") and made[-1].HasField("text"):
            made[-1] = Part(text=made[-1].text + part.text)
        else:
            made.append(part)
    return made


class Follower:
    """One client that watches one execution. Reads the store, and keeps nothing else."""

    def __init__(
        self, deployment: TaskDeployment, run_id: str, owner_id: str | None, *, enforce_owner: bool
    ) -> None:
        self._deployment = deployment
        self._run_id = run_id
        self._scope: dict[str, Any] = {"owner_id": owner_id, "enforce_owner": enforce_owner}
        self._pieces = Pieces(deployment, run_id)
        self._told = 0
        self.view: View

    async def start(self) -> Task:
        """Return the task as it is now; `events` go on from there.

        Raises:
            ExecutionNotFoundError: There is none, or it is another's.

        """
        self.view = await self._deployment.view(self._run_id, **self._scope)
        task = self.view.task(await self._pieces.kept())
        self._told = self._last_progress(self.view)
        return task

    async def events(
        self, *, past_question: bool, gone: Callable[[], Awaitable[bool]] | None = None
    ) -> AsyncGenerator[TaskStatusUpdateEvent | TaskArtifactUpdateEvent, None]:
        """Yield what happens until the task is over or asks for input.

        Args:
            past_question: Whether to go on past what it asks already, until it asks again.
            gone: Asked now and then whether nobody listens any more.

        """
        asked = self._question(self.view)
        if asked is not None and not past_question:
            return
        while self.view.state not in OVER:
            chunks = await self._pieces.wait()
            if chunks is None or (gone is not None and await gone()):
                return  # without a last status: the client comes back, here or elsewhere
            control = await self._deployment.get_control(self._run_id, **self._scope)
            before = self.view
            if control.version != before.control.version:
                self.view = await self._deployment.view(self._run_id, **self._scope)
                chunks += await self._pieces.rest()
                if before.state == TaskState.TASK_STATE_SUBMITTED != self.view.state:
                    yield self._working(None)
            for artifact in self._pieces.events(self.view, chunks):
                yield artifact
            if self.view is before:
                continue
            for event in self._changes(before):
                yield event
            question = self._question(self.view)
            if question is not None and question != asked:
                return
            asked = question

    def _changes(self, before: View) -> Iterable[TaskStatusUpdateEvent | TaskArtifactUpdateEvent]:
        """Yield what the execution reported and made since then, and where it stands now."""
        view = self.view
        for each in view.progress:
            if each.sequence > self._told:
                self._told = int(each.sequence)
                yield self._working(view.progress_message(each))
        if (result := view.result_artifact()) is not None:
            yield TaskArtifactUpdateEvent(
                task_id=view.task_id, context_id=view.context_id, artifact=result, last_chunk=True
            )
        if view.state == TaskState.TASK_STATE_WORKING:
            asked_to_stop = view.control.cancel_requested_at_ms
            taken_up = view.control.run_attempt != before.control.run_attempt > 0
            if asked_to_stop != before.control.cancel_requested_at_ms:
                yield self._event(view.status())
            elif taken_up or before.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                yield self._working(None)
        elif view.state != before.state or self._question(view) != self._question(before):
            yield self._event(view.status())

    def _working(self, message: Message | None) -> TaskStatusUpdateEvent:
        """Return that it works, and what it said on the way to wherever it stands now."""
        changed = self.view.status().timestamp
        status = TaskStatus(state=TaskState.TASK_STATE_WORKING, message=message, timestamp=changed)
        return self._event(status)

    def _event(self, status: TaskStatus) -> TaskStatusUpdateEvent:
        return TaskStatusUpdateEvent(
            task_id=self.view.task_id,
            context_id=self.view.context_id,
            status=status,
            metadata={"attempt": self.view.control.run_attempt},
        )

    @staticmethod
    def _question(view: View) -> int | None:
        """Return what tells one question of a task from another; None while it asks none."""
        waits = view.state == TaskState.TASK_STATE_INPUT_REQUIRED
        return int(view.control.version) if waits else None

    @staticmethod
    def _last_progress(view: View) -> int:
        return max((int(each.sequence) for each in view.progress), default=0)
