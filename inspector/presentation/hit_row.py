"""What one result of a search says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.presentation.outline import error_sentence, span_label
from inspector.presentation.tree_row import icon_of
from inspector.presentation.visible import one_line
from inspector.presentation.words import duration_words, kind_words, sentence, status_words
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from inspector.presentation.search_places import Place
    from inspector.runfile.model import PipelineRun


@dataclass(frozen=True, slots=True)
class HitRow:
    """The words of one result, ready to be drawn.

    `again` says that the result above is of the same span. Without a place in the span,
    `after` says something of the span itself.
    """

    label: str
    where: str
    icon: str
    kind: str
    role: str
    status: SpanStatus
    field: str
    before: str
    match: str
    after: str
    again: bool
    spoken: str
    tip: str


def hit_row(run: PipelineRun, row: int, place: Place | None, *, again: bool = False) -> HitRow:
    """Return what a result says."""
    span = run.spans[row]
    label, path, status = span_label(run, row), one_line(span.path), span.status
    state = "" if status is SpanStatus.OK else status_words(status)
    if place is None:
        facts = [kind_words(span.kind), duration_words(span.duration_ns), state]
        after = error_sentence(span) or sentence(facts)
        field = before = match = ""
    else:
        field, before, match, after = place.shown_field, place.before, place.match, place.after
    return HitRow(
        label=label,
        where=_around(path),
        icon=icon_of(span.kind, span.role),
        kind=span.kind,
        role=span.role,
        status=status,
        field=field,
        before=before,
        match=match,
        after=after,
        again=again,
        spoken=sentence([label, kind_words(span.kind), state, field, f"{before}{match}{after}"]),
        tip="\n".join(part for part in (path or label, field, f"{before}{match}{after}") if part),
    )


def _around(path: str) -> str:
    """Return where a span sits, without its own name."""
    return path.rpartition("/")[0]
