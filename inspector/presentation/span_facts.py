"""What a span is in a few lines: for tooltips and for those who listen instead of look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.outline import error_sentence, span_label, total_tokens
from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    duration_words,
    elided,
    kind_words,
    sentence,
    status_mark,
    status_words,
    token_words,
    visit_words,
)
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from inspector.presentation.walk import Walk
    from inspector.runfile.model import PipelineRun

_LONGEST_PATH = 90


def span_facts(run: PipelineRun, row: int, walk: Walk | None = None) -> list[str]:
    """Return what to say of a span, the most important line first.

    Its name; its kind, duration and state; when it began and which visit it
    was; where it sits; what went wrong.
    """
    table, span = run.table, run.spans[row]
    status = table.status_of(row)
    mark = status_mark(status)
    usage = span.usage if span.has("usage") else None
    tokens = total_tokens(usage) if usage is not None else None
    visit = visit_words(*walk.visit_of(row)) if walk is not None else ""
    lines = [
        span_label(run, row),
        sentence(
            [
                kind_words(table.kind_of(row)),
                duration_words(table.duration_ns(row)),
                token_words(tokens) if tokens is not None else "",
                "" if status is SpanStatus.OK else f"{mark} {status_words(status)}".strip(),
            ]
        ),
        sentence([f"began at {duration_words(table.start_ns[row])}", visit]),
        elided(one_line(span.path), _LONGEST_PATH),
        error_sentence(span),
    ]
    return [line for line in lines if line]


def is_unchanged(before: PipelineRun, now: PipelineRun, span_id: str) -> bool:
    """Say whether a span is finished, and as it was in an earlier reading of its run."""
    rows = before.table.row_of(span_id), now.table.row_of(span_id)
    if rows[0] is None or rows[1] is None:
        return False
    one, other = before.spans[rows[0]], now.spans[rows[1]]
    return other.end_ns is not None and one.raw == other.raw and before.status == now.status
