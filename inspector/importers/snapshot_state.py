"""What a snapshot says, whichever generation of Haystack wrote it."""

from __future__ import annotations

from typing import Any

from inspector.importers.trees import converted, named

NOTHING = {"$": "opaque", "type": "_NoOutputProduced", "repr": "ran, and produced nothing"}
_SENTINEL = "_NoOutputProduced"
_PAIR = frozenset({"serialization_schema", "serialized_data"})


class State:
    """A snapshot in one shape, its values in our words.

    `inputs` are those that wait for each component: `{component: {socket: value}}`, and `senders`
    who sent them, where the file says so: `{component: {socket: [name or None]}}`.
    """

    def __init__(self, tree: dict[str, Any]) -> None:
        self.problems: list[str] = []
        state = _object(tree.get("pipeline_state"))
        self.generation = _generation(tree, state)
        self.timestamp = _text(tree.get("timestamp"))
        point = tree.get("break_point", tree.get("breakpoint", tree.get("pipeline_breakpoint")))
        self.agent = _object(tree.get("agent_snapshot")) or (
            tree if "component_inputs" in tree else {}
        )
        self.break_point = _object(point)
        self.internal = state.get("inputs_format") == "internal"
        schema, data = _pair(state.get("inputs", tree.get("inputs")))
        self.senders: dict[str, dict[str, list[Any]]] = {}
        self._arrived: list[tuple[str, str, Any]] = []  # sender, socket of who got it, value
        self.inputs = self._inputs(data, schema)
        self.visits = self._visits(state)
        self.outputs = _plain_object(state.get("pipeline_outputs", tree.get("pipeline_outputs")))
        original = tree.get("original_input_data", tree.get("input_data"))
        self.original = None if original is None else self._original(original)
        self.included = [
            name for name in _list(tree.get("include_outputs_from")) if isinstance(name, str)
        ]
        self.components = self._components(tree, state)

    def _inputs(self, data: Any, schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        if not isinstance(data, dict):
            return found
        for component, sockets in named(data).items():
            described = _properties(schema, component)
            if not isinstance(sockets, dict):
                found[component] = {"value": converted(sockets)}
                continue
            found[component] = {
                socket: self._socket(component, socket, value, _properties(described, socket))
                for socket, value in named(sockets).items()
            }
        return found

    def _socket(self, component: str, socket: str, value: Any, schema: dict[str, Any]) -> Any:
        if not self._is_internal(value):
            return converted(value)
        senders = self.senders.setdefault(component, {}).setdefault(socket, [])
        values = []
        kinds = schema.get("prefixItems")
        for number, each in enumerate(value):
            sender = each.get("sender")
            senders.append(sender if sender is None else str(sender))
            said = (
                kinds[number]
                if isinstance(kinds, list) and number < len(kinds)
                else schema.get("items", {})
            )
            kind = _properties(_object(said), "value").get("type")
            empty = isinstance(kind, str) and kind.endswith(_SENTINEL) and each.get("value") == {}
            values.append(dict(NOTHING) if empty else converted(each.get("value")))
            if isinstance(each.get("sender"), str) and not empty:
                self._arrived.append((each["sender"], socket, values[-1]))
        return values[0] if len(values) == 1 else values

    def _is_internal(self, value: Any) -> bool:
        return (
            isinstance(value, list)
            and bool(value)
            and all(isinstance(each, dict) and each.keys() == {"sender", "value"} for each in value)
        )

    def _visits(self, state: dict[str, Any]) -> dict[str, int]:
        found: dict[str, int] = {}
        for name, count in _object(state.get("component_visits")).items():
            if type(count) is int and 0 <= count < 100_000:
                found[name] = count
            else:
                self.problems.append(f"How often {name} ran is no number: {count!r:.40}.")
        return found

    def _original(self, tree: Any) -> Any:
        """Return what the caller passed; what goes to no component by name is flattened in some."""
        return converted(_pair(tree)[1])

    def _components(self, tree: dict[str, Any], state: dict[str, Any]) -> list[str]:
        """Return the names of all components, those that ran before others first where known."""
        listed = _list(tree.get("ordered_component_names", state.get("ordered_component_names")))
        names = [name for name in listed if isinstance(name, str)]
        ghosts = [name for name in self.visits if names and name not in names]
        for name in ghosts:
            self.problems.append(
                f"{name} counts {self.visits[name]} visits, but is not among the components."
            )
        for name in (*self.visits, *self.inputs, *_object(self.original)):
            if name not in names and (name in self.visits or not listed):
                names.append(name)
        return self._sorted(names)

    def _sorted(self, names: list[str]) -> list[str]:
        """Put who sent something before who got it; the rest stays as it stands in the file."""
        before: dict[str, set[str]] = {name: set() for name in names}
        for name, sockets in self.senders.items():
            for senders in sockets.values():
                before.setdefault(name, set()).update(
                    each for each in senders if isinstance(each, str)
                )
        ran = [name for name in names if self.visits.get(name)]
        waiting = [*ran, *(name for name in names if name not in ran)]
        done: list[str] = []
        while waiting:
            free = next(
                (n for n in waiting if not before.get(n, set()) & set(waiting) - {n}), waiting[0]
            )
            waiting.remove(free)
            done.append(free)
        return done

    def sent_by(self, component: str) -> dict[str, Any]:
        """Return what others still have from a component, by the sockets that it went to."""
        found: dict[str, Any] = {}
        for sender, socket, value in self._arrived:
            if sender == component:
                found.setdefault(socket, value)
        return found

    def topology(self, stopped: str) -> dict[str, Any]:
        """Return the components, and those connections that can be told."""
        names = dict.fromkeys([*self.components, *([stopped] if stopped else [])])
        connections = [
            {"sender": f"{sender}.{socket}", "receiver": f"{receiver}.{socket}"}
            for receiver, sockets in self.senders.items()
            for socket, senders in sockets.items()
            for sender in senders
            if isinstance(sender, str)
        ]
        components: dict[str, Any] = {name: {} for name in names}
        for receiver, sockets in self.senders.items():
            if receiver in components:
                components[receiver] = {"inputs": dict.fromkeys(sockets, "")}
        for connection in connections:
            sender, _, socket = connection["sender"].partition(".")
            components.setdefault(sender, {}).setdefault("outputs", {}).setdefault(socket, "")
        return {"components": components, "connections": connections} if components else {}


def _generation(tree: dict[str, Any], state: dict[str, Any]) -> str:
    if "breakpoint" in tree:
        return "haystack-experimental 0.10"
    if "pipeline_breakpoint" in tree:
        return "haystack-experimental 0.11"
    if "agent_snapshot" in tree:
        return "2.16 to 2.31"
    return "3.1 or later" if state.get("inputs_format") == "internal" else "3.0"


def _pair(tree: Any) -> tuple[dict[str, Any], Any]:
    """Return schema and data, where they stand side by side; else no schema."""
    if isinstance(tree, dict) and "serialized_data" in tree and tree.keys() <= _PAIR:
        return _object(tree.get("serialization_schema")), tree["serialized_data"]
    return {}, tree


def _plain_object(tree: Any) -> dict[str, Any]:
    found = converted(_pair(tree)[1])
    return found if isinstance(found, dict) else {}


def _properties(schema: dict[str, Any], name: str) -> dict[str, Any]:
    return _object(_object(schema.get("properties")).get(name))


def _object(tree: Any) -> dict[str, Any]:
    return tree if isinstance(tree, dict) else {}


def _list(tree: Any) -> list[Any]:
    return tree if isinstance(tree, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
