"""What the header says of the thing that runs, worked out again only when it has changed.

Asking every component for its `to_dict` takes longer than recording a small run. So a
recorder keeps the answers for as long as nothing they depend on was exchanged: the
components, their connections, and the attributes of everything that can describe itself.
"""

from __future__ import annotations

from operator import is_
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
_DEEPEST = 8
_ATOMS = frozenset({str, int, float, bool, type(None), bytes})


class Description(NamedTuple):
    """What is known of a target. Shared between runs: nobody changes it."""

    header: dict[str, Any]
    secret_names: frozenset[str] = frozenset()
    taken_out: int = 0


class Descriptions:
    """What one recorder knows of the things that it saw run. Never raises."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Target, _Watch, Description]] = {}

    def of(self, target: Target | None) -> Description:
        """Return what the header of a run of this target says."""
        if target is None:
            return Description({"environment": environment()})
        kept = self._kept.get(id(target.instance))
        if kept is not None and (kept[0] is target or kept[1].is_unchanged()):
            return kept[2]
        watch = _Watch(target.instance)  # before it is described: it may change meanwhile
        description = _described(target)
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[id(target.instance)] = (target, watch, description)
        return description

    def known_target(self, instance: Any) -> Target | None:
        """Return an instance that was seen before, if nothing about it has changed."""
        kept = self._kept.get(id(instance))
        return kept[0] if kept is not None and kept[1].is_unchanged() else None

    def forget(self) -> None:
        """Let go of everything that was seen."""
        self._kept.clear()


class _Watch:
    """Notices whether anything was exchanged in what a description is made from.

    It holds the very objects, so that nothing else can take their place unnoticed, and
    compares which objects they are, never what they are equal to: that could be the code
    of anybody.
    """

    def __init__(self, instance: Any) -> None:
        self._mappings: list[tuple[Any, list[Any]]] = []
        self._lists: list[tuple[Any, list[Any]]] = []
        self._nodes: list[tuple[Any, int]] = []
        self._seen: set[int] = set()
        self._complete = True
        try:
            self._watch(instance, 0)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self._complete = False
            complain("A target has to be described anew for each run", error)

    def is_unchanged(self) -> bool:
        """Say whether everything is still the object that it was."""
        if not self._complete:
            return False
        try:
            for nodes, count in self._nodes:
                if len(nodes) != count:
                    return False
            for mapping, values in self._mappings:
                if len(mapping) != len(values) or not all(map(is_, mapping.values(), values)):
                    return False
            for there, items in self._lists:
                if len(there) != len(items) or not all(map(is_, there, items)):
                    return False
        except RuntimeError:  # it changes at this very moment
            return False
        return True

    def _watch(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind in _ATOMS or id(value) in self._seen or depth > _DEEPEST:
            return
        self._seen.add(id(value))
        if kind is dict or kind is list or kind is tuple:
            self._watch_container(value, depth)
            return
        if hasattr(kind, "add_component"):
            self._watch_pipeline(value, value.graph.nodes, depth)
        elif depth == 0 or hasattr(kind, "to_dict"):
            own = getattr(value, "__dict__", None)
            if type(own) is dict:
                self._mappings.append((own, list(own.values())))
                for name, part in list(own.items()):
                    if name[:2] != "__":  # Haystack's own, and the way back to the pipeline
                        self._watch(part, depth + 1)

    def _watch_container(self, value: Any, depth: int) -> None:
        if len(value) > _MANY:
            return  # data, such as the documents of a store
        parts = list(value.values()) if type(value) is dict else list(value)
        if type(value) is not tuple:
            (self._mappings if type(value) is dict else self._lists).append((value, parts))
        for part in parts:
            self._watch(part, depth + 1)

    def _watch_pipeline(self, pipeline: Any, nodes: Any, depth: int) -> None:
        self._nodes.append((nodes, len(nodes)))
        metadata = getattr(pipeline, "metadata", None)
        self._watch(metadata, depth + 1)
        for node in list(nodes.values()):
            # A component that was taken out does not know its pipeline any more, and a new
            # connection has one sender more: both are seen without asking the graph.
            for socket in node["input_sockets"].values():
                self._lists.append((socket.senders, list(socket.senders)))
            instance = node["instance"]
            if id(instance) not in self._seen:
                self._seen.add(id(instance))
                own = vars(instance)
                self._mappings.append((own, list(own.values())))
                for name, part in list(own.items()):
                    if name[:2] != "__":
                        self._watch(part, depth + 1)


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
