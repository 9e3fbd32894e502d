"""The pipeline as text: what `to_dict` says, a component at a time.

Haystack serialises a pipeline whole or not at all: one lambda tool or one secret given
as a token loses everything. Here it loses the component that holds it, and the file says so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from inspector.recording.topology import class_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LONGEST_REASON = 300
_DEEPEST = 40


def definition_of(target: Any) -> tuple[dict[str, Any] | None, list[dict[str, str]]]:
    """Return the definition of a pipeline, agent or component, and what it lacks and why."""
    errors: list[dict[str, str]] = []
    graph = getattr(target, "graph", None)
    if graph is None:
        definition = _serialised(class_name(target).rpartition(".")[2], target, errors)
        return definition, errors
    definition = {"components": {}, "connections": []}
    metadata = getattr(target, "metadata", None)
    if metadata:
        definition["metadata"] = metadata
    for name, node in graph.nodes.items():
        entry = _serialised(name, node["instance"], errors)
        definition["components"][name] = entry or {"type": class_name(node["instance"])}
    definition["connections"] = [
        {"sender": f"{sender}.{edge['from_socket'].name}",
         "receiver": f"{receiver}.{edge['to_socket'].name}"}
        for sender, receiver, edge in graph.edges(data=True)
    ]  # fmt: skip
    return definition, errors


def _serialised(name: str, instance: Any, errors: list[dict[str, str]]) -> dict[str, Any] | None:
    to_dict = getattr(instance, "to_dict", None)
    try:
        if callable(to_dict):
            found = to_dict()
        else:
            from haystack.core.serialization import component_to_dict

            found = component_to_dict(instance, name)
    except Exception as error:  # noqa: BLE001 - an author's `to_dict` may do anything
        why = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        errors.append({"component": name, "why": why})
        return None
    if not isinstance(found, dict):
        errors.append({"component": name, "why": f"it said {type(found).__name__}, not a mapping"})
        return None
    return found


def secret_names(definition: Any) -> set[str]:
    """Return the environment variables that the secrets of a definition name."""
    return set(_secret_names(definition, 0))


def _secret_names(node: Any, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(node, dict):
        names = node.get("env_vars")
        if node.get("type") == "env_var" and isinstance(names, (list, tuple)):
            yield from (name for name in names if isinstance(name, str))
        for part in node.values():
            yield from _secret_names(part, depth + 1)
    elif isinstance(node, (list, tuple)):
        for part in node:
            yield from _secret_names(part, depth + 1)


def hide_tokens(node: Any, depth: int = 0) -> Any:
    """Return a definition in which a secret that was written out is only named as one."""
    if depth > _DEEPEST:
        return node
    if isinstance(node, dict):
        if node.get("type") == "token" and "token" in node:
            return {"$": "secret"}
        return {key: hide_tokens(part, depth + 1) for key, part in node.items()}
    if isinstance(node, (list, tuple)):
        return [hide_tokens(part, depth + 1) for part in node]
    return node


# What people call the variables in which they keep what must not get out.
_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_SECRET_KEY", "_PASSWORD", "_ACCESS_KEY",
                   "_ACCESS_KEY_ID", "_CREDENTIALS", "_APIKEY")  # fmt: skip
_SHORTEST_SECRET = 8


def secret_values(names: set[str], environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what must not stand in the file: value to name of its environment variable.

    Besides those that secrets name, variables that are called like one are looked at:
    a recording made from tracing alone never sees the secrets of the components.
    """
    variables = os.environ if environ is None else environ
    found: dict[str, str] = {}
    for name, value in variables.items():
        meant = name in names or name.upper().endswith(_SECRET_ENDINGS)
        if meant and len(value) >= _SHORTEST_SECRET:
            found[value] = name
    return found
