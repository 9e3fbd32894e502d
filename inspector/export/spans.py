"""Which span a person means."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span


def span_named(run: PipelineRun, words: str) -> Span | None:
    """Return a span by its id, its path, or the first of its name; None where there is none."""
    row = run.table.row_of(words)
    if row is not None:
        return run.spans[row]
    found = run.at(words)
    if found is not None:
        return found
    table = run.table
    return next((run.spans[row] for row in range(len(table)) if table.name(row) == words), None)
