"""How the pipelines of a run are built, as far as that was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.findings.reading import Reading

_PIPELINE = KIND_CODE[SpanKind.PIPELINE]
_COMPONENT = KIND_CODE[SpanKind.COMPONENT]
_TOOL = KIND_CODE[SpanKind.TOOL]


class Wire(NamedTuple):
    """One connection, from the socket of a sender to that of a receiver."""

    sender: str
    output: str
    receiver: str
    socket: str


class Plan(NamedTuple):
    """One pipeline: what its components are, and who is connected to whom."""

    components: Mapping[str, Any]
    wires: tuple[Wire, ...]

    def into(self, name: str) -> list[Wire]:
        """Return the connections to a component."""
        return [wire for wire in self.wires if wire.receiver == name]

    def role(self, name: str) -> str:
        """Return what a component does."""
        entry = self.components.get(name)
        role = entry.get("role") if isinstance(entry, Mapping) else None
        return role if isinstance(role, str) else ""


def plans(reading: Reading) -> Iterator[tuple[int, Plan]]:
    """Yield the pipelines that ran and how they are built, where that is known."""
    known: dict[int, Plan | None] = {}
    if not isinstance(reading.run.topology, Mapping):
        return
    for row in reading.of_kind(SpanKind.PIPELINE):
        tree = _topology(reading, row)
        if tree is None:
            continue
        if id(tree) not in known:
            known[id(tree)] = _plan(tree)
        plan = known[id(tree)]
        if plan is not None:
            yield row, plan


def _topology(reading: Reading, row: int) -> Any:
    node: Any = {"topology": reading.run.topology}
    table = reading.table
    for each in (*reversed(list(reading.around(row))), row):
        if not isinstance(node, Mapping):
            return None
        kind, name = table.kind[each], table.name(each)
        if kind == _PIPELINE:
            node = node.get("topology")
        elif kind == _COMPONENT:
            components = node.get("components")
            node = components.get(name) if isinstance(components, Mapping) else None
        elif kind == _TOOL:
            node = _tool(node, name)
    return node


def _tool(node: Mapping[str, Any], name: str) -> Any:
    agent = node.get("agent")
    tools = agent.get("tools") if isinstance(agent, Mapping) else None
    for each in tools if isinstance(tools, list) else ():
        if isinstance(each, Mapping) and each.get("name") == name:
            return each
    return None


def _plan(tree: Any) -> Plan | None:
    if not isinstance(tree, Mapping):
        return None
    components, connections = tree.get("components"), tree.get("connections")
    if not isinstance(components, Mapping) or not isinstance(connections, list):
        return None
    wires = []
    for each in connections:
        if not isinstance(each, Mapping):
            continue
        sender, _, output = str(each.get("sender")).rpartition(".")
        receiver, _, socket = str(each.get("receiver")).rpartition(".")
        wires.append(Wire(sender, output, receiver, socket))
    return Plan(components, tuple(wires))


def visits_in(reading: Reading, row: int) -> dict[str, list[int]]:
    """Return the visits of each component right below a pipeline."""
    found: dict[str, list[int]] = {}
    table = reading.table
    for child in table.children(row):
        if table.kind[child] == _COMPONENT:
            found.setdefault(table.name(child), []).append(child)
    return found


def families(reading: Reading) -> Mapping[int, Mapping[int, list[int]]]:
    """Return, by pipeline, the visits of each component that was visited more than once.

    Components are numbered as names are in the table.
    """
    return reading.once("families", lambda: _families(reading))


def _families(reading: Reading) -> Mapping[int, Mapping[int, list[int]]]:
    table = reading.table
    found: dict[int, dict[int, list[int]]] = {}
    for row, parent in enumerate(table.parent_row):
        if table.kind[row] != _COMPONENT or parent == NO_PARENT:
            continue
        if table.kind[parent] == _PIPELINE:
            found.setdefault(parent, {}).setdefault(table.name_code[row], []).append(row)
    return {
        parent: again
        for parent, names in found.items()
        if (again := {name: rows for name, rows in names.items() if len(rows) > 1})
    }
