"""A run as OTLP in JSON, with OpenTelemetry's names for generative AI.

One `ExportTraceServiceRequest`: what collectors take, and what Jaeger opens as a file. Ids are
made of the run's own, so that the same run is the same trace each time.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from inspector.export.kinds import Made, Options
from inspector.export.otlp_attributes import (
    attributes_of,
    attributes_of_run,
    bounded_text,
    span_name,
)
from inspector.recording.environment import our_version
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span

_INTERNAL, _CLIENT = 1, 3
_UNSET, _OK, _ERROR = 0, 1, 2
_SCOPE = "run-inspector"
_LATEST_NS = 2**63 - 1


def make(run: PipelineRun, options: Options) -> Made:
    """Return the trace of a run."""
    began = _began_ns(run)
    notes = () if began else ("The run does not say when it was; its trace begins in 1970.",)
    text = json.dumps(otlp(run), ensure_ascii=True, allow_nan=False)
    return Made({f"{options.name}.otlp.json": text.encode()}, notes)


def otlp(run: PipelineRun) -> dict[str, Any]:
    """Return the request that an exporter would have sent for this run."""
    spans = [_span(run, span) for span in run.spans]
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": attributes_of_run(run)},
                "scopeSpans": [
                    {"scope": {"name": _SCOPE, "version": our_version()}, "spans": spans}
                ],
            }
        ]
    }


def trace_id(run: PipelineRun) -> str:
    """Return 32 hex digits, the same for the same run."""
    return _hex(f"trace {run.id}", 32)


def span_id(run: PipelineRun, name: str) -> str:
    """Return 16 hex digits for the id of a span."""
    return _hex(f"span {run.id} {name}", 16)


def _hex(words: str, digits: int) -> str:
    # A digest that begins with so many zeros, which would be no id, is not going to be met.
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


def _span(run: PipelineRun, span: Span) -> dict[str, Any]:
    began = _began_ns(run)
    end = span.end_ns if span.end_ns is not None else max(run.table.end_of_run(), span.start_ns)
    is_call = span.kind is SpanKind.LLM or (span.kind is SpanKind.COMPONENT and span.role == "llm")
    told: dict[str, Any] = {
        "traceId": trace_id(run),
        "spanId": span_id(run, span.id),
        "parentSpanId": span_id(run, span.parent_id) if span.parent_id is not None else "",
        "name": bounded_text(span_name(run, span)),
        "kind": _CLIENT if is_call else _INTERNAL,
        "startTimeUnixNano": _nano(began + span.start_ns),
        "endTimeUnixNano": _nano(began + max(end, span.start_ns)),
        "attributes": attributes_of(run, span),
        "status": _status(span),
    }
    if span.parent_id is None:
        del told["parentSpanId"]
    if events := _events(span, began + end):
        told["events"] = events
    return told


def _status(span: Span) -> dict[str, Any]:
    if span.status is SpanStatus.OK:
        return {"code": _OK}
    if span.status is SpanStatus.FAILED:
        return {"code": _ERROR, "message": bounded_text(span.error.message if span.error else "")}
    return {"code": _UNSET}


def _events(span: Span, at_ns: int) -> list[dict[str, Any]]:
    error = span.error
    if error is None:
        return []
    said = {
        "exception.type": error.type,
        "exception.message": error.message,
        "exception.stacktrace": error.traceback,
    }
    return [
        {
            "name": "exception",
            "timeUnixNano": _nano(at_ns),
            "attributes": [
                {"key": key, "value": {"stringValue": bounded_text(value)}}
                for key, value in said.items()
                if value
            ],
        }
    ]


def _nano(at_ns: int) -> str:
    """Return a time as the JSON of protobuf spells 64 bits."""
    return str(max(0, min(at_ns, _LATEST_NS)))


def _began_ns(run: PipelineRun) -> int:
    """Return when the run began, in nanoseconds since 1970; 0 where it does not say."""
    said = run.started_at
    if not said:
        return 0
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return max(0, (since.days * 86_400 + since.seconds) * 10**9 + since.microseconds * 1_000)
