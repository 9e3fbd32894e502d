"""Jaeger's JSON, as its window downloads it: traces with spans in microseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import ForeignSpan, identifier
from inspector.importers.texts import pieces, tree_of
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_US = 1_000
_EVENT = {"event": "name", "message": "exception.message", "error.kind": "exception.type",
          "stack": "exception.stacktrace", "error.object": "exception.message"}  # fmt: skip


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if "traceID" in head.keys and head.keys & {"spans", "processes", "operationName"}:
        return 90
    if "data" in head.keys and head.has("traceID") and head.has("operationName", "spans"):
        return 90
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    facts: dict[str, dict[str, Any]] = {}
    yield from runs_of(_spans(context, facts), context, facts=facts)


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("document that cannot be read", f"{piece.where} {error}")
            continue
        for trace in _traces(tree):
            processes = trace.get("processes")
            processes = processes if isinstance(processes, dict) else {}
            spans = trace.get("spans")
            for each in spans if isinstance(spans, list) else []:
                if not isinstance(each, dict):
                    context.losses.skip("span that is no object")
                    continue
                span = _span(each)
                if span.trace not in facts:
                    facts[span.trace] = _of_process(each, processes)
                yield span


def _traces(tree: Any) -> list[dict[str, Any]]:
    found: list[Any] = []
    for answer in tree if isinstance(tree, list) else [tree]:
        held = answer.get("data") if isinstance(answer, dict) else None
        found += held if isinstance(held, list) else [answer]
    if found and all(isinstance(each, dict) and "operationName" in each for each in found):
        return [{"spans": found}]
    return [each for each in found if isinstance(each, dict)]


def _of_process(span: dict[str, Any], processes: dict[str, Any]) -> dict[str, Any]:
    process = span.get("process", processes.get(str(span.get("processID"))))
    if not isinstance(process, dict):
        return {}
    return {"resource": {"service.name": process.get("serviceName"), **_tags(process.get("tags"))}}


def _span(tree: dict[str, Any]) -> ForeignSpan:
    parent = identifier(tree.get("parentSpanID"))
    references = tree.get("references")
    links = (
        [each for each in references if isinstance(each, dict)]
        if isinstance(references, list)
        else []
    )
    # What only follows another span has no other place in the tree.
    links.sort(key=lambda each: each.get("refType", "CHILD_OF") != "CHILD_OF")
    if links and not parent:
        parent = _padded(links[0].get("spanID"))
    span = ForeignSpan(
        _padded(tree.get("traceID"), 32),
        _padded(tree.get("spanID")),
        parent or None,
        str(tree.get("operationName") or ""),
    )
    start, duration = tree.get("startTime"), tree.get("duration")
    if isinstance(start, (int, float)):
        span.start = int(start) * _US
        if isinstance(duration, (int, float)):
            span.end = span.start + int(duration) * _US
    span.attributes = _tags(tree.get("tags"))
    span.scope = str(
        span.attributes.get("otel.scope.name", span.attributes.get("otel.library.name", ""))
    )
    error = span.attributes.pop("error", None)
    span.failed = (
        error is True or error == "true" or span.attributes.get("otel.status_code") == "ERROR"
    )
    span.message = str(span.attributes.get("otel.status_description") or "")
    logs = tree.get("logs")
    span.events = (
        [_event(each) for each in logs if isinstance(each, dict)] if isinstance(logs, list) else []
    )
    return span


def _padded(value: Any, length: int = 16) -> str:
    """Return an id with the zeros in front that Jaeger leaves out."""
    text = identifier(value)
    return text.zfill(length) if text and len(text) < length and text.isalnum() else text


def _tags(pairs: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        if (
            isinstance(pair, dict)
            and isinstance(pair.get("key"), str)
            and pair.get("value") is not None
        ):
            found[pair["key"]] = pair["value"]
    return found


def _event(tree: dict[str, Any]) -> tuple[str, int | None, dict[str, Any]]:
    fields = _tags(tree.get("fields"))
    at = tree.get("timestamp")
    name = str(fields.pop("event", fields.pop("name", "")))
    attributes = {_EVENT.get(key, key): value for key, value in fields.items()}
    if name == "error" and "exception.message" in attributes:
        name = "exception"
    return name, int(at) * _US if isinstance(at, (int, float)) else None, attributes
