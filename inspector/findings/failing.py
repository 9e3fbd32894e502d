"""What failed, and what was tried again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import error_words, listed, named
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_LONGEST_CHAIN = 1_000
_FARTHEST = 200  # calls of the same thing: what comes later is no second try


def failed(reading: Reading) -> Iterator[Finding]:
    """Find where something went wrong first. What failed because of it is no news."""
    table = reading.table
    for span in reading.spans(reading.failures):
        around = [table.status_of(row) for row in reading.around(span.row)]
        ended_the_run = all(status is SpanStatus.FAILED for status in around)
        told, root = error_words(span)
        sentence = f"{named(span)} failed{reading.place_of(span)}"
        sentence += f": {told}" if told else ", and what went wrong was not recorded"
        ending = "It ended the run." if ended_the_run else "The run went on."
        yield Finding(
            "failed",
            Severity.ERROR if ended_the_run else Severity.WARNING,
            sentence if sentence.endswith((".", "!", "?")) else f"{sentence}.",
            (span.id,),
            f"{ending} It began with {root}" if root else ending,
        )


def retried(reading: Reading) -> Iterator[Finding]:
    """Find what was called again after it had failed, what changed, and whether that helped."""
    seen: set[int] = set()
    for span in reading.spans(reading.failures):
        if span.row in seen:
            continue
        chain = [span]
        while len(chain) < _LONGEST_CHAIN and chain[-1].status == SpanStatus.FAILED:
            again = _again(reading, chain[-1])
            if again is None:
                break
            chain.append(again)
            seen.add(again.row)
        if len(chain) > 1:
            yield _retry(reading, chain)


def _again(reading: Reading, before: Span) -> Span | None:
    """Return the next call of the same thing, for the same purpose as far as can be told."""
    table = reading.table
    ended = table.end_ns[before.row]
    if ended == NO_END:
        return None
    is_tool = before.kind == SpanKind.TOOL
    home = reading.agent_of(before.row) if is_tool else None
    if home is None:
        home = table.parent_row[before.row]
    if home == NO_PARENT:
        return None
    namesakes = reading.namesakes(before.row)
    after = bisect_right(namesakes, before.row)
    for row in namesakes[after : after + _FARTHEST]:
        if table.start_ns[row] < ended:
            continue
        at_home = table.parent_row[row] == home
        if not at_home and not (is_tool and reading.agent_of(row) == home):
            continue
        later = reading.run.spans[row]
        if not is_tool or _is_the_same_purpose(before.inputs, later.inputs):
            return later
    return None


def _is_the_same_purpose(one: Any, other: Any) -> bool:
    """Say whether two calls of a tool share an argument, or have none to share."""
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return bool(one == other)
    if not one or not other:
        return one == other
    return any(key in other and other[key] == value for key, value in one.items())


def _retry(reading: Reading, chain: list[Span]) -> Finding:
    first, last = chain[0], chain[-1]
    helped = last.status == SpanStatus.OK
    times = "again" if len(chain) == 2 else f"{len(chain) - 1} more times"
    sentence = f"{named(first)} failed{reading.place_of(first)} and was called {times}"
    sentence += f"{reading.place_of(last)}, {_change(first.inputs, last.inputs)}: "
    sentence += "that worked." if helped else "it did not come to a result."
    return Finding(
        "retried",
        Severity.NOTE if helped else Severity.WARNING,
        sentence,
        tuple(span.id for span in (last, *chain[:-1])),
        "" if helped else "What fails for the same reason again need not be asked again.",
    )


def _change(before: Any, after: Any) -> str:
    if before == after or not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return "with the same inputs" if before == after else "with other inputs"
    added = [str(key) for key in after if key not in before]
    gone = [str(key) for key in before if key not in after]
    other = [str(key) for key in after if key in before and after[key] != before[key]]
    told = [
        f"with another {listed(other)}" if other else "",
        f"with {listed(added)} added" if added else "",
        f"without {listed(gone)}" if gone else "",
    ]
    return ", ".join(word for word in told if word)
