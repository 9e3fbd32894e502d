"""Spans as objects of their own: OpenTelemetry's console exporters, Phoenix, JavaScript's spans.

They stand one after the other, one a line, in a list, or as a table of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import ForeignSpan, identifier, nanoseconds
from inspector.importers.texts import pieces, tree_of
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_FAILED = ("ERROR", "STATUS_CODE_ERROR", "StatusCode.ERROR", 2)
_COLUMN = "context.span_id"
_GROUPS = frozenset({"llm", "input", "output", "openinference", "retrieval", "tool", "embedding",
                     "reranker", "gen_ai", "metadata", "exception"})  # fmt: skip
_DEEPEST = 12


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    keys = head.keys
    if _COLUMN in keys or (_COLUMN.encode() in head.data and "context.trace_id" in keys):
        return 85
    if "context" in keys and keys & {"span_kind", "kind", "start_time", "parent_id"}:
        inner = head.inner_keys("context")
        return 90 if inner & {"trace_id", "span_id"} or not inner else 0
    if keys & {"spanContext", "_spanContext"}:
        return 85
    if (
        "traceId" in keys
        and keys & {"parentSpanContext", "parentId"}
        and "instrumentationScope" in keys
    ):
        return 80
    if "data" in keys and "context" in head.inner_keys("data") and head.has("span_kind", "kind"):
        return 85
    return 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    yield from runs_of(_spans(context), context)


def _spans(context: Context) -> Iterator[ForeignSpan]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("span that cannot be read", f"{piece.where} {error}")
            continue
        for each in _objects(tree):
            span = span_of(each) if isinstance(each, dict) else None
            if span is None:
                context.losses.skip("object that is no span", piece.where)
            else:
                yield span


def _objects(tree: Any) -> list[Any]:
    if isinstance(tree, list):
        return tree
    if isinstance(tree, dict):
        if isinstance(tree.get("data"), list) and "context" not in tree:
            return list(tree["data"])
        if isinstance(column := tree.get(_COLUMN), (list, dict)):
            return _rows(tree, column)
    return [tree]


def _rows(tree: dict[str, Any], column: list[Any] | dict[str, Any]) -> list[Any]:
    """Turn a table that is kept by columns into rows."""
    places: Any = column if isinstance(column, dict) else range(len(column))
    rows = []
    for place in places:
        row: dict[str, Any] = {}
        for name, values in tree.items():
            try:
                value = values[place]
            except (IndexError, KeyError, TypeError):
                continue
            if name.startswith("context."):
                row.setdefault("context", {})[name.removeprefix("context.")] = value
            elif name.startswith("attributes."):
                row.setdefault("attributes", {})[name.removeprefix("attributes.")] = value
            else:
                row[name] = value
        rows.append(row)
    return rows


def span_of(tree: dict[str, Any]) -> ForeignSpan | None:
    """Return a span of any of these shapes; None for an object that is none."""
    get = tree.get
    where = get("context", get("spanContext", get("_spanContext")))
    where = where if isinstance(where, dict) else tree
    trace = identifier(where.get("trace_id", where.get("traceId")))
    span_id = identifier(where.get("span_id", where.get("spanId", get("id"))))
    if not span_id:
        return None
    above = get("parent_id", get("parentSpanId", get("parentId")))
    if above is None and isinstance(parent := get("parentSpanContext"), dict):
        above = parent.get("spanId")
    span = ForeignSpan(trace, span_id, identifier(above) or None, str(get("name") or ""))
    span.start = nanoseconds(get("start_time", get("startTime")))
    span.end = nanoseconds(get("end_time", get("endTime")))
    span.attributes = flat(get("attributes"))
    kind = get("span_kind")
    if isinstance(kind, str) and "." not in kind:
        span.attributes.setdefault("openinference.span.kind", kind)
    status = get("status")
    status = status if isinstance(status, dict) else {}
    code = get("status_code", status.get("status_code", status.get("code")))
    span.failed = code in _FAILED
    message = get("status_message", status.get("description", status.get("message")))
    span.message = str(message or "")
    events = get("events")
    span.events = (
        [_event(each) for each in events if isinstance(each, dict)]
        if isinstance(events, list)
        else []
    )
    scope = get("instrumentationScope", get("instrumentationLibrary"))
    if isinstance(scope, dict):
        span.scope = str(scope.get("name") or "")
    return span


def _event(tree: dict[str, Any]) -> tuple[str, int | None, dict[str, Any]]:
    at = nanoseconds(tree.get("timestamp", tree.get("time")))
    return str(tree.get("name") or ""), at, flat(tree.get("attributes"))


def flat(tree: Any) -> dict[str, Any]:
    """Return attributes by their dotted names; some tools keep them as trees."""
    found: dict[str, Any] = {}
    if not isinstance(tree, dict):
        return found
    for key, value in tree.items():
        if key in _GROUPS and isinstance(value, dict):
            _flatten(value, key, found, 0)
        elif value is not None:
            found[key] = value
    return found


def _flatten(tree: Any, prefix: str, found: dict[str, Any], level: int) -> None:
    if isinstance(tree, dict) and level < _DEEPEST:
        for key, value in tree.items():
            _flatten(value, f"{prefix}.{key}", found, level + 1)
    elif isinstance(tree, list) and tree and all(isinstance(each, dict) for each in tree):
        for number, value in enumerate(tree):
            _flatten(value, f"{prefix}.{number}", found, level + 1)
    elif tree is not None:
        found[prefix] = tree
