"""JSON of a server to values. What is missing has a default; what makes no sense is refused."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from inspector.hayhooks.client.model import (
    Execution,
    ExecutionRow,
    ExecutionStatus,
    Failure,
    HayhooksError,
    Page,
    Progress,
    Waiting,
)

_DEEPEST = 200
_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_CURSOR = re.compile(r"[!-~]{1,4000}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_WORD = 2_000
_MOST_PROGRESS = 10_000
_MOST_ROWS = 1_000


def parsed(data: bytes | str) -> Any:
    """Return JSON as Python, numbers exact and no deeper than can be shown.

    Raises:
        HayhooksError: It is none.

    """
    try:
        tree = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise odd("The server answered with damaged data.") from error
    if isinstance(tree, dict | list) and _is_too_deep(tree):
        raise odd(f"The server answered with data nested more than {_DEEPEST} levels deep.")
    return tree


def odd(message: str) -> HayhooksError:
    """Return the error for an answer that makes no sense."""
    return HayhooksError(message, kind="odd", hint="Is this a Hayhooks server of version 2.1?")


def mapping(tree: Any) -> dict[str, Any]:
    """Return what should be an object.

    Raises:
        HayhooksError: It is none.

    """
    if not isinstance(tree, dict):
        raise odd("The server answered with something else than asked for.")
    return tree


def word(value: Any) -> str:
    """Return a short text, empty when it is none."""
    return text(value)[:_LONGEST_WORD]


def text(value: Any) -> str:
    """Return a text that can be written as UTF-8, empty when it is none."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def number(value: Any) -> int:
    """Return a count, 0 when it is none."""
    good = isinstance(value, int) and not isinstance(value, bool)
    return value if good and 0 <= value < 2**63 else 0


def time_ns(value: Any) -> int:
    """Return a time in nanoseconds since 1970; 0 when it is none."""
    if not isinstance(value, str) or len(value) > 64:
        return 0
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        found = (moment - _EPOCH) // timedelta(microseconds=1) * 1_000
    except (ValueError, OverflowError):
        return 0
    return found if 0 <= found < 2**63 else 0


def status_of(value: Any) -> ExecutionStatus:
    """Return where an execution stands.

    Raises:
        HayhooksError: It is no status that we know.

    """
    try:
        return ExecutionStatus(value)
    except ValueError as error:
        said = value[:40] if isinstance(value, str) else "nothing"
        raise odd(f"The server says {said!r} where an execution's status should be.") from error


def read_page(tree: Any, deployment: str) -> Page:
    """Return a page of a list.

    Raises:
        HayhooksError: It is none.

    """
    page = mapping(tree)
    listed = page.get("executions")
    if not isinstance(listed, list):
        raise odd("The server answered with something else than a list of executions.")
    cursor = page.get("next_cursor")
    if not isinstance(cursor, str) or not _CURSOR.fullmatch(cursor) or not page.get("has_more"):
        cursor = None
    return Page(
        tuple(read_row(entry, deployment) for entry in listed[:_MOST_ROWS]),
        cursor,
        number(page.get("skipped_controls")),
    )


def read_row(tree: Any, deployment: str) -> ExecutionRow:
    """Return an entry of a list.

    Raises:
        HayhooksError: It is none.

    """
    row = mapping(tree)
    available = time_ns(row.get("available_at"))
    return ExecutionRow(
        id=_id(row.get("execution_id")),
        deployment=deployment,
        kind=word(row.get("kind")),
        revision=word(row.get("revision")),
        status=status_of(row.get("status")),
        attempt=number(row.get("attempt")),
        created_at_ns=time_ns(row.get("created_at")),
        updated_at_ns=time_ns(row.get("updated_at")),
        cancellation_pending=row.get("cancellation_pending") is True,
        available_at_ns=available or None,
    )


def read_execution(tree: Any, deployment: str) -> Execution:
    """Return an execution; its kind and revision are in lists only.

    Raises:
        HayhooksError: It is none.

    """
    said = mapping(tree)
    status = status_of(said.get("status"))
    canceled_at = time_ns(said.get("cancellation_requested_at")) or None
    waiting = _waiting(said.get("waiting")) if status is ExecutionStatus.WAITING else None
    row = ExecutionRow(
        id=_id(said.get("execution_id")),
        deployment=deployment,
        kind="",
        revision="",
        status=status,
        attempt=number(said.get("attempt")),
        created_at_ns=time_ns(said.get("created_at")),
        updated_at_ns=time_ns(said.get("updated_at")),
        cancellation_pending=canceled_at is not None and not status.is_over,
        waiting_reason=(waiting.message or waiting.kind) if waiting else None,
    )
    progress = said.get("progress")
    links = said.get("links")
    return Execution(
        row=row,
        progress=tuple(
            _progress(entry)
            for entry in (progress if isinstance(progress, list) else [])[:_MOST_PROGRESS]
            if isinstance(entry, dict)
        ),
        result=said.get("result"),
        error=_failure(said.get("error")),
        waiting=waiting,
        cancellation_requested_at_ns=canceled_at,
        links={word(key): word(value) for key, value in links.items()}
        if isinstance(links, dict)
        else {},
        sequence=number(said.get("sequence")),
    )


def _id(value: Any) -> str:
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise odd("The server answered with an execution that has no id.")
    return value


def _progress(entry: dict[str, Any]) -> Progress:
    metadata = entry.get("metadata")
    return Progress(
        number(entry.get("sequence")),
        word(entry.get("kind")),
        text(entry.get("message")),
        time_ns(entry.get("timestamp")),
        metadata if isinstance(metadata, dict) else {},
    )


def _waiting(tree: Any) -> Waiting:
    said = tree if isinstance(tree, dict) else {}
    schema = said.get("expected_input_schema")
    return Waiting(
        word(said.get("kind")),
        word(said.get("message")),
        schema if isinstance(schema, dict) else None,
    )


def _failure(tree: Any) -> Failure | None:
    if not isinstance(tree, dict):
        return None
    code = word(tree.get("code"))
    return Failure(
        word(tree.get("type")),
        word(tree.get("message")),
        tree.get("retryable") is True,
        code or None,
    )


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _is_too_deep(tree: Any) -> bool:
    level = [tree]
    for _depth in range(_DEEPEST):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
