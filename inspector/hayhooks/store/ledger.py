"""What changes in the file of a store. Runs on the writer's thread, inside of a transaction.

What happens to an execution is decided by Hayhooks' own reducer, `decide`; this only keeps it. A
piece of work that refuses has changed nothing, since several stand in one transaction.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from hayhooks.durable.engine import (
    ExecutionLeaseLostError,
    ExecutionNotFoundError,
    ExecutionStatus,
    InvalidExecutionTransitionError,
    RecoverExpiredLease,
    became_terminal,
    decide,
    plan_changes,
    require_owned,
    submission_plan,
)
from hayhooks.durable.store import (
    MAINTENANCE_BATCH_SIZE,
    ExecutionAdmissionError,
    ExecutionIdempotencyConflictError,
    ExecutionStoreCorruptionError,
    SubmissionResult,
    bind_store_command,
    runnable_score,
    validate_transition_plan,
)

from inspector.hayhooks.store.reading import Found, find, next_due, number_of
from inspector.hayhooks.store.rows import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hayhooks.durable.engine import (
        Claim,
        ExecutionCommand,
        ExecutionControl,
        TransitionPlan,
    )
    from hayhooks.durable.store import StoreConfig

    from inspector.hayhooks.store.lanes import Turn

log = logging.getLogger("inspector.hayhooks")

_FREED_PAGES = 256

# Each statement costs a turn of the interpreter's lock, which an event loop wants, too.
_CHANGE = "UPDATE execution SET control = :control, due_ms = :due, lease_ms = :lease WHERE id = :id"
_END = (
    "UPDATE execution SET control = :control, due_ms = :due, lease_ms = :lease, "
    "expires_ms = :expires, chunks_expire_ms = :fades WHERE id = :id"
)


class Ledger:
    """Keeps the executions of one deployment."""

    def __init__(self, deployment: str, config: StoreConfig) -> None:
        self._deployment = deployment
        self._config = config

    def submit(
        self, turn: Turn, control: ExecutionControl, input_payload: bytes
    ) -> SubmissionResult:
        """Keep a new execution, or return the one that its key stands for.

        Raises:
            ExecutionIdempotencyConflictError: Its key, or its id, stands for other work.
            ExecutionAdmissionError: There are as many unfinished ones as there may be.
            StoreDamagedError: The one that its key stands for cannot be read.

        """
        self._forget_if_over(turn, control)
        bound = turn.connection.execute(
            "SELECT run_id, binding, control FROM execution "
            "WHERE deployment = ? AND idempotency = ?",
            (self._deployment, control.idempotency_digest),
        ).fetchone()
        if bound is not None:
            run_id, binding, data = bound
            if binding != control.idempotency_binding_digest:
                raise ExecutionIdempotencyConflictError(
                    "idempotency key is bound to different work"
                )
            known = decode(data, run_id=run_id, deployment=self._deployment)
            return SubmissionResult(created=False, control=known)
        if number_of(turn, self._deployment, control.run_id) is not None:
            raise ExecutionIdempotencyConflictError(
                "run ID is bound to a different idempotency key"
            )
        if self._is_full(turn):
            raise ExecutionAdmissionError("nonterminal execution limit reached")
        control = replace(control, created_at_ms=turn.now_ms, updated_at_ms=turn.now_ms)
        plan = submission_plan(control, input_payload)
        number = turn.connection.execute(
            "INSERT INTO execution (deployment, run_id, owner, revision, created_ms, "
            "idempotency, binding, control, due_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._deployment, control.run_id, control.owner_id, control.definition_revision,
                control.created_at_ms, control.idempotency_digest,
                control.idempotency_binding_digest, encode(control), runnable_score(control),
            ),
        ).lastrowid  # fmt: skip
        assert number is not None
        self._keep_payloads(turn, number, plan)
        return SubmissionResult(created=True, control=control)

    def transition(self, turn: Turn, run_id: str, command: ExecutionCommand) -> TransitionPlan:
        """Have `command` decided, and keep what follows.

        Raises:
            ExecutionNotFoundError: There is no such execution.
            InvalidExecutionTransitionError: It cannot come now.
            ExecutionLeaseLostError: Whoever sends it has lost the execution.
            ExecutionPayloadSizeError: It carries too much.
            StoreDamagedError: The execution cannot be read.

        """
        found = find(turn, self._deployment, run_id)
        if found is None:
            raise ExecutionNotFoundError(f"execution '{run_id}' was not found")
        # Time does not run backwards for an execution, whatever became of the clock.
        now_ms = max(turn.now_ms, found.control.updated_at_ms)
        plan = decide(found.control, bind_store_command(command, now_ms, self._config))
        validate_transition_plan(plan, self._config)
        if plan_changes(found.control, plan):
            self._keep(turn, found, plan)
        return plan

    def claim(self, turn: Turn, command: Claim) -> TransitionPlan | None:
        """Give the execution that is due for longest to a worker, None where none is due."""
        while run_id := next_due(turn, self._deployment, command.worker_revision):
            try:
                return self.transition(turn, run_id, command)
            except (ExecutionStoreCorruptionError, InvalidExecutionTransitionError) as error:
                # One that cannot be read must not keep the others from being done.
                log.error("Execution %s is left aside: %s", run_id, error)  # noqa: TRY400
                self._set_aside(turn, run_id, "due_ms")
        return None

    def maintain(self, turn: Turn, max_run_attempts: int, attempts_error: bytes) -> Maintained:
        """Take executions back from workers that are gone, and forget what is old. A batch."""
        rows = turn.connection.execute(
            "SELECT run_id, lease_ms FROM execution WHERE deployment = ? AND lease_ms <= ? "
            "ORDER BY lease_ms LIMIT ?",
            (self._deployment, turn.now_ms, MAINTENANCE_BATCH_SIZE),
        ).fetchall()
        requeued = 0
        for run_id, deadline in rows:
            try:
                requeued += self._recover(turn, run_id, deadline, max_run_attempts, attempts_error)
            except (ExecutionStoreCorruptionError, InvalidExecutionTransitionError) as error:
                log.error("Execution %s is left aside: %s", run_id, error)  # noqa: TRY400
                self._set_aside(turn, run_id, "lease_ms")
        swept = self._sweep(turn)
        return requeued, len(rows) == MAINTENANCE_BATCH_SIZE or swept

    def append(
        self, turn: Turn, run_id: str, attempt: int, fence: int, worker: str,
        chunks: Sequence[bytes],
    ) -> None:  # fmt: skip
        """Add to a stream, if the worker still has the execution.

        Raises:
            ExecutionLeaseLostError: It has not.

        """
        found = find(turn, self._deployment, run_id)
        if found is None or found.control.run_attempt != attempt:
            raise ExecutionLeaseLostError("execution is no longer owned by this worker fence")
        require_owned(
            found.control, fence, worker, turn.now_ms, self._config.lease_commit_safety_ms
        )
        self._append(turn, found.id, [(attempt, 0, data) for data in chunks])

    def _recover(
        self, turn: Turn, run_id: str, deadline: int, max_run_attempts: int, attempts_error: bytes
    ) -> bool:
        found = find(turn, self._deployment, run_id)
        if found is None:
            return False
        plan = self.transition(
            turn,
            run_id,
            RecoverExpiredLease(0, found.control.fence, deadline, max_run_attempts, attempts_error),
        )
        return (
            found.control.status is ExecutionStatus.RUNNING
            and plan.next_control.status is ExecutionStatus.QUEUED
        )

    def _keep(self, turn: Turn, found: Found, plan: TransitionPlan) -> None:
        control = plan.next_control
        queued = control.status is ExecutionStatus.QUEUED
        kept = {
            "control": encode(control), "due": runnable_score(control) if queued else None,
            "lease": control.lease_expires_at_ms, "id": found.id,
        }  # fmt: skip
        ended = became_terminal(found.control, plan)
        if ended:
            kept_s = self._config.terminal_ttl_seconds
            stream_s = min(self._config.stream_ttl_seconds, kept_s)
            kept["expires"] = control.updated_at_ms + kept_s * 1_000
            kept["fades"] = control.updated_at_ms + stream_s * 1_000
        turn.connection.execute(_END if ended else _CHANGE, kept)
        self._keep_payloads(turn, found.id, plan)
        self._keep_progress(turn, found.id, plan)
        if ended:
            # Whoever watches is told by the end of the stream, even where no chunks are kept.
            self._append(turn, found.id, [(control.run_attempt, 1, b"")])

    def _keep_payloads(self, turn: Turn, number: int, plan: TransitionPlan) -> None:
        for write in plan.payload_writes:
            turn.connection.execute(
                "INSERT INTO payload VALUES (?, ?, ?) "
                "ON CONFLICT (execution, kind) DO UPDATE SET data = excluded.data",
                (number, write.kind.value, write.data),
            )
        if gone := [kind.value for kind in plan.payload_deletes]:
            turn.connection.execute(
                "DELETE FROM payload WHERE execution = ? "  # noqa: S608 - marks, not text
                f"AND kind IN ({', '.join('?' * len(gone))})",
                (number, *gone),
            )

    def _keep_progress(self, turn: Turn, number: int, plan: TransitionPlan) -> None:
        if plan.discard_progress:
            turn.connection.execute("DELETE FROM progress WHERE execution = ?", (number,))
        elif plan.progress_events:
            turn.connection.executemany(
                "INSERT INTO progress VALUES (?, ?, ?)",
                [(number, event.sequence, event.data) for event in plan.progress_events],
            )
            last = plan.progress_events[-1].sequence
            turn.connection.execute(
                "DELETE FROM progress WHERE execution = ? AND sequence <= ?",
                (number, last - self._config.max_progress_events),
            )

    def _append(self, turn: Turn, number: int, chunks: list[tuple[int, int, bytes]]) -> None:
        turn.connection.executemany(
            "INSERT INTO chunk (execution, attempt, terminal, data) VALUES (?, ?, ?, ?)",
            [(number, *chunk) for chunk in chunks],
        )
        turn.connection.execute(
            "DELETE FROM chunk WHERE execution = :execution AND number <= (SELECT number FROM "
            "chunk WHERE execution = :execution ORDER BY number DESC LIMIT 1 OFFSET :most)",
            {"execution": number, "most": max(self._config.max_stream_chunks, 1)},
        )
        turn.streams.add(number)

    def _is_full(self, turn: Turn) -> bool:
        most = self._config.max_nonterminal_executions
        if not most:
            return False
        return (
            turn.connection.execute(
                "SELECT 1 FROM execution INDEXED BY unfinished "
                "WHERE deployment = ? AND expires_ms IS NULL "
                "LIMIT 1 OFFSET ?",
                (self._deployment, most - 1),
            ).fetchone()
            is not None
        )

    def _set_aside(self, turn: Turn, run_id: str, column: str) -> None:
        turn.connection.execute(
            f"UPDATE execution SET {column} = NULL WHERE deployment = ? AND run_id = ?",  # noqa: S608
            (self._deployment, run_id),
        )

    def _forget_if_over(self, turn: Turn, control: ExecutionControl) -> None:
        over = turn.connection.execute(
            "SELECT id FROM execution WHERE deployment = ? AND (run_id = ? OR idempotency = ?) "
            "AND expires_ms <= ?",
            (self._deployment, control.run_id, control.idempotency_digest, turn.now_ms),
        ).fetchall()
        _forget(turn, over)

    def _sweep(self, turn: Turn) -> bool:
        """Forget what was kept long enough, of all deployments. Say whether there may be more."""
        faded = turn.connection.execute(
            "SELECT id FROM execution WHERE chunks_expire_ms <= ? LIMIT ?",
            (turn.now_ms, MAINTENANCE_BATCH_SIZE),
        ).fetchall()
        turn.connection.executemany("DELETE FROM chunk WHERE execution = ?", faded)
        turn.connection.executemany(
            "UPDATE execution SET chunks_expire_ms = NULL WHERE id = ?", faded
        )
        over = turn.connection.execute(
            "SELECT id FROM execution WHERE expires_ms <= ? LIMIT ?",
            (turn.now_ms, MAINTENANCE_BATCH_SIZE),
        ).fetchall()
        _forget(turn, over)
        if over or faded:
            _give_back(turn)
        return MAINTENANCE_BATCH_SIZE in (len(over), len(faded))


# How many went back into the queue, and whether there is more to do.
Maintained = tuple[int, bool]


def _forget(turn: Turn, numbers: list[tuple[int]]) -> None:
    for table, column in (
        ("chunk", "execution"), ("payload", "execution"), ("progress", "execution"),
        ("execution", "id"),
    ):  # fmt: skip
        turn.connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", numbers)  # noqa: S608


def _give_back(turn: Turn) -> None:
    """Give some pages that nothing stands in back to the disk."""
    (free,) = turn.connection.execute("PRAGMA freelist_count").fetchone()
    for _ in range(min(free, _FREED_PAGES)):
        # One at a time: Python takes only the first step of a statement without columns.
        turn.connection.execute("PRAGMA incremental_vacuum(1)")
