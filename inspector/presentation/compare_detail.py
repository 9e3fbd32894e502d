"""Everything that is shown of one decision, or of one pair of spans, side by side.

Made on a worker: values are decoded and texts compared here, and nowhere in a slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.compare import changes_of
from inspector.diff.model import DecisionKind
from inspector.diff.retrieving import documents_of
from inspector.diff.said import conversation_text, replies_text
from inspector.diff.text import text_diff
from inspector.presentation.decision_table import MARKS, kind_words
from inspector.presentation.outline import error_sentence, span_label
from inspector.presentation.previews import preview
from inspector.presentation.rank_flow import RankFlow, rank_flow
from inspector.presentation.side_by_side import SideBySide, alone, side_by_side
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.value_text import json_text, readable
from inspector.presentation.visible import one_line
from inspector.presentation.words import sentence
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inspector.diff.model import Comparison, Decision, TextDiff, ValueChange
    from inspector.runfile.model import PipelineRun, Span

VALUE_TITLES = ("", "Where", "Value", "Left", "Right", "")
LONGEST_TEXT = 2_000_000
"""Characters of each side that are compared; what is beyond is left out, and said so."""

_SIGNS = {
    "changed": ("≠", "changed", "changed"),
    "type": ("≠", "another type", "changed"),
    "added": ("+", "added", "same"),
    "removed": ("−", "removed", "failed"),
    "moved": ("↕", "moved", "changed"),
}


class DetailText(NamedTuple):
    """Two texts, ready to be shown."""

    title: str
    shown: SideBySide
    equal: bool


class ComparedValue(NamedTuple):
    """What stands behind a row of the table of values."""

    leaf: str
    left: Any
    right: Any


class Detail(NamedTuple):
    """What is known of one choice."""

    title: str
    path: str
    mark: str  # "≠ differs"
    ink: str
    texts: tuple[DetailText, ...] = ()
    documents: RankFlow | None = None
    document_texts: tuple[tuple[str | None, str | None], ...] = ()  # one for each flow
    rows: tuple[TableRow, ...] = ()
    values: tuple[ComparedValue, ...] = ()  # one for each row
    note: str = ""
    best: str = "values"  # which of them says most: "texts", "documents", "values"


def detail_of_decision(
    comparison: Comparison,
    runs: tuple[PipelineRun, PipelineRun],
    number: int,
    *,
    ignore: Sequence[str] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Detail:
    """Return what is shown of a decision."""
    decision = comparison.decisions[number]
    spans = _spans(runs, decision.left_span, decision.right_span)
    sign, words, ink = MARKS[decision.agreement]
    texts = tuple(_decision_texts(comparison, decision, spans, cancelled))
    flow, sources = _documents(decision, spans)
    rows, values, note = _values(comparison, runs, spans, ignore, decision)
    best = "documents" if flow else "texts" if texts else "values"
    if decision.changes and not decision.text and decision.kind is not DecisionKind.ANSWER:
        best = "documents" if flow else "values"
    return Detail(
        title=one_line(decision.title), path=one_line(decision.path),
        mark=f"{sign} {words}", ink=ink if decision.differs else "secondary",
        texts=texts, documents=flow, document_texts=sources, rows=rows, values=values, note=note,
        best=best,
    )  # fmt: skip


def detail_of_pair(
    comparison: Comparison,
    runs: tuple[PipelineRun, PipelineRun],
    left_id: str | None,
    right_id: str | None,
    *,
    ignore: Sequence[str] = (),
    cancelled: Callable[[], bool] = lambda: False,
) -> Detail:
    """Return what is shown of two spans that stand side by side."""
    spans = _spans(runs, left_id, right_id)
    decision = next(
        (
            each for each in comparison.decisions
            if each.documents and (each.left_span, each.right_span) == (left_id, right_id)
        ),
        None,
    )  # fmt: skip
    texts = tuple(_span_texts(spans, cancelled))
    flow, sources = (None, ()) if decision is None else _documents(decision, spans)
    rows, values, note = _values(comparison, runs, spans, ignore, None)
    named = next((each for each in spans if each is not None), None)
    labels = [
        "" if span is None else span_label(run, span.row)
        for run, span in zip(runs, spans, strict=True)
    ]
    if spans[0] is None or spans[1] is None:
        mark, ink = ("+ right only", "same") if spans[0] is None else ("− left only", "failed")
    elif any(value_row.cells[0].ink != "secondary" for value_row in rows):
        mark, ink = "≠ differs", "changed"
    else:
        mark, ink = "= same", "secondary"
    differing = any(not text.equal for text in texts)
    return Detail(
        title=" ↔ ".join(dict.fromkeys(filter(None, labels))),
        path=one_line(named.path) if named else "",
        mark=mark, ink=ink, texts=texts, documents=flow, document_texts=sources,
        rows=rows, values=values, note=note,
        best="documents" if flow else "texts" if differing or (texts and not rows) else "values",
    )  # fmt: skip


def text_of(title: str, left: Any, right: Any, cancelled: Callable[[], bool]) -> DetailText:
    """Return two values as texts side by side; None stands for a side that has nothing."""
    one, other = (None if value is None else _written(value) for value in (left, right))
    return _compared(title, one, other, None, cancelled)


def _spans(
    runs: tuple[PipelineRun, PipelineRun], left_id: str | None, right_id: str | None
) -> tuple[Span | None, Span | None]:
    def found(run: PipelineRun, span_id: str | None) -> Span | None:
        row = None if span_id is None else run.table.row_of(span_id)
        return None if row is None else run.spans[row]

    return found(runs[0], left_id), found(runs[1], right_id)


# Texts


def _decision_texts(
    comparison: Comparison,
    decision: Decision,
    spans: tuple[Span | None, Span | None],
    cancelled: Callable[[], bool],
) -> Iterator[DetailText]:
    if decision.kind is DecisionKind.ANSWER:
        answer = comparison.answer
        yield _compared("Answer", answer.left, answer.right, answer.text, cancelled)
        return
    told = None
    if decision.text is not None:
        name = kind_words(decision.kind)
        told = name[:1].upper() + name[1:]
        yield _compared(told, decision.text.left, decision.text.right, decision.text, cancelled)
    asks = decision.kind in (DecisionKind.REPLY, DecisionKind.RESULT)
    found = [each for each in _span_texts(spans, cancelled) if each.title != told]
    yield from sorted(found, key=lambda each: each.title not in _ANSWERS_FIRST) if asks else found


_ANSWERS_FIRST = ("Reply", "Result")


def _span_texts(
    spans: tuple[Span | None, Span | None], cancelled: Callable[[], bool]
) -> Iterator[DetailText]:
    made: dict[str, list[str | None]] = {}
    for side, span in enumerate(spans):
        if span is None:
            continue
        for title, text in _texts_in(span):
            made.setdefault(title, [None, None])[side] = text
    if not made and None in spans:
        # Nothing to compare it with: what it was given and put out is all there is to say.
        for side, span in enumerate(spans):
            for title in ("Inputs", "Outputs"):
                value = None if span is None else getattr(span, title.lower())
                if value:
                    made.setdefault(title, [None, None])[side] = _written(value)
    for title, (left, right) in made.items():
        if cancelled():
            return
        yield _compared(title, left, right, None, cancelled)


def _texts_in(span: Span) -> Iterator[tuple[str, str]]:
    """Yield what a person would read of a span, by what it is."""
    inputs, outputs = span.inputs, span.outputs
    if span.kind is SpanKind.TOOL:
        given = inputs if span.arguments is None else span.arguments
        if given:
            yield "Arguments", _written(given)
        if outputs is not None:
            result = outputs.get("result", outputs) if isinstance(outputs, Mapping) else outputs
            yield "Result", _written(result)
    elif span.kind is SpanKind.LLM or span.role == "llm":
        sent = _first(inputs, ("messages", "prompt"))
        if sent is not None:
            yield "Prompt", conversation_text(sent)
        said = replies_text(outputs)
        if said is not None:
            yield "Reply", said
    elif span.role == "prompt":
        sent = _first(outputs, ("prompt", "messages"))
        if sent is not None:
            yield "Prompt", conversation_text(sent)
    if (error := error_sentence(span)) != "":
        yield "Error", error


def _first(values: Any, sockets: Sequence[str]) -> Any:
    if not isinstance(values, Mapping):
        return None
    return next((values[name] for name in sockets if values.get(name) is not None), None)


def _written(value: Any) -> str:
    if isinstance(value, Mapping | list):
        return json_text(value, LONGEST_TEXT).text
    return readable(value, LONGEST_TEXT).text


def _compared(
    title: str,
    left: str | None,
    right: str | None,
    diff: TextDiff | None,
    cancelled: Callable[[], bool],
) -> DetailText:
    if left is None or right is None:
        text = left if right is None else right
        return DetailText(title, alone(text or "", is_left=right is None), equal=False)
    cut = max(len(left), len(right)) > LONGEST_TEXT
    if cut:
        left, right, diff = left[:LONGEST_TEXT], right[:LONGEST_TEXT], None
    shown = side_by_side(diff or text_diff(left, right), cancelled)
    if cut:
        shown = shown._replace(note="Only the first two million characters are compared.")
    return DetailText(title, shown, equal=left == right and not cut)


# Documents


def _documents(
    decision: Decision, spans: tuple[Span | None, Span | None]
) -> tuple[RankFlow | None, tuple[tuple[str | None, str | None], ...]]:
    if not decision.documents:
        return None, ()
    lists = [(documents_of(span) or []) if span is not None else [] for span in spans]
    texts = tuple(
        (_content(lists[0], move.left_rank), _content(lists[1], move.right_rank))
        for move in decision.documents
    )
    return rank_flow(decision.documents), texts


def _content(documents: Sequence[Any], rank: int | None) -> str | None:
    if rank is None or not 0 < rank <= len(documents):
        return None
    found = documents[rank - 1]
    content = found.get("content") if isinstance(found, Mapping) else None
    return content if isinstance(content, str) else _written(found)


# Values


def _values(
    comparison: Comparison,
    runs: tuple[PipelineRun, PipelineRun],
    spans: tuple[Span | None, Span | None],
    ignore: Sequence[str],
    decision: Decision | None,
) -> tuple[tuple[TableRow, ...], tuple[ComparedValue, ...], str]:
    left, right = spans
    listed: list[tuple[str, ValueChange]] = []
    note = ""
    if left is not None and right is not None:
        ids = (left.id, right.id)
        known = next(
            (each for each in comparison.spans if (each.left_span, each.right_span) == ids), None
        )
        if known is None:
            pair = next(
                (one for one in comparison.pairs if (one.left, one.right) == (left.row, right.row)),
                None,
            )
            known = None if pair is None else changes_of(*runs, pair, ignore=ignore)
        if known is not None:
            listed += [("inputs", change) for change in known.inputs]
            listed += [("outputs", change) for change in known.outputs]
            note = known.note or ""
    elif left is not None or right is not None:
        note = f"Only the {'left' if right is None else 'right'} run has this span."
    if decision is not None and not listed:
        listed = [("decision", change) for change in decision.changes]
    # What counts first; what is noise stays, greyed, below.
    listed.sort(key=lambda each: each[1].noise is not None)
    rows = tuple(_value_row(at, where, change) for at, (where, change) in enumerate(listed))
    values = tuple(ComparedValue(each.leaf, each.left, each.right) for _, each in listed)
    return rows, values, note


def _value_row(key: int, where: str, change: ValueChange) -> TableRow:
    sign, words, ink = _SIGNS.get(change.kind, ("≠", change.kind, "changed"))
    quiet = change.noise is not None
    text = "secondary" if quiet else "text"
    noise = f"noise: {one_line(change.noise or '')}" if quiet else ""
    has_left, has_right = change.kind != "added", change.kind != "removed"
    left, right = preview(change.left, 300), preview(change.right, 300)
    cells = (
        Cell(sign, ink="secondary" if quiet else ink, strong=not quiet),
        Cell(where, ink="secondary"),
        Cell(one_line(change.leaf), ink=text, quoted=True),
        Cell(left if has_left else "", ink=text, quoted=True,
             ground="" if quiet or not has_left else "removed_ground"),
        Cell(right if has_right else "", ink=text, quoted=True,
             ground="" if quiet or not has_right else "added_ground"),
        Cell(noise, ink="secondary"),
    )  # fmt: skip
    spoken = sentence(
        [where, one_line(change.leaf), words, left if has_left else "",
         right if has_right else "", noise], ", ",
    )  # fmt: skip
    return TableRow(key, cells, spoken)
