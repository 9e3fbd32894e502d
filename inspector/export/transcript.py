"""What was said in a run, as plain text: each conversation once, in the order of the calls.

An agent is sent everything again at every step; here each message stands where it was new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.export.kinds import Made, Options
from inspector.presentation.outline import error_sentence, span_label, total_tokens
from inspector.presentation.transcript import marked_new, transcript, turn_text
from inspector.presentation.verdict import verdict
from inspector.presentation.visible import one_line, visible_text
from inspector.presentation.walk import Walk
from inspector.presentation.words import (
    duration_words,
    elided,
    plural,
    started_words,
    token_words,
)
from inspector.runfile.kinds import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.presentation.transcript import Turn
    from inspector.runfile.model import PipelineRun, Span

_LONGEST_NAME = 200
_RULE = "─" * 72


def make(run: PipelineRun, options: Options) -> Made:
    """Return the transcript of a run."""
    notes = () if any(_speaks(span) for span in run.spans) else ("No model was called in it.",)
    return Made({f"{options.name}.txt": transcript_of(run).encode()}, notes)


def transcript_of(run: PipelineRun) -> str:
    """Return all conversations of a run as text; every sign in it is visible."""
    return "\n".join(_lines(run)).rstrip("\n") + "\n"


def _speaks(span: Span) -> bool:
    return span.kind is SpanKind.LLM or (span.kind is SpanKind.COMPONENT and span.role == "llm")


def _lines(run: PipelineRun) -> Iterator[str]:
    judged = verdict(run)
    yield f"{elided(judged.name or 'A run', _LONGEST_NAME)} {judged.ending}"
    facts = [elided(fact.text, 80) for fact in judged.facts]
    if run.started_at:
        facts.insert(0, started_words(run.started_at))
    if facts:
        yield " · ".join(facts)
    walk = Walk(run.table)
    for row in walk.order:
        span = run.spans[row]
        if _speaks(span):
            yield from _conversation(run, span, walk)
        elif span.kind is SpanKind.TOOL and (said := error_sentence(span)):
            yield from ("", f"✕ {elided(span_label(run, row), _LONGEST_NAME)} failed: {said}")
    if run.error is not None:
        said = visible_text(f"{run.error.type}: {run.error.message}")
        yield from ("", _RULE, "The run failed:", *_indented(said))


def _conversation(run: PipelineRun, span: Span, walk: Walk) -> Iterator[str]:
    found = transcript(span.inputs, span.outputs, plain_texts=True)
    before = walk.previous_visit(span.row)
    turns = list(found.turns)
    repeated = 0
    if before is not None:
        earlier = run.spans[before]
        said = transcript(earlier.inputs, earlier.outputs, plain_texts=True)
        if said:
            marked = marked_new(found, said, earlier.path).turns
            turns = [turn for turn in marked if turn.is_new or turn.is_reply]
            repeated = len(marked) - len(turns)
    yield from ("", _RULE, _head(span))
    if repeated:
        yield f"({plural(repeated, 'message')} as before)"
    for turn in turns:
        yield from _turn(turn)
    if (said_wrong := error_sentence(span)) and span.error is not None:
        yield from ("", f"✕ failed: {said_wrong}")
    if not found:
        yield "(no messages were recorded)"


def _head(span: Span) -> str:
    usage = span.usage
    tokens = total_tokens(usage) if usage is not None else None
    model = (span.llm or {}).get("name")
    said = [
        elided(one_line(span.path), _LONGEST_NAME) or "the run",
        elided(one_line(model), _LONGEST_NAME) if isinstance(model, str) else "",
        duration_words(span.duration_ns) if span.duration_ns is not None else "",
        token_words(tokens) if tokens is not None else "",
    ]
    return " · ".join(filter(None, said))


def _turn(turn: Turn) -> Iterator[str]:
    name = f" ({elided(one_line(turn.name), _LONGEST_NAME)})" if turn.name else ""
    yield ""
    yield f"{elided(one_line(turn.role), _LONGEST_NAME)}{name}:"
    yield from _indented(visible_text(turn_text(turn)))


def _indented(text: str) -> Iterator[str]:
    # What a run says is further in than what we say, so that neither is taken for the other.
    for line in text.split("\n"):
        yield f"  {line}".rstrip()
