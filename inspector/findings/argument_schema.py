"""Checks arguments against the JSON schema of a tool: only what can be told for certain.

The base install has no schema library, and a finding must not be a false alarm: a keyword
that is not known here forbids nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_DEEPEST = 30
_LONGEST = 40

_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool))
        or (isinstance(value, float) and value.is_integer())
    ),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}
_WORDS = {
    "string": "a text", "integer": "a whole number", "number": "a number",
    "boolean": "true or false", "array": "a list", "object": "an object", "null": "null",
}  # fmt: skip


def misfit(arguments: Any, schema: Any) -> str:
    """Return what is wrong with arguments, in words; nothing where they fit."""
    return _wrong(arguments, schema, "", schema, 0)


def _wrong(value: Any, schema: Any, where: str, whole: Any, depth: int) -> str:
    schema = _followed(schema, whole)
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return ""
    for word in ("anyOf", "oneOf"):
        options = schema.get(word)
        if isinstance(options, list) and options:
            tried = [_wrong(value, each, where, whole, depth + 1) for each in options]
            if all(tried):
                return f"{_called(where)} is {_shown(value)}, which fits none of what is allowed"
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(_equal(value, each) for each in allowed):
        listed = ", ".join(_shown(each) for each in allowed[:6])
        return f"{_called(where)} is {_shown(value)}, not one of {listed}"
    if wrong := _wrong_type(value, schema.get("type"), where):
        return wrong
    if isinstance(value, Mapping):
        return _wrong_object(value, schema, where, whole, depth)
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, Mapping):
        for place, each in enumerate(value):
            if wrong := _wrong(each, items, f"{where}[{place}]", whole, depth + 1):
                return wrong
    return ""


def _wrong_type(value: Any, wanted: Any, where: str) -> str:
    types = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(types, list) or not types:
        return ""
    if any(_IS.get(each, lambda _value: True)(value) for each in types if isinstance(each, str)):
        return ""
    words = " or ".join(_WORDS.get(str(each), str(each)) for each in types)
    return f"{_called(where)} is {_shown(value)}, not {words}"


def _wrong_object(
    value: Mapping[str, Any], schema: Mapping[str, Any], where: str, whole: Any, depth: int
) -> str:
    listed = schema.get("properties")
    properties = listed if isinstance(listed, Mapping) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else ():
        if name not in value:
            return f"{_called(_below(where, name))} is missing"
    if schema.get("additionalProperties") is False and "patternProperties" not in schema:
        for name in value:
            if name not in properties:
                return f"there is no {_called(_below(where, name))}"
    for name, each in value.items():
        if name in properties:
            below = _below(where, name)
            if wrong := _wrong(each, properties[name], below, whole, depth + 1):
                return wrong
    return ""


def _followed(schema: Any, whole: Any) -> Any:
    """Follow references inside of the schema; one that leads elsewhere allows everything."""
    for _ in range(_DEEPEST):
        ref = schema.get("$ref") if isinstance(schema, Mapping) else None
        if ref is None:
            return schema
        if not isinstance(ref, str) or not ref.startswith("#/"):
            return None
        found: Any = whole
        for part in ref[2:].split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            found = found.get(name) if isinstance(found, Mapping) else None
        schema = found
    return None


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _below(where: str, name: Any) -> str:
    return f"{where}.{name}" if where else str(name)


def _called(where: str) -> str:
    return f"`{where}`" if where else "what it was given"


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f"“{value}”" if len(value) <= _LONGEST else f"“{value[:_LONGEST]}…”"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    return {True: "true", False: "false", None: "null"}.get(value, str(value)[:_LONGEST])
