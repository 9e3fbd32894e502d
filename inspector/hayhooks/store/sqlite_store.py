"""The store that `hayhooks.durable` is given: its protocol, on a file."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from hayhooks.durable.engine import ExecutionStatus, validate_run_id
from hayhooks.durable.store import (
    MAINTENANCE_MAX_BATCHES,
    ExecutionStoreError,
    StoreConfig,
    parse_chunk_cursor,
    validate_lease_duration,
    validate_payload_size,
)

from inspector.hayhooks.store import reading
from inspector.hayhooks.store.database import ExecutionDatabase
from inspector.hayhooks.store.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hayhooks.durable.engine import (
        Claim,
        ExecutionCommand,
        ExecutionControl,
        TransitionPlan,
    )
    from hayhooks.durable.store import (
        ControlPage,
        ControlQuery,
        StoredExecution,
        StreamChunk,
        SubmissionResult,
    )

_UNKNOWN = 0  # no execution has this number


class SQLiteExecutionStore:
    """Durable executions of one deployment, in a SQLite file. An `ExecutionStore` of Hayhooks.

    What was acknowledged survives the end of every process, killed ones included; up to the last
    second may be lost with the power. Several processes of one machine may work on it at once.

    Args:
        database: The file, or one that is opened already, which several stores may share.
            Whoever opened it closes it.
        deployment: Whose executions.
        config: Limits, as of Hayhooks' other stores.

    """

    def __init__(
        self,
        database: ExecutionDatabase | Path,
        deployment: str,
        *,
        config: StoreConfig | None = None,
    ) -> None:
        if not deployment:
            raise ValueError("deployment cannot be empty")
        self._owns_database = not isinstance(database, ExecutionDatabase)
        self._database = (
            database if isinstance(database, ExecutionDatabase) else ExecutionDatabase(database)
        )
        self.deployment = deployment
        self.config = config or StoreConfig()
        self._ledger = Ledger(deployment, self.config)
        # Of which revisions there may be work; otherwise a reader looks first, since a worker
        # without work must not take the file from those that have some.
        self._busy: set[str] = set()

    async def initialize(self) -> None:
        """Open the file. Raises `StoreUnavailableError`, `StoreDamagedError`."""
        await self._database.initialize()

    async def close(self) -> None:
        """Close the file, if this store opened it."""
        if self._owns_database:
            await self._database.close()

    async def submit(self, control: ExecutionControl, input_payload: bytes) -> SubmissionResult:
        if control.deployment != self.deployment:
            raise ValueError("control deployment does not match this store")
        validate_payload_size("input", input_payload, self.config.max_payload_bytes)
        result = await self._database.write(
            lambda turn: self._ledger.submit(turn, control, input_payload)
        )
        self._note_work(result.control)
        return result

    async def read(self, run_id: str) -> StoredExecution | None:
        return await self._database.read(
            partial(reading.stored, deployment=self.deployment, run_id=run_id, private=True)
        )

    async def read_public(self, run_id: str) -> StoredExecution | None:
        return await self._database.read(
            partial(reading.stored, deployment=self.deployment, run_id=run_id, private=False)
        )

    async def read_control(self, run_id: str) -> ExecutionControl | None:
        found = await self._database.read(
            partial(reading.find, deployment=self.deployment, run_id=run_id), is_one=True
        )
        return None if found is None else found.control

    async def list_controls(self, query: ControlQuery) -> ControlPage:
        if not self.config.monitoring_enabled:
            raise ExecutionStoreError("execution monitoring is disabled")
        return await self._database.read(
            partial(reading.page, deployment=self.deployment, query=query), is_one=True
        )

    async def transition(self, run_id: str, command: ExecutionCommand) -> TransitionPlan:
        plan = await self._database.write(
            lambda turn: self._ledger.transition(turn, run_id, command)
        )
        self._note_work(plan.next_control)
        return plan

    async def claim(self, command: Claim) -> TransitionPlan | None:
        validate_lease_duration(command.lease_duration_ms, self.config)
        revision = command.worker_revision
        if revision not in self._busy:
            due = await self._database.read(
                partial(reading.next_due, deployment=self.deployment, revision=revision),
                is_one=True,
            )
            if due is None:
                return None
        self._busy.discard(revision)
        plan = await self._database.write(lambda turn: self._ledger.claim(turn, command))
        if plan is not None:
            self._busy.add(revision)  # where there was one there may be another
        return plan

    async def maintain(self, *, max_run_attempts: int, attempts_error: bytes) -> int:
        self._database.check_in_place()
        if not await self._database.read(
            partial(reading.needs_care, deployment=self.deployment), is_one=True
        ):
            return 0
        requeued = 0
        for _ in range(MAINTENANCE_MAX_BATCHES):
            count, more = await self._database.write(
                lambda turn: self._ledger.maintain(turn, max_run_attempts, attempts_error)
            )
            requeued += count
            if not more:
                break
        return requeued

    async def append_chunks(
        self, run_id: str, attempt: int, fence: int, worker_id: str, chunks: Sequence[bytes]
    ) -> None:
        if not self.config.max_stream_chunks:
            return
        if attempt < 0:
            raise ValueError("stream chunk attempt cannot be negative")
        for data in chunks:
            validate_payload_size("stream chunk", data, self.config.max_stream_chunk_bytes)
        await self._database.write(
            lambda turn: self._ledger.append(turn, run_id, attempt, fence, worker_id, chunks)
        )

    async def read_chunks(self, run_id: str, after: str) -> tuple[StreamChunk, ...]:
        return (await self._chunks(run_id, after)).found

    async def wait_chunks(
        self,
        run_id: str,
        after: str,
        timeout: float,
    ) -> tuple[StreamChunk, ...]:
        until = monotonic() + timeout
        found = await self._chunks(run_id, after)
        if found.found or timeout <= 0:
            return found.found
        with self._database.bells.listening(found.execution or _UNKNOWN) as grown:
            while True:
                # Again, since it may have grown before anybody listened.
                grown.clear()
                found = await self._chunks(run_id, after)
                left = until - monotonic()
                if found.found or left <= 0:
                    return found.found
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await grown.wait()

    async def operational_counts(self, *, revision: str) -> dict[str, int]:
        return await self._database.read(
            partial(reading.counts, deployment=self.deployment, revision=revision)
        )

    async def _chunks(self, run_id: str, after: str) -> reading.Chunks:
        validate_run_id(run_id)
        parse_chunk_cursor(after)
        return await self._database.read(
            partial(
                reading.chunks,
                deployment=self.deployment, run_id=run_id, after=after, config=self.config,
            )
        )  # fmt: skip

    def _note_work(self, control: ExecutionControl) -> None:
        if control.status is ExecutionStatus.QUEUED:
            self._busy.add(control.definition_revision)
