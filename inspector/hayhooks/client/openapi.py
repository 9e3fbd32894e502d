"""What a deployment takes: JSON Schemas that stand alone, from the server's OpenAPI description."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_IN_COMPONENTS = "#/components/schemas/"
_IN_SCHEMA = "#/$defs/"
_MOST_DEFINITIONS = 300
_DEEPEST = 100
_OF_PROTOCOL = frozenset({"idempotency-key", "last-event-id"})


def input_schema(api: Mapping[str, Any], deployment: str) -> dict[str, Any] | None:
    """Return the schema of what is submitted; None when the server does not say."""
    return _body(api, f"/{deployment}/run-durable")


def resume_schema(api: Mapping[str, Any], deployment: str) -> dict[str, Any] | None:
    """Return the schema of what resumes an execution; None when anything may."""
    schema = _body(api, f"/{deployment}/executions/{{execution_id}}/resume")
    says_something = schema is not None and set(schema) - {"title", "description"}
    return schema if says_something else None


def headers_asked(api: Mapping[str, Any], deployment: str) -> tuple[str, ...]:
    """Return the headers that a deployment reads, beside those of the protocol."""
    said = _at(api, "paths", f"/{deployment}/run-durable", "post", "parameters")
    names = [
        entry.get("name")
        for entry in (said if isinstance(said, list) else [])[:50]
        if isinstance(entry, dict) and entry.get("in") == "header"
    ]
    return tuple(
        name
        for name in names
        if isinstance(name, str) and len(name) <= 200 and name.lower() not in _OF_PROTOCOL
    )


def _body(api: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    schema = _at(api, "paths", path, "post", "requestBody", "content", "application/json", "schema")
    if not isinstance(schema, dict):
        return None
    found = _at(api, "components", "schemas")
    components = found if isinstance(found, dict) else {}
    wanted: dict[str, Any] = {}
    turned = _turned(schema, components, wanted, 0)
    assert isinstance(turned, dict)
    if wanted:
        turned = {**turned, "$defs": wanted}
    return _opened(turned)


def _opened(schema: dict[str, Any]) -> dict[str, Any]:
    """Put what a schema only refers to in its place, so that a form sees its fields."""
    name = schema.get("$ref")
    if isinstance(name, str) and set(schema) <= {"$ref", "$defs"}:
        target = schema.get("$defs", {}).get(name.removeprefix(_IN_SCHEMA))
        if isinstance(target, dict):
            rest = schema["$defs"]
            if _IN_SCHEMA + name.removeprefix(_IN_SCHEMA) not in json.dumps(rest):
                rest = {key: value for key, value in rest.items() if value is not target}
            return {**target, "$defs": rest} if rest else dict(target)
    return schema


def _turned(node: Any, components: Mapping[str, Any], wanted: dict[str, Any], depth: int) -> Any:
    """Copy a schema, with its references turned to `$defs`, which collect in `wanted`."""
    if depth > _DEEPEST:
        return {}
    if isinstance(node, list):
        return [_turned(entry, components, wanted, depth + 1) for entry in node]
    if not isinstance(node, dict):
        return node
    turned = {}
    for key, value in node.items():
        if key == "$ref" and isinstance(value, str) and value.startswith(_IN_COMPONENTS):
            name = value.removeprefix(_IN_COMPONENTS)
            turned[key] = _IN_SCHEMA + name
            if name not in wanted and name in components and len(wanted) < _MOST_DEFINITIONS:
                wanted[name] = {}  # so that one that holds itself ends
                wanted[name] = _turned(components[name], components, wanted, depth + 1)
        else:
            turned[key] = _turned(value, components, wanted, depth + 1)
    return turned


def _at(tree: Any, *path: str) -> Any:
    for key in path:
        if not isinstance(tree, Mapping):
            return None
        tree = tree.get(key)
    return tree
