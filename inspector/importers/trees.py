"""Foreign JSON as value trees of ours: messages, documents and what else Haystack writes.

Told by their shape alone. What the schemas beside them say is often wrong: of a list they
describe the first item only.
"""

from __future__ import annotations

import base64
import binascii
import sys
from array import array
from itertools import chain
from typing import Any

import orjson

from inspector.runfile.value import TAG

DEEPEST = 120
_OURS = frozenset({"float", "int", "str", "truncated", "bytes"})
_LEAST, _MOST = -(2**53), 2**53
_LONG_VECTOR = 16

_DOCUMENT_MARKS = frozenset({"score", "embedding", "blob", "sparse_embedding", "dataframe"})
_DOCUMENT_FIELDS = ("id", "content", "score", "embedding", "sparse_embedding", "blob")
_NO_META = frozenset({*_DOCUMENT_FIELDS, "meta", "dataframe", "_type"})
_BYTE_STREAM = frozenset({"data", "mime_type", "meta", "_type"})
_PAIR = frozenset({"serialization_schema", "serialized_data"})
_SPOKEN = frozenset({"user", "assistant", "system", "tool", "developer", "function"})


def converted(tree: Any, level: int = 0) -> Any:
    """Return a tree in our words.

    Args:
        tree: JSON as `orjson` or `json` read it, with `read_leaf`'s own tags in it.
        level: How deep it stands in what is converted.

    """
    kind = type(tree)
    if kind is str or tree is None or kind is bool:
        return tree
    if kind is float:
        return tree if tree - tree == 0.0 else _odd_float(tree)
    if kind is int:
        return tree if _LEAST <= tree <= _MOST else {TAG: "int", "value": str(tree)}
    if level > DEEPEST:
        kind_name = "dict" if kind is dict else "list"
        return {TAG: "truncated", "type": kind_name, "size": len(tree), "why": "nested too deeply"}
    if kind is dict:
        return _object(tree, level)
    return [converted(item, level + 1) for item in tree]


def message(tree: dict[str, Any], level: int = 0) -> dict[str, Any]:
    """Return a chat message of any generation of Haystack, or of OpenAI's API."""
    private = "_role" in tree
    names = ("_role", "_content", "_name", "_meta") if private else _PUBLIC
    role, content, name, meta = (tree.get(each) for each in names)
    made: dict[str, Any] = {TAG: "chat_message", "role": str(role)}
    if isinstance(name, str):
        made["name"] = name
    made["content"] = [*_parts(content, role, tree, level), *_called(tree)]
    if isinstance(meta, dict) and meta:
        made["meta"] = converted(meta, level + 1)
    more = {
        key: converted(value, level + 1)
        for key, value in tree.items()
        if key not in names and key not in _MESSAGE_KEYS and value is not None
    }
    if more:
        made["extra_fields"] = more
    return made


_PUBLIC = ("role", "content", "name", "meta")
_MESSAGE_KEYS = frozenset({"_type", "tool_calls", "tool_call_id"})


def document(tree: dict[str, Any], level: int = 0) -> dict[str, Any]:
    """Return a document; its meta stands beside its fields, or by itself where names clash."""
    made: dict[str, Any] = {TAG: "document"}
    for field in _DOCUMENT_FIELDS:
        value = tree.get(field)
        if value is None:
            continue
        made[field] = vector(value) if field == "embedding" else converted(value, level + 1)
    meta = {key: converted(value, level + 1) for key, value in tree.items() if key not in _NO_META}
    nested = tree.get("meta")
    if isinstance(nested, dict):
        meta |= {key: converted(value, level + 1) for key, value in nested.items()}
    elif nested is not None:
        meta["meta"] = converted(nested, level + 1)
    if meta:
        made["meta"] = escaped(meta)
    return made


def vector(value: Any) -> Any:
    """Return a list of numbers as an array, which takes a third of the room."""
    if not isinstance(value, list) or len(value) < _LONG_VECTOR:
        return converted(value)
    try:
        numbers = array("d", value)
    except TypeError:
        return converted(value)
    if sys.byteorder == "big":
        numbers.byteswap()
    data = base64.b64encode(numbers.tobytes()).decode()
    return {TAG: "array", "dtype": "float64", "shape": [len(value)], "base64": data, "of": "list"}


def escaped(tree: dict[str, Any]) -> dict[str, Any]:
    """Return an object of converted values whose keys cannot be taken for a tag of ours."""
    if any(key.startswith(TAG) for key in tree):
        return {TAG: "dict", "items": [[key, value] for key, value in tree.items()]}
    return tree


def named(tree: dict[str, Any]) -> dict[str, Any]:
    """Return what stands under names, none of which can be taken for a tag of ours."""
    if not any(key.startswith(TAG) for key in tree):
        return tree
    return {f" {key}" if key.startswith(TAG) else key: value for key, value in tree.items()}


def error(type_: Any, text: Any, stack: Any = None) -> dict[str, Any]:
    """Return an error as FORMAT.md has it, of what is known of it."""
    made = {"type": type_, "message": text, "traceback": stack}
    return {key: str(value) for key, value in made.items() if value not in (None, "")}


def bytes_of(value: Any) -> dict[str, Any] | None:
    """Return the tag of bytes that were written as base64 or as a list of numbers."""
    if isinstance(value, str):
        return {TAG: "bytes", "base64": value}
    if isinstance(value, list):
        try:
            data = bytes(value)
        except (TypeError, ValueError):
            return None
        return {TAG: "bytes", "base64": base64.b64encode(data).decode()}
    return None


def _odd_float(value: float) -> dict[str, Any]:
    words = "nan" if value != value else "inf" if value > 0 else "-inf"
    return {TAG: "float", "value": words}


def _object(tree: dict[str, Any], level: int) -> Any:
    if tree.get(TAG) in _OURS:
        return tree
    role = tree.get("role", tree.get("_role"))
    if isinstance(role, str) and role in _SPOKEN and _is_message(tree):
        return message(tree, level)
    if "id" in tree and ("content" in tree or "blob" in tree) and tree.keys() & _DOCUMENT_MARKS:
        return document(tree, level)
    if tree.keys() == _PAIR:
        return converted(tree["serialized_data"], level + 1)
    if "data" in tree and "mime_type" in tree and tree.keys() <= _BYTE_STREAM:
        return _byte_stream(tree, level)
    if isinstance(type_ := tree.get("type"), str) and (made := _typed(tree, type_, level)):
        return made
    return escaped(
        {key: converted(value, level + 1) for key, value in tree.items() if key != "_type"}
    )


def _is_message(tree: dict[str, Any]) -> bool:
    if "_role" in tree:
        return "_content" in tree
    content = tree.get("content")
    if isinstance(content, str) or (content is None and "tool_calls" in tree):
        return True
    return isinstance(content, list) and all(isinstance(part, (dict, str)) for part in content)


def _typed(tree: dict[str, Any], type_: str, level: int) -> dict[str, Any] | None:
    """Return what a `type` beside the data says it is; None where that is nothing of ours."""
    data = tree.get("data")
    if isinstance(data, dict) and type_.endswith((".Tool", ".ComponentTool", ".PipelineTool")):
        if isinstance(data.get("name"), str):
            return _tool(data, level)
        return None
    if type_ == "env_var" and isinstance(tree.get("env_vars"), list):
        return {TAG: "secret", "env_vars": tree["env_vars"]}
    fields = tree.get("init_parameters")
    if isinstance(fields, dict) and type_.endswith(("GeneratedAnswer", "ExtractedAnswer")):
        kind = "generated" if type_.endswith("GeneratedAnswer") else "extracted"
        return {
            TAG: "answer",
            "type": kind,
            **{key: converted(value, level + 2) for key, value in fields.items() if key != "type"},
        }
    return None


def _tool(data: dict[str, Any], level: int) -> dict[str, Any]:
    kept = ("name", "description", "parameters")
    return {TAG: "tool", **{key: converted(data.get(key), level + 2) for key in kept}}


def _byte_stream(tree: dict[str, Any], level: int) -> dict[str, Any]:
    made: dict[str, Any] = {TAG: "byte_stream"}
    made["data"] = bytes_of(tree["data"]) or converted(tree["data"], level + 1)
    for key in ("mime_type", "meta"):
        if tree.get(key) is not None:
            made[key] = converted(tree[key], level + 1)
    return made


# The parts of a message


def _parts(content: Any, role: Any, tree: dict[str, Any], level: int) -> list[dict[str, Any]]:
    if content is None:
        return []
    if role == "tool" and "tool_call_id" in tree:
        # As OpenAI's API has it: the answer to a call that is known by its id only.
        result = content if isinstance(content, str) else converted(content, level + 1)
        name = _word(tree.get("name")) or ""
        call: dict[str, Any] = {"id": _word(tree["tool_call_id"]), "name": name, "arguments": {}}
        return [{"tool_result": {"call": call, "result": result, "error": False}}]
    if isinstance(content, str):
        return [{"text": content}]
    items = content if isinstance(content, list) else [content]
    return list(chain.from_iterable(_part(item, level + 1) for item in items))


def _part(item: Any, level: int) -> list[dict[str, Any]]:
    if isinstance(item, str):
        return [{"text": item}]
    if not isinstance(item, dict):
        return [{"text": str(item)}]
    for name, make in _PARTS.items():
        if name in item:
            return [make(item[name], item, level)]
    return [converted(item, level)]


def _text(value: Any, _item: dict[str, Any], level: int) -> dict[str, Any]:
    return {"text": value if isinstance(value, str) else converted(value, level)}


def call_of(value: Any, level: int = 0) -> dict[str, Any]:
    """Return a call of a tool in our words, of Haystack's or of OpenAI's."""
    if not isinstance(value, dict):
        return {"name": str(value), "arguments": {}}
    function = value.get("function")
    if isinstance(function, dict):
        value = {**function, "id": value.get("id")}
    arguments = value.get("arguments", value.get("args", {}))
    if isinstance(arguments, str):
        arguments = _decoded(arguments)
    made = {
        "id": _word(value.get("id")),
        "name": _word(value.get("tool_name", value.get("name"))),
        "arguments": converted(arguments, level + 1),
        "extra": converted(value.get("extra"), level + 1) or None,
    }
    return {key: item for key, item in made.items() if item is not None}


def _word(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else str(value)


def _call(value: Any, _item: dict[str, Any], level: int) -> dict[str, Any]:
    return {"tool_call": call_of(value, level)}


def _result(value: Any, _item: dict[str, Any], level: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {"tool_result": {"call": {}, "result": converted(value, level), "error": False}}
    made = {
        "call": call_of(value.get("origin") or {}, level),
        "result": converted(value.get("result"), level + 1),
        "error": bool(value.get("error")),
    }
    return {"tool_result": made}


def _reasoning(value: Any, _item: dict[str, Any], level: int) -> dict[str, Any]:
    if isinstance(value, dict):
        told = {"text": value.get("reasoning_text", ""), "extra": value.get("extra") or {}}
        return {"reasoning": converted(told, level + 1)}
    return {"reasoning": {"text": str(value)}}


def _image(value: Any, _item: dict[str, Any], level: int) -> dict[str, Any]:
    return _attached(value, "image", "base64_image", ("mime_type", "detail", "meta"), level)


def _file(value: Any, _item: dict[str, Any], level: int) -> dict[str, Any]:
    return _attached(value, "file", "base64_data", ("mime_type", "filename", "extra"), level)


def _attached(value: Any, tag: str, data: str, more: tuple[str, ...], level: int) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {"text": str(value)}
    given = value.get(data)
    made: dict[str, Any] = {TAG: tag, "data": converted(given, level + 1)}
    if isinstance(given, str) and _is_base64(given):
        made["data"] = {TAG: "bytes", "base64": given}
    for key in more:
        if value.get(key) is not None:
            made[key] = converted(value[key], level + 1)
    return made


_PARTS = {
    "text": _text,
    "tool_call": _call,
    "tool_call_result": _result,
    "tool_result": _result,
    "reasoning": _reasoning,
    "image": _image,
    "file": _file,
}


def _called(tree: dict[str, Any]) -> list[dict[str, Any]]:
    calls = tree.get("tool_calls")
    if not isinstance(calls, list):
        return []
    return [{"tool_call": call_of(call)} for call in calls]


def _decoded(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _is_base64(text: str) -> bool:
    try:
        binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        return False
    return True
