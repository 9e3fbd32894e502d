"""Haystack's own classes, told apart by name: recording imports nothing for them."""

from __future__ import annotations

from marshal import dumps
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.plain import INLINE_CHARS, encode_embedding
from inspector.recording.encoding.scalars import bounded_repr
from inspector.recording.encoding.walk import Walk, mro_of, type_name
from inspector.runfile.interned import Deferred, Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.recording.capture import Capture


def fields_of(value: Any) -> dict[str, Any]:
    """Return the instance dictionary, past whatever the class does about attributes."""
    fields: dict[str, Any] = object.__getattribute__(value, "__dict__")
    return fields


def tagged(
    c: Capture, tag: str, value: Any, names: dict[str, str], depth: int, walk: Walk
) -> dict[str, Any]:
    """Return a tag with an object's fields under the names of the format, None left out."""
    fields = fields_of(value)
    tree: dict[str, Any] = {TAG: tag}
    inside = depth + 1
    for attribute, name in names.items():
        item = fields.get(attribute)
        if item is None:
            continue
        if type(item) is str and len(item) <= INLINE_CHARS:
            tree[name] = item
        elif attribute == "embedding" and type(item) is list:
            tree[name] = encode_embedding(c, item, inside, walk)
        else:
            tree[name] = c.leaf(item, inside, walk)
    return with_the_rest(c, tree, value, fields, names, depth, walk)


def with_the_rest(
    c: Capture, tree: dict[str, Any], value: Any, fields: dict[str, Any], names: Any,
    depth: int, walk: Walk,
) -> dict[str, Any]:  # fmt: skip
    """Add what a newer Haystack or a subclass of the user put into the object."""
    if len(fields) > len(names):
        extra = {
            key: c.leaf(item, depth + 2, walk)
            for key, item in fields.items()
            if key not in names and item is not None
        }
        if extra:
            tree["extra_fields"] = extra
    if (kind := _subclass_name(type(value))) is not None:
        tree["type"] = kind
    return tree


def _subclass_name(kind: type) -> str | None:
    name = type_name(kind)
    return None if name in BY_NAME else name


_DOCUMENT = {
    "id": "id", "content": "content", "meta": "meta", "score": "score",
    "embedding": "embedding", "sparse_embedding": "sparse_embedding", "blob": "blob",
}  # fmt: skip


class KnownDocument:
    """What a document looked like when it was last encoded, under its id."""

    __slots__ = ("content", "embedding", "meta", "node", "score")

    def __init__(
        self, content: Any, score: Any, meta: bytes, embedding: list[Any] | None, node: Interned
    ) -> None:
        self.content = content
        self.score = score
        self.meta = meta
        self.embedding = embedding
        self.node = node


def encode_document(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a document, or find it again.

    Haystack deep-copies documents from component to component. A copy holds the very
    same strings and numbers, so comparing identities shows that it is the same; its
    meta is compared by the bytes that `marshal` makes of plain data, exact down to the
    type of each leaf and the order of the keys, and much cheaper than encoding again.
    """
    fields = value.__dict__
    key = fields.get("id")
    meta = fields.get("meta")
    simple = (
        type(key) is str
        and len(fields) == len(_DOCUMENT)
        and fields["blob"] is None
        and fields["sparse_embedding"] is None
    )
    if not simple:
        return Interned(tagged(c, "document", value, _DOCUMENT, depth, walk))
    try:
        frozen = dumps(meta, 2)
    except ValueError:
        return Interned(tagged(c, "document", value, _DOCUMENT, depth, walk))
    known = c.documents.get(key)
    if (
        known is not None
        and known.content is fields["content"]
        and known.score is fields["score"]
        and known.meta == frozen
        and _same_embedding(known.embedding, fields["embedding"])
    ):
        return known.node
    node = Interned(tagged(c, "document", value, _DOCUMENT, depth, walk))
    embedding = fields["embedding"]
    c.documents.put(
        key,
        KnownDocument(
            fields["content"], fields["score"], frozen,
            embedding[:] if type(embedding) is list else embedding, node,
        ),
        len(frozen) + 400,
    )  # fmt: skip
    return node


def encode_document_afresh(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a document of a class that we do not know."""
    return Interned(tagged(c, "document", value, _DOCUMENT, depth, walk))


def _same_embedding(known: list[Any] | None, embedding: Any) -> bool:
    if embedding is None:
        return known is None
    return type(embedding) is list and known == embedding


def encode_message(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a chat message with all its parts."""
    fields = fields_of(value)
    inside = depth + 2
    parts = fields.get("_content")
    tree: dict[str, Any] = {
        TAG: "chat_message",
        "role": role_of(fields.get("_role")),
        "content": [
            part_of(c, part, inside, walk)
            for part in (list(parts) if type(parts) in {list, tuple} else [parts])
        ],
    }
    if (name := fields.get("_name")) is not None:
        tree["name"] = c.leaf(name, depth + 1, walk)
    tree["meta"] = c.leaf(fields.get("_meta"), depth + 1, walk)
    with_the_rest(c, tree, value, fields, _MESSAGE, depth, walk)
    return Interned(tree)


_MESSAGE = ("_role", "_content", "_name", "_meta")


def role_of(role: Any) -> Any:
    """Return the word for a role."""
    if type(role) is str:
        return role
    try:
        word = object.__getattribute__(role, "__dict__")["_value_"]
    except (AttributeError, KeyError):
        word = None
    return word if type(word) is str else bounded_repr(role)


def part_of(c: Capture, part: Any, depth: int, walk: Walk) -> Any:
    """Encode one part of a message."""
    kind = c.part_kinds.get(type(part))
    if kind is None:
        kind = c.part_kinds[type(part)] = _PART_NAMES.get(type_name(type(part)), "")
    if kind == "text":
        fields = part.__dict__
        return {"text": c.leaf(fields.get("text"), depth + 1, walk)}
    if kind == "tool_call":
        return {"tool_call": tool_call(c, part, depth + 1, walk)}
    if kind == "tool_result":
        return {"tool_result": tool_result(c, part, depth + 1, walk)}
    if kind == "reasoning":
        return {"reasoning": reasoning(c, part, depth + 1, walk)}
    return c.leaf(part, depth, walk)


_PART_NAMES = {
    "haystack.dataclasses.chat_message.TextContent": "text",
    "haystack.dataclasses.chat_message.ToolCall": "tool_call",
    "haystack.dataclasses.chat_message.ToolCallResult": "tool_result",
    "haystack.dataclasses.chat_message.ReasoningContent": "reasoning",
}


def _bare(c: Capture, value: Any, names: dict[str, str], depth: int, walk: Walk) -> dict[str, Any]:
    tree = tagged(c, "", value, names, depth, walk)
    del tree[TAG]
    return tree


def tool_call(c: Capture, value: Any, depth: int, walk: Walk) -> dict[str, Any]:
    """Return a tool call as a part of a message says it."""
    return _bare(c, value, _TOOL_CALL, depth, walk)


_TOOL_CALL = {"id": "id", "tool_name": "name", "arguments": "arguments", "extra": "extra"}


def tool_result(c: Capture, value: Any, depth: int, walk: Walk) -> dict[str, Any]:
    """Return a tool's result as a part of a message says it."""
    fields = fields_of(value)
    result = fields.get("result")
    if type(result) in {list, tuple}:
        shown: Any = [part_of(c, part, depth + 2, walk) for part in list(result)]
    else:
        shown = c.leaf(result, depth + 1, walk)
    tree: dict[str, Any] = {"result": shown, "error": c.leaf(fields.get("error"), depth + 1, walk)}
    origin = fields.get("origin")
    if origin is not None:
        is_call = _PART_NAMES.get(type_name(type(origin))) == "tool_call"
        tree["call"] = (
            tool_call(c, origin, depth + 1, walk) if is_call else c.leaf(origin, depth + 1, walk)
        )
    return with_the_rest(c, tree, value, fields, ("result", "error", "origin"), depth, walk)


def reasoning(c: Capture, value: Any, depth: int, walk: Walk) -> dict[str, Any]:
    """Return reasoning as a part of a message says it."""
    return _bare(c, value, {"reasoning_text": "text", "extra": "extra"}, depth, walk)


def encode_part_alone(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a part that stands outside of a message."""
    part = part_of(c, value, depth + 2, walk)
    return {TAG: "object", "type": type_name(type(value)), "fields": part}


def _simple(tag: str, names: dict[str, str]) -> Any:
    def encode(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
        return Interned(tagged(c, tag, value, names, depth, walk))

    return encode


def _answer(kind: str, names: tuple[str, ...]) -> Any:
    def encode(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
        tree = tagged(c, "answer", value, {name: name for name in names}, depth, walk)
        if "type" in tree:
            tree["class"] = tree.pop("type")
        return Interned({TAG: "answer", "type": kind} | tree)

    return encode


def _base64_content(tag: str, field: str, names: dict[str, str]) -> Any:
    """Return an encoder for images and files, which hold their bytes as base64 text already."""

    def encode(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
        tree = tagged(c, tag, value, names, depth, walk)
        data = fields_of(value).get(field)
        tree["data"] = (
            Deferred(_as_bytes, data) if type(data) is str else c.leaf(data, depth + 1, walk)
        )
        return Interned(tree)

    return encode


def _as_bytes(text: str) -> Any:
    """Return the tag of bytes for base64 text, which stays a text where it is none."""
    import base64
    import binascii

    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
    return {TAG: "bytes", "base64": text} if base64.b64encode(data).decode() == text else text


def encode_chunk(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a chunk of a stream: its content and whatever else is set."""
    fields = fields_of(value)
    inside = depth + 1
    tree: dict[str, Any] = {
        TAG: "streaming_chunk",
        "content": c.leaf(fields.get("content"), inside, walk),
    }
    for name in ("meta", "index", "finish_reason"):
        if (item := fields.get(name)) is not None and item != {}:
            tree[name] = c.leaf(item, inside, walk)
    if fields.get("start"):
        tree["start"] = c.leaf(fields["start"], inside, walk)
    if (info := fields.get("component_info")) is not None:
        tree["component"] = _bare(c, info, {"name": "name", "type": "type"}, inside, walk)
    if (calls := fields.get("tool_calls")) is not None:
        tree["tool_calls"] = [_bare(c, call, _DELTA, inside + 1, walk) for call in list(calls)]
    if (result := fields.get("tool_call_result")) is not None:
        tree["tool_call_result"] = tool_result(c, result, inside, walk)
    if (thought := fields.get("reasoning")) is not None:
        tree["reasoning"] = reasoning(c, thought, inside, walk)
    return with_the_rest(c, tree, value, fields, _CHUNK, depth, walk)


_DELTA = {
    "index": "index",
    "tool_name": "name",
    "arguments": "arguments",
    "id": "id",
    "extra": "extra",
}
_CHUNK = (
    "content", "meta", "index", "finish_reason", "start", "component_info", "tool_calls",
    "tool_call_result", "reasoning",
)  # fmt: skip


def encode_secret(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a secret by the names of its environment variables, and never more."""
    names = fields_of(value).get("_env_vars")
    known = [name for name in names if type(name) is str] if type(names) in {tuple, list} else []
    return {TAG: "secret", "env_vars": known}


def encode_state(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode an agent's state: its data, and what its schema says about types and handlers."""
    fields = fields_of(value)
    schema = fields.get("schema")
    told: dict[str, Any] = {}
    for key, definition in (schema if type(schema) is dict else {}).items():
        entry = {"type": _name_of_type(definition.get("type"))} if type(definition) is dict else {}
        handler = definition.get("handler") if type(definition) is dict else None
        if handler is not None:
            entry["handler"] = getattr(handler, "__name__", "") or type_name(type(handler))
        told[str(key)] = entry
    return {TAG: "state", "data": c.leaf(fields.get("_data"), depth + 1, walk), "schema": told}


def _name_of_type(kind: Any) -> str:
    return type_name(kind) if type in mro_of(type(kind)) else bounded_repr(kind)


def encode_toolset(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a toolset by the tools it holds now."""
    tools = fields_of(value).get("tools")
    told = c.leaf(tools, depth + 2, walk) if type(tools) is list else []
    return {TAG: "object", "type": type_name(type(value)), "fields": {"tools": told}}


def encode_tool(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a tool by what a language model is told about it."""
    fields = fields_of(value)
    tree: dict[str, Any] = {TAG: "tool"}
    for name in ("name", "description", "parameters"):
        if (item := fields.get(name)) is not None:
            tree[name] = c.leaf(item, depth + 1, walk)
    if (kind := _subclass_name(type(value))) is not None:
        tree["type"] = kind
    return Interned(tree)


_D = "haystack.dataclasses."
BY_NAME: dict[str, Any] = {
    f"{_D}document.Document": encode_document,
    f"{_D}chat_message.ChatMessage": encode_message,
    f"{_D}chat_message.TextContent": encode_part_alone,
    f"{_D}chat_message.ToolCall": encode_part_alone,
    f"{_D}chat_message.ToolCallResult": encode_part_alone,
    f"{_D}chat_message.ReasoningContent": encode_part_alone,
    f"{_D}byte_stream.ByteStream": _simple(
        "byte_stream", {"data": "data", "mime_type": "mime_type", "meta": "meta"}
    ),
    f"{_D}sparse_embedding.SparseEmbedding": _simple(
        "sparse_embedding", {"indices": "indices", "values": "values"}
    ),
    f"{_D}answer.GeneratedAnswer": _answer("generated", ("data", "query", "documents", "meta")),
    f"{_D}answer.ExtractedAnswer": _answer(
        "extracted",
        (
            "query",
            "score",
            "data",
            "document",
            "context",
            "document_offset",
            "context_offset",
            "meta",
        ),
    ),
    f"{_D}image_content.ImageContent": _base64_content(
        "image",
        "base64_image",
        {
            "mime_type": "mime_type",
            "detail": "detail",
            "meta": "meta",
            "base64_image": "data",
            "validation": "validation",
        },
    ),
    f"{_D}file_content.FileContent": _base64_content(
        "file",
        "base64_data",
        {
            "mime_type": "mime_type",
            "filename": "filename",
            "extra": "extra",
            "base64_data": "data",
            "validation": "validation",
        },
    ),
    f"{_D}streaming_chunk.StreamingChunk": encode_chunk,
    "haystack.components.agents.state.state.State": encode_state,
    "haystack.tools.tool.Tool": encode_tool,
    "haystack.tools.toolset.Toolset": encode_toolset,
    "haystack.utils.auth.Secret": encode_secret,
    "haystack.utils.auth.EnvVarSecret": encode_secret,
    "haystack.utils.auth.TokenSecret": encode_secret,
}
