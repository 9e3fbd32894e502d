"""What comes of an execution of this program, one event after the other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from hayhooks.durable.models import decode_json
from hayhooks.durable.store import CHUNK_CURSOR_START, ChunkCursorExpiredError

from inspector.hayhooks.client.model import ExecutionStatus, HayhooksError, StreamEvent
from inspector.hayhooks.embedded_answers import execution_of, now_ns, told_as_ours

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hayhooks.durable.runtime import DurableDeployment
    from hayhooks.durable.store import StreamChunk

    from inspector.hayhooks.client.model import Execution

# So often it is asked whether somebody stopped watching, and whether the execution waits.
_TURN_S = 0.25


class Watching:
    """Follows one execution. Chunks of abandoned attempts come, too, as far as they are kept."""

    def __init__(
        self,
        deployment: DurableDeployment,
        execution: str,
        last_event_id: str | None,
        *,
        ask: Callable[[Any], Any],
        stopped: Callable[[], bool],
    ) -> None:
        self._deployment = deployment
        self._execution = execution
        self._cursor = last_event_id or CHUNK_CURSOR_START
        self._ask = ask
        self._stopped = stopped
        self._attempt: int | None = None
        self._status: ExecutionStatus | None = None

    def events(self) -> Iterator[StreamEvent]:
        """Yield until it is over, or somebody stopped it, or closed what it runs in."""
        try:
            yield from self._events()
        except HayhooksError as error:
            if error.kind != "stopped":
                raise

    def _events(self) -> Iterator[StreamEvent]:
        execution = self._inspect()
        self._status = execution.row.status
        yield StreamEvent(
            None, "attached", execution.row.attempt, at_ns=now_ns(), execution=execution
        )
        while not self._stopped():
            try:
                with told_as_ours(f"execution {self._execution[:40]}"):
                    chunks = self._next()
            except ChunkCursorExpiredError:
                self._cursor = CHUNK_CURSOR_START
                yield StreamEvent(
                    None, "gap", payload="A part of the stream is not kept any more.",
                    at_ns=now_ns(),
                )  # fmt: skip
                continue
            if chunks is None:
                return  # closed
            if not chunks:
                execution = self._inspect()
                if execution.row.status.is_over:
                    yield self._last(execution)
                    return
                if execution.row.status is not self._status:
                    yield self._changed(execution)
                continue
            for chunk in chunks:
                self._cursor = chunk.cursor
                if chunk.terminal:
                    yield self._last(self._inspect())
                    return
                yield from self._came(chunk)

    def _next(self) -> tuple[StreamChunk, ...] | None:
        found: tuple[StreamChunk, ...] | None = self._ask(
            self._deployment.wait_chunks(self._execution, self._cursor, _TURN_S)
        )
        return found

    def _came(self, chunk: StreamChunk) -> Iterator[StreamEvent]:
        if chunk.skipped:
            return
        if self._attempt is not None and chunk.attempt > self._attempt:
            yield StreamEvent(chunk.cursor, "attempt", chunk.attempt, at_ns=now_ns())
        self._attempt = chunk.attempt
        try:
            payload = decode_json(chunk.data, max_bytes=sys.maxsize)
        except ValueError:
            return
        yield StreamEvent(chunk.cursor, "chunk", chunk.attempt, payload, now_ns())

    def _changed(self, execution: Execution) -> StreamEvent:
        self._status = execution.row.status
        return StreamEvent(
            None, "status", execution.row.attempt, at_ns=now_ns(), execution=execution
        )

    def _last(self, execution: Execution) -> StreamEvent:
        kinds = {
            ExecutionStatus.COMPLETED: "completed",
            ExecutionStatus.FAILED: "failed",
            ExecutionStatus.CANCELED: "canceled",
        }
        kind: Any = kinds[execution.row.status]
        return StreamEvent(
            self._cursor, kind, execution.row.attempt, at_ns=now_ns(), execution=execution
        )

    def _inspect(self) -> Execution:
        with told_as_ours(f"execution {self._execution[:40]}"):
            return execution_of(
                self._ask(
                    self._deployment.get(
                        self._execution, enforce_owner=False, allow_revision_mismatch=True
                    )
                )
            )
