"""Haystack's own classes in the closed table of what a replay makes from a file."""

from __future__ import annotations

from collections import deque
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from haystack.dataclasses import (
    ByteStream,
    ChatMessage,
    ChatRole,
    Document,
    ExtractedAnswer,
    FileContent,
    GeneratedAnswer,
    ImageContent,
    ReasoningContent,
    SparseEmbedding,
    StreamingChunk,
    TextContent,
    ToolCall,
    ToolCallResult,
)
from haystack.dataclasses.streaming_chunk import ComponentInfo, ToolCallDelta

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.replay.revive import Maker, Reviver

    Make = Callable[[Reviver, dict[str, Any], int], Maker]

_ROLES = {role.value: role for role in ChatRole}


def _arguments(
    reviver: Reviver, tree: dict[str, Any], depth: int, names: dict[str, str]
) -> list[tuple[str, Maker]]:
    return [
        (argument, reviver.maker(tree[name], depth + 1))
        for name, argument in names.items()
        if name in tree
    ]


def _built(cls: type, names: dict[str, str]) -> Make:
    """Return how a dataclass is made whose fields are in the file."""
    default = {
        each.name: None
        for each in fields(cls)
        if each.default is None or each.default is MISSING is each.default_factory
    }

    def make(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
        parts = _arguments(reviver, tree, depth, names)
        if all(name in default for name, _ in parts):
            return lambda: _quick(cls, {**default, **{name: part() for name, part in parts}})
        return lambda: cls(**{name: part() for name, part in parts})

    return make


def _quick(cls: type, fields: dict[str, Any]) -> Any:
    """Make an object past its constructor.

    Haystack's dataclasses watch each attribute that is set, which takes longer than all
    the rest of an answer.
    """
    made: Any = object.__new__(cls)
    made.__dict__.update(fields)
    return made


def _same(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_call = _built(
    ToolCall, {"name": "tool_name", "arguments": "arguments", "id": "id", "extra": "extra"}
)
_reasoning = _built(ReasoningContent, {"text": "reasoning_text", "extra": "extra"})
_component = _built(ComponentInfo, _same("name", "type"))
_delta = _built(
    ToolCallDelta,
    {"index": "index", "name": "tool_name", "arguments": "arguments", "id": "id", "extra": "extra"},
)


def _result(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    said = tree.get("result")
    result = _parts(reviver, said, depth) if isinstance(said, list) else reviver.maker(said)
    origin = _call(reviver, tree.get("call") or {"name": "", "arguments": {}}, depth)
    error = bool(tree.get("error"))
    return lambda: ToolCallResult(result=result(), origin=origin(), error=error)


def _parts(reviver: Reviver, parts: list[Any], depth: int) -> Maker:
    makers = [_part(reviver, part, depth) for part in parts]
    if len(makers) == 1:
        only = makers[0]
        return lambda: [only()]
    return lambda: [make() for make in makers]


def _part(reviver: Reviver, part: Any, depth: int) -> Maker:
    if not isinstance(part, dict) or "$" in part:
        return reviver.maker(part, depth + 1)
    if "text" in part:
        text = reviver.maker(part["text"], depth + 1)()
        return lambda: _quick(TextContent, {"text": text})
    if "tool_call" in part:
        return _call(reviver, part["tool_call"], depth)
    if "tool_result" in part:
        return _result(reviver, part["tool_result"], depth)
    if "reasoning" in part:
        return _reasoning(reviver, part["reasoning"], depth)
    return reviver.maker(part, depth + 1)


def _message(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    role = _ROLES.get(str(tree.get("role")), ChatRole.ASSISTANT)
    content = tree.get("content")
    parts = _parts(reviver, content if isinstance(content, list) else [], depth)
    meta = reviver.remark(tree.get("meta") or {}, depth + 1)
    name = reviver.maker(tree.get("name"), depth + 1)()
    return lambda: _quick(
        ChatMessage, {"_role": role, "_content": parts(), "_name": name, "_meta": meta()}
    )


_DOCUMENT = _same("id", "content", "meta", "score", "embedding", "sparse_embedding", "blob")


def _document(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    parts = _arguments(reviver, tree, depth, _DOCUMENT)
    extra = tree.get("extra_fields")
    if isinstance(extra, dict):
        parts += _arguments(reviver, extra, depth, _same(*extra))

    def make() -> Any:
        # Past its constructor, too, which would hash the content to make an id.
        return _quick(
            Document, {**_EMPTY_DOCUMENT, "meta": {}, **{name: part() for name, part in parts}}
        )

    return make


_EMPTY_DOCUMENT = dict.fromkeys(_DOCUMENT)


def _chunk(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    parts = _arguments(reviver, tree, depth, _same("content", "index", "start", "finish_reason"))
    if "meta" in tree:
        parts.append(("meta", reviver.remark(tree["meta"], depth + 1)))
    if isinstance(info := tree.get("component"), dict):
        parts.append(("component_info", _component(reviver, info, depth)))
    if isinstance(calls := tree.get("tool_calls"), list):
        deltas = [_delta(reviver, call, depth) for call in calls]
        parts.append(("tool_calls", lambda: [make() for make in deltas]))
    if isinstance(result := tree.get("tool_call_result"), dict):
        parts.append(("tool_call_result", _result(reviver, result, depth)))
    if isinstance(thought := tree.get("reasoning"), dict):
        parts.append(("reasoning", _reasoning(reviver, thought, depth)))
    if "content" not in tree:
        parts.append(("content", str))
    empty = {**dict.fromkeys(_CHUNK), "start": False}
    if "meta" not in tree:
        parts.append(("meta", dict))
    return lambda: _quick(StreamingChunk, {**empty, **{name: part() for name, part in parts}})


_CHUNK = [each.name for each in fields(StreamingChunk)]


def _answer(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    if tree.get("type") == "extracted":
        offsets = [
            (f"{name}_offset", _offset(reviver, tree.get(f"{name}_offset"), depth))
            for name in ("document", "context")
        ]
        names = _same("query", "score", "data", "document", "context", "meta")
        parts = _arguments(reviver, tree, depth, names) + offsets
        given = dict.fromkeys(("query", "score", "data", "document", "context"))
        return lambda: ExtractedAnswer(**{**given, **{name: part() for name, part in parts}})
    parts = _arguments(reviver, tree, depth, _same("data", "query", "documents", "meta"))
    return lambda: GeneratedAnswer(**{name: part() for name, part in parts})


def _offset(reviver: Reviver, tree: Any, depth: int) -> Maker:
    fields = tree.get("fields") if isinstance(tree, dict) else None
    if not isinstance(fields, dict):
        return lambda: None
    inner = reviver.fields(fields, depth + 1)
    return lambda: ExtractedAnswer.Span(**inner())


def _byte_stream(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
    parts = _arguments(reviver, tree, depth, _same("data", "mime_type", "meta"))
    return lambda: ByteStream(**{name: part() for name, part in parts})


def _from_base64(cls: Callable[..., Any], source: str, *names: str) -> Make:
    def make(reviver: Reviver, tree: dict[str, Any], depth: int) -> Maker:
        from inspector.replay.revive import base64_of

        text = base64_of(tree.get("data"))
        parts = _arguments(reviver, tree, depth, _same(*names))
        # It was validated when it was made; doing so again would need further packages.
        return lambda: cls(
            **{source: text, "validation": False, **{name: part() for name, part in parts}}
        )

    return make


BY_TAG: dict[str, Make] = {
    "answer": _answer,
    "byte_stream": _byte_stream,
    "chat_message": _message,
    "document": _document,
    "file": _from_base64(FileContent, "base64_data", "mime_type", "filename", "extra"),
    "image": _from_base64(ImageContent, "base64_image", "mime_type", "detail", "meta"),
    "sparse_embedding": _built(SparseEmbedding, _same("indices", "values")),
    "streaming_chunk": _chunk,
}
"""How each tag of the format is made that stands for a class of Haystack."""

_DATA = "haystack.dataclasses."
_HITL = "haystack.hooks.human_in_the_loop.dataclasses."


def _of_part(reviver: Reviver, fields: dict[str, Any], depth: int) -> Maker:
    return _part(reviver, fields, depth)


def _decision(name: str) -> Make:
    def make(reviver: Reviver, fields: dict[str, Any], depth: int) -> Maker:
        from haystack.hooks.human_in_the_loop import dataclasses

        cls = getattr(dataclasses, name)
        inner = reviver.fields(fields, depth + 1)
        return lambda: cls(**inner())

    return make


def _deque(reviver: Reviver, fields: dict[str, Any], depth: int) -> Maker:
    inner = reviver.maker(fields.get("items") or [], depth + 1)
    return lambda: deque(inner())


BY_TYPE: dict[str, Make] = {
    **{
        f"{_DATA}chat_message.{name}": _of_part
        for name in ("TextContent", "ToolCall", "ToolCallResult", "ReasoningContent")
    },
    f"{_DATA}streaming_chunk.ToolCallDelta": _delta,
    f"{_DATA}streaming_chunk.ComponentInfo": _component,
    f"{_HITL}ToolExecutionDecision": _decision("ToolExecutionDecision"),
    f"{_HITL}ConfirmationUIResult": _decision("ConfirmationUIResult"),
    "bytearray": lambda reviver, fields, depth: _wrapped(bytearray, reviver, fields, depth),
    "collections.deque": _deque,
}
"""How the other classes are made that a value may name."""


def _wrapped(
    cls: Callable[[Any], Any], reviver: Reviver, fields: dict[str, Any], depth: int
) -> Maker:
    inner = reviver.maker(fields.get("value"), depth + 1)
    return lambda: cls(inner())
