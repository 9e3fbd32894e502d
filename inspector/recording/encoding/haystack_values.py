"""Haystack's own classes, told apart by name: recording imports nothing for them."""

from __future__ import annotations

import base64
import binascii
from operator import is_
from typing import TYPE_CHECKING, Any

from inspector.recording.encoding.documents import (
    encode_any_document,
    encode_document,
    encode_documents,
)
from inspector.recording.encoding.fields import KNOWN_CLASSES, fields_of, put_the_rest, tagged
from inspector.recording.encoding.histories import encode_messages
from inspector.recording.encoding.messages import (
    encode_chunk,
    encode_message,
    encode_part_alone,
)
from inspector.recording.encoding.scalars import bounded_repr
from inspector.recording.encoding.snapshots import NotPlainError, plain_copy
from inspector.recording.encoding.walk import Walk, mro_of, type_name
from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.capture import Capture

    Encode = Callable[..., Any]


def _simple(tag: str, *names: str) -> Encode:
    """Return an encoder for a class whose fields have the names of the format."""
    table = {name: name for name in names}

    def encode(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
        return Interned(tagged(c, tag, value, table, depth, walk))

    return encode


def _answer(kind: str, *names: str) -> Encode:
    table = {name: name for name in names}

    def encode(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
        tree = tagged(c, "answer", value, table, depth, walk)
        return Interned({TAG: "answer", "type": kind, **tree})

    return encode


def _from_base64(tag: str, source: str, *names: str) -> Encode:
    """Return an encoder for images and files, which hold their bytes as base64 already."""
    table = {name: name for name in names}

    def encode(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
        fields = fields_of(value)
        tree: dict[str, Any] = {TAG: tag}
        data = fields.get(source)
        if type(data) is str:
            tree["data"] = c.deferred(_bytes_of_base64, data, len(data))
        elif data is not None:
            tree["data"] = c.node(data, depth + 1, walk)
        for name in table:
            if (item := fields.get(name)) is not None:
                tree[name] = c.node(item, depth + 3, walk)
        # Whether it was validated when it was made says nothing about the value.
        known = {source: "", "validation": "", **table}
        put_the_rest(c, tree, value, fields, known, depth, walk)
        return Interned(tree)

    return encode


def _bytes_of_base64(text: str) -> Any:
    """Return the tag of bytes for a base64 text; another text stays what it is."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return text
    return {TAG: "bytes", "base64": text} if base64.b64encode(data).decode() == text else text


def encode_secret(_c: Capture, value: Any, _depth: int, _walk: Walk) -> Any:
    """Encode a secret by the names of its environment variables, and never more."""
    names: Any = fields_of(value).get("_env_vars")
    told = [name for name in names if type(name) is str] if type(names) in {tuple, list} else []
    return {TAG: "secret", "env_vars": told}


def encode_state(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode an agent's state: its data, and what its schema says about types and handlers."""
    fields = fields_of(value)
    schema = fields.get("schema")
    told: dict[str, Any] = {}
    for key, definition in (schema if type(schema) is dict else {}).copy().items():
        if type(key) is not str or type(definition) is not dict:
            continue
        told[key] = {"type": _words_for_type(definition.get("type"))}
        if (handler := definition.get("handler")) is not None:
            told[key]["handler"] = c.node(handler, depth + 4, walk)
    return {TAG: "state", "data": c.node(fields.get("_data"), depth + 1, walk), "schema": told}


def _words_for_type(kind: Any) -> str:
    return type_name(kind) if type in mro_of(type(kind)) else bounded_repr(kind)


def encode_toolset(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a toolset by the tools it holds now; asking it for more may have it fetch them.

    A toolset that is searched keeps what it has, but does not show yet, as its catalog.
    How its tools get at the agent's state is told beside them: a tool says nothing of it.
    """
    fields = fields_of(value)
    told: dict[str, Any] = {"tools": []}
    wiring: dict[str, Any] = {}
    for name, place in (("tools", "tools"), ("catalog", "_catalog")):
        tools = fields.get(place)
        if type(tools) is not list or not tools:
            continue
        told[name] = c.node(tools, depth + 2, walk)
        for tool in tools[:]:
            own = fields_of(tool)
            wires = {each: own[each] for each in _WIRES if own.get(each)}
            if wires and type(own.get("name")) is str:
                wiring[own["name"]] = c.node(wires, depth + 3, walk)
    if wiring:
        told["wiring"] = wiring
    return {TAG: "object", "type": type_name(type(value)), "fields": told}


_WIRES = ("inputs_from_state", "outputs_to_state", "outputs_to_string")


class KnownTool:
    """What a tool told a language model when it was last encoded."""

    __slots__ = ("description", "name", "node", "parameters", "value")

    def __init__(self, value: Any, fields: dict[str, Any], parameters: Any, node: Interned) -> None:
        self.value = value
        self.name = fields.get("name")
        self.description = fields.get("description")
        self.parameters = parameters
        self.node = node


def encode_tool(c: Capture, value: Any, depth: int, walk: Walk) -> Any:
    """Encode a tool by what a language model is told about it."""
    fields = fields_of(value)
    known = c.tools.get(id(value))
    if (
        known is not None
        and known.value is value
        and known.name is fields.get("name")
        and known.description is fields.get("description")
        and known.parameters == fields.get("parameters")
    ):
        return known.node
    tree: dict[str, Any] = {TAG: "tool"}
    for name in ("name", "description", "parameters"):
        if (item := fields.get(name)) is not None:
            tree[name] = c.node(item, depth + 3, walk)
    kind = type_name(type(value))
    if kind not in KNOWN_CLASSES:
        tree["class"] = kind
    node = Interned(tree)
    try:
        parameters = plain_copy(fields.get("parameters"))
    except (NotPlainError, RecursionError):
        return node
    c.tools.put(id(value), KnownTool(value, fields, parameters, node), 1)
    return node


class KnownTools:
    """A list of tools that was encoded, as an agent hands the same one to its model each turn."""

    __slots__ = ("changes", "items", "node", "value")

    def __init__(self, value: list[Any], items: list[Any], node: Any, changes: int) -> None:
        self.value = value
        self.items = items
        self.node = node
        self.changes = changes


def encode_tools(c: Capture, value: list[Any], depth: int, walk: Walk) -> Any:
    """Encode a list that begins with a tool."""
    known = c.tool_lists.get(id(value))
    if (
        known is not None
        and known.value is value
        and known.changes == c.changes  # nobody who is there to change things had its hands on them
        and len(value) == len(known.items)
        and all(map(is_, value, known.items))
    ):
        return known.node
    items = value[:]
    node = c.same_list([c.node(item, depth + 1, walk) for item in items])
    c.tool_lists.put(id(value), KnownTools(value, items, node, c.changes), len(items))
    return node


_DATA = "haystack.dataclasses."

BY_NAME: dict[str, Encode] = {
    f"{_DATA}document.Document": encode_document,
    f"{_DATA}chat_message.ChatMessage": encode_message,
    f"{_DATA}chat_message.TextContent": encode_part_alone,
    f"{_DATA}chat_message.ToolCall": encode_part_alone,
    f"{_DATA}chat_message.ToolCallResult": encode_part_alone,
    f"{_DATA}chat_message.ReasoningContent": encode_part_alone,
    f"{_DATA}streaming_chunk.StreamingChunk": encode_chunk,
    f"{_DATA}byte_stream.ByteStream": _simple("byte_stream", "data", "mime_type", "meta"),
    f"{_DATA}sparse_embedding.SparseEmbedding": _simple("sparse_embedding", "indices", "values"),
    f"{_DATA}answer.GeneratedAnswer": _answer("generated", "data", "query", "documents", "meta"),
    f"{_DATA}answer.ExtractedAnswer": _answer(
        "extracted", "query", "score", "data", "document", "context", "document_offset",
        "context_offset", "meta",
    ),
    f"{_DATA}image_content.ImageContent": _from_base64(
        "image", "base64_image", "mime_type", "detail", "meta"
    ),
    f"{_DATA}file_content.FileContent": _from_base64(
        "file", "base64_data", "mime_type", "filename", "extra"
    ),
    "haystack.components.agents.state.state.State": encode_state,
    "haystack.tools.tool.Tool": encode_tool,
    "haystack.tools.toolset.Toolset": encode_toolset,
    "haystack.utils.auth.Secret": encode_secret,
    "haystack.utils.auth.EnvVarSecret": encode_secret,
    "haystack.utils.auth.TokenSecret": encode_secret,
}  # fmt: skip
"""The encoder of each class, by its qualified name."""

FOR_DERIVED: dict[Encode, Encode] = {encode_document: encode_any_document}
"""Encoders that know the fields of one class by heart, and what derived classes get."""

OF_LISTS: dict[str, Encode] = {
    f"{_DATA}document.Document": encode_documents,
    f"{_DATA}chat_message.ChatMessage": encode_messages,
    "haystack.tools.tool.Tool": encode_tools,
}
"""How lists are encoded that begin with one of these."""

KNOWN_CLASSES.update(BY_NAME)
