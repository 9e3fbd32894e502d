"""The two runs of a comparison, with what many decisions look up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.model import Agreement, Decision, DecisionKind, Pair, Severity
from inspector.diff.values import value_changes
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.model import Span

if TYPE_CHECKING:
    from inspector.diff.model import DocumentMove, TextDiff, ValueChange
    from inspector.diff.noise import NoiseRules
    from inspector.runfile.model import PipelineRun

INNER = "inspector.inner"
_MOST_CHANGES = 50


class Wire(NamedTuple):
    """What is connected to a component."""

    sender: str
    socket: str
    several: bool
    """Whether the sender has, as far as known, outputs to choose from."""


class SideView:
    """One of the runs, and what its definition and topology say of a span."""

    def __init__(self, run: PipelineRun) -> None:
        self.run = run
        self._places: dict[int, tuple[str, ...]] = {-1: ()}
        self._wired: dict[tuple[str, ...], tuple[Wire, ...]] = {}

    def place(self, span: Span) -> tuple[str, ...]:
        """Return the names of the components that a span is in, itself the last."""
        chain = []
        row = span.row
        while row not in self._places:
            chain.append(row)
            row = self.run.table.parent_row[row]
        place = self._places[row]
        for row in reversed(chain):
            inner = Span(self.run, row)
            if inner.kind is SpanKind.LLM:
                place = (*place, "chat_generator")
            elif inner.kind is SpanKind.COMPONENT:
                place = (*place, inner.name)
            self._places[row] = place
        return place

    def parent(self, span: Span) -> Span | None:
        """Return the span around one."""
        row = self.run.table.parent_row[span.row]
        return None if row < 0 else Span(self.run, row)

    def topology_around(self, span: Span) -> Mapping[str, Any] | None:
        """Return the topology of the pipeline that a component's span is a part of."""
        found = self.run.topology
        for name in self.place(span)[:-1]:
            node = _member(_member(found, "components"), name)
            found = _member(node, "topology")
            if found is None:
                return None
        return found

    def declared(self, span: Span) -> Mapping[str, Any] | None:
        """Return what the topology says of a component: its type and sockets."""
        return _member(_member(self.topology_around(span), "components"), self.place(span)[-1])

    def wired(self, span: Span) -> tuple[Wire, ...]:
        """Return what is connected to the inputs of a component."""
        place = self.place(span)
        if place not in self._wired:
            self._wired[place] = tuple(_wires(self.topology_around(span), span.name))
        return self._wired[place]

    def latest_before(self, span: Span, names: set[str]) -> dict[str, Span]:
        """Return the last visit of each of some components before a span beside them."""
        table = self.run.table
        rows = table.children(table.parent_row[span.row])
        found: dict[str, Span] = {}
        for at in range(bisect_left(rows, span.row) - 1, -1, -1):
            name = table.name(rows[at])
            if name in names and name not in found:
                found[name] = Span(self.run, rows[at])
                if len(found) == len(names):
                    break
        return found

    def parameters(self, span: Span) -> Mapping[str, Any]:
        """Return the init parameters of the component, tool or inner part behind a span."""
        node = self.run.definition
        for name in self.place(span):
            node = inner_definition(node, name)
        return _member(node, "init_parameters") or {}


def _wires(topology: Mapping[str, Any] | None, name: str) -> Iterator[Wire]:
    components = _member(topology, "components")
    for connection in (topology or {}).get("connections") or ():
        if not isinstance(connection, Mapping):
            continue
        sender, _, out = str(connection.get("sender")).rpartition(".")
        receiver, _, _ = str(connection.get("receiver")).rpartition(".")
        if receiver == name:
            outputs = _member(_member(components, sender), "outputs")
            yield Wire(sender, out, outputs is None or len(outputs) > 1)


def inner_definition(node: Any, name: str) -> Mapping[str, Any] | None:
    """Return the definition of a part of a pipeline, a SuperComponent or a component."""
    parameters = _member(node, "init_parameters")
    for holder in (_member(node, "components"), parameters,
                   _member(_member(parameters, "pipeline"), "components")):  # fmt: skip
        if (found := _member(holder, name)) is not None:
            return found
    return None


def _member(node: Any, name: str) -> Mapping[str, Any] | None:
    found = node.get(name) if isinstance(node, Mapping) else None
    return found if isinstance(found, Mapping) else None


@dataclass(frozen=True, slots=True)
class Context:
    """What decisions are made from."""

    left: SideView
    right: SideView
    noise: NoiseRules


@dataclass(frozen=True, slots=True)
class Both:
    """A pair of spans about which something is decided; one may be missing."""

    context: Context
    pair: Pair
    left: Span | None
    right: Span | None

    @property
    def any(self) -> Span:
        """The left span, or the right one where there is no left."""
        span = self.left if self.left is not None else self.right
        assert span is not None
        return span

    @property
    def alone(self) -> bool:
        """Whether only one side has it."""
        return self.left is None or self.right is None

    @property
    def kind(self) -> SpanKind:
        return self.any.kind

    @property
    def role(self) -> str:
        return self.any.role

    @property
    def name(self) -> str:
        """What the reader calls it."""
        span = self.any
        return span.name or span.path or str(span.kind)

    @property
    def sides(self) -> tuple[tuple[SideView, Span | None], tuple[SideView, Span | None]]:
        """Each run's view with its span."""
        return ((self.context.left, self.left), (self.context.right, self.right))

    @property
    def worked(self) -> bool:
        """Whether no side failed or broke off, so that missing outputs mean something."""
        return all(span is None or span.status is SpanStatus.OK for _, span in self.sides)

    @property
    def one_sided(self) -> Agreement | None:
        """`LEFT_ONLY` or `RIGHT_ONLY` where a side is missing."""
        if self.right is None:
            return Agreement.LEFT_ONLY
        return Agreement.RIGHT_ONLY if self.left is None else None

    def compare(
        self, left: Any, right: Any, where: str
    ) -> tuple[Agreement, tuple[ValueChange, ...]]:
        """Say whether two values are the same, and where they differ.

        Args:
            left: A value tree.
            right: The same.
            where: What of the span it is, such as `inputs` or `outputs.replies`.

        """
        if left is right or left == right:
            return Agreement.SAME, ()
        rules = self.context.noise.under(f"{self.any.path}.{where}")
        changes, _ = value_changes(left, right, rules, most=_MOST_CHANGES)
        if not changes:
            return Agreement.SAME, ()
        noise = all(change.noise is not None for change in changes)
        return Agreement.NOISE if noise else Agreement.DIFFERS, changes

    def decision(
        self,
        kind: DecisionKind,
        title: str,
        words: Sequence[str | None],
        agreement: Agreement,
        severity: Severity = Severity.NOTE,
        *,
        text: TextDiff | None = None,
        documents: tuple[DocumentMove, ...] = (),
        changes: tuple[ValueChange, ...] = (),
    ) -> Decision:
        """Return a decision point at this pair; it gets its number later."""
        quiet = agreement in (Agreement.SAME, Agreement.NOISE, Agreement.UNKNOWN)
        return Decision(
            number=0, kind=kind, path=self.any.path, title=title,
            left_span=None if self.left is None else self.left.id,
            right_span=None if self.right is None else self.right.id,
            left=words[0] or "", right=words[1] or "", agreement=agreement,
            severity=Severity.NOTE if quiet else severity,
            text=text, documents=documents, changes=changes,
        )  # fmt: skip
