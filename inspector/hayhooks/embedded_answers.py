"""What `hayhooks.durable` says inside of this program, as the client says it of a server."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hayhooks.durable.engine import (
    ExecutionNotFoundError,
    ExecutionPayloadSizeError,
    InvalidExecutionTransitionError,
)
from hayhooks.durable.models import project_execution, summarize_execution
from hayhooks.durable.store import (
    ExecutionAdmissionError,
    ExecutionIdempotencyConflictError,
    ExecutionStoreError,
)
from pydantic import ValidationError

from inspector.errors import InspectorError
from inspector.hayhooks.client.model import ErrorKind, HayhooksError
from inspector.hayhooks.client.reading import read_execution, read_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hayhooks.durable.engine import ExecutionControl
    from hayhooks.durable.store import StoredExecution

    from inspector.hayhooks.client.model import Execution, ExecutionRow

_MOST_TOLD = 3


def execution_of(stored: StoredExecution) -> Execution:
    """Return what may be told of an execution. Unlike a server's, it has kind and revision."""
    # Limits hold for what is written; they may have been lowered since.
    said = project_execution(stored, max_payload_bytes=sys.maxsize).model_dump(mode="json")
    execution = read_execution(said, stored.control.deployment)
    told = row_of(stored.control)
    row = replace(
        execution.row, kind=told.kind, revision=told.revision, available_at_ns=told.available_at_ns
    )
    return replace(execution, row=row)


def row_of(control: ExecutionControl) -> ExecutionRow:
    """Return what a list says of an execution."""
    return read_row(summarize_execution(control).model_dump(mode="json"), control.deployment)


@contextmanager
def told_as_ours(what: str) -> Iterator[None]:
    """Have what Hayhooks raises leave as a `HayhooksError`, as if a server had refused `what`."""
    try:
        yield
    except HayhooksError:
        raise
    except InspectorError as error:  # our store, in its own words
        raise HayhooksError(str(error), kind="degraded", hint=error.hint) from error
    except ValidationError as error:
        raise _invalid(error) from error
    except TimeoutError as error:
        raise HayhooksError(
            f"There was no answer in time to {what}.", kind="down", hint="Try it again."
        ) from error
    except Exception as error:
        found = _refusal(error, what)
        if found is None:
            raise
        raise found from error


def _refusal(error: Exception, what: str) -> HayhooksError | None:
    kinds: tuple[tuple[Any, ErrorKind, str], ...] = (
        (ExecutionNotFoundError, "not_found", f"There is no {what}."),
        (ExecutionIdempotencyConflictError, "conflict", "This key is known for another input."),
        (InvalidExecutionTransitionError, "conflict", f"That cannot be done to {what}: {error}."),
        (ExecutionPayloadSizeError, "too_large", f"That is too large: {error}."),
        (ExecutionAdmissionError, "busy", "Nothing more is taken at the moment."),
        (ExecutionStoreError, "degraded", f"The store of executions does not answer: {error}."),
        (ValueError, "invalid", f"That is not accepted: {error}."),
    )
    for type_, kind, words in kinds:
        if isinstance(error, type_):
            return HayhooksError(words, kind=kind, retry_after_s=1.0 if kind == "busy" else None)
    return None


def _invalid(error: ValidationError) -> HayhooksError:
    fields = tuple(
        (".".join(str(step) for step in found["loc"]), str(found["msg"]))
        for found in error.errors(include_url=False, include_context=False, include_input=False)
    )
    told = "; ".join(f"{path}: {why}" if path else why for path, why in fields[:_MOST_TOLD])
    return HayhooksError(f"The input is not accepted: {told}.", kind="invalid", fields=fields)


def now_ns() -> int:
    """Return when something came here."""
    return time.time_ns()
