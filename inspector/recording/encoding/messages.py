"""Chat messages with all their parts, and the chunks that they stream in."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.fields import KNOWN_CLASSES, bare, fields_of, put_the_rest
from inspector.recording.encoding.known_messages import KnownMessage, snapshot
from inspector.recording.encoding.leaves import INLINE_CHARS
from inspector.recording.encoding.plain import encode_dict
from inspector.recording.encoding.scalars import bounded_repr
from inspector.recording.encoding.walk import mro_of, type_name
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture
    from inspector.recording.encoding.walk import Walk

_MESSAGE = ("_role", "_content", "_name", "_meta")
_TOOL_CALL = {"id": "id", "tool_name": "name", "arguments": "arguments", "extra": "extra"}
_TOOL_RESULT = ("result", "origin", "error")
_DELTA = {
    "index": "index", "tool_name": "name", "arguments": "arguments", "id": "id", "extra": "extra",
}  # fmt: skip
_REASONING = {"reasoning_text": "text", "extra": "extra"}
_COMPONENT = {"name": "name", "type": "type"}
_CHUNK = (
    "content", "meta", "component_info", "index", "tool_calls", "tool_call_result", "start",
    "finish_reason", "reasoning",
)  # fmt: skip

_IN_MESSAGES = "haystack.dataclasses.chat_message."
_IN_CHUNKS = "haystack.dataclasses.streaming_chunk."
_PART_NAMES = {
    f"{_IN_MESSAGES}TextContent": "text",
    f"{_IN_MESSAGES}ToolCall": "tool_call",
    f"{_IN_MESSAGES}ToolCallResult": "tool_result",
    f"{_IN_MESSAGES}ReasoningContent": "reasoning",
}
KNOWN_CLASSES.update((f"{_IN_CHUNKS}ToolCallDelta", f"{_IN_CHUNKS}ComponentInfo"))

# Where nothing is kept by itself any more, however near to the top a message stands.
_INSIDE = 3


def encode_message(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a chat message with all its parts, or find it again."""
    known: KnownMessage | None = c.messages.get(id(value))
    if known is not None and known.value is value and known.is_unchanged():
        return known
    fields = fields_of(value)
    role = fields.get("_role")
    word = c.roles.get(id(role))
    if word is None:
        word = _learn_role(c, role)
    if type(value) in c.known_classes:
        for part in fields.get("_content") or ():
            if type(part) not in c.part_kinds:
                c.part_kinds[type(part)] = _PART_NAMES.get(type_name(type(part)), "")
        known = snapshot(c, value, word)
        if known is not None:
            c.messages.put(id(value), known, 1)
            return known
    return Interned(_message_now(c, value, fields, word, depth + _INSIDE, walk))


def _message_now(
    c: Capture, value: Any, fields: dict[str, Any], role: Any, depth: int, walk: Walk
) -> dict[str, Any]:
    """Encode a message in which there is something unusual, at once."""
    parts: Any = fields.get("_content")
    tree: dict[str, Any] = {TAG: "chat_message", "role": role}
    if type(parts) is list or type(parts) is tuple:
        tree["content"] = [encode_part(c, part, depth, walk) for part in parts]
    else:
        tree["content"] = [c.node(parts, depth, walk)]
    if (name := fields.get("_name")) is not None:
        tree["name"] = c.node(name, depth, walk)
    tree["meta"] = c.node(fields.get("_meta"), depth, walk)
    put_the_rest(c, tree, value, fields, _MESSAGE, depth, walk)
    return tree


def _learn_role(c: Capture, role: Any) -> Any:
    """Return the word for a role, and keep it when roles are of an enumeration."""
    if type(role) is str:
        return role
    try:
        word = fields_of(role)["_value_"]
    except (AttributeError, KeyError):
        word = None
    if type(word) is not str:
        return bounded_repr(role)
    if Enum in mro_of(type(role)):  # its members live as long as it does
        c.roles[id(role)] = word
    return word


def encode_part(c: Capture, part: Any, depth: int, walk: Walk) -> Any:
    """Encode one part of a message."""
    kind = c.part_kinds.get(type(part))
    if kind is None:
        kind = c.part_kinds[type(part)] = _PART_NAMES.get(type_name(type(part)), "")
    if not kind:
        return c.node(part, depth, walk)
    fields = part.__dict__
    if kind == "text":
        text = fields.get("text")
        if type(text) is str and len(fields) == 1:
            return {"text": text if len(text) <= INLINE_CHARS else c.text(text)}
        return bare(c, part, {"text": "text"}, depth, walk)
    if kind == "tool_call":
        return {"tool_call": _tool_call(c, part, fields, depth, walk)}
    if kind == "tool_result":
        return {"tool_result": _tool_result(c, part, fields, depth, walk)}
    return {"reasoning": bare(c, part, _REASONING, depth, walk)}


def _tool_call(
    c: Capture, call: Any, fields: dict[str, Any], depth: int, walk: Walk
) -> dict[str, Any]:
    arguments = fields.get("arguments")
    if len(fields) != 4 or type(arguments) is not dict or fields.get("extra"):
        return bare(c, call, _TOOL_CALL, depth, walk)
    tree: dict[str, Any] = {}
    if (name := fields.get("id")) is not None:
        tree["id"] = name if type(name) is str else c.node(name, depth, walk)
    name = fields.get("tool_name")
    tree["name"] = name if type(name) is str else c.node(name, depth, walk)
    tree["arguments"] = encode_dict(c, arguments, depth, walk)
    if (extra := fields.get("extra")) is not None:
        tree["extra"] = c.node(extra, depth, walk)
    return tree


def _tool_result(
    c: Capture, value: Any, fields: dict[str, Any], depth: int, walk: Walk
) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    if (origin := fields.get("origin")) is not None:
        call = encode_part(c, origin, depth + 1, walk)
        tree["call"] = call.get("tool_call", call) if type(call) is dict else call
    result = fields.get("result")
    if type(result) is str and len(result) <= INLINE_CHARS:
        tree["result"] = result
    elif type(result) is list or type(result) is tuple:
        tree["result"] = [encode_part(c, part, depth + 1, walk) for part in result]
    else:
        tree["result"] = c.node(result, depth, walk)
    error = fields.get("error")
    tree["error"] = error if type(error) is bool else c.node(error, depth, walk)
    if len(fields) > len(_TOOL_RESULT):
        put_the_rest(c, tree, value, fields, _TOOL_RESULT, depth, walk)
    return tree


def encode_part_alone(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a part that stands outside of a message."""
    if type_name(type(value)) not in _PART_NAMES:
        # Of a derived class: its own fields matter, too.
        tree: dict[str, Any] = {}
        put_the_rest(c, tree, value, fields_of(value), (), depth + 1, walk)
        return {TAG: "object", "type": tree["class"], "fields": tree.get("extra_fields", {})}
    part = encode_part(c, value, depth + _INSIDE, walk)
    return {TAG: "object", "type": type_name(type(value)), "fields": part}


def encode_chunk(  # noqa: C901 - one branch a field
    c: Capture, value: Any, depth: int, walk: Walk
) -> Any:
    """Encode a chunk of a stream: its content and whatever else is set."""
    fields = fields_of(value)
    inside = depth + _INSIDE
    content = fields.get("content")
    meta = fields.get("meta")
    tree: dict[str, Any] = {TAG: "streaming_chunk"}
    if type(content) is str and len(content) <= INLINE_CHARS:
        tree["content"] = content
    elif content is not None:
        tree["content"] = c.node(content, inside, walk)
    if type(meta) is dict:
        tree["meta"] = encode_dict(c, meta, inside, walk)
    elif meta is not None:
        tree["meta"] = c.node(meta, inside, walk)
    for name in ("index", "finish_reason"):
        if (item := fields.get(name)) is not None:
            tree[name] = item if type(item) is str else c.node(item, inside, walk)
    if (start := fields.get("start")) is not None and start is not False:
        tree["start"] = c.node(start, inside, walk)
    if (info := fields.get("component_info")) is not None:
        tree["component"] = _component(c, info, inside, walk)
    calls: Any = fields.get("tool_calls")
    if type(calls) is list or type(calls) is tuple:
        tree["tool_calls"] = [bare(c, call, _DELTA, inside, walk) for call in calls]
    elif calls is not None:
        tree["tool_calls"] = c.node(calls, inside, walk)
    if (result := fields.get("tool_call_result")) is not None:
        part = encode_part(c, result, inside, walk)
        tree["tool_call_result"] = part.get("tool_result", part)
    if (thought := fields.get("reasoning")) is not None:
        tree["reasoning"] = bare(c, thought, _REASONING, inside, walk)
    if len(fields) > len(_CHUNK) or type(value) not in c.known_classes:
        put_the_rest(c, tree, value, fields, _CHUNK, inside, walk)
    return tree


def _component(c: Capture, info: Any, depth: int, walk: Walk) -> dict[str, Any]:
    fields = fields_of(info)
    name, kind = fields.get("name"), fields.get("type")
    if type(name) is str and type(kind) is str and len(fields) == 2:
        return {"name": name, "type": kind}
    return bare(c, info, _COMPONENT, depth, walk)
