"""MLflow's traces: of its third schema and the second, and tables of them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import identifier, nanoseconds
from inspector.importers.otlp import span_of
from inspector.importers.reading import mapping, plain
from inspector.importers.texts import pieces, tree_of, whole
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.foreign import ForeignSpan
    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_TABLE = (b"trace_id,", b"request_id,", b"trace,")
_LONGEST_CELL = 2**30
_MARKS = ("trace_metadata", "request_metadata", "mlflow.traceRequestId")


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    keys = head.keys
    if "info" in keys and ("data" in keys or head.has("trace_metadata", "request_metadata")):
        inner = head.inner_keys("info")
        return 90 if inner & {"trace_id", "request_id", "trace_metadata", "trace_location"} else 0
    if keys >= {"trace_id", "trace"} or keys >= {"request_id", "trace"}:
        return 85
    mentions = any(mark.encode() in head.data for mark in _MARKS)
    if head.text.startswith(_TABLE) and mentions:
        return 85
    return 75 if mentions and ("spans" in keys or keys & {"info", "data"}) else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    facts: dict[str, dict[str, Any]] = {}
    yield from runs_of(_spans(context, facts), context, facts=facts)


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    for tree in _trees(context):
        inner = tree.get("trace")
        trace = mapping(plain(inner)) if inner is not None else tree
        found = _of_trace(trace, facts)
        if not found and inner is None:
            context.losses.skip("document without spans")
        yield from found


def _trees(context: Context) -> Iterator[dict[str, Any]]:
    start = context.source.read_at(0, min(64, context.source.size)).lstrip(b"\xef\xbb\xbf")
    if start.startswith(_TABLE):
        yield from _table(whole(context.source, context.name).decode("utf-8", "replace"), context)
        return
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("document that cannot be read", f"{piece.where} {error}")
            continue
        yield from (
            each for each in (tree if isinstance(tree, list) else [tree]) if isinstance(each, dict)
        )


def _table(text: str, context: Context) -> Iterator[dict[str, Any]]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        for row in csv.DictReader(io.StringIO(text)):
            if row.get("trace"):
                yield dict(row)
            else:
                context.losses.skip("row without a trace")
    except csv.Error as error:
        context.losses.skip("rest of a table that cannot be read", str(error))
    finally:
        csv.field_size_limit(before)


def _of_trace(trace: dict[str, Any], facts: dict[str, dict[str, Any]]) -> list[ForeignSpan]:
    info, data = mapping(trace.get("info")), mapping(trace.get("data"))
    spans = data.get("spans", trace.get("spans"))
    made = (
        [_span(each) for each in spans if isinstance(each, dict)] if isinstance(spans, list) else []
    )
    trace_id = str(info.get("trace_id") or info.get("request_id") or "")
    for span in made:
        # All spans of one record belong together, whatever ids its schema gives them.
        span.trace = trace_id or span.trace
    if made:
        tags = mapping(info.get("tags"))
        metadata = mapping(info.get("trace_metadata") or info.get("request_metadata"))
        said = facts.setdefault(made[0].trace, {})
        said["title"] = None
        said["version"] = metadata.get("mlflow.trace_schema.version")
        said["state"] = info.get("state") or info.get("status")
        said["trace_name"] = tags.get("mlflow.traceName")
    return made


def _span(tree: dict[str, Any]) -> ForeignSpan:
    span = span_of(tree)
    context = tree.get("context")
    if isinstance(context, dict):  # the second schema
        span.trace = identifier(context.get("trace_id"))
        span.id = identifier(context.get("span_id"))
        span.parent = identifier(tree.get("parent_id")) or None
        span.start = nanoseconds(tree.get("start_time"))
        span.end = nanoseconds(tree.get("end_time"))
        code = tree.get("status_code") or mapping(tree.get("status")).get("status_code")
        span.failed = "ERROR" in str(code)
        span.message = str(tree.get("status_message") or "")
    return span
