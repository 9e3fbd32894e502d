"""Zipkin's JSON, version 2 and the older 1: spans in microseconds, whose tags are all texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import ForeignSpan, identifier
from inspector.importers.texts import pieces, tree_of, whole_items
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_US = 1_000
_CUT_AT = 128
"""Characters after which OpenTelemetry's exporter for Python cuts a tag off."""
_MARKS = frozenset({"timestamp", "duration", "localEndpoint", "tags", "kind", "parentId",
                    "binaryAnnotations", "annotations"})  # fmt: skip
_OF_OTHERS = frozenset({"projectId", "instrumentationScope", "observations", "spanId",
                        "attributes", "traceState", "observationId"})  # fmt: skip
_TOKENS = ("tokens", "token_count", "visits", "cost")
_HEX_LENGTH = 16


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    keys = head.keys
    if keys >= {"traceId", "id"} and keys & _MARKS and not keys & _OF_OTHERS:
        return 85 if keys & {"localEndpoint", "tags", "binaryAnnotations"} or "name" in keys else 0
    # What its window shows is a list of traces, and each of them a list of spans.
    if head.text[1:].lstrip()[:1] == b"[" and head.has_all("traceId", "id"):
        return 80 if head.has("localEndpoint", "binaryAnnotations", "timestamp") else 0
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    facts: dict[str, dict[str, Any]] = {}
    spans = list(_spans(context, facts))
    cut = sum(_is_cut(value) for span in spans for value in span.attributes.values())
    if cut:
        context.losses.lose(
            "long values", f"the exporter cut {cut:,} of them off after {_CUT_AT} characters"
        )
        if not any(_says_tokens(span) for span in spans):
            context.losses.lose(
                "tokens", "they stood in the part of the outputs that the exporter cut off"
            )
    yield from runs_of(spans, context, facts=facts)


def _is_cut(value: Any) -> bool:
    return isinstance(value, str) and len(value) == _CUT_AT


def _says_tokens(span: ForeignSpan) -> bool:
    return any("token" in key for key in span.attributes)


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        for each in _objects(piece.text, piece.where, context):
            if not isinstance(each, dict) or not identifier(each.get("id")):
                context.losses.skip("object that is no span", piece.where)
                continue
            span = _span(each)
            if span.trace not in facts:
                endpoint = each.get("localEndpoint")
                service = endpoint.get("serviceName") if isinstance(endpoint, dict) else None
                facts[span.trace] = {"resource": {"service.name": service}} if service else {}
            yield span


def _objects(text: bytes, where: str, context: Context) -> Iterator[Any]:
    try:
        tree = tree_of(text, context.losses, where)
    except LeafError as error:
        tree = whole_items(text)
        context.losses.skip(
            "part that is cut off or damaged", f"after {len(tree):,} items: {error}"
        )
    for each in tree if isinstance(tree, list) else [tree]:
        if isinstance(each, list):
            yield from each
        else:
            yield each


def _span(tree: dict[str, Any]) -> ForeignSpan:
    parent = _padded(tree.get("parentId"))
    span = ForeignSpan(
        identifier(tree.get("traceId")),
        _padded(tree.get("id")),
        parent or None,
        str(tree.get("name") or ""),
    )
    if tree.get("shared") and tree.get("kind") == "SERVER":
        # Client and server told of one call under one id.
        span.id = f"{span.id}-server"
        span.parent = _padded(tree.get("id"))
    start, duration = _number(tree.get("timestamp")), _number(tree.get("duration"))
    if start:
        span.start = start * _US
        if duration is not None:
            span.end = span.start + duration * _US
    tags = tree.get("tags")
    attributes = dict(tags) if isinstance(tags, dict) else {}
    for pair in _dicts(tree.get("binaryAnnotations")):
        if isinstance(pair.get("key"), str) and isinstance(pair.get("value"), (str, int, float)):
            attributes[pair["key"]] = pair["value"]
    span.attributes = {key: _value(key, value) for key, value in attributes.items()}
    span.scope = str(attributes.get("otel.scope.name", attributes.get("otel.library.name", "")))
    error = span.attributes.pop("error", None)
    failed = error is not None and str(error).lower() != "false"
    span.failed = failed or attributes.get("otel.status_code") == "ERROR"
    said = error if failed and str(error).lower() not in ("true", "") else None
    span.message = str(said or attributes.get("otel.status_description") or "")
    span.events = [
        (str(each.get("value") or ""), at * _US if (at := _number(each.get("timestamp"))) else None,
         {})
        for each in _dicts(tree.get("annotations"))
    ]  # fmt: skip
    return span


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []


def _padded(value: Any) -> str:
    """Return an id with the zeros in front that some tracers leave out."""
    text = identifier(value)
    return text.zfill(_HEX_LENGTH) if text and text.isalnum() else text


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return int(value) if type(value) in (int, float) and 0 <= value < 2**53 else None


def _value(key: str, value: Any) -> Any:
    """Return a tag's value: all of them are texts here, and of figures the number is wanted."""
    if isinstance(value, str) and any(word in key for word in _TOKENS):
        number = _number(value)
        return value if number is None else number
    return value
