"""What a picture of one span says: enough to understand it in a chat or on a slide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.presentation.outline import span_label, total_tokens
from inspector.presentation.previews import preview
from inspector.presentation.span_detail import SpanDetail, span_detail
from inspector.presentation.transcript import (
    CallPart,
    FactPart,
    ResultPart,
    TextPart,
    Turn,
)
from inspector.presentation.tree_row import icon_of
from inspector.presentation.values import entries_in
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.words import (
    duration_words,
    elided,
    kind_words,
    plural,
    sentence,
    status_mark,
    status_words,
    token_words,
)
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from inspector.presentation.documents import DocumentList
    from inspector.runfile.model import PipelineRun, Span

_MOST_ROWS = 12
_MOST_DOCUMENTS = 5
_LONGEST_TEXT = 700
_MOST_LINES = 9
_LONGEST_LABEL = 24
_LONGEST_PATH = 90


@dataclass(frozen=True, slots=True)
class CardRow:
    """A line of a card: what it is, and what stands there. `colour` is a name of the theme's.

    `is_ours` says that the label is a word of the program's, not one from the file.
    """

    label: str
    text: str
    colour: str = "text"
    is_ours: bool = True


@dataclass(frozen=True, slots=True)
class SpanCard:
    """A span, ready to be drawn. `icon` and `colour` are names of the theme's."""

    title: str
    icon: str
    kind: str
    role: str
    facts: tuple[str, ...]
    failed: bool
    rows: tuple[CardRow, ...]
    more: str  # how much was left out
    place: str  # of which run, and where in it


def span_card(run: PipelineRun, span: Span) -> SpanCard:
    """Return the card of a span. Decodes its values."""
    detail = span_detail(run, span, None)
    rows = list(_rows(span, detail))
    left = len(rows) - _MOST_ROWS
    usage = span.usage
    tokens = total_tokens(usage) if usage is not None else None
    model = (span.llm or {}).get("name")
    facts = [
        kind_words(span.kind),
        duration_words(span.duration_ns) if span.duration_ns is not None else "",
        token_words(tokens) if tokens is not None else "",
        elided(one_line(model), 60) if isinstance(model, str) else "",
    ]
    if span.status is not SpanStatus.OK:
        facts.insert(1, f"{status_mark(span.status)} {status_words(span.status)}".strip())
    where = elided(one_line(span.path), _LONGEST_PATH)
    return SpanCard(
        title=elided(span_label(run, span.row), 60),
        icon=icon_of(span.kind, span.role),
        kind=str(span.kind),
        role=span.role,
        facts=tuple(fact for fact in facts if fact),
        failed=span.status is SpanStatus.FAILED,
        rows=tuple(rows[:_MOST_ROWS]),
        more=f"and {plural(left, 'more line')}" if left > 0 else "",
        place=" · ".join(part for part in (elided(one_line(run.name), 60), where) if part),
    )


def _rows(span: Span, detail: SpanDetail) -> Iterator[CardRow]:
    if span.error is None and detail.messages.turns and span.kind is not SpanKind.TOOL:
        yield from _conversation(detail.messages.turns)
        return
    yield from _given(span)
    if span.error is not None:
        said = f"{one_line(span.error.type).rpartition('.')[2]}: {span.error.message}"
        yield CardRow("Failed", _cut(said), "failed")
        return
    shown = detail.documents.lists
    if shown and span.kind is SpanKind.COMPONENT:
        yield from _documents(shown[-1])
        return
    yield from _gave(span)


def _conversation(turns: tuple[Turn, ...]) -> Iterator[CardRow]:
    """Yield the last message that was sent, and all that was answered."""
    prompt = [turn for turn in turns if not turn.is_reply]
    if len(prompt) > 1:
        yield CardRow(
            "Prompt", f"{plural(len(prompt) - 1, 'message')} before this one", "secondary"
        )
    for turn in prompt[-1:]:
        yield CardRow(one_line(turn.role).capitalize(), _cut(_said(turn)))
    for turn in turns:
        if turn.is_reply:
            yield from _reply(turn)


def _reply(turn: Turn) -> Iterator[CardRow]:
    for part in turn.parts:
        match part:
            case TextPart(text, reasoning) if text:
                yield CardRow("Reasoning" if reasoning else "Answer", _cut(text), "text")
            case CallPart():
                given = ", ".join(f"{key}: {one_line(said)}" for key, said in part.arguments)
                asked = part.arguments_text if part.arguments_text is not None else given
                yield CardRow("Calls", _cut(f"{part.tool}({asked})"), "tool")
            case FactPart(kind, words):
                yield CardRow("Answer", f"[{kind} · {words}]", "secondary")
            case _:
                pass


def _said(turn: Turn) -> str:
    parts = []
    for part in turn.parts:
        match part:
            case TextPart(text=text):
                parts.append(text)
            case ResultPart(tool=tool, text=text, failed=failed):
                parts.append(f"{tool}: {'✕ ' if failed else ''}{text}")
            case CallPart(tool=tool):
                parts.append(f"→ {tool}")
            case FactPart(kind, words):
                parts.append(f"[{kind} · {words}]")
    return "\n".join(parts)


def _given(span: Span) -> Iterator[CardRow]:
    given = span.arguments if span.has("arguments") else span.inputs
    for key, value in entries_in(given):
        if value is not None:  # most parameters are left as they were
            yield CardRow(_label(key), _cut(_text(value)), is_ours=False)


def _gave(span: Span) -> Iterator[CardRow]:
    outputs = span.outputs
    if isinstance(outputs, Mapping):
        for key, value in entries_in(outputs):
            is_result = len(outputs) == 1 and key == "result"
            label = "Result" if is_result else f"→ {_label(key)}"
            yield CardRow(label, _cut(_text(value)), "tool", is_ours=is_result)
    elif outputs is not None:
        yield CardRow("Result", _cut(_text(outputs)), "tool")


def _documents(shown: DocumentList) -> Iterator[CardRow]:
    for row in shown.rows[:_MOST_DOCUMENTS]:
        score = "" if row.score is None else f"{row.score:.4f}"
        about = sentence([score, elided(one_line(row.source), 80)])
        content = one_line(_cut(row.content if row.content is not None else row.preview, 200))
        yield CardRow(f"Rank {row.rank}", "\n".join(filter(None, (about, content))), "retrieval")
    if len(shown.rows) > _MOST_DOCUMENTS:
        left = plural(len(shown.rows) - _MOST_DOCUMENTS, "more document")
        yield CardRow("", f"and {left}", "secondary")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else preview(value, _LONGEST_TEXT)


def _label(key: Any) -> str:
    return elided(one_line(str(key)), _LONGEST_LABEL)


def _cut(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Return the beginning of a text, with what hides in it visible."""
    head = text[: longest + 1]
    lines = head.split("\n")
    shown = "\n".join(lines[:_MOST_LINES])[:longest]
    return visible_text(shown) + ("…" if len(shown) < len(text) else "")
