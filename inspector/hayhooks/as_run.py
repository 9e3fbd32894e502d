"""An execution as a run: whole where our recorder was there, otherwise what is known from outside.

What is known is one JSON document, as told by those who know: server, stream, traces, store.
The importer `hayhooks-execution` makes the run of it, so the document opens like any file.
"""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.client.model import HayhooksError
from inspector.hayhooks.recorder.layout import folder_name
from inspector.hayhooks.recorder.stitch import folder_of, stitched
from inspector.importers.hayhooks_execution import MARK, VERSION
from inspector.importers.hayhooks_told import EXECUTION_TAG
from inspector.importers.opening import load_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from inspector.hayhooks.client.client import HayhooksClient
    from inspector.hayhooks.client.index import ExecutionIndex
    from inspector.hayhooks.client.model import Execution, StreamEvent
    from inspector.hayhooks.stored import Stored
    from inspector.runfile.model import PipelineRun

_MOST_TRACES = 100


def told(
    execution: Execution,
    *,
    server: str = "",
    events: Iterable[StreamEvent] = (),
    traces: Iterable[Mapping[str, Any]] = (),
    stored: Stored | None = None,
) -> bytes:
    """Return all that is known of an execution, as JSON that `load_runs` opens.

    Args:
        execution: What the server says.
        server: What it is called, for people.
        events: What was seen of its stream.
        traces: Traces of the server; those of other executions are left out.
        stored: What its store holds.

    """
    document: dict[str, Any] = {
        MARK: VERSION, "told_at": _iso(time.time_ns()), "server": server,
        "execution": execution_tree(_with_kind(execution, stored)),
        "events": _together([event_tree(each) for each in events], stored),
        "traces": [each for each in traces if _is_of(each, execution.row.id)],
    }  # fmt: skip
    if stored is not None:
        document["stored"] = stored.said
    return json.dumps(document, ensure_ascii=False, default=str).encode("utf-8", "replace")


def fetched(
    client: HayhooksClient,
    index: ExecutionIndex,
    execution: Execution,
    *,
    place: str | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[bytes, tuple[str, ...]]:
    """Ask everybody who may know something of an execution.

    Args:
        client: That asks its server for traces.
        index: Which remembers what was seen of its stream.
        execution: As its server says it.
        place: Its store, for those who may read it.
        cancelled: Asked between two questions whether to stop.

    Returns:
        The document, and a sentence for each who did not answer.

    Raises:
        InspectorError: It was stopped, or a store that was named cannot be read.

    """
    from inspector.hayhooks.stored import read_stored

    row = execution.row
    silent: list[str] = []
    traces: list[Mapping[str, Any]] = []
    try:
        said = client.traces(_MOST_TRACES).get("traces")
        traces = said if isinstance(said, list) else []
    except HayhooksError as error:
        silent.append(f"Without its traces: {error}")
    if cancelled is not None and cancelled():
        raise InspectorError("Fetching was stopped.")
    stored = read_stored(place, row.deployment, row.id) if place else None
    data = told(
        execution,
        server=client.server.name,
        events=index.witnessed(client.server, row.id),
        traces=traces,
        stored=stored,
    )
    return data, tuple(silent)


def recorded(segments: Path, execution: str) -> PipelineRun | None:
    """Return the run that our recorder kept of an execution, below the folder of its segments."""
    for folder in (segments / folder_name(execution), segments):
        found = folder_of(folder)
        if found is not None and (folder.name == folder_name(execution) or found == segments):
            return stitched(found)
    return None


def skeleton(data: bytes) -> PipelineRun:
    """Return the run of a document.

    Raises:
        RunFileError: It is none.

    """
    return load_runs(data)[0]


def _with_kind(execution: Execution, stored: Stored | None) -> Execution:
    """Add what only lists and stores tell."""
    if execution.row.kind or stored is None:
        return execution
    known = stored.execution.row
    return replace(execution, row=replace(execution.row, kind=known.kind, revision=known.revision))


def execution_tree(execution: Execution) -> dict[str, Any]:
    """Return what a server said of an execution, in its words, with what its list says beside."""
    row, waiting, error = execution.row, execution.waiting, execution.error
    tree: dict[str, Any] = {
        "execution_id": row.id, "deployment": row.deployment, "kind": row.kind,
        "revision": row.revision, "status": str(row.status), "attempt": row.attempt,
        "sequence": execution.sequence, "created_at": _iso(row.created_at_ns),
        "updated_at": _iso(row.updated_at_ns), "result": execution.result,
        "progress": [
            {"sequence": each.sequence, "kind": each.kind, "message": each.message,
             "timestamp": _iso(each.at_ns), "metadata": dict(each.metadata)}
            for each in execution.progress
        ],
        "links": dict(execution.links),
    }  # fmt: skip
    if execution.cancellation_requested_at_ns:
        tree["cancellation_requested_at"] = _iso(execution.cancellation_requested_at_ns)
    if waiting is not None:
        tree["waiting"] = {
            "kind": waiting.kind, "message": waiting.message,
            "expected_input_schema": waiting.expected_input_schema,
        }  # fmt: skip
    if error is not None:
        tree["error"] = {
            "type": error.type, "message": error.message, "retryable": error.retryable,
            "code": error.code,
        }  # fmt: skip
    return tree


def event_tree(event: StreamEvent) -> dict[str, Any]:
    """Return something that came over a stream."""
    tree: dict[str, Any] = {
        "id": event.id, "kind": event.kind, "attempt": event.attempt, "at_ns": event.at_ns,
        "payload": event.payload,
    }  # fmt: skip
    if event.execution is not None:
        tree["status"] = str(event.execution.row.status)
    return tree


def _together(seen: list[dict[str, Any]], stored: Stored | None) -> list[Any]:
    """Return what was seen of a stream with what its store keeps, each chunk once and in order."""
    known = {each["id"] for each in seen}
    kept = [each for each in (stored.chunks if stored else ()) if each["id"] not in known]
    if not kept:
        return seen
    chunks: list[Any] = [each for each in seen if each["kind"] == "chunk"]
    others = [each for each in seen if each["kind"] != "chunk"]
    return [*others, *sorted([*chunks, *kept], key=_place)]


def _place(chunk: Mapping[str, Any]) -> tuple[int, int]:
    first, _, second = str(chunk["id"]).partition("-")
    good = all(part.isdecimal() and len(part) < 30 for part in (first, second))
    return (int(first), int(second)) if good else (0, 0)


def _is_of(trace: Any, execution: str) -> bool:
    root = trace.get("root_span") if isinstance(trace, dict) else None
    waiting = [root]
    while waiting:
        span = waiting.pop()
        if not isinstance(span, dict):
            continue
        for tag in span.get("tags") or ():
            if isinstance(tag, dict) and tag.get("key") == EXECUTION_TAG:
                return bool(tag.get("value") == execution)
        children = span.get("children")
        waiting += children if isinstance(children, list) else []
    return False


def _iso(at_ns: int) -> str | None:
    if not at_ns:
        return None
    seconds, rest = divmod(at_ns, 10**9)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"
