"""Langfuse's downloads and exports: a trace with its observations, or rows of observations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.foreign import ForeignSpan, nanoseconds
from inspector.importers.reading import mapping, plain
from inspector.importers.texts import pieces, tree_of
from inspector.importers.traces import runs_of
from inspector.runfile.leaf import LeafError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_PREFIX = "langfuse.observation."
_ROW = ("parentObservationId", "parent_observation_id")
_TOKENS = {
    "promptTokens": "input", "completionTokens": "output", "totalTokens": "total",
    "inputUsage": "input", "outputUsage": "output", "totalUsage": "total",
}  # fmt: skip
_BODIES = ("input", "output", "metadata")


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    keys = head.keys
    if "trace" in keys and ("observations" in keys or head.has(*_ROW)):
        return 90
    if "observations" in keys and (keys & {"scores", "projectId", "timestamp", "latency", "name"}):
        return 90
    if keys & set(_ROW):
        return 85
    rows = head.has(*_ROW) and head.has("projectId", "project_id", "traceId", "trace_id")
    return (
        80
        if rows and keys & {"id", "traceId", "trace_id", "projectId", "observations", "data"}
        else 0
    )


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each trace in the file."""
    facts: dict[str, dict[str, Any]] = {}
    spans = list(_spans(context, facts))
    bare = all(
        not {f"{_PREFIX}input", f"{_PREFIX}output"} & each.attributes.keys() for each in spans
    )
    if spans and bare:
        context.losses.lose(
            "inputs and outputs",
            "Langfuse leaves them out of downloads of traces with very many observations",
        )
    yield from runs_of(spans, context, facts=facts)


def _spans(context: Context, facts: dict[str, dict[str, Any]]) -> Iterator[ForeignSpan]:
    for piece in pieces(context.source, context.name, context.losses, context.at):
        try:
            tree = tree_of(piece.text, context.losses, piece.where)
        except LeafError as error:
            context.losses.skip("document that cannot be read", f"{piece.where} {error}")
            continue
        for trace, rows in _traces(tree):
            for row in _merged(rows):
                span = _span(row, trace, context, facts)
                if span is not None:
                    yield span


def _traces(tree: Any) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Yield of each trace what is said of it, and its observations."""
    if isinstance(tree, list):
        rows = [each for each in tree if not _is_trace(each)]
        for each in tree:
            if _is_trace(each):
                yield from _traces(each)
        if rows:
            yield {}, rows
        return
    if not isinstance(tree, dict):
        return
    if isinstance(tree.get("data"), list) and not _is_trace(tree):
        yield from _traces(tree["data"])
        return
    trace = tree.get("trace")
    trace = trace if isinstance(trace, dict) else tree
    inner, outer = trace.get("observations"), tree.get("observations")
    # Each stands in both lists; bodies are in one of them only.
    rows = [*_listed(outer), *(_listed(inner) if inner is not outer else ())]
    yield (trace, rows) if rows or trace is not tree else ({}, [tree])


def _is_trace(tree: Any) -> bool:
    return isinstance(tree, dict) and (
        "observations" in tree or isinstance(tree.get("trace"), dict)
    )


def _listed(tree: Any) -> list[Any]:
    return tree if isinstance(tree, list) else []


def _merged(rows: list[Any]) -> list[dict[str, Any]]:
    """Put together what is said of the same observation in two places."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if not isinstance(row, dict):
            continue
        known = found.setdefault(str(row.get("id")), {})
        known.update({key: value for key, value in row.items() if known.get(key) is None})
    return list(found.values())


def _span(
    row: dict[str, Any], trace: dict[str, Any], context: Context, facts: dict[str, dict[str, Any]]
) -> ForeignSpan | None:
    def of(*names: str) -> Any:
        return next((row[name] for name in names if row.get(name) is not None), None)

    if of("id") is None:
        context.losses.skip("observation without an id")
        return None
    trace_id = str(of("traceId", "trace_id") or trace.get("id") or "")
    if trace_id not in facts:
        facts[trace_id] = {
            "title": trace.get("name") or of("traceName", "trace_name"),
            "inputs": trace.get("input"),
            "outputs": trace.get("output"),
            "session": trace.get("sessionId"),
            "user": trace.get("userId"),
        }
    parent = of(*_ROW)
    span = ForeignSpan(
        trace_id,
        str(row["id"]),
        str(parent) if parent else None,
        str(of("name") or of("type") or ""),
    )
    span.start = nanoseconds(of("startTime", "start_time"))
    span.end = nanoseconds(of("endTime", "end_time"))
    kind = str(of("type") or "SPAN")
    if kind == "EVENT" and span.end is None:
        span.end = span.start
    span.attributes = {
        f"{_PREFIX}type": kind.lower(),
        f"{_PREFIX}model.name": of(
            "model", "providedModelName", "provided_model_name", "internalModel"
        ),
        f"{_PREFIX}usage_details": _usage(row),
        f"{_PREFIX}input": of("input"),
        f"{_PREFIX}output": of("output"),
        "langfuse.completion_start_time": of("completionStartTime", "completion_start_time"),
        "langfuse.cost_details": of("costDetails", "cost_details"),
        "langfuse.version": of("version"),
    }
    for key, value in _metadata(of("metadata")).items():
        span.attributes[f"{_PREFIX}metadata.{key}"] = value
    span.attributes = {
        key: value for key, value in span.attributes.items() if value not in (None, {}, "")
    }
    span.failed = of("level") == "ERROR"
    span.message = str(of("statusMessage", "status_message") or "")
    return span


def _metadata(value: Any) -> dict[str, Any]:
    found = dict(mapping(plain(value)))
    attributes = mapping(plain(found.pop("attributes", None)))
    for key, inner in attributes.items():
        if key.startswith(f"{_PREFIX}metadata."):
            found.setdefault(key.removeprefix(f"{_PREFIX}metadata."), inner)
        elif key.startswith(
            ("haystack.", "gen_ai.operation", "gen_ai.tool.name", "gen_ai.agent.name")
        ):
            found.setdefault(key, inner)
    return found


def _usage(row: dict[str, Any]) -> dict[str, Any]:
    for name in ("usageDetails", "usage_details", "usage"):
        found = mapping(plain(row.get(name)))
        counts = {key: _count(value) for key, value in found.items()}
        counts = {
            _TOKENS.get(key, key): value for key, value in counts.items() if value is not None
        }
        if counts and any(counts.values()):
            return counts
    counts = {ours: _count(row.get(key)) for key, ours in _TOKENS.items() if row.get(key)}
    return {key: value for key, value in counts.items() if value is not None}


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isdigit():
        return int(value)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
