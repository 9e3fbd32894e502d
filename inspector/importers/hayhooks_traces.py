"""What `GET /traces` of a Hayhooks server answers: a few recent traces, cut short in many ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import ForeignSpan
from inspector.importers.texts import pieces, tree_of
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_MS = 1_000_000
_LOST = (
    ("tokens", "Hayhooks keeps none in its traces"),
    ("times below a millisecond", "Hayhooks keeps whole milliseconds"),
    ("long values", "Hayhooks cuts values at 500 characters and keeps 8 tags a span"),
    ("inputs and outputs", "Hayhooks keeps them only with HAYHOOKS_TRACING_INCLUDE_PAYLOAD_VALUES"),
)


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if "traces" in head.keys and (
        head.has("start_time_ms", "root_span") or not head.inner_keys("traces")
    ):
        return 90
    return 85 if "root_span" in head.keys else 0


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the answer."""
    facts: dict[str, dict[str, Any]] = {}
    spans = list(_spans(context, facts))
    for what, why in _LOST:
        if what != "inputs and outputs" or not _has_payloads(spans):
            context.losses.lose(what, why)
    yield from runs_of(spans, context, facts=facts)


def _has_payloads(spans: list[ForeignSpan]) -> bool:
    return any(
        key.endswith((".input", ".output", ".output_data"))
        for span in spans
        for key in span.attributes
    )


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("document that cannot be read", f"{piece.where} {error}")
            continue
        for answer in tree if isinstance(tree, list) else [tree]:
            if not isinstance(answer, dict):
                continue
            if answer.get("has_more"):
                context.losses.lose("older traces", "the answer holds the newest only (has_more)")
            traces = answer.get("traces", [answer] if "root_span" in answer else [])
            for trace in traces if isinstance(traces, list) else []:
                if isinstance(trace, dict):
                    yield from _trace(trace, context, facts)


def _trace(
    trace: dict[str, Any], context: Context, facts: dict[str, dict[str, Any]]
) -> Iterator[ForeignSpan]:
    trace_id = str(trace.get("trace_id") or "")
    facts[trace_id] = {"title": trace.get("entrypoint"), "entrypoint": trace.get("entrypoint")}
    count = 0
    for span in spans_of(trace):
        count += 1
        yield span
    said = trace.get("span_count")
    if isinstance(said, int) and said > count:
        context.losses.skip(
            "span that Hayhooks did not keep", "there were more than it keeps", said - count
        )


def spans_of(trace: dict[str, Any]) -> Iterator[ForeignSpan]:
    """Yield the spans of one trace, parents before what they contain."""
    trace_id = str(trace.get("trace_id") or "")
    waiting: list[tuple[Any, str | None]] = [(trace.get("root_span"), None)]
    count = 0
    while waiting:
        tree, parent = waiting.pop()
        if not isinstance(tree, dict):
            continue
        count += 1
        span = _span(tree, trace_id, parent or None, count)
        children = tree.get("children")
        if isinstance(children, list):
            waiting += [(child, span.id) for child in reversed(children)]
        yield span


def _span(tree: dict[str, Any], trace_id: str, parent: str | None, number: int) -> ForeignSpan:
    span = ForeignSpan(
        trace_id, str(tree.get("span_id") or f"#{number}"), parent, str(tree.get("name") or "")
    )
    start, duration = tree.get("start_time_ms"), tree.get("duration_ms")
    if isinstance(start, (int, float)):
        span.start = int(start * _MS)
        if isinstance(duration, (int, float)) and not tree.get("running"):
            span.end = span.start + int(duration * _MS)
    tags = tree.get("tags")
    for tag in tags if isinstance(tags, list) else []:
        if isinstance(tag, dict) and isinstance(tag.get("key"), str):
            span.attributes[tag["key"]] = _value(tag.get("value"))
    attributes = span.attributes
    failed = attributes.get("hayhooks.success") == "false" or "hayhooks.error.type" in attributes
    span.failed = failed
    if failed:
        names = {"type": "type", "message": "message", "stack": "stacktrace"}
        error = {
            f"exception.{theirs}": attributes[f"hayhooks.error.{ours}"]
            for ours, theirs in names.items()
            if f"hayhooks.error.{ours}" in attributes
        }
        span.events = [("exception", None, error)]
    return span


def _value(value: Any) -> Any:
    """Return a tag's value; they are all texts here, and a number is wanted where one was."""
    if isinstance(value, str) and value.isdigit() and len(value) < 10:
        return int(value)
    return value
