"""The graph of a pipeline, as far as the spans of its components tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers.tree_of_spans import NO_PARENT

if TYPE_CHECKING:
    from inspector.importers.reading import Reading


def topology_of(readings: list[Reading], parents: list[int], roots: list[int]) -> dict[str, Any]:
    """Return the graph of the outermost pipeline; an empty one where no component tells of it."""
    above = _outermost(readings) or {*roots, NO_PARENT}
    members: dict[str, Reading] = {}
    for reading, parent in zip(readings, parents, strict=True):
        if parent in above and reading.kind == "component" and reading.facts:
            members.setdefault(reading.name, reading)
    if not members:
        return {}
    components = {
        name: {"type": reading.type, "role": reading.role, **reading.facts}
        for name, reading in members.items()
    }
    pairs = dict.fromkeys(
        (f"{sender.name}.{socket}", f"{name}.{taken}")
        for sender in members.values()
        for socket, names in (sender.receivers or {}).items()
        for name in names
        if name in members
        for taken in _inputs_from(sender.name, members[name])
        if _fits(sender, socket, members[name], taken)
    )
    connections = [{"sender": sender, "receiver": receiver} for sender, receiver in pairs]
    return {"components": components, "connections": connections}


def _outermost(readings: list[Reading]) -> set[int]:
    for row, reading in enumerate(readings):
        if reading.kind == "pipeline" and reading.operation.startswith("haystack."):
            return {row}
    return set()


def _inputs_from(sender: str, receiver: Reading) -> list[str]:
    return [socket for socket, names in (receiver.senders or {}).items() if sender in names]


def _fits(sender: Reading, socket: str, receiver: Reading, taken: str) -> bool:
    """Whether an output may lead to an input: spans name components, not sockets.

    Where a component sends several outputs to the same one, the same name or type decides.
    """
    outputs = [s for s, names in (sender.receivers or {}).items() if receiver.name in names]
    inputs = _inputs_from(sender.name, receiver)
    if len(outputs) == 1 or len(inputs) == 1:
        return True
    if socket in inputs:
        return socket == taken
    given: dict[str, str] = sender.facts.get("outputs", {})
    wanted: dict[str, str] = receiver.facts.get("inputs", {})
    return given.get(socket) == wanted.get(taken)
