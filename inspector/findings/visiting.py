"""Components that ran more often than there was reason to, and what they did to others."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector.findings.durable import repeated_spans
from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import counted, named
from inspector.findings.wiring import families
from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.value import TAG

if TYPE_CHECKING:
    from inspector.findings.reading import Reading

_COMPONENT = KIND_CODE[SpanKind.COMPONENT]
_DECIDES = frozenset({"validation", "routing"})
_MOST_SPANS = 6
_MOST_COMPARED = 2_000


def extra_visit(reading: Reading) -> Iterator[Finding]:
    """Find components that ran again although nothing new had come to them."""
    anew = repeated_spans(reading)
    for parent, visits in families(reading).items():
        names = _by_name(reading, parent)
        for rows in visits.values():
            extra = [
                (before, again)
                for before, again in itertools.pairwise(rows)
                if reading.table.id(again) not in anew
                and reading.skim.has_senders(again)
                and _is_extra(reading, names, before, again)
            ]
            if extra:
                span = reading.run.spans[extra[0][1]]
                times = "once more" if len(extra) == 1 else f"{len(extra)} times more"
                shown = [reading.table.id(row) for pair in extra for row in reversed(pair)]
                yield Finding(
                    "extra-visit",
                    Severity.WARNING,
                    f"{named(span)} ran {times}, although nobody who sends to it had run since.",
                    tuple(dict.fromkeys(shown))[:_MOST_SPANS],
                    "Look at which of its inputs came again: the visits say who sent them.",
                    ("senders",),
                )


def _by_name(reading: Reading, parent: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in reading.table.children(parent):
        found.setdefault(reading.table.name(row), []).append(row)
    return found


def _is_extra(
    reading: Reading, names: Mapping[str, Sequence[int]], before: int, again: int
) -> bool:
    start = reading.table.start_ns
    if not start[before] < reading.table.end_ns[before] <= start[again]:
        return False  # at the same time, or when is not known: their order says nothing
    senders = {name for each in reading.skim.senders(again).values() for name in each if name}
    for name in senders:
        rows = names.get(name)
        if not rows:
            return False  # who that was did not get a span
        last = rows[bisect_left(rows, again) - 1]
        if last < again and reading.table.end_ns[last] >= start[before]:
            return False
    return True


def loop_without_progress(reading: Reading) -> Iterator[Finding]:
    """Find loops that came back to a state in which they had been before."""
    for parent, visits in families(reading).items():
        repeated = _repeated(reading, visits) or _same_rounds(reading, parent, visits)
        if not repeated:
            continue
        span = reading.run.spans[repeated[0]]
        yield Finding(
            "loop-without-progress",
            Severity.WARNING,
            f"The loop around {named(span)} made no progress: in "
            f"{counted(len(repeated), 'visit')} it was given the very same, "
            f"{'twice' if len(repeated) == 2 else 'again and again'}.",
            tuple(reading.table.id(row) for row in repeated[:_MOST_SPANS]),
            "What comes back unchanged fails for the same reason: tell the model more, or stop.",
            ("inputs",),
        )


def _repeated(reading: Reading, visits: Mapping[int, list[int]]) -> list[int]:
    """Return the visits of what decides on a loop that had the inputs of an earlier one."""
    skim = reading.skim
    for rows in visits.values():
        if skim.roles[rows[0]] not in _DECIDES:
            continue
        by_inputs: dict[int, list[int]] = {}
        for row in rows:
            if skim.inputs[row]:
                by_inputs.setdefault(skim.inputs[row], []).append(row)
        most = max(by_inputs.values(), key=len, default=[])
        if len(most) > 1:
            return most
    return []


def _same_rounds(reading: Reading, parent: int, visits: Mapping[int, list[int]]) -> list[int]:
    """Return the first visits of rounds in which everything was as in the round before."""
    skim, table = reading.skim, reading.table
    heads = min(visits.values(), key=lambda rows: rows[0])
    if len(heads) < 3:
        return []
    wanted = set(heads)
    rounds: list[list[tuple[int, int, int]]] = []
    for row in table.children(parent):
        if row in wanted:
            rounds.append([])
        if rounds and table.kind[row] == _COMPONENT:
            rounds[-1].append((table.name_code[row], skim.inputs[row], skim.outputs[row]))
    same: list[int] = []
    for number, (one, other) in enumerate(itertools.pairwise(rounds)):
        is_alike = one[: len(other)] == other and len(other) >= min(len(one), 2)
        if is_alike and all(inputs and outputs for _, inputs, outputs in other):
            same += [heads[number], heads[number + 1]]
    return list(dict.fromkeys(same))


def input_mutated(reading: Reading) -> Iterator[Finding]:
    """Find components that changed a value in place which others were given, too."""
    table, skim = reading.table, reading.skim
    compared = 0
    for row, receivers in enumerate(map(skim.receivers, range(len(table)))):
        shared = {out: names for out, names in receivers.items() if len(set(names)) > 1}
        if not shared or compared >= _MOST_COMPARED:
            continue
        sender = reading.run.spans[row]
        for out, names in shared.items():
            sent = sender.outputs.get(out) if isinstance(sender.outputs, Mapping) else None
            if not isinstance(sent, list | dict) or not sent:
                continue
            compared += 1
            yield from _changed(reading, row, out, [name for name in names if name], sent)


def _changed(
    reading: Reading, row: int, out: str, names: list[str], sent: Any
) -> Iterator[Finding]:
    table, skim = reading.table, reading.skim
    sender = table.name(row)
    before: list[int] = []
    for each in _next_visits(reading, row, names):
        to = [socket for socket, who in skim.senders(each).items() if who == (sender,)]
        from_ = [socket for socket, who in skim.receivers(row).items() if table.name(each) in who]
        if to and len(to) == 1 and from_ == [out]:
            span = reading.run.spans[each]
            got = span.inputs.get(to[0]) if isinstance(span.inputs, Mapping) else None
            if before and _differ(sent, got):
                other = reading.run.spans[before[-1]]
                yield Finding(
                    "input-mutated",
                    Severity.WARNING,
                    f"{named(span)} was given another `{to[0]}` than `{sender}` had sent: "
                    f"{named(other)}, which had run with the same value, changed it in place.",
                    (other.id, span.id, table.id(row)),
                    "Let it work on a copy: who runs first must not matter.",
                    ("inputs",),
                )
                return
        before.append(each)


def _next_visits(reading: Reading, row: int, names: list[str]) -> list[int]:
    """Return the first visits after a sender of those to whom it sent, in start order."""
    table = reading.table
    siblings = table.children(table.parent_row[row])
    found: dict[str, int] = {}
    at = bisect_left(siblings, row) + 1
    for each in siblings[at : at + 200]:
        name = table.name(each)
        if name in names and name not in found and table.start_ns[each] >= table.end_ns[row]:
            found[name] = each
        if len(found) == len(names):
            break
    return sorted(found.values())


def _differ(sent: Any, got: Any) -> bool:
    """Say whether a value arrived changed, and was not only put into another form."""
    if got is sent or type(got) is not type(sent) or got in (sent, [sent]):
        return False
    if isinstance(sent, dict):
        return bool(sent.get(TAG) == got.get(TAG) and sent.get("type") == got.get("type"))
    kinds = [{type(each) for each in value} for value in (sent, got)]
    return kinds[0] == kinds[1] or not got
