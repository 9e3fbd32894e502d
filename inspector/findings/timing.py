"""Where the time of a run went although nothing was won by it."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from inspector.findings.durable import ended_before
from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import counted, named
from inspector.runfile.idle import idle_times_of
from inspector.runfile.kinds import KIND_CODE, RunStatus, SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.findings.reading import Reading

_TIMED = frozenset(
    KIND_CODE[kind] for kind in (SpanKind.COMPONENT, SpanKind.LLM, SpanKind.TOOL, SpanKind.STEP)
)
_FEWEST = 5
_TIMES_MEDIAN = 5
_LEAST_NS = 2_000_000_000
_RARE = 0.1
_MOST_OUTLIERS = 20
_SLOW_NS = 5_000_000_000
_IDLE_NS = 5_000_000_000
_IDLE_SHARE = 0.1
_FIRST_CHUNK = re.compile(rb"\s*\[\s*\[\s*(\d{1,18})\s*,")
_PERSON = "for approval"


def outlier_step(reading: Reading) -> Iterator[Finding]:
    """Find steps that took far longer than all others of their name."""
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    table = reading.table
    for row, kind in enumerate(table.kind):
        if kind in _TIMED and table.end_ns[row] >= 0:
            taken = table.end_ns[row] - table.start_ns[row]
            groups.setdefault((kind, table.name_code[row]), []).append((taken, row))
    found: list[tuple[int, int, float]] = []
    for times in groups.values():
        if len(times) < _FEWEST:
            continue
        if max(times)[0] < _LEAST_NS:
            continue
        usual = median(taken for taken, _ in times)
        limit = max(_LEAST_NS, usual * _TIMES_MEDIAN)
        slow = [(taken, row, usual) for taken, row in times if taken >= limit]
        if len(slow) <= max(1, len(times) * _RARE):
            found += slow
    reported: set[int] = set()
    for taken, row, usual in sorted(found, reverse=True)[:_MOST_OUTLIERS]:
        # What is around or inside of a slow step is slow because of it.
        if reported & {row, *reading.around(row)} or any(
            row in reading.around(each) for each in reported
        ):
            continue
        reported.add(row)
        span = reading.run.spans[row]
        yield Finding(
            "outlier-step",
            Severity.NOTE,
            f"{named(span)} took {_seconds(taken)}{reading.place_of(span)}; it usually takes "
            f"{_seconds(int(usual))}.",
            (span.id,),
            "Look at what it was given, and whether somebody else was slow.",
            ("end_ns",),
        )


def slow_first_token(reading: Reading) -> Iterator[Finding]:
    """Find streams whose first piece kept people waiting."""
    table = reading.table
    for row in reading.skim.streamed:
        if 0 <= table.end_ns[row] - table.start_ns[row] < _SLOW_NS:
            continue
        first = _first_at(reading, row)
        waited = 0 if first is None else first - table.start_ns[row]
        if waited >= _SLOW_NS:
            span = reading.run.spans[row]
            yield Finding(
                "slow-first-token",
                Severity.NOTE,
                f"The first piece of what {named(span)} streamed came after {_seconds(waited)}"
                f"{reading.place_of(span)}.",
                (span.id,),
                "A shorter prompt, or one that is cached, begins sooner.",
                ("chunks",),
            )


def _first_at(reading: Reading, row: int) -> int | None:
    span = reading.run.spans[row]
    tree = span.raw.get("chunks")
    ref = tree.get("$ref") if isinstance(tree, dict) else None
    if isinstance(ref, str) and ref in reading.run.values:
        # A long stream need not be read to its end to learn when it began.
        found = _FIRST_CHUNK.match(reading.run.values.raw(ref)[:200])
        if found is not None:
            return int(found[1])
    chunks = span.chunks
    return chunks[0].at_ns if chunks else None


def idle_wait(reading: Reading) -> Iterator[Finding]:
    """Find times in which nothing of the run was at work, and nobody was asked anything."""
    if reading.run.status is RunStatus.RUNNING:
        return
    until = max(reading.run.duration_ns or 0, reading.table.end_of_run())
    for idle in idle_times_of(reading.run, until):
        if idle.reason == _PERSON or idle.length_ns < max(_IDLE_NS, until * _IDLE_SHARE):
            continue
        row = _next_row(reading, idle.end_ns)
        ended = None if row is None else ended_before(reading, reading.table.id(row))
        if ended == "waiting":
            continue  # for somebody's answer
        why = f" {idle.reason}" if idle.reason else ""
        before = f" before {named(reading.run.spans[row])} ran" if row is not None else ""
        yield Finding(
            "idle-wait",
            Severity.NOTE,
            f"Nothing was at work for {_seconds(idle.length_ns)}{why or before}.",
            () if row is None else (reading.table.id(row),),
            "Something waited that has no span: a limit of a provider, a lock, or code of yours."
            if ended is None
            else "No worker had it: one was free only then, or a lease had to run out first.",
        )


def _next_row(reading: Reading, when_ns: int) -> int | None:
    starts = reading.table.start_ns
    return next((row for row in range(len(starts)) if starts[row] >= when_ns), None)


def clock_backwards(reading: Reading) -> Iterator[Finding]:
    """Find spans that begin before what they happened in, or end before they begin."""
    table = reading.table
    start, parent = table.start_ns, table.parent_row
    early = [
        row for row, above in enumerate(parent)
        if above >= 0 and start[above] - start[row] > _CLOCK_NS
    ]  # fmt: skip
    ended = [
        row
        for problem in reading.run.problems
        if problem.message.startswith("It ends before it starts")
        and (row := table.row_of(problem.where)) is not None
    ]
    rows = sorted({*early, *ended})
    if not rows:
        return
    span = reading.run.spans[rows[0]]
    if rows[0] in ended:
        told = f"{named(span)} ends before it starts"
    else:
        by = (start[parent[rows[0]]] - start[rows[0]]) / 1e6
        told = f"{named(span)} begins {by:,.0f} ms before what it happened in"
    more = f", and so {counted(len(rows) - 1, 'other span')}" if len(rows) > 1 else ""
    yield Finding(
        "clock-backwards",
        Severity.NOTE,
        f"The clock went backwards: {told}{more}.",
        tuple(table.id(row) for row in rows[:6]),
        "Clocks of several machines, or one that was set: durations may be wrong.",
        ("start_ns",),
    )


_CLOCK_NS = 1_000_000


def _seconds(ns: int) -> str:
    seconds = ns / 1e9
    if seconds >= 120:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{ns / 1e6:.0f} ms"
