"""Attributes of spans by OpenTelemetry's conventions for generative AI, and by Haystack's own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.presentation.outline import span_label
from inspector.presentation.value_text import json_text
from inspector.presentation.values import entries_in, items_in
from inspector.presentation.words import elided
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.value import is_document, is_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.runfile.model import PipelineRun, Span

_LONGEST = 32_000  # characters of one attribute: viewers and collectors refuse far larger ones
_LONGEST_NAME = 200
_MOST_MESSAGES = 200
_LEAST_INT, _MOST_INT = -(2**63), 2**63 - 1
_COMPONENT_OPERATIONS = {"llm": "chat", "embedding": "embeddings", "retrieval": "retrieval"}


def attributes_of_run(run: PipelineRun) -> list[dict[str, Any]]:
    """Return what is said of the program that ran."""
    known = run.environment or {}
    packages = known.get("packages")
    haystack = packages.get("haystack-ai") if isinstance(packages, Mapping) else None
    return _written(
        {
            "service.name": run.name or "haystack",
            "haystack.version": haystack,
            "process.runtime.name": "python",
            "process.runtime.version": known.get("python"),
            "run_inspector.run.id": run.id or None,
            "run_inspector.run.status": str(run.status),
            "run_inspector.redacted": "redacted" in run.header,
        }
    )


def span_name(run: PipelineRun, span: Span) -> str:
    """Return the name of a span by the conventions: `chat gpt-4o`, `execute_tool search`."""
    operation = _operation(span)
    label = span_label(run, span.row)
    if operation in ("chat", "embeddings"):
        label = _model(span) or label
    return elided(f"{operation} {label}" if operation else label, _LONGEST_NAME)


def attributes_of(run: PipelineRun, span: Span) -> list[dict[str, Any]]:
    """Return the attributes of a span."""
    operation = _operation(span)
    said: dict[str, Any] = {"gen_ai.operation.name": operation}
    if operation in ("chat", "embeddings"):
        said |= _call(span)
    elif operation == "execute_tool":
        said |= _tool(span)
    elif operation == "invoke_agent":
        said["gen_ai.agent.name"] = span.name
    elif operation == "invoke_workflow":
        said["gen_ai.workflow.name"] = span.name or run.name
    elif operation == "retrieval":
        said |= _retrieval(span)
    if operation == "chat":
        said |= _messages(span)
    if span.kind is SpanKind.COMPONENT:
        said |= {
            "haystack.component.name": span.name,
            "haystack.component.type": span.type.rpartition(".")[2] or None,
            "haystack.component.fully_qualified_type": span.type or None,
            "haystack.component.visits": span.visit,
        }
        if operation != "chat":
            said |= {
                "haystack.component.input": _json(span.inputs),
                "haystack.component.output": _json(span.outputs),
            }
    elif span.kind is SpanKind.PIPELINE:
        said["haystack.pipeline.input_data"] = _json(span.inputs)
        said["haystack.pipeline.output_data"] = _json(span.outputs)
    if span.kind is SpanKind.STEP:
        said["haystack.agent.step"] = span.step
    if span.error is not None:
        said["error.type"] = span.error.type or "_OTHER"
    said |= {
        "run_inspector.span.id": span.id,
        "run_inspector.span.path": span.path or None,
        "run_inspector.span.status": None if span.status is SpanStatus.OK else str(span.status),
    }
    return _written(said)


def _operation(span: Span) -> str | None:
    match span.kind:
        case SpanKind.LLM:
            return "chat"
        case SpanKind.TOOL:
            return "execute_tool"
        case SpanKind.AGENT:
            return "invoke_agent"
        case SpanKind.PIPELINE:
            return "invoke_workflow"
        case SpanKind.COMPONENT:
            return _COMPONENT_OPERATIONS.get(span.role)
    return None


def _model(span: Span) -> str | None:
    name = (span.llm or {}).get("name")
    return name if isinstance(name, str) and name else None


def _call(span: Span) -> dict[str, Any]:
    known = span.llm or {}
    said: dict[str, Any] = {
        "gen_ai.provider.name": known.get("provider"),
        "gen_ai.request.model": _model(span),
        "gen_ai.response.model": _model(span),
    }
    if isinstance(reason := known.get("finish_reason"), str):
        said["gen_ai.response.finish_reasons"] = [reason]
    if (usage := span.usage) is not None:
        said |= {
            "gen_ai.usage.input_tokens": usage.input_tokens
            if usage.input_tokens is not None
            else usage.embedding_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": usage.cached_input_tokens,
            "gen_ai.usage.cache_creation.input_tokens": usage.cache_write_tokens,
            "gen_ai.usage.reasoning.output_tokens": usage.reasoning_tokens,
        }
    return said


def _tool(span: Span) -> dict[str, Any]:
    call_id = (span.tool_call or {}).get("id")
    given = span.arguments if span.has("arguments") else span.inputs
    outputs = span.outputs
    if isinstance(outputs, Mapping) and list(outputs) == ["result"]:
        outputs = outputs["result"]
    return {
        "gen_ai.tool.name": span.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call_id if isinstance(call_id, str) else None,
        "gen_ai.tool.call.arguments": _json(given),
        "gen_ai.tool.call.result": outputs[:_LONGEST]
        if isinstance(outputs, str)
        else _json(outputs),
    }


def _retrieval(span: Span) -> dict[str, Any]:
    known = span.retrieval or {}
    query = known.get("query")
    if not isinstance(query, str):
        query = next((v for k, v in entries_in(span.inputs) if k == "query"), None)
    found = [
        {"id": item.get("id"), "score": item.get("score")}
        for _, value in entries_in(span.outputs)
        for item in items_in(value) or ()
        if is_document(item)
    ]
    top_k = known.get("top_k")
    return {
        "gen_ai.retrieval.query.text": query if isinstance(query, str) else None,
        "gen_ai.retrieval.documents": _json(found) if found else None,
        "gen_ai.request.top_k": float(top_k) if isinstance(top_k, int) else None,
    }


def _messages(span: Span) -> dict[str, Any]:
    sent, said = list(_in(span.inputs)), list(_in(span.outputs, replies=True))
    for name, value in entries_in(span.inputs):
        if name == "prompt" and isinstance(value, str):
            sent.append({"role": "user", "parts": [{"type": "text", "content": value}]})
    reason = (span.llm or {}).get("finish_reason")
    for message in said:
        message["finish_reason"] = (
            elided(reason, _LONGEST_NAME) if isinstance(reason, str) else "stop"
        )
    return {
        "gen_ai.input.messages": _bounded(sent) if sent else None,
        "gen_ai.output.messages": _bounded(said) if said else None,
    }


def _in(values: Any, *, replies: bool = False) -> Iterator[dict[str, Any]]:
    for name, value in entries_in(values):
        items = items_in(value)
        for item in items if items is not None else ():
            if is_message(item):
                yield _message(item)
            elif replies and name == "replies" and isinstance(item, str):
                yield {"role": "assistant", "parts": [{"type": "text", "content": item}]}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    parts = [{"type": "text", "content": content}] if isinstance(content, str) else []
    parts += [_part(part) for part in items_in(content) or ()]
    role = elided(str(message.get("role") or "unknown"), _LONGEST_NAME)
    told = {"role": role, "parts": parts}
    if isinstance(name := message.get("name"), str):
        told["name"] = elided(name, _LONGEST_NAME)
    return told


def _part(part: Any) -> dict[str, Any]:
    match part:
        case str():
            return {"type": "text", "content": part}
        case {"text": str(text)}:
            return {"type": "text", "content": text}
        case {"reasoning": {"text": str(text)}}:
            return {"type": "reasoning", "content": text}
        case {"tool_call": Mapping() as call}:
            return {
                "type": "tool_call", "id": call.get("id"), "name": str(call.get("name") or ""),
                "arguments": call.get("arguments"),
            }  # fmt: skip
        case {"tool_result": Mapping() as result}:
            origin = result.get("call")
            call_id = origin.get("id") if isinstance(origin, Mapping) else None
            return {"type": "tool_call_response", "id": call_id, "response": result.get("result")}
    kind = part.get("$") if isinstance(part, Mapping) else None
    return {"type": str(kind or "other")}


def _bounded(messages: list[dict[str, Any]]) -> str:
    """Return messages as JSON that is whole: of a long conversation, its end."""
    kept = messages[-_MOST_MESSAGES:]
    text = _dumped(kept)
    while len(text) > _LONGEST and len(kept) > 1:
        kept = kept[len(kept) // 2 :]
        text = _dumped(kept)
    share = _LONGEST
    while len(text) > _LONGEST and share > 1:
        share //= 2  # escapes in JSON take more than the text itself
        text = _dumped([_cut_to(each, share) for each in kept])
    return text


def _cut_to(message: dict[str, Any], share: int) -> dict[str, Any]:
    return {
        **message,
        "parts": [
            {
                key: value if isinstance(value, str) and len(value) <= share
                else elided(value if isinstance(value, str) else _dumped(value), share)
                for key, value in part.items()
                if value is not None
            }
            for part in message["parts"]
        ],
    }  # fmt: skip


def _dumped(tree: Any) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"), default=str)


def _json(value: Any) -> str | None:
    return None if value is None else json_text(value, _LONGEST).text


def _written(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": _value(value)} for key, value in said.items() if value is not None
    ]


def _value(value: Any) -> dict[str, Any]:
    """Return a value as OTLP's AnyValue; 64 bits are text in the JSON of protobuf."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and _LEAST_INT <= value <= _MOST_INT:
        return {"intValue": str(value)}
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(each) for each in value]}}
    return {"stringValue": bounded_text(value if isinstance(value, str) else str(value))}


def bounded_text(words: str) -> str:
    """Return text that protobuf can hold: no halves of characters, and not without end."""
    cut = words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
    return cut.encode("utf-8", "replace").decode("utf-8")
