"""When nothing of a run was at work: it waited for a person, or for another try."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.table import SpanTable

APPROVAL = "for approval"

_APPROVING = "haystack.agent.hook.human_in_the_loop"
_HOOK = KIND_CODE[SpanKind.HOOK]
_FAILED = STATUS_CODE[SpanStatus.FAILED]
# These only hold others: that one of them is open does not mean that anything is done.
_HOLDERS = frozenset(KIND_CODE[kind] for kind in (SpanKind.PIPELINE, SpanKind.AGENT, SpanKind.STEP))
_SHORTEST_NS = 1_000_000_000
_LEAST_OF_RUN = 0.02
_MOST_GAPS = 40
_MOST_HOOKS = 10_000


class Idle(NamedTuple):
    """A stretch of time in which nothing worked, and what it waited for where that is known."""

    start_ns: int
    end_ns: int
    reason: str = ""

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


def idle_times(table: SpanTable, until_ns: int, waits_for: Callable[[int], str]) -> list[Idle]:
    """Return the gaps of a run that are long enough to be worth folding, the first first.

    A span is at work from its start to its end, unless it only holds others, as pipelines,
    agents and steps do, or waits for somebody.

    Args:
        table: The run's spans.
        until_ns: When the run ended.
        waits_for: Says of the row of a hook what it waits for; "" where it does something.

    """
    start, end = table.start_ns, table.end_ns
    waiting = _waiting(table, waits_for)
    idle_rows = _holding(table, waiting)
    least = max(_SHORTEST_NS, round(until_ns * _LEAST_OF_RUN))
    gaps: list[Idle] = []
    busy_until, last = 0, -1
    for row in range(len(table)):
        if idle_rows[row]:
            continue
        if start[row] - busy_until >= least:
            gaps.append(_gap(table, busy_until, start[row], waiting, (last, row)))
        ended = until_ns if end[row] == NO_END else end[row]
        if ended >= busy_until:
            busy_until, last = ended, row
    if until_ns - busy_until >= least:
        gaps.append(_gap(table, busy_until, until_ns, waiting, (last, -1)))
    if len(gaps) > _MOST_GAPS:
        gaps = sorted(sorted(gaps, key=lambda gap: -gap.length_ns)[:_MOST_GAPS])
    return gaps


def idle_times_of(run: PipelineRun, until_ns: int) -> list[Idle]:
    """Return the gaps of a run, with the reasons that its spans tell."""

    def waits_for(row: int) -> str:
        return APPROVAL if run.spans[row].operation.startswith(_APPROVING) else ""

    return idle_times(run.table, until_ns, waits_for)


def _waiting(table: SpanTable, waits_for: Callable[[int], str]) -> dict[int, str]:
    """Return the rows that wait for somebody, and for what."""
    found: dict[int, str] = {}
    hooks = [row for row, kind in enumerate(table.kind) if kind == _HOOK][:_MOST_HOOKS]
    for row in hooks:
        if reason := waits_for(row):
            found[row] = reason
    return found


def _holding(table: SpanTable, waiting: dict[int, str]) -> bytearray:
    """Return, row by row, whether a span does nothing itself."""
    parent, kind = table.parent_row, table.kind
    idle = bytearray(len(table))
    for row in range(len(table) - 1, -1, -1):
        if row in waiting:
            idle[row] = 1
        # What holds an agent, or somebody who is waited for, is no more at work than they are.
        if (kind[row] in _HOLDERS or idle[row]) and parent[row] != NO_PARENT:
            idle[parent[row]] = 1
    with_children = bytearray(len(table))
    for above in parent:
        if above != NO_PARENT:
            with_children[above] = 1
    for row in range(len(table)):
        if kind[row] in _HOLDERS and with_children[row]:
            idle[row] = 1
    return idle


def _gap(
    table: SpanTable,
    start_ns: int,
    end_ns: int,
    waiting: dict[int, str],
    sides: tuple[int, int],
) -> Idle:
    for row, reason in waiting.items():
        ended = end_ns if table.end_ns[row] == NO_END else table.end_ns[row]
        if min(ended, end_ns) - max(table.start_ns[row], start_ns) > (end_ns - start_ns) / 2:
            return Idle(start_ns, end_ns, reason)
    before, after = sides
    if before >= 0 and after >= 0 and table.status[before] == _FAILED:
        name = table.name(before)
        if name == table.name(after):
            return Idle(start_ns, end_ns, f"before {name} was tried again")
    return Idle(start_ns, end_ns)
