"""What the header says of the thing that runs, worked out again only when it has changed.

Asking every component for its `to_dict` takes longer than recording a small run. So the
answers are kept for as long as nothing they depend on looks different: the components,
their connections, and the attributes of everything in there that can describe itself.
"""

from __future__ import annotations

import threading
import weakref
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.recording.definition import definition_of
from inspector.recording.environment import environment
from inspector.recording.guest import complain
from inspector.recording.json_only import json_only
from inspector.recording.secrets import secret_names, without_credentials
from inspector.recording.topology import described_alone, topology_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.recording.targets import Target

_MOST_KEPT = 200
_MANY = 64
_DEEPEST = 6
_ATOMS = frozenset({str, int, float, bool, type(None), bytes})


class Description(NamedTuple):
    """What is known of a target. Shared between runs: nobody changes it."""

    header: dict[str, Any]
    secret_names: frozenset[str] = frozenset()
    taken_out: int = 0


_lock = threading.Lock()
_kept: dict[int, tuple[weakref.ref[Any], list[Any], Description]] = {}


def describe(target: Target | None) -> Description:
    """Return what the header of a run of this target says. Never raises."""
    if target is None:
        return Description({"environment": environment()})
    looks: list[Any] | None = None
    try:
        looks = _looks_of(target.instance)
        kept = _kept.get(id(target.instance))
        if kept is not None and kept[0]() is target.instance and kept[1] == looks:
            return kept[2]
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("A target has to be described anew for each run", error)
    description = _described(target)
    if looks is not None:
        _keep(target.instance, looks, description)
    return description


def _keep(instance: Any, looks: list[Any], description: Description) -> None:
    address = id(instance)
    try:
        reference = weakref.ref(instance, lambda _gone: _kept.pop(address, None))
    except TypeError:
        return
    with _lock:
        if len(_kept) >= _MOST_KEPT:
            _kept.pop(next(iter(_kept)), None)
        _kept[address] = (reference, looks, description)


def _described(target: Target) -> Description:
    header: dict[str, Any] = {}
    modules: set[str] = set()
    names: frozenset[str] = frozenset()
    taken_out = 0
    try:
        if target.kind == "pipeline":
            header["topology"] = topology_of(target.instance)
        else:
            header["topology"] = described_alone(target.name, target.instance)
        modules = {kind.rpartition(".")[0] for kind in _types_in(header["topology"])}
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("The topology of a run was not recorded", error)
    try:
        definition, errors = definition_of(target.instance)
        names = frozenset(secret_names(definition))
        definition, taken_out = without_credentials(definition)
        if definition is not None:
            header["definition"] = json_only(definition)
        if errors:
            header["definition_errors"] = errors
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("The definition of a run was not recorded", error)
    header["environment"] = environment(modules)
    return Description(header, names, taken_out)


def _types_in(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(kind := node.get("type"), str):
            yield kind
        for part in node.values():
            yield from _types_in(part)
    elif isinstance(node, list):
        for part in node:
            yield from _types_in(part)


def _looks_of(instance: Any) -> list[Any]:
    """Return something that differs whenever the description would, and is quick to take.

    Plain values stand for themselves; objects for their address and, when they can
    describe themselves, their attributes. Nothing in it keeps an object alive.
    """
    looks: list[Any] = []
    seen: set[int] = set()
    _add_object(looks, instance, seen, 0)
    return looks


def _add_object(looks: list[Any], instance: Any, seen: set[int], depth: int) -> None:
    address = id(instance)
    looks.append(address)
    if address in seen or depth > _DEEPEST:
        return
    seen.add(address)
    graph = getattr(instance, "graph", None)
    if graph is not None and hasattr(graph, "nodes"):
        looks.append(getattr(instance, "metadata", None) and str(instance.metadata))
        for name, node in graph.nodes.items():
            looks.append(name)
            looks.extend(len(socket.senders) for socket in node["input_sockets"].values())
            _add_object(looks, node["instance"], seen, depth + 1)
        return
    for name, value in list(vars(instance).items()):
        if name[:2] != "__":  # Haystack's own notes, and its way back to the pipeline
            _add_value(looks, value, seen, depth + 1)


def _add_value(looks: list[Any], value: Any, seen: set[int], depth: int) -> None:
    kind = type(value)
    if kind in _ATOMS:
        looks.append(value)
    elif kind is dict or kind is list or kind is tuple:
        looks.append(len(value))
        if kind is dict:
            looks.extend(islice(map(str, value), _MANY))
            value = value.values()
        if depth <= _DEEPEST:
            for part in islice(list(value), _MANY):
                _add_value(looks, part, seen, depth + 1)
    elif hasattr(kind, "to_dict") or hasattr(kind, "graph"):
        if hasattr(value, "__dict__"):
            _add_object(looks, value, seen, depth)
        else:
            looks.append(id(value))
    else:
        looks.append(id(value))
