"""How a replayed target was set up: as it tells itself, with what was made anew in its place."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from inspector.recording.definition import definition_of
from inspector.recording.json_only import json_only
from inspector.recording.secrets import without_credentials

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEEPEST = 20


def with_twins(definition: Any, twins: Mapping[str, Any]) -> Any:
    """Return a definition in which the twins of a replay stand for the components they are of.

    Args:
        definition: How the target tells itself; it stays as it is.
        twins: The twins by the words of overrides: `prompt`, or `technician/prompt`.

    """
    changed = copy.deepcopy(definition)
    for word, twin in twins.items():
        holder, name = _holder_of(changed, word.split("/"))
        if holder is not None:
            told, _taken_out = without_credentials(definition_of(twin)[0])
            if told is not None:
                holder[name] = json_only(told)
    return changed


def _holder_of(tree: Any, names: list[str]) -> tuple[dict[str, Any] | None, str]:
    """Return the mapping that a component stands in, going in by the names on the way to it."""
    *outer, name = (each.partition("#")[0] for each in names)
    at: Any = tree
    for each in outer:
        holder = _components_with(at, each)
        # A pipeline that a component holds is on the way, and no component.
        at = at if holder is None else holder[each]
    return _components_with(at, name), name


def _components_with(tree: Any, name: str) -> dict[str, Any] | None:
    """Return the outermost mapping of components that has this name in it."""
    waiting = [(tree, 0)]
    while waiting:
        item, depth = waiting.pop(0)
        if isinstance(item, dict):
            components = item.get("components")
            if isinstance(components, dict) and name in components:
                return components
            parts = list(item.values())
        else:
            parts = item if isinstance(item, list) else []
        if depth < _DEEPEST:
            waiting += [(part, depth + 1) for part in parts if isinstance(part, (dict, list))]
    return None
