"""What of a run is not as it was in the run that it is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspector.diff.model import Comparison, SpanChanges
    from inspector.runfile.model import PipelineRun


def differing_rows(comparison: Comparison, run: PipelineRun, *, is_left: bool) -> frozenset[int]:
    """Return the rows of spans that put out something else than in the other run, or are new.

    Ids, times and durations do not count. Of spans around others only the innermost count: that
    a pipeline puts out something else is no news where a part of it does.

    Args:
        comparison: What comparing said.
        run: The run of one side.
        is_left: Which side that is.

    """
    told = {one.left_span if is_left else one.right_span: one for one in comparison.spans}
    table = run.table
    differing: set[int] = set()
    for pair in comparison.pairs:
        row, other = (pair.left, pair.right) if is_left else (pair.right, pair.left)
        if row is None or pair.same or row >= len(table):
            continue
        if other is None or _puts_out_something_else(told.get(table.id(row))):
            differing.add(row)
    around: set[int] = set()
    for row in differing:
        above = table.parent_row[row]
        while above >= 0 and above not in around:
            around.add(above)
            above = table.parent_row[above]
    return frozenset(differing - around)


def _puts_out_something_else(changes: SpanChanges | None) -> bool:
    # Not listed, or listed with nothing that counts: then it is the status that differs.
    if changes is None:
        return True
    if any(change.noise is None for change in changes.outputs):
        return True
    return not any(change.noise is None for change in changes.inputs)
