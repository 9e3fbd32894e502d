"""Where something went wrong first, as opposed to what failed because of it."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from inspector.runfile.kinds import STATUS_CODE, SpanStatus
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.runfile.table import SpanTable

_FAILED = STATUS_CODE[SpanStatus.FAILED]
_NO_START = -1


def first_failures(table: SpanTable) -> list[int]:
    """Return the rows at which something went wrong, in start order.

    An error that nothing catches fails every span around it as well. Those echo it and are
    left out: a failed span counts unless the last thing inside it failed and ended the matter.
    """
    parent_row, start_ns, end_ns, status = (
        table.parent_row, table.start_ns, table.end_ns, table.status,
    )  # fmt: skip
    failed = [row for row, state in enumerate(status) if state == _FAILED]
    if not failed:
        return []
    last_start = array("q", [_NO_START]) * len(table)
    for row, parent in enumerate(parent_row):
        if parent != NO_PARENT:
            last_start[parent] = max(last_start[parent], start_ns[row])
    echoes = set()
    for row in failed:
        parent = parent_row[row]
        if parent != NO_PARENT and end_ns[row] >= last_start[parent]:
            echoes.add(parent)
    return [row for row in failed if row not in echoes]
