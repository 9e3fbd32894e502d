"""What of a pipeline did not run although nothing had decided against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import listed, named
from inspector.findings.wiring import Plan, Wire, plans, visits_in
from inspector.runfile.kinds import RunStatus, SpanStatus

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_ROUTING = "routing"
_MOST_WIRES = 6
_LEFT_OVER = frozenset({"unmatched", "unclassified", "no_match", "other"})
_CHOICE, _SILENT, _UNREACHED, _UNKNOWN = "choice", "silent", "unreached", "unknown"


class _Look:
    """One pipeline that ran to its end, and what of it did not run."""

    def __init__(self, reading: Reading, row: int, plan: Plan) -> None:
        self.reading, self.row, self.plan = reading, row, plan
        self.visits = visits_in(reading, row)
        self.missing = [name for name in plan.components if name not in self.visits]
        self._sent: dict[str, frozenset[str] | None] = {}
        self._why: dict[str, str] = {}

    def sent(self, name: str) -> frozenset[str] | None:
        """Return the sockets that a component sent something from; None where not recorded."""
        if name not in self._sent:
            self._sent[name] = self._looked_up(name)
        return self._sent[name]

    def _looked_up(self, name: str) -> frozenset[str] | None:
        sockets: set[str] = set()
        for span in self.reading.spans(self.visits.get(name, ())):
            if not isinstance(span.outputs, Mapping):
                return None
            sockets |= {str(socket) for socket in span.outputs}
        return frozenset(sockets)

    def is_filled(self, wire: Wire) -> bool:
        sent = self.sent(wire.sender) if wire.sender in self.visits else frozenset()
        return sent is not None and wire.output in sent

    def why_unfilled(self, wire: Wire) -> str:
        """Return why nothing came by a connection."""
        if wire.sender not in self.visits:
            return self.why_missing(wire.sender)
        sent = self.sent(wire.sender)
        if sent is None:
            return _UNKNOWN
        # What has several outputs and uses one of them has chosen.
        return _CHOICE if sent or self.plan.role(wire.sender) == _ROUTING else _SILENT

    def why_missing(self, name: str) -> str:
        """Return why a component did not run."""
        if name not in self._why:
            self._why[name] = _UNKNOWN  # components in a circle wait for each other
            self._why[name] = self._reason(name)
        return self._why[name]

    def _reason(self, name: str) -> str:
        wires = self.plan.into(name)
        reasons = {self.why_unfilled(wire) for wire in wires if not self.is_filled(wire)}
        if not wires or reasons & {_CHOICE, _UNKNOWN}:
            return _CHOICE
        return _UNREACHED

    def unfilled(self, name: str) -> list[Wire]:
        filled = {wire.socket for wire in self.plan.into(name) if self.is_filled(wire)}
        return [wire for wire in self.plan.into(name) if wire.socket not in filled]

    def is_fed(self, name: str) -> bool:
        """Whether a component was given some of what it takes."""
        given = self.reading.run.inputs
        own = given.get(name) if isinstance(given, Mapping) else None
        is_root = self.reading.table.parent_row[self.row] < 0
        return any(self.is_filled(wire) for wire in self.plan.into(name)) or bool(is_root and own)


def _looks(reading: Reading) -> list[_Look]:
    def look() -> list[_Look]:
        if reading.run.status is not RunStatus.COMPLETED:
            return []  # it did not get that far
        return [
            each
            for row, plan in plans(reading)
            if reading.table.status_of(row) is SpanStatus.OK
            and (each := _Look(reading, row, plan)).missing and each.visits
        ]  # fmt: skip

    return reading.once("unreached", look)


def blocked_component(reading: Reading) -> Iterator[Finding]:
    """Find components that waited for an input that never came, while they had others."""
    yield from _never_started(reading)
    for look in _looks(reading):
        for name in look.missing:
            unfilled = look.unfilled(name)
            if look.why_missing(name) != _UNREACHED or not look.is_fed(name) or not unfilled:
                continue
            sockets = listed(list(dict.fromkeys(wire.socket for wire in unfilled)))
            senders = list(dict.fromkeys(wire.sender for wire in unfilled))
            ran = [look.visits[sender][-1] for sender in senders if sender in look.visits]
            did = "sent nothing" if len(ran) == len(senders) else "did not run"
            yield Finding(
                "blocked-component",
                Severity.WARNING,
                f"`{name}` never ran: {sockets} stayed empty, and {listed(senders)}, which should "
                f"have fed it, {did}.",
                (*(reading.table.id(row) for row in ran), reading.table.id(look.row)),
                "Give the socket a default, or see to it that its sender always sends something.",
                ("outputs",),
            )


def _never_started(reading: Reading) -> Iterator[Finding]:
    """Find a pipeline in which everybody waits for somebody else: none of it runs."""
    error = reading.run.error
    if error is None or not error.type.endswith("PipelineComponentsBlockedError"):
        return
    for row, plan in plans(reading):
        if reading.table.parent_row[row] >= 0 or visits_in(reading, row):
            continue
        waits = [
            f"`{wire.receiver}` waits for `{wire.socket}` from `{wire.sender}`"
            for wire in plan.wires[:_MOST_WIRES]
        ]
        more = " and so on" if len(plan.wires) > _MOST_WIRES else ""
        yield Finding(
            "blocked-component",
            Severity.ERROR,
            f"Nothing could start: {', '.join(waits)}{more}.",
            (reading.table.id(row),),
            "Give one of them its input, or a default for it.",
            ("error",),
        )


def component_never_reached(reading: Reading) -> Iterator[Finding]:
    """Find components to which nothing ever came, although no router decided so."""
    for look in _looks(reading):
        names = [
            name
            for name in look.missing
            if look.why_missing(name) == _UNREACHED and not look.is_fed(name)
        ]
        if not names:
            continue
        senders = list(dict.fromkeys(
            wire.sender for name in names for wire in look.unfilled(name)
            if wire.sender not in names
        ))  # fmt: skip
        ran = [look.visits[sender][-1] for sender in senders if sender in look.visits]
        verb = "was" if len(names) == 1 else "were"
        nothing = f": nothing came from {listed(senders)}" if senders else ""
        yield Finding(
            "component-never-reached",
            Severity.WARNING,
            f"{listed(names)} {verb} never reached{nothing}.",
            (*(reading.table.id(row) for row in ran), reading.table.id(look.row)),
            "Look at what comes before: it ran without sending anything, or did not run.",
            ("outputs",),
        )


def untaken_branch(reading: Reading) -> Iterator[Finding]:
    """Find routers that took none of their branches: what came in leads nowhere."""
    for span in reading.spans(reading.skim.rows_of(_ROUTING)):
        branches = [
            socket for socket, names in reading.skim.receivers(span.row).items() if any(names)
        ]
        if span.status != SpanStatus.OK or not branches or not isinstance(span.outputs, Mapping):
            continue
        taken = [str(socket) for socket, value in span.outputs.items() if value not in ([], None)]
        if any(socket in branches for socket in taken):
            continue
        left_over = [socket for socket in taken if socket in _LEFT_OVER]
        if taken and not left_over and not _hands_back(span, taken):
            continue  # it is a way out of the pipeline, and meant as one
        yield Finding(
            "untaken-branch",
            Severity.WARNING,
            f"{named(span)} took none of its branches ({listed(branches)})"
            + (f": what it was given went to {listed(taken)}, which leads nowhere." if taken
               else ": it sent out nothing."),
            (span.id,),
            "Connect what is left over, or give the router a branch that always fits.",
            ("outputs",),
            possible=bool(taken) and not left_over,
        )  # fmt: skip


def _hands_back(span: Span, taken: list[str]) -> bool:
    """Say whether all that a router sent out is what it was given."""
    inputs: Any = span.inputs
    if not isinstance(inputs, Mapping):
        return False
    given = [value for value in inputs.values() if value not in (None, "", [])]
    return all(span.outputs[socket] in given for socket in taken)
