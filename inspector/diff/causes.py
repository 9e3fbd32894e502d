"""What may have made two runs decide differently: recorded facts, offered as inferences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inspector.diff.glance import loaded
from inspector.diff.histories import without_equal_history
from inspector.diff.lineage import sources_of
from inspector.diff.model import Cause, ConfigurationChange, Decision, DecisionKind
from inspector.diff.retrieving import move_words
from inspector.diff.values import value_changes
from inspector.runfile.model import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inspector.diff.align import Alignment
    from inspector.diff.context import Context, SideView
    from inspector.diff.model import Pair

_MOST = 12
_MOST_UPSTREAM = 2_000
_EDITED = "edited"  # the source of a span, where a person has put a result there
_LIKELIHOOD = ("certain", "likely", "possible")
# The components of a pipeline inside, in the notation of a leaf.
_INNER = re.compile(r'\bcomponents(?:\.([^.\[]+)|\["((?:[^"\\]|\\.)*)"\])')
_COUNTED = frozenset({DecisionKind.RETRY, DecisionKind.EXIT, DecisionKind.FAILURE})
# The parameters that a decision of a kind is made of.
_OWN = {
    DecisionKind.QUERY: ("top_k", "filters", "query"),
    DecisionKind.LLM: ("model", "generation_kwargs", "tools", "azure_deployment", "chat_generator"),
    DecisionKind.ROUTE: ("routes", "rules", "labels", "mime_types", "languages"),
    DecisionKind.VALIDATOR: ("json_schema", "schema"),
    DecisionKind.EXIT: ("exit_conditions", "max_agent_steps"),
}
_UNCHANGED = {
    DecisionKind.DOCUMENTS: "{name} was asked the same: its store holds something else",
    DecisionKind.REPLY: "{name} was sent the same: another answer is the LLM's own choice",
    DecisionKind.RESULT: "{name} was given the same arguments",
    DecisionKind.TOOL: "the LLM chose otherwise",
    DecisionKind.ARGUMENTS: "the LLM chose otherwise",
}


def causes_of(
    context: Context,
    alignment: Alignment,
    first: Decision,
    configuration: Sequence[ConfigurationChange],
) -> tuple[Cause, ...]:
    """Return what may have caused a decision to differ, the likeliest first."""
    if first.kind is DecisionKind.INPUT:
        # What a run was asked comes from outside of it.
        return ()
    upstream = _Upstream(context, alignment, first)
    found = [*upstream.by_hand(), *_by_content(first)]
    senders = _senders(configuration, upstream)
    for change in configuration:
        likely = _likelihood(change, first, upstream)
        if likely == "possible" and change.area == "component" and change.path in senders:
            likely = "likely"
        found.append(Cause(change.sentence, likely, change.path, change.leaf))
    explained = {cause.path for cause in found}
    found += [
        cause for cause in upstream.origins() if cause.path.partition("#")[0] not in explained
    ]
    if not any(cause.likely != "possible" for cause in found):
        words = _UNCHANGED.get(first.kind)
        if words is not None and upstream.asked_the_same:
            found.append(Cause(words.format(name=upstream.name), "likely", first.path))
    found.sort(key=lambda cause: _LIKELIHOOD.index(cause.likely))
    return tuple(dict.fromkeys(found))[:_MOST]


def _by_content(first: Decision) -> Iterator[Cause]:
    for move in first.documents:
        if move.change in ("content", "meta"):
            yield Cause(f"{move_words(move)}: it was amended", "certain", first.path, move.key)


class _Upstream:
    """The spans that a decision depends on."""

    def __init__(self, context: Context, alignment: Alignment, first: Decision) -> None:
        self._context = context
        self._alignment = alignment
        on_right = first.right_span is not None
        self._view = context.right if on_right else context.left
        self._right = on_right
        row = self._view.run.table.row_of((first.right_span if on_right else first.left_span) or "")
        self.own: tuple[str, ...] = ()
        self.name = ""
        self._around: set[int] = set()
        self.asked_the_same = False
        self._rows: list[int] = []
        self._row = row
        self.places: set[tuple[str, ...]] = set()
        if row is None or first.kind is DecisionKind.ANSWER:
            if self._view.run.roots:
                self._rows = [child.row for child in self._view.run.roots]
            return
        span = Span(self._view.run, row)
        self.own, self.name = self._view.place(span), span.name
        self.asked_the_same = self._same_inputs(row)
        self._rows = self._walked(self._view, row)
        above = self._view.run.table.parent_row
        at = above[row]
        while at >= 0:
            self._around.add(at)
            at = above[at]
        for each in self._rows:
            place = self._view.place(Span(self._view.run, each))
            self.places |= {place[:depth] for depth in range(1, len(place) + 1)}

    def is_all(self, name: str) -> bool:
        """Whether a component ran by itself, as an agent does, so that no place names it."""
        runs = self._context.left.run, self._context.right.run
        return all("type" in (run.definition or {}) and name == run.name for run in runs)

    def _pair(self, row: int) -> Pair:
        return self._alignment.of_right(row) if self._right else self._alignment.of_left(row)

    def _same_inputs(self, row: int) -> bool:
        pair = self._pair(row)
        if pair.left is None or pair.right is None:
            return False
        context = self._context
        raws = [
            bytes(view.glance.facts(row).inputs)
            for view, row in ((context.left, pair.left), (context.right, pair.right))
        ]
        if raws[0] == raws[1]:
            return True
        one, other = (loaded(raw) for raw in raws)
        without_equal_history(context, one, other)
        changes, _ = value_changes(
            one, other, context.noise, most=20,
            left_lookup=context.left.lookup, right_lookup=context.right.lookup,
        )  # fmt: skip
        return all(change.noise is not None for change in changes)

    @staticmethod
    def _walked(view: SideView, start: int) -> list[int]:
        seen = {start: None}
        waiting = [start]
        while waiting and len(seen) < _MOST_UPSTREAM:
            for source in sources_of(view, Span(view.run, waiting.pop())):
                if source.row not in seen:
                    seen[source.row] = None
                    waiting.append(source.row)
        return list(seen)[1:]

    def by_hand(self) -> Iterator[Cause]:
        """Yield what a person has put in the place of inputs or of a result, in a replay."""
        if not (self._context.left.run.replay_of or self._context.right.run.replay_of):
            return
        rows = [] if self._row is None else [self._row]
        for row in dict.fromkeys((*rows, *sorted(self._rows))):
            pair = self._pair(row)
            sides = ((self._context.left, pair.left), (self._context.right, pair.right))
            for view, at in sides:
                if at is None:
                    continue
                span = Span(view.run, at)
                likely = "certain" if row == self._row else "likely"
                if span.raw.get("inputs_edited") is True:
                    words = f"what {span.name} was given was edited by hand in the replay"
                    yield Cause(words, likely, span.path)
                if span.raw.get("source") == _EDITED:
                    words = f"what {span.name} gave back was edited by hand in the replay"
                    yield Cause(words, likely, span.path)

    def origins(self) -> Iterator[Cause]:
        """Yield what put out something else although it was asked the same."""
        for row in sorted(self._rows):
            pair = self._pair(row)
            span = Span(self._view.run, row)
            # What is around a decision put out something else because of it.
            if pair.same or pair.left is None or pair.right is None or row in self._around:
                continue
            if self._view.run.table.parent_row[row] >= 0 and self._same_inputs(row):
                sentence = f"{span.name} put out something else for the same inputs"
                yield Cause(sentence, "likely", span.path)


def _senders(configuration: Sequence[ConfigurationChange], upstream: _Upstream) -> frozenset[str]:
    """Return who is or was connected, unlike on the other side, to what a decision depends on."""
    near = {*upstream.places, upstream.own[:1]}
    return frozenset(
        str(change.left or change.right).partition(".")[0]
        for change in configuration
        if change.area == "connection" and (change.path.partition(".")[0],) in near
    )


def _likelihood(change: ConfigurationChange, first: Decision, upstream: _Upstream) -> str:
    if change.area in ("package", "environment"):
        return "possible"
    place = change.path.partition(".")[0] if change.area == "connection" else change.path
    if not place:
        # A setting of the whole run: how often something may run in it.
        return "likely" if first.kind in _COUNTED else "possible"
    inner = tuple(plain or quoted for plain, quoted in _INNER.findall(change.leaf))
    # A component that runs by itself has no name in the places of what is inside it.
    where = inner if upstream.is_all(place) else (place, *inner)
    if upstream.own[: len(where)] != where:
        return "likely" if where in upstream.places else "possible"
    parts = {part.partition("[")[0] for part in change.leaf.split(".")}
    if change.area == "parameter" and parts.intersection(_OWN.get(first.kind, ())):
        return "certain"
    return "likely"
