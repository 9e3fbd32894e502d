"""What of the findings and of the cost of a run belongs to a stretch of its time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.runfile.estimate import grouped
from inspector.runfile.table import NO_END

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.finding_list import FindingRow
    from inspector.runfile.estimate import CostEstimate
    from inspector.runfile.table import SpanTable

    Bounds = tuple[int, int]


def is_in_time(table: SpanTable, span_id: str, bounds: Bounds | None) -> bool:
    """Say whether a span reaches into a stretch of time; without bounds all of them do."""
    if bounds is None:
        return True
    row = table.row_of(span_id)
    if row is None:
        return False
    first, last = bounds
    end = table.end_ns[row]
    return table.start_ns[row] <= last and (end == NO_END or end >= first)


def findings_in_time(
    table: SpanTable, rows: Sequence[FindingRow], bounds: Bounds | None
) -> tuple[FindingRow, ...]:
    """Return the findings of which a span reaches into a stretch, and those of no span."""
    return tuple(
        row
        for row in rows
        if not row.places or any(is_in_time(table, at.span_id, bounds) for at in row.places)
    )


def estimate_in_time(table: SpanTable, estimate: CostEstimate, bounds: Bounds) -> CostEstimate:
    """Return what the calls cost that reach into a stretch of time, each of them whole."""
    calls = tuple(call for call in estimate.calls if is_in_time(table, call.span_id, bounds))
    return replace(estimate, calls=calls, llms=grouped((call.llm, call) for call in calls))
