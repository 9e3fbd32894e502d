"""What a pipeline's run had in hand before one of its components ran, worked out from a recording.

Haystack hands on values by rules of its own (`Pipeline._write_component_outputs`,
`_consume_component_inputs`); these are followed here with the recorded outputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.export.haystack_values import NO_OUTPUT
from inspector.presentation.values import items_in
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.runfile.model import PipelineRun, Span

Entry = dict[str, Any]
# Sockets that take whatever comes first, also where several senders are connected.
_GREEDY = ("haystack.components.joiners.branch.BranchJoiner",)


class Wire(NamedTuple):
    """A connection."""

    sender: str
    output: str
    receiver: str
    socket: str


@dataclass(slots=True)
class State:
    """What Haystack keeps while a pipeline runs."""

    inputs: dict[str, dict[str, list[Entry]]] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)


class Recorded:
    """The top level of a recorded pipeline."""

    def __init__(self, run: PipelineRun) -> None:
        self.run = run
        topology = run.topology or {}
        components = topology.get("components")
        self.components: Mapping[str, Any] = components if isinstance(components, Mapping) else {}
        self.wires = [wire for each in topology.get("connections") or () if (wire := _wire(each))]
        root = run.roots[0] if run.roots else None
        self.visits: list[Span] = [
            span
            for span in (run.children(root) if root is not None else ())
            if span.kind is SpanKind.COMPONENT and span.name in self.components
        ]
        given = root.inputs if root is not None else None
        self.given: dict[str, Mapping[str, Any]] = {
            name: part
            for name, part in (given.items() if isinstance(given, Mapping) else ())
            if isinstance(part, Mapping)
        }
        outputs = run.outputs
        self.included = {
            name
            for name, sockets in (outputs.items() if isinstance(outputs, Mapping) else ())
            if isinstance(sockets, Mapping) and {w.output for w in self._from(name)} & set(sockets)
        }

    def state_before(self, at: Span) -> State:
        """Return what there was when a visit began."""
        state = State(
            inputs={
                name: {socket: [{"sender": None, "value": value}] for socket, value in part.items()}
                for name, part in self.given.items()
            },
            visits=dict.fromkeys(sorted(self.components), 0),
        )
        for span in self._done_before(at):
            self._consume(state, span)
            state.visits[span.name] += 1
            self._put_out(state, span)
        return state

    def _done_before(self, at: Span) -> Sequence[Span]:
        done = [
            span
            for span in self.visits
            if span.row != at.row
            and span.status is SpanStatus.OK
            and span.end_ns is not None
            and span.end_ns <= at.start_ns
        ]
        return sorted(done, key=lambda span: (span.start_ns, span.row))

    def _from(self, name: str) -> list[Wire]:
        return [wire for wire in self.wires if wire.sender == name]

    def _consume(self, state: State, span: Span) -> None:
        greedy = self._is_greedy(span.name)
        kept = {
            socket: [entry for entry in entries if entry["sender"] is None and not greedy]
            for socket, entries in state.inputs.get(span.name, {}).items()
        }
        state.inputs[span.name] = {socket: entries for socket, entries in kept.items() if entries}

    def _put_out(self, state: State, span: Span) -> None:
        outputs = span.outputs if isinstance(span.outputs, Mapping) else {}
        for wire in self._from(span.name):
            value = outputs.get(wire.output, NO_OUTPUT)
            if value is not NO_OUTPUT:
                value = self._as_received(wire, span, value)
            entry = {"sender": span.name, "value": value}
            sockets = state.inputs.setdefault(wire.receiver, {})
            if self._collects(wire):
                sockets.setdefault(wire.socket, []).append(entry)
            elif wire.socket not in sockets or value is not NO_OUTPUT:
                sockets[wire.socket] = [entry]
        used = {wire.output for wire in self._from(span.name)}
        if span.name in self.included:
            state.outputs[span.name] = dict(outputs)
        elif left := {name: value for name, value in outputs.items() if name not in used}:
            state.outputs[span.name] = left

    def _is_greedy(self, name: str) -> bool:
        known = self.components.get(name)
        return isinstance(known, Mapping) and known.get("type") in _GREEDY

    def _collects(self, wire: Wire) -> bool:
        """Say whether a socket gathers what several components send it."""
        senders = [each for each in self.wires if each[2:] == wire[2:]]
        return len(senders) > 1 and not self._is_greedy(wire.receiver)

    def _as_received(self, wire: Wire, span: Span, value: Any) -> Any:
        """Return a value as its receiver got it, where Haystack has converted it on the way."""
        if self._collects(wire) or self._is_greedy(wire.receiver):
            return value
        for later in self.visits:
            if later.name != wire.receiver or later.start_ns < (span.end_ns or 0):
                continue
            senders, given = later.senders or {}, later.inputs
            if (
                items_in(senders.get(wire.socket)) == [span.name]
                and isinstance(given, Mapping)
                and wire.socket in given
            ):
                return _unwrapped(given[wire.socket], value)
            break
        return value


def _unwrapped(received: Any, sent: Any) -> Any:
    """Return what was received; a socket that gathers gives its receiver a list of it."""
    items = items_in(received)
    return sent if items is not None and list(items) == [sent] else received


def _wire(each: Any) -> Wire | None:
    if not isinstance(each, Mapping):
        return None
    sender, dot, output = str(each.get("sender")).partition(".")
    receiver, other, socket = str(each.get("receiver")).partition(".")
    return Wire(sender, output, receiver, socket) if dot and other else None
