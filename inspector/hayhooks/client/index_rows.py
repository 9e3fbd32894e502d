"""The tables of the index, and how their rows become values."""

from __future__ import annotations

import json
from typing import Any

from inspector.hayhooks.client.model import ExecutionRow, ExecutionStatus, StreamEvent

_LARGEST_EVENT = 1_000_000

SCHEMA = """
CREATE TABLE executions (
    server TEXT, scope TEXT, deployment TEXT, id TEXT, kind TEXT, revision TEXT, status TEXT,
    attempt INTEGER, created INTEGER, updated INTEGER, pending INTEGER, available INTEGER,
    waiting TEXT, gone INTEGER DEFAULT 0, PRIMARY KEY (server, deployment, id)
) WITHOUT ROWID;
CREATE INDEX by_time ON executions (created, id);
CREATE INDEX by_server ON executions (server, created, id);
CREATE TABLE walks (
    server TEXT, scope TEXT, deployment TEXT, cursor TEXT,
    PRIMARY KEY (server, scope, deployment)
) WITHOUT ROWID;
CREATE TABLE events (
    number INTEGER PRIMARY KEY, server TEXT, id TEXT, event TEXT, kind TEXT, attempt INTEGER,
    payload TEXT, at INTEGER, once TEXT
);
CREATE INDEX by_execution ON events (server, id, number);
CREATE UNIQUE INDEX by_once ON events (server, id, once) WHERE once IS NOT NULL;
"""
SELECT = (
    "SELECT id, deployment, kind, revision, status, attempt, created, updated, pending,"
    " available, waiting FROM executions"
)
# An execution that was asked for itself does not say its kind and revision, a list not what it
# waits for. An answer that took longer on its way than a newer one changes nothing.
UPSERT = """
INSERT INTO executions (server, scope, deployment, id, kind, revision, status, attempt, created,
    updated, pending, available, waiting)
VALUES (?, COALESCE(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (server, deployment, id) DO UPDATE SET
    scope = CASE excluded.scope WHEN '' THEN scope ELSE excluded.scope END,
    kind = CASE excluded.kind WHEN '' THEN kind ELSE excluded.kind END,
    revision = CASE excluded.revision WHEN '' THEN revision ELSE excluded.revision END,
    waiting = CASE WHEN excluded.status <> 'waiting' THEN NULL
        WHEN excluded.attempt = attempt THEN COALESCE(excluded.waiting, waiting)
        ELSE excluded.waiting END,
    status = excluded.status, attempt = excluded.attempt, created = excluded.created,
    updated = excluded.updated, pending = excluded.pending, available = excluded.available,
    gone = 0
WHERE excluded.updated >= updated
"""


def values(server: str, scope: str | None, row: ExecutionRow) -> tuple[Any, ...]:
    """Return what `UPSERT` takes."""
    return (
        server, scope, row.deployment, row.id, row.kind, row.revision, str(row.status),
        row.attempt, row.created_at_ns, row.updated_at_ns, int(row.cancellation_pending),
        row.available_at_ns, row.waiting_reason,
    )  # fmt: skip


def row(entry: tuple[Any, ...]) -> ExecutionRow:
    """Return what `SELECT` found."""
    return ExecutionRow(
        id=entry[0],
        deployment=entry[1],
        kind=entry[2],
        revision=entry[3],
        status=ExecutionStatus(entry[4]),
        attempt=entry[5],
        created_at_ns=entry[6],
        updated_at_ns=entry[7],
        cancellation_pending=bool(entry[8]),
        available_at_ns=entry[9],
        waiting_reason=entry[10],
    )


def where(
    server: str | None, deployment: str | None, status: ExecutionStatus | None, search: str
) -> tuple[str, tuple[Any, ...]]:
    """Return a condition and its values."""
    terms: list[str] = []
    given: list[Any] = []
    for column, value in (("server", server), ("deployment", deployment), ("status", status)):
        if value is not None:
            terms.append(f"{column} = ?")
            given.append(str(value))
    if search.strip():
        # Without LIKE: an underscore or a percent sign stands for itself.
        terms.append(
            "(instr(lower(id), ?) OR instr(lower(deployment), ?)"
            " OR instr(lower(COALESCE(waiting, '')), ?))"
        )
        given += [search.strip().lower()] * 3
    return (f"WHERE {' AND '.join(terms)}" if terms else "", tuple(given))


def event_values(event: StreamEvent) -> tuple[Any, ...] | None:
    """Return what is kept of an event; None when it tells nothing of the execution.

    The last value is the same for what is the same, so that it is kept once.
    """
    kind, payload, once = str(event.kind), event.payload, event.id
    if event.kind in {"reconnecting", "error"}:
        return None
    if event.kind in {"attached", "status"}:
        if event.execution is None:
            return None
        seen = event.execution.row
        kind = "status"
        payload = {
            "status": str(seen.status), "attempt": seen.attempt,
            "waiting": seen.waiting_reason, "cancellation_pending": seen.cancellation_pending,
        }  # fmt: skip
        once = f"status {seen.attempt} {seen.status} {seen.cancellation_pending}"
    elif event.kind in {"attempt", "completed", "failed", "canceled"}:
        once = f"{kind} {event.attempt}"
    text = json.dumps(payload)
    if len(text) > _LARGEST_EVENT:
        text = json.dumps({"left_out": len(text)})
    return (event.id, kind, event.attempt, text, event.at_ns, once)
