"""The pipeline as text: what `to_dict` says, a component at a time.

Haystack serialises a pipeline whole or not at all: one lambda tool or one secret given
as a token loses everything. Here it loses the tool or the secret, and the file says so.
"""

from __future__ import annotations

from typing import Any

from inspector.recording.definition_parts import in_parts
from inspector.recording.topology import class_name

_LONGEST_REASON = 300


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
        return in_parts(instance)
    if not isinstance(found, dict):
        errors.append({"component": name, "why": f"it said {type(found).__name__}, not a mapping"})
        return in_parts(instance)
    return found
