"""Values of a run in the encoding of Haystack's snapshots, written without Haystack.

Only classes of a closed list are named: whoever loads a snapshot makes what it names. What the
encoding has no form for is said, with its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.presentation.values import items_in
from inspector.runfile.value import tag_of, to_python

if TYPE_CHECKING:
    from collections.abc import Callable

_DATACLASSES = "haystack.dataclasses"
NO_OUTPUT = {"$": "no output"}
"""Stands where a sender ran and put nothing out; no run file has it."""

_WORDS = {
    "array": "the numbers of an embedding", "bytes": "bytes", "callable": "a function",
    "component": "a component", "date": "a date", "datetime": "a point in time",
    "decimal": "a decimal number", "dict": "a dictionary with other keys than texts",
    "enum": "a value of an enumeration", "exception": "an exception",
    "float": "a number that JSON has no word for", "object": "an object of another class",
    "opaque": "what was not recorded", "missing": "what was not recorded", "path": "a path",
    "redacted": "what was taken out", "secret": "a secret", "state": "the state of an agent",
    "time": "a time", "timedelta": "a span of time", "tool": "a tool",
    "truncated": "what was recorded in part", "type": "a class", "uuid": "a UUID",
    "complex": "a complex number",
}  # fmt: skip


class CannotHoldError(Exception):
    """Haystack's encoding has no form for a value, or the run has no more of it."""

    def __init__(self, where: str, what: str) -> None:
        super().__init__(f"{what} at {where}")


def encoded(value: Any, where: str) -> dict[str, Any]:
    """Return a value with its schema.

    Raises:
        CannotHoldError: Some part of it has no form there.

    """
    schema, data = _pair(value, where)
    return {"serialization_schema": schema, "serialized_data": data}


def _pair(value: Any, where: str) -> tuple[dict[str, Any], Any]:
    if value is None:
        return {"type": "null"}, None
    if isinstance(value, bool):
        return {"type": "boolean"}, value
    if isinstance(value, int):
        return {"type": "integer"}, value
    if isinstance(value, float):
        return {"type": "number"}, value
    if isinstance(value, str):
        return {"type": "string"}, value
    if isinstance(value, list):
        return _array(value, where, {})
    tag = tag_of(value)
    if tag is None and isinstance(value, Mapping):
        return _object(value, where)
    if value is NO_OUTPUT:
        return {"type": "haystack.core.pipeline.component_checks._NoOutputProduced"}, {}
    return _tagged(str(tag), value, where)


def _object(value: Mapping[str, Any], where: str) -> tuple[dict[str, Any], Any]:
    schemas, data = {}, {}
    for key, part in value.items():
        schemas[key], data[key] = _pair(part, f"{where}.{key}" if where else key)
    return {"type": "object", "properties": schemas}, data


def _array(items: Any, where: str, more: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    pairs = [_pair(item, f"{where}[{at}]") for at, item in enumerate(items)]
    schemas = [schema for schema, _ in pairs]
    if not schemas:
        said: dict[str, Any] = {"items": {}}
    elif all(schema == schemas[0] for schema in schemas):
        said = {"items": schemas[0]}
    else:
        said = {"prefixItems": schemas}
    return {"type": "array", **said, **more}, [data for _, data in pairs]


def _tagged(tag: str, value: Mapping[str, Any], where: str) -> tuple[dict[str, Any], Any]:
    if tag in ("int", "str"):
        return _pair(to_python(value), where)
    if tag == "dict":
        plain = to_python(value)
        if isinstance(plain, Mapping) and "type" not in value and all(
            isinstance(key, str) for key in plain
        ):  # fmt: skip
            return _object({pair[0]: pair[1] for pair in value["items"]}, where)
        raise CannotHoldError(where, _WORDS["dict"])
    if tag == "list":
        return _array(items_in(value) or (), where, {})
    if tag in ("tuple", "set", "frozenset"):
        items = items_in(value) or ()
        more: dict[str, Any] = {"uniqueItems": True}
        if tag == "tuple":
            more = {"minItems": len(items), "maxItems": len(items)}
        elif tag == "frozenset":
            more["frozen"] = True
        return _array(items, where, more)
    if tag in _CLASSES and "class" not in value:
        name, make = _CLASSES[tag]
        return {"type": f"{_DATACLASSES}.{name}"}, make(value, where)
    raise CannotHoldError(where, _WORDS.get(tag, f"a {tag}"))


def _plain(value: Any, where: str) -> Any:
    """Return what Haystack writes as it is, which has to be JSON."""
    if isinstance(value, list):
        return [_plain(item, f"{where}[{at}]") for at, item in enumerate(value)]
    tag = tag_of(value)
    if tag == "list":
        return _plain(list(items_in(value) or ()), where)
    if tag in ("int", "str"):
        return to_python(value)
    if tag is not None:
        raise CannotHoldError(where, _WORDS.get(tag, f"a {tag}"))
    if isinstance(value, Mapping):
        return {key: _plain(part, f"{where}.{key}") for key, part in value.items()}
    return value


def _document(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a document with its metadata beside its fields, as `Document.to_dict` does."""
    fields = _document_fields(value, where)
    meta = fields.pop("meta")
    kept = {key: part for key, part in meta.items() if key in fields}
    said = {**{key: part for key, part in meta.items() if key not in fields}, **fields}
    return {**said, "meta": kept} if kept else said


def is_bare(embedding: Any) -> bool:
    """Say whether of an embedding only shape and digest are known: a document can do without."""
    return tag_of(embedding) == "array"


def without_embeddings(value: Any) -> bool:
    """Say whether a value holds documents whose embeddings are left out."""
    if isinstance(value, Mapping):
        if tag_of(value) == "document" and is_bare(value.get("embedding")):
            return True
        return any(without_embeddings(part) for part in value.values())
    return isinstance(value, list) and any(without_embeddings(part) for part in value)


def _document_fields(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    blob, sparse = value.get("blob"), value.get("sparse_embedding")
    return {
        "id": _plain(value.get("id"), f"{where}.id"),
        "content": _plain(value.get("content"), f"{where}.content"),
        "blob": None if blob is None else _byte_stream(blob, f"{where}.blob"),
        "meta": _plain(value.get("meta") or {}, f"{where}.meta"),
        "score": _plain(value.get("score"), f"{where}.score"),
        "embedding": None
        if is_bare(value.get("embedding"))
        else _plain(value.get("embedding"), f"{where}.embedding"),
        "sparse_embedding": None if sparse is None else _sparse(sparse, where),
    }


def _byte_stream(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    data = to_python(value.get("data"))
    if not isinstance(data, bytes):
        raise CannotHoldError(where, _WORDS["truncated"])
    meta = _plain(value.get("meta") or {}, f"{where}.meta")
    return {"data": list(data), "meta": meta, "mime_type": value.get("mime_type")}


def _sparse(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    return {name: _plain(value.get(name), f"{where}.{name}") for name in ("indices", "values")}


def _message(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    parts = items_in(value.get("content")) or ()
    return {
        "role": _plain(value.get("role"), f"{where}.role"),
        "meta": _plain(value.get("meta") or {}, f"{where}.meta"),
        "name": _plain(value.get("name"), f"{where}.name"),
        "content": [_part(part, f"{where}.content[{at}]") for at, part in enumerate(parts)],
    }


def _part(part: Any, where: str) -> dict[str, Any]:
    match part:
        case {"text": text}:
            return {"text": _plain(text, where)}
        case {"tool_call": Mapping() as call}:
            return {"tool_call": _call(call, where)}
        case {"tool_result": Mapping() as result}:
            said = result.get("result")
            parts = None if isinstance(said, str) else items_in(said)
            return {
                "tool_call_result": {
                    "result": _plain(said, where)
                    if parts is None
                    else [_part(each, where) for each in parts],
                    "origin": _call(result.get("call") or {}, where),
                    "error": bool(result.get("error")),
                }
            }
        case {"reasoning": Mapping() as reasoning}:
            return {
                "reasoning": {
                    "reasoning_text": _plain(reasoning.get("text"), where),
                    "extra": _plain(reasoning.get("extra") or {}, where),
                }
            }
    raise CannotHoldError(where, f"a part of a message ({tag_of(part) or 'of another kind'})")


def _call(call: Mapping[str, Any], where: str) -> dict[str, Any]:
    return {
        "tool_name": _plain(call.get("name"), where),
        "arguments": _plain(call.get("arguments") or {}, f"{where}.arguments"),
        "id": _plain(call.get("id"), where),
        "extra": _plain(call.get("extra"), where),
    }


def _answer(value: Mapping[str, Any], where: str) -> dict[str, Any]:
    if value.get("type") != "generated":
        raise CannotHoldError(where, "an extracted answer")
    meta = dict(value.get("meta") or {})
    messages = items_in(meta.get("all_messages"))
    if messages is not None:
        meta["all_messages"] = [
            _message(each, where) if tag_of(each) == "chat_message" else each for each in messages
        ]
    documents = items_in(value.get("documents")) or ()
    return {
        "data": _plain(value.get("data"), f"{where}.data"),
        "query": _plain(value.get("query"), f"{where}.query"),
        "documents": [
            _document_fields(each, f"{where}.documents[{at}]") for at, each in enumerate(documents)
        ],
        "meta": _plain(meta, f"{where}.meta"),
    }


_CLASSES: dict[str, tuple[str, Callable[[Mapping[str, Any], str], Any]]] = {
    "document": ("document.Document", _document),
    "chat_message": ("chat_message.ChatMessage", _message),
    "byte_stream": ("byte_stream.ByteStream", _byte_stream),
    "sparse_embedding": ("sparse_embedding.SparseEmbedding", _sparse),
    "answer": ("answer.GeneratedAnswer", _answer),
}
