"""What the page of a run shows, as plain data: each text is in it once, however often it stands.

Texts are made visible here, so that the script has nothing to decide about them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.presentation.documents import documents_view
from inspector.presentation.lanes import assign_lanes
from inspector.presentation.outline import span_label, total_tokens
from inspector.presentation.previews import preview
from inspector.presentation.summary import summary
from inspector.presentation.transcript import (
    CallPart,
    FactPart,
    ResultPart,
    TextPart,
    has_messages,
    marked_new,
    transcript,
)
from inspector.presentation.tree_row import icon_of
from inspector.presentation.value_text import json_text
from inspector.presentation.values import entries_in, items_in
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.walk import Walk
from inspector.presentation.words import (
    duration_words,
    elided,
    kind_words,
    number_words,
    plural,
    status_mark,
    status_words,
    token_words,
)
from inspector.runfile.columns import MARK_USAGE
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inspector.presentation.documents import DocumentsView
    from inspector.presentation.transcript import Turn
    from inspector.runfile.model import PipelineRun, Span

_PAGE = 24_000_000  # characters of texts: a browser on a phone has to open it
_LONGEST = 200_000
_LONGEST_PREVIEW = 300
_LONGEST_NAME = 80
_MOST_DOCUMENTS = 100
_MOST_DETAILED = 30_000
_MOST_TURNS = 200  # of one conversation: an agent is sent all that was said at every step
_SHOWN_ELSEWHERE = ("documents",)
_COLOURS = {"retrieval": "retrieval"}


class _Texts:
    """Texts by number, each once, as many as a page has room for."""

    def __init__(self, room: int) -> None:
        self.all: list[str] = []
        self.left_out = 0
        self._numbers: dict[str, int] = {}
        self._room = room

    def number(self, text: str, longest: int = _LONGEST) -> int:
        known = self._numbers.get(text)
        if known is not None:
            return known
        shown = _fit(text, longest)
        if len(shown) > self._room:
            self.left_out += 1
            shown = f"Left out: {plural(len(text), 'character')} that the page has no room for."
        self._room -= len(shown)
        self._numbers[text] = len(self.all)
        self.all.append(shown)
        return len(self.all) - 1


def _fit(text: str, longest: int) -> str:
    if len(text) <= longest:
        return visible_text(text)
    rest = number_words(len(text) - longest)
    return f"{visible_text(text[:longest])}… and {rest} more characters"


def page_data(run: PipelineRun) -> tuple[dict[str, Any], str]:
    """Return the data of a page, and in words what there was no room for."""
    texts = _Texts(_PAGE)
    maker = _Maker(run, texts)
    table = run.table
    lanes = assign_lanes(table, maker.walk)
    end = table.end_of_run()
    spans = [maker.row(row) for row in range(len(table))]
    details = [maker.detail(row) for row in range(min(len(table), _MOST_DETAILED))]
    data = {
        "texts": texts.all,
        "spans": spans,
        "parents": list(table.parent_row),
        "order": list(maker.walk.order),
        "starts": list(table.start_ns),
        "ends": [stop if stop >= 0 else end for stop in table.end_ns],
        "lanes": list(lanes.of_row),
        "laneCount": lanes.count,
        "total": end,
        "details": details,
        "turns": maker.turns,
    }
    said = []
    if texts.left_out:
        said.append(f"{plural(texts.left_out, 'text')} did not fit into this page.")
    if len(table) > _MOST_DETAILED:
        said.append(f"Values are shown of the first {number_words(_MOST_DETAILED)} spans only.")
    return data, " ".join(said)


class _Maker:
    def __init__(self, run: PipelineRun, texts: _Texts) -> None:
        self.run = run
        self.walk = Walk(run.table)
        self.turns: list[list[Any]] = []
        self._texts = texts
        self._turn_numbers: dict[tuple[Any, ...], int] = {}

    def row(self, row: int) -> list[Any]:
        """Return what the tree and the timeline say of a span.

        Its id, label, colour, facts at the right, mark, and what is said of its state.
        """
        run, table = self.run, self.run.table
        number = self._texts.number
        kind, state = table.kind_of(row), table.status_of(row)
        span = run.spans[row]
        usage = span.usage if table.marks[row] & MARK_USAGE else None
        tokens = total_tokens(usage) if usage is not None else None
        visit, total = self.walk.visit_of(row)
        label = elided(span_label(run, row), _LONGEST_NAME)
        if total > 1 and kind is not SpanKind.STEP:
            label = f"{label}#{visit}"
        # The pages' word for the colour is the kind, but what finds documents has its own.
        colour = _COLOURS.get(span.role, str(kind)) if kind is SpanKind.COMPONENT else str(kind)
        if kind is SpanKind.COMPONENT and icon_of(kind, span.role) == "llm":
            colour = "llm"
        return [
            number(span.id, _LONGEST_NAME), number(label), colour,
            number(duration_words(table.duration_ns(row))),
            number(token_words(tokens)) if tokens is not None else -1,
            status_mark(state), "" if str(state) == "ok" else status_words(state),
            number(kind_words(kind)), number(one_line(span.path), 400),
        ]  # fmt: skip

    def detail(self, row: int) -> list[Any]:
        """Return what is shown of a span that is chosen: titled blocks in their order."""
        span = self.run.spans[row]
        given, gave = self._given(span), self._gave(span)
        blocks: list[Any] = []
        error = span.error or (self.run.error if span.parent_id is None else None)
        if error is not None:
            words = f"{one_line(error.type)}: {error.message}"
            blocks.append(["error", self._number(words), self._number(error.traceback)])
        blocks += self._messages(span, given, gave)
        if span.kind in (SpanKind.COMPONENT, SpanKind.OTHER):
            blocks += self._documents(documents_view(given, gave, span.retrieval))
        blocks += self._values("Inputs", _named(given))
        blocks += self._values("Outputs", _named(gave))
        facts = []
        for group in summary(self.run, span, self.walk.visit_of(row)).groups:
            facts += [
                [self._number(group.title), self._number(fact.label), self._number(fact.text, 2000)]
                for fact in group.facts
            ]
        blocks.append(["facts", facts])
        return blocks

    def _number(self, text: str, longest: int = _LONGEST) -> int:
        return self._texts.number(text, longest)

    def _given(self, span: Span) -> Any:
        given = span.arguments if span.has("arguments") else span.inputs
        return self.run.inputs if given is None and span.parent_id is None else given

    def _gave(self, span: Span) -> Any:
        gave = span.outputs
        return self.run.outputs if gave is None and span.parent_id is None else gave

    def _messages(self, span: Span, given: Any, gave: Any) -> Iterator[list[Any]]:
        plain = span.kind is SpanKind.LLM or span.role == "llm"
        recent, earlier = _recent(given)
        found = transcript(recent, _recent(gave)[0], plain_texts=plain)
        before = self.walk.previous_visit(span.row) if plain and not earlier else None
        if before is not None:
            said = self.run.spans[before]
            found = marked_new(
                found, transcript(said.inputs, said.outputs, plain_texts=True), said.path
            )
        if found:
            left = self._number(f"{plural(earlier, 'message')} before these") if earlier else -1
            yield ["messages", [self._turn(turn) for turn in found.turns], left]

    def _values(self, title: str, values: Iterable[tuple[str, Any]]) -> Iterator[list[Any]]:
        rows = [
            [self._number(one_line(name), 200), self._number(_said(name, value))]
            for name, value in values
            if value is not None
        ]
        if rows:
            yield ["values", self._number(title), rows]

    def _documents(self, view: DocumentsView) -> Iterator[list[Any]]:
        for listed in view.lists:
            rows = [
                [
                    each.rank,
                    "" if each.score is None else f"{each.score:.4f}",
                    self._number(one_line(each.id), 200),
                    self._number(one_line(each.source), 400),
                    self._number(each.content if each.content is not None else each.preview),
                ]
                for each in listed.rows[:_MOST_DOCUMENTS]
            ]
            more = len(listed.rows) - len(rows)
            left = self._number(f"and {plural(more, 'more document')}") if more > 0 else -1
            yield ["documents", self._number(one_line(listed.title)), rows, left]

    def _turn(self, turn: Turn) -> int:
        key = tuple(self._turn_parts(turn))
        known = self._turn_numbers.get(key)
        if known is None:
            known = self._turn_numbers[key] = len(self.turns)
            self.turns.append([*key])
        return known * 4 + 2 * bool(turn.is_new and not turn.is_reply) + bool(turn.is_reply)

    def _turn_parts(self, turn: Turn) -> Iterator[Any]:
        role = turn.role if turn.role in ("system", "user", "assistant", "tool") else "other"
        yield role
        yield self._number(one_line(f"{turn.role} {turn.name}".strip()), 200)
        for part in turn.parts:
            match part:
                case TextPart(text, reasoning):
                    yield "reasoning" if reasoning else "text", -1, self._number(text)
                case CallPart(tool=tool, arguments=arguments, arguments_text=bare):
                    said = (
                        bare if bare is not None else "\n".join(f"{k}: {v}" for k, v in arguments)
                    )
                    yield "call", self._number(one_line(tool), 200), self._number(said)
                case ResultPart(tool=tool, text=text, failed=failed):
                    name = self._number(one_line(tool), 200)
                    yield "failed" if failed else "result", name, self._number(text)
                case FactPart(kind, words):
                    yield "fact", self._number(one_line(kind), 200), self._number(words)


def _recent(values: Any) -> tuple[Any, int]:
    """Return values whose conversations are cut to their end, and how much that left out."""
    kept, left_out = {}, 0
    for name, value in entries_in(values):
        items = items_in(value)
        if items is not None and len(items) > _MOST_TURNS and has_messages({name: value}, None):
            left_out = max(left_out, len(items) - _MOST_TURNS)
            value = list(items[-_MOST_TURNS:])  # noqa: PLW2901 - shorter than what stands there
        kept[name] = value
    return (kept, left_out) if left_out else (values, 0)


def _named(value: Any) -> Iterable[tuple[str, Any]]:
    named = list(entries_in(value))
    return named if named or value is None else [("value", value)]


def _said(name: str, value: Any) -> str:
    """Return a value as text; what has a place of its own on the page is named only."""
    if isinstance(value, str):
        return value
    is_message = has_messages({name: value}, None)
    if name in _SHOWN_ELSEWHERE or is_message:
        items = items_in(value)
        if items is not None and is_message:
            return f"{plural(len(items), 'message')}: see Messages"
        return preview(value, _LONGEST_PREVIEW)
    return json_text(value, _LONGEST).text
