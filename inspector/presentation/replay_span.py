"""What is known of one span of a replay, beside the same span of the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.presentation.replay_row import how_words
from inspector.presentation.summary import Fact, FactGroup, Summary
from inspector.presentation.words import duration_words, kind_words, plural

if TYPE_CHECKING:
    from inspector.presentation.live_replay import ReplayedSpan
    from inspector.presentation.replay_table import ReplayTable

_SOURCES = {
    "recorded": "the recording",
    "live": "a live call",
    "executed": "the pipeline's own code, run again",
    "verified": "the store, asked again and compared",
    "edited": "a person, at a pause or as a change",
}
_MOST_DRIFTS = 20


def span_summary(table: ReplayTable, row: int) -> Summary:
    """Return what is known of the span in a row."""
    kind, role = table.kind_and_role(row)
    span = table.span_of(row)
    over = table.live.is_over
    how = how_words(table.match(row), is_over=over)
    how = how or ("not replayed" if over else "not replayed yet")
    facts = [Fact("Against the recording", how)]
    if row >= table.recorded:
        facts.append(Fact("In the recording", "no such call"))
    if span is not None:
        facts += _of_span(span)
    facts += _times(table, row, span)
    groups = [FactGroup("", tuple(facts))]
    if span is not None and (found := _drifts(table, span)):
        groups.append(FactGroup("What differs", tuple(found)))
    return Summary(
        title=table.label(row), subtitle=kind_words(kind), kind=kind, role=role,
        status="" if span is None else span.status, groups=tuple(groups),
    )  # fmt: skip


def _of_span(span: ReplayedSpan) -> list[Fact]:
    facts = [Fact("Path", span.path, from_file=True)] if span.path else []
    if span.source:
        facts.append(Fact("Its result is from", _SOURCES.get(span.source, span.source)))
    if span.chunks:
        facts.append(Fact("Streamed", plural(span.chunks, "chunk")))
    if span.error is not None:
        kind, message = span.error
        facts.append(Fact("Raised", f"{kind}: {message}", from_file=True, state="failed"))
    return facts


def _times(table: ReplayTable, row: int, span: ReplayedSpan | None) -> list[Fact]:
    facts = []
    if span is not None:
        took = None if span.end_ns is None else span.end_ns - span.start_ns
        now = "not known" if took is None else duration_words(took)
        facts.append(Fact("Took in the replay", now))
    if row < table.recorded:
        took = table.live.recording.table.duration_ns(row)
        facts.append(Fact("Took in the recording", duration_words(took)))
    return facts


def _drifts(table: ReplayTable, span: ReplayedSpan) -> list[Fact]:
    found = [each for each in table.live.drifts if each.path == span.path]
    facts = [Fact("", each.message or str(each)) for each in found[:_MOST_DRIFTS]]
    if len(found) > _MOST_DRIFTS:
        facts.append(Fact("", f"and {len(found) - _MOST_DRIFTS} more"))
    return facts
