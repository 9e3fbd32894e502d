"""The two runs of a comparison, with what many decisions look up."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.call_ids import alike_but_for_ids
from inspector.diff.glance import Facts, Glance, loaded
from inspector.diff.model import Agreement, Decision, DecisionKind, Pair, Severity
from inspector.diff.said import is_left_out, only_there
from inspector.diff.text import text_diff
from inspector.diff.values import value_changes
from inspector.runfile.fingerprint import fingerprint
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.model import Span

if TYPE_CHECKING:
    from inspector.diff.model import DocumentMove, TextDiff, ValueChange
    from inspector.diff.noise import NoiseRules
    from inspector.runfile.model import PipelineRun

INNER = "inspector.inner"
_MOST_CHANGES = 50
_ROOM = 8_000_000


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
        self.glance = Glance(run)
        self.settings: dict[Hashable, Mapping[str, Any]] = {}
        self._parameters: dict[tuple[str, ...], Mapping[str, Any]] = {}
        self._declared: dict[tuple[str, ...], Mapping[str, Any] | None] = {}
        self._places: dict[int, tuple[str, ...]] = {-1: ()}
        self._wired: dict[tuple[str, ...], tuple[Wire, ...]] = {}
        self._visits: dict[int, dict[str, list[int]]] = {}

    def place(self, span: Span) -> tuple[str, ...]:
        """Return the names of the components that a span is in, itself the last."""
        known = self._places.get(span.row)
        if known is not None:
            return known
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
        place = self.place(span)
        if place not in self._declared:
            components = _member(self.topology_around(span), "components")
            self._declared[place] = _member(components, place[-1]) if place else None
        return self._declared[place]

    def wired(self, span: Span) -> tuple[Wire, ...]:
        """Return what is connected to the inputs of a component."""
        place = self.place(span)
        if place not in self._wired:
            self._wired[place] = tuple(_wires(self.topology_around(span), span.name))
        return self._wired[place]

    def latest_before(self, span: Span, names: set[str]) -> dict[str, Span]:
        """Return the last visit of each of some components before a span beside them."""
        visits = self._visits_in(self.run.table.parent_row[span.row])
        found: dict[str, Span] = {}
        for name in names:
            rows = visits.get(name, ())
            if (at := bisect_left(rows, span.row)) > 0:
                found[name] = Span(self.run, rows[at - 1])
        return found

    def _visits_in(self, parent: int) -> dict[str, list[int]]:
        """Return the rows of each component right below a span."""
        known = self._visits.get(parent)
        if known is None:
            known = self._visits[parent] = {}
            for row in self.run.table.children(parent):
                known.setdefault(self.run.table.name(row), []).append(row)
        return known

    def parameters(self, span: Span) -> Mapping[str, Any]:
        """Return the init parameters of the component, tool or inner part behind a span."""
        place = self.place(span)
        if place not in self._parameters:
            node = self.run.definition
            for name in place:
                node = inner_definition(node, name)
            self._parameters[place] = _member(node, "init_parameters") or {}
        return self._parameters[place]

    def lookup(self, digest: str) -> Any:
        """Return the value that a digest stands for, references as they stand.

        Raises:
            KeyError: The run holds no such value.

        """
        return loaded(self.run.values.raw(digest))

    def facts(self, span: Span) -> Facts:
        """Return what a span's record says at a glance."""
        return self.glance.facts(span.row)


def _wires(topology: Mapping[str, Any] | None, name: str) -> Iterator[Wire]:
    components = _member(topology, "components")
    connections = (topology or {}).get("connections")
    for connection in connections if isinstance(connections, list) else ():
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
    numbers: Iterator[int] = field(default_factory=count)
    """The numbers of decisions, in the order in which they are told."""
    prompts: set[tuple[str, str]] = field(default_factory=set)
    """What LLMs were sent on both sides, so far, where it is kept by itself."""
    equal_prompts: set[tuple[str, str]] = field(default_factory=set)
    """Those of them that say the same, but for noise."""
    settings: dict[tuple[int, int], str] = field(default_factory=dict)
    """The settings of LLMs that are the same on both sides, by where they are, in words."""
    names: dict[str, str] = field(default_factory=dict)
    """What components of the right run are called in the left one, where that is another name."""
    room: list[int] = field(default_factory=lambda: [_ROOM])
    """How many characters of text may still be compared."""

    def renamed_back(self, data: Any) -> Any:
        """Return what the right run was given, by the names of the left run's components."""
        if not self.names or not isinstance(data, Mapping):
            return data
        return {self.names.get(name, name): value for name, value in data.items()}

    def texts(self, left: str, right: str) -> TextDiff | None:
        """Return two texts side by side, or None where too much text was compared already."""
        self.room[0] -= len(left) + len(right)
        return text_diff(left, right) if self.room[0] >= 0 else None


class Both:
    """A pair of spans about which something is decided; one may be missing.

    `any` is the left span, or the right one where there is no left; `view`, `facts`, `kind`,
    `role` and `name` are of that one.
    """

    __slots__ = (
        "alone", "any", "context", "facts", "kind", "left", "pair", "right", "role", "sides",
        "view",
    )  # fmt: skip

    def __init__(self, context: Context, pair: Pair) -> None:
        self.context = context
        self.pair = pair
        self.left = None if pair.left is None else Span(context.left.run, pair.left)
        self.right = None if pair.right is None else Span(context.right.run, pair.right)
        self.sides = ((context.left, self.left), (context.right, self.right))
        self.alone = self.left is None or self.right is None
        span, self.view = (
            (self.right, context.right) if self.left is None else (self.left, context.left)
        )
        assert span is not None
        self.any = span
        self.facts = self.view.glance.facts(span.row)
        self.kind = span.kind
        self.role = self.facts.role

    @property
    def inner(self) -> bool:
        """Whether it is a call that Haystack gives no span."""
        return self.facts.operation == INNER

    @property
    def name(self) -> str:
        """What the reader calls it."""
        return self.any.name or self.facts.path or str(self.kind)

    @property
    def worked(self) -> bool:
        """Whether no side failed or broke off, so that missing outputs mean something."""
        return (self.left is None or self.left.status is SpanStatus.OK) and (
            self.right is None or self.right.status is SpanStatus.OK
        )

    @property
    def one_sided(self) -> Agreement | None:
        """`LEFT_ONLY` or `RIGHT_ONLY` where a side is missing."""
        if self.right is None:
            return Agreement.LEFT_ONLY
        return Agreement.RIGHT_ONLY if self.left is None else None

    def only(self, did: str, newly: str = "") -> str:
        """Say that something was done on one side only.

        Args:
            did: What was done, such as `returned 3 documents`.
            newly: The same with `{}` for `newly` or `no longer`, where that reads better.

        """
        before = self.right is None
        run = (self.context.right if before else self.context.left).run
        if not run.complete:
            # A record that ends early does not say that nothing came after it.
            side = "right" if before else "left"
            return f"{self.name} {did}, which is not in what was recorded of the {side} run"
        if newly:
            return f"{self.name} {newly.format('no longer' if before else 'newly')}"
        return only_there(self.name, did, before=before)

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
        if alike_but_for_ids(left, right) or fingerprint(left) == fingerprint(right):
            return Agreement.NOISE, ()
        rules = self.context.noise.under(f"{self.facts.path}.{where}")
        changes, _ = value_changes(left, right, rules, most=_MOST_CHANGES)
        if not changes:
            return Agreement.SAME, ()
        counted = [change for change in changes if change.noise is None]
        if not counted:
            return Agreement.NOISE, changes
        # What one side was too large to keep may well be the same.
        unknown = all(is_left_out(change.left) != is_left_out(change.right) for change in counted)
        return Agreement.UNKNOWN if unknown else Agreement.DIFFERS, changes

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
        """Return a decision point at this pair."""
        quiet = agreement in (Agreement.SAME, Agreement.NOISE, Agreement.UNKNOWN)
        return Decision(
            number=next(self.context.numbers), kind=kind, path=self.facts.path, title=title,
            left_span=None if self.left is None else self.left.id,
            right_span=None if self.right is None else self.right.id,
            left=words[0] or "", right=words[1] or "", agreement=agreement,
            severity=Severity.NOTE if quiet else severity,
            text=text, documents=documents, changes=changes,
        )  # fmt: skip
