"""Haystack's own spans: its tracer names operations and tags, and writes values as JSON."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.importers.reading import (
    Reading,
    has_usage,
    mapping,
    note_meta,
    note_replies,
    note_retrieval,
    replies_of,
    settled,
    told,
    told_now,
)
from inspector.runfile.roles import provider_of, role_of

if TYPE_CHECKING:
    from inspector.importers.foreign import ForeignSpan

PIPELINE, COMPONENT = "haystack.pipeline.run", "haystack.component.run"
AGENT, STEP = "haystack.agent.run", "haystack.agent.step"
LLM, TOOL = "haystack.agent.step.llm", "haystack.agent.step.tool"
_NAMES = frozenset({PIPELINE, "haystack.async_pipeline.run", COMPONENT, AGENT, STEP, LLM, TOOL})
_HIDDEN = "its tracer was not allowed to write contents (HAYSTACK_CONTENT_TRACING_ENABLED)"

_OF_COMPONENT = frozenset(
    f"haystack.component.{tag}"
    for tag in ("name", "type", "fully_qualified_type", "input", "output", "input_types",
                "input_spec", "output_spec", "visits")
)  # fmt: skip

# What only spans of an operation have, where their name says something else.
_BY_TAG = (
    ("haystack.component.name", COMPONENT),
    ("haystack.component.type", COMPONENT),
    ("haystack.pipeline.max_runs_per_component", PIPELINE),
    ("haystack.pipeline.input_data", PIPELINE),
    ("haystack.agent.max_steps", AGENT),
    ("haystack.agent.step.llm.input", LLM),
    ("haystack.agent.step.tool.input", TOOL),
    ("haystack.tool.name", TOOL),
    ("haystack.agent.step", STEP),
)


def operation_of(span: ForeignSpan) -> str:
    """Return which of Haystack's operations a span is; empty where it is none."""
    if span.name in _NAMES:
        return span.name
    attributes = span.attributes
    for tag, operation in _BY_TAG:
        if tag in attributes:
            return operation
    return span.name if span.name.startswith("haystack.") and not _is_others(span) else ""


def _is_others(span: ForeignSpan) -> bool:
    return any(key.startswith(("gen_ai.", "llm.", "traceloop.")) for key in span.attributes)


def read(span: ForeignSpan) -> Reading | None:
    """Return what one of Haystack's own spans means; None where it is none."""
    operation = operation_of(span)
    if not operation:
        return None
    return _READERS.get(operation, _other)(span, operation)


def _pipeline(span: ForeignSpan, operation: str) -> Reading:
    attributes = span.attributes
    metadata = mapping(attributes.get("haystack.pipeline.metadata"))
    name = metadata.get("name")
    reading = Reading("pipeline", operation, name if isinstance(name, str) and name else "pipeline")
    reading.role = "pipeline"
    mode = attributes.get("haystack.pipeline.execution_mode")
    reading.mode = mode if isinstance(mode, str) else ""
    if not reading.mode and operation.startswith("haystack.async"):
        reading.mode = "async"
    _values(span, reading, "haystack.pipeline.input_data", "haystack.pipeline.output_data")
    return reading


def _component(span: ForeignSpan, operation: str) -> Reading:
    attributes = span.attributes
    name = attributes.get("haystack.component.name")
    short = attributes.get("haystack.component.type")
    qualified = attributes.get("haystack.component.fully_qualified_type")
    reading = Reading("component", operation, str(name or short or operation))
    if not name:
        reading.not_recorded["name"] = "the span does not say which component ran"
    reading.type = str(qualified or short or "")
    taken, given = _specification(attributes, "input"), _specification(attributes, "output")
    reading.role = role_of(reading.type, taken, given)
    if reading.role == "other" and isinstance(short, str):
        reading.role = role_of(short, taken, given)
    _values(span, reading, "haystack.component.input", "haystack.component.output")
    _connections(reading, taken, given)
    reading.later = partial(_finish, reading, taken)
    if reading.role in ("llm", "embedding"):
        provider = provider_of(reading.type)
        reading.llm = {"provider": provider} if provider else None
    if reading.role == "embedding" and isinstance(reading.outputs, dict):
        meta = reading.outputs.get("meta")
        if isinstance(meta, dict):
            note_replies(reading, {"meta": [meta]})
    elif reading.role != "agent":
        _take_replies(reading)
    reading.used = _OF_COMPONENT
    return reading


def _take_replies(reading: Reading) -> None:
    before = reading.usage
    note_replies(reading, reading.outputs)
    if reading.usage is not before and reading.role == "other":
        # Whatever its class is called: who gives back replies with usage calls a model.
        reading.role = "llm"


def _specification(attributes: dict[str, Any], side: str) -> dict[str, Any]:
    return mapping(attributes.get(f"haystack.component.{side}_spec"))


def _connections(reading: Reading, taken: dict[str, Any], given: dict[str, Any]) -> None:
    if not taken and not given:
        return
    senders: dict[str, Any] = {}
    for socket, said in taken.items():
        names = said.get("senders") if isinstance(said, dict) else None
        if isinstance(names, list) and names:
            senders[socket] = names
    reading.senders = senders or None
    receivers = {
        socket: said["receivers"]
        for socket, said in given.items()
        if isinstance(said, dict) and isinstance(said.get("receivers"), list) and said["receivers"]
    }
    reading.receivers = receivers or None
    reading.facts = {"inputs": _types(taken), "outputs": _types(given)}


def _finish(reading: Reading, taken: dict[str, Any]) -> None:
    reading.inputs, reading.outputs = settled(reading.inputs), settled(reading.outputs)
    if isinstance(reading.inputs, dict):
        # What nobody in the pipeline sends came from the caller.
        senders = reading.senders or {}
        free = {socket: [None] for socket in taken if socket in reading.inputs}
        reading.senders = {**free, **senders} or None
    if reading.role in ("llm", "agent"):
        _take_meta(reading)
    if reading.role == "retrieval":
        note_retrieval(reading)


def _take_meta(reading: Reading) -> None:
    """Take the model of a call that reports no usage; its usage has been looked for already."""
    if reading.role == "llm" and "name" not in (reading.llm or {}):
        for reply in replies_of(reading.outputs):
            if isinstance(meta := reply.get("meta"), dict):
                note_meta(reading, meta)


def _types(sockets: dict[str, Any]) -> dict[str, str]:
    return {
        socket: str(said.get("type", "")) if isinstance(said, dict) else str(said)
        for socket, said in sockets.items()
    }


def _agent(span: ForeignSpan, operation: str) -> Reading:
    reading = Reading("agent", operation, "agent")
    reading.role = "agent"
    _values(span, reading, "haystack.agent.input", "haystack.agent.output")
    return reading


def _step(span: ForeignSpan, operation: str) -> Reading:
    number = span.attributes.get("haystack.agent.step")
    if isinstance(number, str) and number.isdigit():
        number = int(number)
    reading = Reading("step", operation, f"step {number}" if number is not None else "step")
    reading.role = "agent"
    reading.step = number if type(number) is int else None
    reading.used |= {"haystack.agent.step"}
    return reading


def _llm(span: ForeignSpan, operation: str) -> Reading:
    reading = Reading("llm", operation, "llm")
    reading.role = "llm"
    _values(span, reading, "haystack.agent.step.llm.input", "haystack.agent.step.llm.output")
    note_replies(reading, reading.outputs)
    reading.later = partial(_finish, reading, {})
    return reading


def _tool(span: ForeignSpan, operation: str) -> Reading:
    reading = Reading("tool", operation, str(span.attributes.get("haystack.tool.name") or "tool"))
    reading.role = "tool"
    _values(span, reading, "haystack.agent.step.tool.input", "haystack.agent.step.tool.output")
    reading.used |= {"haystack.tool.name"}
    return reading


def _other(_span: ForeignSpan, operation: str) -> Reading:
    kind = "hook" if "hook" in operation else "other"
    reading = Reading(kind, operation, operation.removeprefix("haystack."))
    reading.role = kind
    return reading


def _values(span: ForeignSpan, reading: Reading, inputs: str, outputs: str) -> None:
    attributes = span.attributes
    taken, given = attributes.get(inputs), attributes.get(outputs)
    reading.used |= {inputs, outputs}
    if taken is not None:
        reading.inputs = told(taken)
    if given is not None:
        now = has_usage(given) and reading.kind in ("component", "llm")
        reading.outputs = told_now(given) if now else told(given)
    if taken is None and given is None:
        reading.not_recorded["inputs"] = reading.not_recorded["outputs"] = _HIDDEN
    elif given is None and not span.failed:
        reading.not_recorded["outputs"] = "the span has no output"


_READERS = {
    PIPELINE: _pipeline,
    "haystack.async_pipeline.run": _pipeline,
    COMPONENT: _component,
    AGENT: _agent,
    STEP: _step,
    LLM: _llm,
    TOOL: _tool,
}
