"""Durable executions as text and as JSON."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from inspector.cli.output import write_line
from inspector.presentation.execution_words import status_look, took_words, when_words
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from inspector.hayhooks.client.model import Execution, ExecutionRow, HayhooksError, StreamEvent


def row_line(row: ExecutionRow) -> str:
    """Return an execution as one line of a list."""
    now = time.time_ns()
    look = status_look(row.status)
    parts = (
        f"{row.id:<32}",
        f"{look.mark} {look.word:<9}",
        f"{row.attempt:>2}",
        f"{when_words(row.created_at_ns, now):>16}",
        f"{took_words(row, now):>8}",
        one_line(row.deployment),
        f"rev {one_line(row.revision)}" if row.revision else "",
        "cancel asked for" if row.cancellation_pending else one_line(row.waiting_reason or ""),
    )
    return "  ".join(parts).rstrip()


def row_tree(row: ExecutionRow) -> dict[str, Any]:
    """Return an execution of a list for programs."""
    return {
        "id": row.id,
        "deployment": row.deployment,
        "kind": row.kind or None,
        "revision": row.revision or None,
        "status": str(row.status),
        "attempt": row.attempt,
        "created_at": iso(row.created_at_ns),
        "updated_at": iso(row.updated_at_ns),
        "cancellation_pending": row.cancellation_pending,
        "available_at": iso(row.available_at_ns),
        "waiting_reason": row.waiting_reason,
    }


def execution_tree(execution: Execution) -> dict[str, Any]:
    """Return all of an execution for programs."""
    waiting, error = execution.waiting, execution.error
    return {
        **row_tree(execution.row),
        "progress": [
            {
                "sequence": one.sequence,
                "kind": one.kind,
                "message": one.message,
                "at": iso(one.at_ns),
                "metadata": one.metadata,
            }
            for one in execution.progress
        ],
        "result": execution.result,
        "error": error
        and {
            "type": error.type,
            "message": error.message,
            "retryable": error.retryable,
            "code": error.code,
        },
        "waiting": waiting
        and {
            "kind": waiting.kind,
            "message": waiting.message,
            "expected_input_schema": waiting.expected_input_schema,
        },
        "cancellation_requested_at": iso(execution.cancellation_requested_at_ns),
    }


def event_tree(event: StreamEvent) -> dict[str, Any]:
    """Return an event of a stream for programs."""
    tree: dict[str, Any] = {"event": event.kind, "at": iso(event.at_ns), "attempt": event.attempt}
    if event.id is not None:
        tree["id"] = event.id
    if event.payload is not None:
        tree["payload"] = event.payload
    if event.execution is not None:
        tree["execution"] = execution_tree(event.execution)
    return tree


def tell_execution(execution: Execution) -> None:
    """Write all of an execution for people."""
    now = time.time_ns()
    write_line(row_line(execution.row))
    for one in execution.progress:
        kind = "" if one.kind == "progress" else f"[{one_line(one.kind)}] "
        more = f"  {_readable(one.metadata)}" if one.metadata else ""
        write_line(f"  {when_words(one.at_ns, now)}  {kind}{one_line(one.message)}{more}")
    if execution.waiting is not None:
        waiting = execution.waiting
        write_line(f"waits for {one_line(waiting.kind)}: {one_line(waiting.message)}")
        if waiting.expected_input_schema is not None:
            write_line(f"  takes {_readable(waiting.expected_input_schema)}")
    if execution.error is not None:
        error = execution.error
        code = f" ({one_line(error.code)})" if error.code else ""
        write_line(f"error: {one_line(error.type)}{code}: {one_line(error.message)}")
    if execution.result is not None:
        write_line(f"result: {_readable(execution.result, indent=2)}")


def told_fields(error: HayhooksError) -> list[str]:
    """Return what of an input a server refused, one line a field."""
    return [f"{path or 'input'}: {why}" for path, why in error.fields]


def _readable(tree: Any, *, indent: int | None = None) -> str:
    # With letters as they are: `write_line` makes visible what would act on a terminal.
    return json.dumps(tree, ensure_ascii=False, indent=indent)


def iso(at_ns: int | None) -> str | None:
    """Return a time as ISO 8601, None when it is not known."""
    if not at_ns:
        return None
    try:
        return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, OSError, ValueError):
        return None
