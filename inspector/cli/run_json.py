"""A run and its spans as JSON, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.cli.output import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.presentation.search import Found
    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.span import SpanError

_VALUES = ("inputs", "arguments", "outputs")


def run_as_json(loaded: PipelineRun, *, values: bool, found: Found | None = None) -> Iterator[str]:
    """Yield a run as JSON, a span at a time: it may be longer than memory.

    With `found` only those spans are in it, and what was asked for.
    """
    head: dict[str, Any] = {
        "id": loaded.id,
        "kind": loaded.kind,
        "name": loaded.name,
        "status": str(loaded.status),
        "complete": loaded.complete,
        "started_at": loaded.started_at,
        "duration_ns": loaded.duration_ns,
        "usage": loaded.usage,
        "cost_estimate": loaded.cost_estimate,
        "error": _error_as_json(loaded.error),
        "problems": [{"message": str(each), "hint": each.hint} for each in loaded.problems],
    }
    if values:
        head |= {"inputs": loaded.inputs, "outputs": loaded.outputs}
    if found is not None:
        head |= {"filter": str(found.query), "spans_of_run": len(loaded.spans)}
    yield to_json(head)[:-1]
    yield ', "spans": ['
    separator = "\n"
    rows = range(len(loaded.spans)) if found is None else found.rows
    for row in rows:
        yield separator + to_json(span_as_json(loaded.spans[row], values=values))
        separator = ",\n"
    yield "\n]}"


def span_as_json(span: Span, *, values: bool) -> dict[str, Any]:
    """Return a span as a tree that JSON can hold."""
    usage = span.usage
    said: dict[str, Any] = {
        "id": span.id,
        "parent": span.parent_id,
        "depth": span.depth,
        "kind": str(span.kind),
        "name": span.name,
        "type": span.type,
        "path": span.path,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "status": str(span.status),
        "usage": None if usage is None else {**_figures(usage), "raw": usage.raw},
        "error": _error_as_json(span.error),
    }
    if values:
        said |= {name: getattr(span, name) for name in _VALUES if span.has(name)}
    if values and span.problems:
        said["problems"] = list(span.problems)
    return {name: item for name, item in said.items() if item is not None or name == "parent"}


def _figures(usage: Any) -> dict[str, int]:
    from inspector.runfile.usage import FIGURES

    return {name: count for name in FIGURES if (count := getattr(usage, name)) is not None}


def _error_as_json(error: SpanError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    said: dict[str, Any] = {"type": error.type, "message": error.message}
    if error.cause is not None:
        said["cause"] = _error_as_json(error.cause)
    return said
