"""Print the spans of a run that a query asks for, and where its words stand in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cli.output import write_line
from inspector.errors import InspectorError
from inspector.presentation.outline import error_sentence, span_label, total_tokens
from inspector.presentation.query import QueryError
from inspector.presentation.query_parser import parse_query
from inspector.presentation.search import RunSearch
from inspector.presentation.search_places import places_in
from inspector.presentation.shown import filtered_words
from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    duration_words,
    elided,
    kind_words,
    sentence,
    status_mark,
    status_words,
    token_words,
)
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.presentation.query import Query
    from inspector.presentation.search import Found
    from inspector.runfile.model import PipelineRun, Span

_LONGEST_PATH = 120
_LONGEST_PIECE = 40


def asked(line: str) -> Query:
    """Read a query.

    Raises:
        InspectorError: It cannot be understood; its hint points at the place.

    """
    try:
        return parse_query(line)
    except QueryError as error:
        wrong = elided(one_line(line[error.start : error.end]), _LONGEST_PIECE)
        where = f"At character {error.start + 1} of the query: {wrong}"
        raise InspectorError(str(error), hint=f"{where} – {error.hint}".strip(" –")) from error


def found_in(loaded: PipelineRun, query: Query) -> Found:
    """Return the spans that a query asks for."""
    found = RunSearch(loaded).find(query)
    assert found is not None  # nobody cancels it
    return found


def print_found(loaded: PipelineRun, found: Found) -> Iterator[int]:
    """Print what was found, and yield the row of each span once its lines are written."""
    write_line(filtered_words(len(found), len(loaded.spans), str(found.query)))
    write_line()
    for row in found.rows:
        write_line(_line(loaded, loaded.spans[row]))
        places = places_in(loaded, row, found.query)
        for place in places:
            write_line(f"  {place.shown_field}: {place.before}{place.match}{place.after}")
        yield row
        if places:
            write_line()


def _line(loaded: PipelineRun, span: Span) -> str:
    usage, status = span.usage, span.status
    tokens = total_tokens(usage) if usage is not None else None
    place = elided(one_line(span.path), _LONGEST_PATH) or span_label(loaded, span.row)
    return sentence(
        [
            f"{span.id}  {place}",
            kind_words(span.kind),
            duration_words(span.duration_ns),
            token_words(tokens) if tokens is not None else "",
            ""
            if status is SpanStatus.OK
            else f"{status_mark(status)} {error_sentence(span) or status_words(status)}",
        ]
    )
