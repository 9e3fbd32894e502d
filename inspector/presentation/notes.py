"""What a person wrote about spans: bookmarks and notes, which stand beside a file, not in it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.outline import span_label
from inspector.presentation.tree_row import icon_of
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided, sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.runfile.model import PipelineRun

LONGEST_NOTE = 20_000
_MOST_NOTES = 10_000
_LONGEST_LINE = 300
_FORMAT = "run-inspector-notes"


class Mark(NamedTuple):
    """What a person left at one span. One without either is no mark."""

    bookmarked: bool = False
    note: str = ""

    @property
    def spoken(self) -> str:
        """What is said of it beside a span's name."""
        return sentence(
            ["bookmarked" if self.bookmarked else "", "has a note" if self.note else ""], ", "
        )


class MarkRow(NamedTuple):
    """A span with a mark, ready to be drawn. `icon` and `colour` are names of the theme's."""

    span_id: str
    label: str
    icon: str
    kind: str
    role: str
    mark: Mark
    line: str  # the note in one line

    @property
    def spoken(self) -> str:
        return sentence([self.label, self.mark.spoken, self.line], ", ")


Marks = dict[str, Mark]
"""By the ids of spans."""


def notes_name(run: PipelineRun) -> str:
    """Return the name of the file in which notes about a run are kept.

    It follows from the run's id, so that they are found again wherever its file went, and
    is a digest: an id is text from a file, which must not choose where we write.
    """
    # Without an id, what the file says first has to tell one run from another.
    told = run.id or json.dumps(dict(run.header), sort_keys=True, default=str)
    return f"{hashlib.sha256(told.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"


def written_notes(run: PipelineRun, marks: Marks) -> str:
    """Return marks as the text of their file."""
    spans = {
        span_id: {"bookmarked": mark.bookmarked, "note": mark.note}
        for span_id, mark in marks.items()
    }
    return json.dumps({"format": _FORMAT, "version": 1, "run": run.id, "spans": spans}, indent=1)


def read_notes(text: str) -> Marks:
    """Return the marks in the text of their file; what makes no sense is left out."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    spans = told.get("spans") if isinstance(told, dict) else None
    if not isinstance(spans, dict):
        return {}
    read = {str(span_id): _mark(one) for span_id, one in list(spans.items())[:_MOST_NOTES]}
    return {span_id: mark for span_id, mark in read.items() if mark != Mark()}


def mark_rows(run: PipelineRun, marks: Mapping[str, Mark], wanted: str = "") -> list[MarkRow]:
    """Return the spans with marks in the order in which they began.

    With `wanted`, only those whose name or note holds every word of it.
    """
    words = wanted.casefold().split()
    found = []
    for span_id, mark in marks.items():
        row = run.table.row_of(span_id)
        if row is None:
            continue
        label = one_line(span_label(run, row))
        told = f"{label} {mark.note}".casefold()
        if all(word in told for word in words):
            found.append((row, label, mark))
    return [_row(run, row, label, mark) for row, label, mark in sorted(found)]


def mark_lines(label: str, mark: Mark) -> tuple[str, ...]:
    """Return what is said of a mark where it is pointed at: the span, and the note if any."""
    note = elided(one_line(mark.note), _LONGEST_LINE)
    head = one_line(label)
    return (f"{head} (bookmark)" if mark.bookmarked else head, *([note] if note else []))


def bookmarked_rows(run: PipelineRun, marks: Mapping[str, Mark]) -> list[int]:
    """Return the rows of the table with a bookmark or a note, in the order of the table."""
    rows = (run.table.row_of(span_id) for span_id in marks)
    return sorted(row for row in rows if row is not None)


def _row(run: PipelineRun, row: int, label: str, mark: Mark) -> MarkRow:
    span = run.spans[row]
    kind, role = str(span.kind), span.role
    line = elided(one_line(mark.note), _LONGEST_LINE)
    return MarkRow(span.id, label, icon_of(kind, role), kind, role, mark, line)


def _mark(told: Any) -> Mark:
    if not isinstance(told, dict):
        return Mark()
    note = told.get("note")
    note = note[:LONGEST_NOTE] if isinstance(note, str) else ""
    return Mark(told.get("bookmarked") is True, note)
