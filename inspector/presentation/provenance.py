"""Where a value came from, and who used it.

What the run says itself counts first: the senders of an input, the receivers of an output,
the id of a tool call. What is found by looking for the same content, the same id or the
same words elsewhere is inferred, and says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspector.presentation.previews import preview, text_preview
from inspector.presentation.provenance_answer import (
    Answer,
    Candidate,
    Link,
    call_ids_in,
    named,
    result_around,
    span_title,
)
from inspector.presentation.provenance_text import parts_in, stands_in_outputs
from inspector.presentation.provenance_wires import (
    Wired,
    receivers_of,
    senders_of,
    tool_call_of,
)
from inspector.presentation.value_graph import Place, ValueGraph
from inspector.presentation.value_paths import ABSENT, field_of, joined, split, value_at
from inspector.presentation.values import items_in
from inspector.presentation.words import plural
from inspector.runfile.kinds import SpanKind
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.presentation.value_paths import Step
    from inspector.runfile.model import PipelineRun, Span

MOST = 24
"""Candidates that are listed."""

_MOST_SAME = 6
_MOST_ITEMS = 40
# They do not put texts together: they answer, or they hold those that do.
_NO_WRITERS = {SpanKind.LLM, SpanKind.TOOL, SpanKind.PIPELINE, SpanKind.AGENT, SpanKind.STEP}


class Provenance:
    """Answers for one run. Asking may take a while the first time: ask on a worker thread."""

    def __init__(self, run: PipelineRun) -> None:
        self._run = run
        self._graph: ValueGraph | None = None

    @property
    def run(self) -> PipelineRun:
        return self._run

    def where_from(
        self, span_id: str, path: str, cancelled: Callable[[], bool] = lambda: False
    ) -> Answer:
        """Return where the value at a path of a span came from."""
        span, steps, value = self._asked(span_id, path)
        question = f"Where {named(span, steps)} came from"
        if value is ABSENT:
            return Answer(question, note="There is no value here.")
        graph = self._graph_of(cancelled)
        found: list[Candidate] = []
        note = ""
        if steps[0].label == "outputs":
            wires = senders_of(self._run, span, steps)
            found += self._wired(wires)
            found += self._made_inside(graph, span, path, found)
            found += self._same_document(graph, span, path, found)
        else:
            wires = [*tool_call_of(self._run, graph, span, steps), *self._wires_in(span, steps)]
            found += self._wired(wires)
            found += self._tool_results(graph, span, path)
            found += self._same_before(graph, span, path, found)
            found += self._of_items(span, steps, value, found, cancelled)
            note = self._unsent(span, steps, found)
        found += self._parts(span, steps, found)
        if steps[0].label == "outputs" and not found:
            note = f"`{text_preview(span.name, 60)}` made it: it stands in nothing that went in."
        return self._answer(question, found, note, graph)

    def who_used(
        self, span_id: str, path: str, cancelled: Callable[[], bool] = lambda: False
    ) -> Answer:
        """Return what the value at a path of a span went into."""
        span, steps, value = self._asked(span_id, path)
        question = f"Who used {named(span, steps)}"
        if value is ABSENT:
            return Answer(question, note="There is no value here.")
        graph = self._graph_of(cancelled)
        found = self._wired(receivers_of(self._run, span, steps))
        found += self._called_tools(graph, span, value)
        found += self._quoting(graph, span, steps)
        found += self._same_after(graph, span, path, found)
        found += self._stands_in(span, steps, value, found)
        note = "" if found else "Nothing that was recorded later holds it."
        return self._answer(question, found, note, graph)

    def _asked(self, span_id: str, path: str) -> tuple[Span, list[Step], Any]:
        span = self._run.span(span_id)
        steps = split(path)
        return span, steps, value_at(self._run, span, path) if steps else ABSENT

    def _graph_of(self, cancelled: Callable[[], bool]) -> ValueGraph:
        if self._graph is None:
            graph = ValueGraph(self._run, cancelled)
            if cancelled():
                return graph
            self._graph = graph
        return self._graph

    def _answer(
        self, question: str, found: Iterable[Candidate], note: str, graph: ValueGraph
    ) -> Answer:
        seen: dict[tuple[str, str], Candidate] = {}
        for each in found:
            seen.setdefault((each.span_id, each.path), each)
        # What the run says itself stands first; within that, what was found first.
        ordered = sorted(seen.values(), key=lambda each: each.link is Link.INFERRED)
        notes = [note] if note else []
        if len(ordered) > MOST:
            notes.append(f"{plural(len(ordered) - MOST, 'further place')} not listed.")
        if not graph.is_whole:
            notes.append("The run is too large to look for the same content in all of it.")
        return Answer(question, tuple(ordered[:MOST]), " ".join(notes))

    def _candidate(self, row: int, path: str, link: Link, why: str) -> Candidate:
        span = self._run.spans[row]
        value = value_at(self._run, span, path)
        return Candidate(
            span.id, path, link, self._title(span), why,
            "" if value is ABSENT else preview(value, 160),
        )  # fmt: skip

    def _title(self, span: Span) -> str:
        """Return what a span is called; all LLM calls of an agent have one name."""
        around = self._run.parent(span)
        if around is None or around.kind is not SpanKind.STEP:
            return span_title(span)
        return f"{span_title(span)} in {text_preview(around.name, 40)}"

    # What the run says itself

    def _wires_in(self, span: Span, steps: list[Step]) -> list[Wired]:
        return senders_of(self._run, span, steps) if steps[0].label != "arguments" else []

    def _wired(self, wires: Iterable[Wired]) -> list[Candidate]:
        return [
            self._candidate(
                wire.row, wire.path, Link.RECORDED if wire.recorded else Link.INFERRED, wire.why
            )
            for wire in wires
        ]

    def _tool_results(self, graph: ValueGraph, span: Span, path: str) -> list[Candidate]:
        """Return the tools whose results stand in a message, by the id of their call."""
        result = result_around(self._run, span, split(path))
        row = graph.tool_rows.get(result) if result else None
        if row is None:
            return []
        root = "outputs" if self._run.spans[row].has("outputs") else "arguments"
        why = "the message names the call that this tool answered"
        return [self._candidate(row, root, Link.RECORDED, why)]

    def _called_tools(self, graph: ValueGraph, span: Span, value: Any) -> list[Candidate]:
        found = []
        for call_id in call_ids_in(value):
            row = graph.tool_rows.get(call_id)
            if row is not None and row > span.row:
                why = "it ran the call that stands in this, by its id"
                found.append(self._candidate(row, "inputs", Link.RECORDED, why))
        return found

    def _quoting(self, graph: ValueGraph, span: Span, steps: list[Step]) -> list[Candidate]:
        """Return the LLM calls that were told what a tool gave back."""
        call_id = (span.tool_call or {}).get("id")
        if steps[0].label != "outputs" or not isinstance(call_id, str):
            return []
        places = graph.places(f"tool_result {call_id}")
        later = [place for place in places if self._is_input_after(place, span)]
        why = "its prompt holds the result, by the id of the call"
        return [
            self._candidate(place.row, place.path, Link.RECORDED, why)
            for place in later[:_MOST_SAME]
        ]

    def _unsent(self, span: Span, steps: list[Step], found: list[Candidate]) -> str:
        """Return what is to be said of an input that no span sent."""
        if steps[0].label != "inputs":
            return ""
        if span.parent_id is None:
            return "The caller of the run passed it."
        socket = steps[1].label if len(steps) > 1 else ""
        senders = span.senders
        if found or not socket or senders is None or socket in senders:
            return ""
        return f"Nobody sent `{text_preview(socket, 60)}`: the component ran with its default."

    # What is inferred

    def _same_before(
        self, graph: ValueGraph, span: Span, path: str, known: list[Candidate]
    ) -> list[Candidate]:
        """Return where the same content was put out before, or given to what is around."""
        around = set(self._around(span.row))
        for at, key in graph.keys_along(span.row, path):
            rest = path[len(at) :]
            places = [place for place in graph.places(key) if place.exact]
            made = [place for place in places if self._is_output_before(place, span)]
            given = [p for p in places if p.row in around and p.path.startswith("inputs")]
            # Where it was first put out, and who had it last: in between it was handed on.
            wanted = [*made[:1], *made[-1:], *(given[:1] if not made else ())]
            named = {each.span_id for each in known}
            wanted = [each for each in wanted if self._run.table.id(each.row) not in named]
            fresh = self._fresh(wanted, rest, known, "the same content")
            if fresh or made or given:
                return fresh
        return self._same_document(graph, span, path, known)

    def _of_items(
        self,
        span: Span,
        steps: list[Step],
        value: Any,
        known: list[Candidate],
        cancelled: Callable[[], bool],
    ) -> list[Candidate]:
        """Return where the items of a list came from that nobody put out as a whole."""
        items = items_in(value)
        if known or not items or len(steps) != 2:
            return []
        found: dict[str, Candidate] = {}
        # From the end: what was said last is what is asked about.
        for at in range(len(items) - 1, max(-1, len(items) - 1 - _MOST_ITEMS), -1):
            one = self.where_from(span.id, f"{joined(steps)}[{at}]", cancelled)
            for each in one.candidates[:1]:
                found.setdefault(each.span_id, replace(each, why=f"item {at}: {each.why}"))
        return list(found.values())[::-1]

    def _same_document(
        self, graph: ValueGraph, span: Span, path: str, known: list[Candidate]
    ) -> list[Candidate]:
        """Return where a document of the same id was put out before, with another content."""
        if known:
            return []
        steps = split(path)
        put_out = path.startswith("outputs")
        for end in range(len(steps), 1, -1):
            value = value_at(self._run, span, joined(steps[:end]))
            if tag_of(value) == "document" and isinstance(value.get("id"), str):
                places = graph.places(f"document {value['id']}")
                made = [
                    place for place in places
                    if self._is_output_before(place, span)
                    or (put_out and place.row == span.row and place.path.startswith("inputs"))
                ]  # fmt: skip
                rest = joined(steps[end:])
                return self._fresh(made[-1:], rest, known, "a document of the same id")
        return []

    def _made_inside(
        self, graph: ValueGraph, span: Span, path: str, known: list[Candidate]
    ) -> list[Candidate]:
        """Return what inside a span put out the same, or what it was given itself."""
        for at, key in graph.keys_along(span.row, path):
            rest = path[len(at) :]
            places = [place for place in graph.places(key) if place.exact]
            inner = [
                place for place in places
                if place.path.startswith("outputs") and self._is_in(place.row, span.row)
            ]  # fmt: skip
            deepest = max((self._run.table.depth[place.row] for place in inner), default=0)
            leaves = [place for place in inner if self._run.table.depth[place.row] == deepest]
            own = [p for p in places if p.row == span.row and p.path.startswith("inputs")]
            if leaves:
                return self._fresh(leaves[:1], rest, known, "the same content, put out inside")
            if own:
                return self._fresh(own[:1], rest, known, "the same content went in here")
        return []

    def _same_after(
        self, graph: ValueGraph, span: Span, path: str, known: list[Candidate]
    ) -> list[Candidate]:
        """Return where the same content went in later, or inside."""
        given = path.startswith(("inputs", "arguments"))
        for at, key in graph.keys_along(span.row, path):
            places = graph.places(key)
            later = [
                place for place in places
                if self._is_input_after(place, span)
                or (given and place.path.startswith("inputs") and self._is_in(place.row, span.row))
            ]  # fmt: skip
            around = set(self._around(span.row))
            holders = {*around, span.row} if given else around
            ends = [p for p in places if p.row in holders and p.path.startswith("outputs")]
            fresh = self._fresh(later[:_MOST_SAME], path[len(at) :], known, "the same content")
            fresh += self._fresh(ends[-1:], path[len(at) :], known, "the same content came out")
            if fresh or later or ends:
                return fresh
        return []

    def _fresh(
        self, places: Iterable[Place], rest: str, known: list[Candidate], why: str
    ) -> list[Candidate]:
        had = {(each.span_id, each.path) for each in known}
        found = []
        for place in dict.fromkeys(places):
            path = place.path + rest if place.exact else place.path
            said = why if place.exact else "it is the beginning of this list"
            each = self._candidate(place.row, path, Link.INFERRED, said)
            if (each.span_id, each.path) not in had:
                found.append(each)
        return found

    def _parts(self, span: Span, steps: list[Step], found: list[Candidate]) -> list[Candidate]:
        """Return the texts that a prompt was put together from, and who made those."""
        makers = [(span, joined(steps))]
        if steps[0].label != "outputs":
            sent = [each for each in found if each.path.startswith("outputs")]
            makers = [(self._run.span(each.span_id), each.path) for each in sent]
        for maker, path in makers:
            if maker.kind in _NO_WRITERS or maker.role == "llm":
                continue
            known = self._parts_of(maker, value_at(self._run, maker, path))
            if known:
                return [each for each in known if (each.span_id, each.path) != (span.id, path)]
        return []

    def _parts_of(self, maker: Span, value: Any) -> list[Candidate]:
        known: list[Candidate] = []
        for part in parts_in(value, field_of(self._run, maker, "inputs")):
            why = f"its words stand in this, as `{part.name}`"
            made = [w for w in senders_of(self._run, maker, split(part.path)) if w.exact]
            origin = Wired(maker.row, part.path, why, recorded=False)
            if made:
                origin = replace(made[0], why=why, recorded=False)
            known += self._wired([origin])
        return known

    def _stands_in(
        self, span: Span, steps: list[Step], value: Any, found: list[Candidate]
    ) -> list[Candidate]:
        """Return the prompts that hold the words of a value."""
        users = [self._run.span(each.span_id) for each in found if each.path.startswith("inputs")]
        if steps[0].label == "inputs":
            users.insert(0, span)
        known: list[Candidate] = []
        for user in {each.row: each for each in users}.values():
            if user.kind in _NO_WRITERS or user.role == "llm":
                continue
            outputs = field_of(self._run, user, "outputs")
            for path in stands_in_outputs(value, outputs):
                known += self._fresh([Place(user.row, path)], "", [*found, *known],
                                     "its words stand in this")  # fmt: skip
        return known

    # Where a place is, seen from a span

    def _is_output_before(self, place: Place, span: Span) -> bool:
        table = self._run.table
        end = table.end_ns[place.row]
        return (
            place.path.startswith("outputs")
            and place.row != span.row
            and 0 <= end <= table.start_ns[span.row]
            and not self._is_in(span.row, place.row)
        )

    def _is_input_after(self, place: Place, span: Span) -> bool:
        start = self._run.table.start_ns[place.row]
        end = self._run.table.end_ns[span.row]
        return place.path.startswith("inputs") and place.row > span.row and 0 <= end <= start

    def _around(self, row: int) -> list[int]:
        above: list[int] = []
        while (row := self._run.table.parent_row[row]) >= 0:
            above.append(row)
        return above

    def _is_in(self, row: int, outer: int) -> bool:
        return outer in self._around(row)
