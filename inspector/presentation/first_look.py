"""What of a run to show first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.runfile.kinds import STATUS_CODE, RunStatus, SpanStatus
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun

_FAILED = STATUS_CODE[SpanStatus.FAILED]


def first_look(run: PipelineRun) -> int | None:
    """Return the row to show first: where a failed run went wrong, else its beginning."""
    table = run.table
    if not len(table):
        return None
    if run.status is not RunStatus.FAILED or _FAILED not in table.status:
        return table.children(NO_PARENT)[0] if len(table.children(NO_PARENT)) else 0
    row = table.status.index(_FAILED)
    while inside := [child for child in table.children(row) if table.status[child] == _FAILED]:
        row = inside[-1]
    return row
