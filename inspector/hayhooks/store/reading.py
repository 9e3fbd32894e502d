"""What is read from the file of a store. Runs on the reader's thread, or inside of a write.

What is over for longer than it is kept (`expires_ms`) counts as gone, swept already or not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hayhooks.durable.engine import PayloadKind, ProgressEvent
from hayhooks.durable.store import (
    CHUNK_CURSOR_START,
    EXECUTION_CANDIDATE_LIMIT,
    EXECUTION_CURSOR_STAMP_WIDTH,
    PUBLIC_PAYLOAD_KINDS,
    ChunkCursorExpiredError,
    ControlPage,
    ExecutionProgressCorruptionError,
    ExecutionStoreCorruptionError,
    StoredExecution,
    StreamChunk,
    chunk_read_count,
    parse_chunk_cursor,
    validate_stored_execution,
)

from inspector.hayhooks.store.rows import decode

if TYPE_CHECKING:
    from hayhooks.durable.engine import ExecutionControl
    from hayhooks.durable.store import ControlQuery, StoreConfig

    from inspector.hayhooks.store.lanes import Turn

_LARGEST_NUMBER = 2**63 - 1


class Found(NamedTuple):
    """An execution and its number in the file."""

    id: int
    control: ExecutionControl


class Chunks(NamedTuple):
    """A part of a stream, and the number under which its execution is kept, if it is."""

    execution: int | None
    found: tuple[StreamChunk, ...]


def find(turn: Turn, deployment: str, run_id: str) -> Found | None:
    """Return the execution, None where there is none.

    Raises:
        StoreDamagedError: What was kept of it cannot be read.

    """
    row = turn.connection.execute(
        "SELECT id, control FROM execution "
        "WHERE deployment = :deployment AND run_id = :run_id "
        "AND (expires_ms IS NULL OR expires_ms > :now)",
        {"deployment": deployment, "run_id": run_id, "now": turn.now_ms},
    ).fetchone()
    if row is None:
        return None
    return Found(row[0], decode(row[1], run_id=run_id, deployment=deployment))


def number_of(turn: Turn, deployment: str, run_id: str) -> int | None:
    """Return under which number the stream of an execution is kept, without looking into it."""
    row = turn.connection.execute(
        "SELECT id FROM execution WHERE deployment = ? AND run_id = ?", (deployment, run_id)
    ).fetchone()
    return None if row is None else int(row[0])


def stored(turn: Turn, deployment: str, run_id: str, *, private: bool) -> StoredExecution | None:
    """Return all of an execution; input and checkpoint only if `private`.

    Raises:
        ExecutionStoreCorruptionError: What was kept contradicts itself.

    """
    found = find(turn, deployment, run_id)
    if found is None:
        return None
    wanted = tuple(PayloadKind) if private else PUBLIC_PAYLOAD_KINDS
    rows = turn.connection.execute(
        f"SELECT kind, data FROM payload WHERE execution = ? "  # noqa: S608 - marks, not text
        f"AND kind IN ({', '.join('?' * len(wanted))})",
        (found.id, *(kind.value for kind in wanted)),
    )
    payloads = {PayloadKind(kind): data for kind, data in rows}
    if not all(isinstance(data, bytes) for data in payloads.values()):
        raise ExecutionStoreCorruptionError(f"a payload of execution {run_id} is no bytes")
    execution = StoredExecution(found.control, payloads, _progress(turn, found))
    validate_stored_execution(execution, private=private)
    return execution


def _progress(turn: Turn, found: Found) -> tuple[ProgressEvent, ...]:
    if not found.control.progress_sequence:
        return ()
    rows = turn.connection.execute(
        "SELECT sequence, data FROM progress WHERE execution = ? ORDER BY sequence", (found.id,)
    ).fetchall()
    last = found.control.progress_sequence
    expected = range(last - len(rows) + 1, last + 1)
    if not rows or [sequence for sequence, _ in rows] != list(expected):
        raise ExecutionProgressCorruptionError("progress sequence contradicts control state")
    if not all(isinstance(data, bytes) for _, data in rows):
        raise ExecutionProgressCorruptionError("stored progress event is invalid")
    return tuple(ProgressEvent(sequence, data) for sequence, data in rows)


def page(turn: Turn, deployment: str, query: ControlQuery) -> ControlPage:
    """Return a page of an owner's executions, oldest first, of at most 200 that are looked at."""
    stamp, _, last_id = query.after().partition(":")
    rows = turn.connection.execute(
        "SELECT run_id, created_ms, control FROM execution "
        "WHERE deployment = :deployment AND owner IS :owner "
        "AND (created_ms, run_id) > (:stamp, :last_id) "
        "AND (expires_ms IS NULL OR expires_ms > :now) "
        "ORDER BY created_ms, run_id LIMIT :most",
        {
            "deployment": deployment, "owner": query.owner_id,
            "stamp": min(int(stamp), _LARGEST_NUMBER) if stamp else -1,
            "last_id": last_id, "now": turn.now_ms, "most": EXECUTION_CANDIDATE_LIMIT + 1,
        },
    ).fetchall()  # fmt: skip
    controls: list[ExecutionControl] = []
    skipped = examined = 0
    for run_id, created_ms, data in rows[:EXECUTION_CANDIDATE_LIMIT]:
        examined += 1
        try:
            control = decode(data, run_id=run_id, deployment=deployment)
        except ExecutionStoreCorruptionError:
            skipped += 1
            continue
        if control.owner_id != query.owner_id or control.created_at_ms != created_ms:
            skipped += 1
        elif query.matches(control):
            controls.append(control)
            if len(controls) == query.limit:
                break
    more = examined < len(rows)
    cursor = query.encode_cursor(_member(rows[examined - 1])) if more and examined else None
    return ControlPage(tuple(controls), cursor, more, skipped)


def _member(row: tuple[str, int, str]) -> str:
    # As Hayhooks' `creation_member` has it, without the control, which may be unreadable.
    return f"{row[1]:0{EXECUTION_CURSOR_STAMP_WIDTH}d}:{row[0]}"


def chunks(turn: Turn, deployment: str, run_id: str, after: str, config: StoreConfig) -> Chunks:
    """Return what stands in a stream after `after`, up to a bounded number.

    Raises:
        ChunkCursorExpiredError: `after` is not kept any more.
        ValueError: `after` is no cursor.

    """
    _, number = parse_chunk_cursor(after)
    row = turn.connection.execute(
        "SELECT id FROM execution WHERE deployment = :deployment AND run_id = :run_id "
        "AND (expires_ms IS NULL OR expires_ms > :now) "
        "AND (chunks_expire_ms IS NULL OR chunks_expire_ms > :now)",
        {"deployment": deployment, "run_id": run_id, "now": turn.now_ms},
    ).fetchone()
    execution = None if row is None else int(row[0])
    if after != CHUNK_CURSOR_START and not _is_kept(turn, execution, after, number):
        raise ChunkCursorExpiredError(after)
    if execution is None:
        return Chunks(None, ())
    rows = turn.connection.execute(
        "SELECT number, attempt, data, terminal FROM chunk "
        "WHERE execution = ? AND number > ? ORDER BY number LIMIT ?",
        (execution, number, chunk_read_count(config)),
    )
    return Chunks(
        execution,
        tuple(
            StreamChunk(f"0-{number}", attempt, data, bool(terminal))
            for number, attempt, data, terminal in rows
        ),
    )


def _is_kept(turn: Turn, execution: int | None, after: str, number: int) -> bool:
    if execution is None or number > _LARGEST_NUMBER or after != f"0-{number}":
        return False
    return (
        turn.connection.execute(
            "SELECT 1 FROM chunk WHERE execution = ? AND number = ?", (execution, number)
        ).fetchone()
        is not None
    )


def counts(turn: Turn, deployment: str, revision: str) -> dict[str, int]:
    """Return how many executions are unfinished, may be claimed, and are held."""
    # SQLite would rather look through everything that was ever done, so it is told how.
    unfinished = "INDEXED BY unfinished WHERE deployment = :deployment AND expires_ms IS NULL"
    asked = {
        "nonterminal": unfinished,
        "revision_nonterminal": f"{unfinished} AND revision = :revision",
        "revision_runnable": "INDEXED BY runnable "
        "WHERE deployment = :deployment AND revision = :revision AND due_ms IS NOT NULL",
        "lease_expiry": "INDEXED BY leased WHERE deployment = :deployment AND lease_ms IS NOT NULL",
    }
    values = {"deployment": deployment, "revision": revision}
    return {
        name: turn.connection.execute(
            f"SELECT count(*) FROM execution {condition}",  # noqa: S608 - our own words
            values,
        ).fetchone()[0]
        for name, condition in asked.items()
    }


def next_due(turn: Turn, deployment: str, revision: str) -> str | None:
    """Return which execution is the first that may be claimed now, None where none may."""
    row = turn.connection.execute(
        "SELECT run_id FROM execution WHERE deployment = ? AND revision = ? AND due_ms <= ? "
        "ORDER BY due_ms, run_id LIMIT 1",
        (deployment, revision, turn.now_ms),
    ).fetchone()
    return None if row is None else str(row[0])


def needs_care(turn: Turn, deployment: str) -> bool:
    """Say whether a lease ran out, or something is kept for longer than it should be."""
    row = turn.connection.execute(
        "SELECT EXISTS (SELECT 1 FROM execution WHERE deployment = :deployment "
        "  AND lease_ms <= :now) "
        "OR EXISTS (SELECT 1 FROM execution WHERE expires_ms <= :now) "
        "OR EXISTS (SELECT 1 FROM execution WHERE chunks_expire_ms <= :now)",
        {"deployment": deployment, "now": turn.now_ms},
    ).fetchone()
    return bool(row[0])
