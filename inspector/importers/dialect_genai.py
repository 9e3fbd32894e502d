"""OpenTelemetry's conventions for generative AI, and OpenLLMetry, which grew from them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.importers import messages
from inspector.importers.reading import (
    Reading,
    note_meta,
    note_retrieval,
    plain,
    replies_of,
    settled,
    told,
    usage_in,
)

if TYPE_CHECKING:
    from inspector.importers.foreign import ForeignSpan

OPERATION = "gen_ai.operation.name"
ENTITY = "traceloop.span.kind"

OPERATIONS = {
    "chat": ("llm", "llm"),
    "text_completion": ("llm", "llm"),
    "generate_content": ("llm", "llm"),
    "completion": ("llm", "llm"),
    "embeddings": ("other", "embedding"),
    "execute_tool": ("tool", "tool"),
    "invoke_agent": ("agent", "agent"),
    "create_agent": ("agent", "agent"),
    "invoke_workflow": ("pipeline", "pipeline"),
    "retrieval": ("other", "retrieval"),
}
_ENTITIES = {
    "workflow": ("pipeline", "pipeline"),
    "task": ("other", "other"),
    "agent": ("agent", "agent"),
    "tool": ("tool", "tool"),
}
_FIGURES = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "total_tokens": ("total_tokens",),
    "cached_tokens": (
        "cache_read.input_tokens",
        "cache_read_input_tokens",
        "details.cache_read_tokens",
    ),
    "cache_creation": ("cache_creation.input_tokens", "cache_creation_input_tokens"),
    "reasoning_tokens": ("reasoning_tokens", "details.reasoning_tokens", "reasoning.output_tokens"),
}
_EVENT_ROLES = ("system", "user", "assistant", "tool")
_JUNK = "replies"


def read(span: ForeignSpan) -> Reading | None:
    """Return what a span of these dialects means; None where it is of none."""
    attributes = span.attributes
    said, entity = attributes.get(OPERATION), attributes.get(ENTITY)
    if said is not None:
        kind, role = OPERATIONS.get(str(said), ("other", "other"))
    elif entity is not None:
        kind, role = _ENTITIES.get(str(entity), ("other", "other"))
    elif "llm.request.type" in attributes or "gen_ai.request.model" in attributes:
        embeds = "embed" in str(attributes.get("llm.request.type", ""))
        kind, role = ("other", "embedding") if embeds else ("llm", "llm")
    else:
        return None
    reading = Reading(kind, span.name, _name(attributes, span.name, kind))
    reading.role = role
    reading.used |= frozenset((OPERATION, ENTITY, "traceloop.entity.name", "llm.request.type"))
    if kind == "llm" or role == "embedding":
        _note_llm(attributes, reading)
    reading.later = partial(_values, span, reading)
    return reading


def add_to(reading: Reading, span: ForeignSpan) -> None:
    """Add to what Haystack's own attributes say what these conventions know beyond that."""
    other = read(span)
    if other is None:
        return
    reading.usage = reading.usage or other.usage
    reading.llm = {**(other.llm or {}), **(reading.llm or {})} or None
    if reading.role in ("", "other"):
        reading.role = other.role
    if reading.inputs is None and reading.outputs is None:
        before, after = reading.later, other.later

        def later() -> None:
            if after is not None:
                after()
            reading.inputs, reading.outputs = other.inputs, other.outputs
            for field in ("inputs", "outputs"):
                if getattr(reading, field) is not None:
                    reading.not_recorded.pop(field, None)
            if before is not None:
                before()

        reading.later = later
    reading.used |= other.used


def _values(span: ForeignSpan, reading: Reading) -> None:
    attributes = span.attributes
    if reading.kind == "tool":
        _tool(attributes, reading)
    _messages(span, reading)
    _entity(attributes, reading)
    if reading.role == "retrieval":
        _retrieval(attributes, reading)
    for field in ("inputs", "outputs"):
        if getattr(reading, field) is None and not (field == "outputs" and span.failed):
            reading.not_recorded.setdefault(field, f"the span has no {field[:-1]}")


def _name(attributes: dict[str, Any], name: str, kind: str) -> str:
    keys = {
        "tool": ("gen_ai.tool.name", "traceloop.entity.name"),
        "agent": ("gen_ai.agent.name", "traceloop.entity.name"),
        "pipeline": ("gen_ai.workflow.name", "traceloop.entity.name"),
        "other": ("traceloop.entity.name",),
    }.get(kind, ())
    for key in keys:
        if isinstance(value := attributes.get(key), str) and value:
            return value
    return name


def _note_llm(attributes: dict[str, Any], reading: Reading) -> None:
    raw: dict[str, Any] = {}
    for ours, theirs in _FIGURES.items():
        for key in theirs:
            count = attributes.get(f"gen_ai.usage.{key}", attributes.get(f"llm.usage.{key}"))
            if count is not None:
                raw[ours] = count
                break
    cached, written = raw.pop("cached_tokens", None), raw.pop("cache_creation", None)
    details = {"cached_tokens": cached, "cache_write_tokens": written}
    if any(value is not None for value in details.values()):
        raw["prompt_tokens_details"] = {k: v for k, v in details.items() if v is not None}
    if (reasoning := raw.pop("reasoning_tokens", None)) is not None:
        raw["completion_tokens_details"] = {"reasoning_tokens": reasoning}
    provider = attributes.get("gen_ai.provider.name") or attributes.get("gen_ai.system")
    reading.usage = usage_in(raw, str(provider).lower() if provider else None)
    reasons = plain(attributes.get("gen_ai.response.finish_reasons"))
    llm = {
        "name": attributes.get("gen_ai.response.model") or attributes.get("gen_ai.request.model"),
        "provider": str(provider).lower() if provider else None,
        "finish_reason": reasons[0] if isinstance(reasons, list) and reasons else None,
    }
    reading.llm = {key: str(value) for key, value in llm.items() if value} or None
    reading.used |= frozenset(key for key in attributes if key.startswith("gen_ai.usage."))


def _tool(attributes: dict[str, Any], reading: Reading) -> None:
    arguments = attributes.get("gen_ai.tool.call.arguments", attributes.get("tool_arguments"))
    outcome = attributes.get("gen_ai.tool.call.result", attributes.get("tool_response"))
    reading.inputs, reading.outputs = told(arguments), told(outcome)
    if (call_id := attributes.get("gen_ai.tool.call.id")) is not None:
        reading.tool_call = {"id": str(call_id)}
    reading.used |= frozenset(
        ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.tool.call.id",
         "gen_ai.tool.name", "tool_arguments", "tool_response")
    )  # fmt: skip


def _messages(span: ForeignSpan, reading: Reading) -> None:
    attributes = span.attributes
    asked: list[Any] = []
    system = plain(attributes.get("gen_ai.system_instructions"))
    if system:
        asked.append(messages.from_parts({"role": "system", "parts": _listed(system)}))
    asked += [
        messages.from_parts(each)
        for each in _listed(plain(attributes.get("gen_ai.input.messages")))
    ]
    said = _listed(plain(attributes.get("gen_ai.output.messages")))
    answered = [messages.from_parts(each) for each in said]
    if not asked and not answered:
        every = _listed(plain(attributes.get("pydantic_ai.all_messages")))
        asked = [messages.from_parts(each) for each in every]
    if not asked:
        asked = [_numbered(each, "user") for each in messages.nested(attributes, "gen_ai.prompt")]
    if not answered:
        answered = _completions(attributes, reading)
    if not asked and not answered:
        asked, answered = _from_events(span)
    reading.used |= frozenset(
        key
        for key in attributes
        if key.startswith(("gen_ai.prompt.", "gen_ai.completion.", "gen_ai.input.messages",
                           "gen_ai.output.messages", "gen_ai.system_instructions"))
    )  # fmt: skip
    if asked:
        reading.inputs = {"messages": asked}
    if answered:
        reading.outputs = {"replies": answered}
        for reply in replies_of(reading.outputs):
            note_meta(reading, reply.get("meta") or {})


def _listed(tree: Any) -> list[Any]:
    if tree is None:
        return []
    return tree if isinstance(tree, list) else [tree]


def _completions(attributes: dict[str, Any], reading: Reading) -> list[Any]:
    found = messages.nested(attributes, "gen_ai.completion")
    if found and all(each.get("content") == _JUNK for each in found):
        reading.not_recorded["outputs"] = (
            f"the instrumentation wrote the word {_JUNK!r} in place of the reply"
        )
        return []
    return [_numbered(each, "assistant") for each in found]


def _numbered(tree: dict[str, Any], role: str) -> dict[str, Any]:
    parts = []
    content = plain(tree.get("content"))
    if isinstance(content, list):
        parts = [
            messages.text(part["text"])
            if isinstance(part, dict) and "text" in part
            else messages.text(part)
            for part in content
        ]
    elif content is not None:
        parts = [messages.text(tree["content"])]
    for each in messages.numbered(tree.get("tool_calls")):
        if isinstance(each, dict):
            parts.append(messages.call(each.get("name"), each.get("arguments", {}), each.get("id")))
    made = messages.chat_message(tree.get("role", role), parts)
    if isinstance(tree.get("finish_reason"), str):
        made["meta"] = {"finish_reason": tree["finish_reason"]}
    return made


def _from_events(span: ForeignSpan) -> tuple[list[Any], list[Any]]:
    """Read the older way: each message an event of the span."""
    asked, answered = [], []
    for name, _, attributes in span.events:
        if name == "gen_ai.choice":
            inner = plain(attributes.get("message"))
            tree = (
                inner
                if isinstance(inner, dict)
                else {"content": attributes.get("message", attributes.get("content"))}
            )
            answered.append(_numbered({"role": "assistant", **tree}, "assistant"))
        elif name.startswith("gen_ai.") and name.endswith(".message"):
            role = name.removeprefix("gen_ai.").removesuffix(".message")
            if role in _EVENT_ROLES:
                asked.append(_numbered({"role": role, "content": attributes.get("content")}, role))
        elif name == "gen_ai.client.inference.operation.details":
            asked += [
                messages.from_parts(m)
                for m in _listed(plain(attributes.get("gen_ai.input.messages")))
            ]
            answered += [
                messages.from_parts(m)
                for m in _listed(plain(attributes.get("gen_ai.output.messages")))
            ]
    return asked, answered


def _entity(attributes: dict[str, Any], reading: Reading) -> None:
    keys = ("traceloop.entity.input", "traceloop.entity.output")
    reading.used |= frozenset(keys)
    inputs, outputs = (settled(told(attributes.get(key))) for key in keys)
    if isinstance(inputs, dict) and inputs.keys() == {"args", "kwargs"} and not inputs["args"]:
        inputs = inputs["kwargs"]
    if reading.inputs is None:
        reading.inputs = inputs
    if reading.outputs is None:
        reading.outputs = outputs


def _retrieval(attributes: dict[str, Any], reading: Reading) -> None:
    query = attributes.get("gen_ai.retrieval.query.text")
    documents = settled(told(attributes.get("gen_ai.retrieval.documents")))
    if query is not None and reading.inputs is None:
        reading.inputs = {"query": query}
    if documents is not None and reading.outputs is None:
        reading.outputs = {"documents": documents}
    note_retrieval(reading)
