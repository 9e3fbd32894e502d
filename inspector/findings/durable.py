"""What goes wrong with durable executions: what was done twice, what nobody should have seen.

Their facts stand under `extensions.hayhooks` of the run, as the recorder of a durable wrapper or
the importer of an execution wrote them. A run that is none has no such findings.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.findings.finding import Finding, Severity
from inspector.findings.reading import named
from inspector.runfile.durable import EXTENSION, WAIT

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_MOST = 1_000
_SHOWN = 6
_DAY_NS = 24 * 3_600 * 10**9
# How an attempt ends that is given up, in words.
_WAYS = {
    "handed back": "its worker handed it back", "killed": "its worker was killed",
    "lease lost": "its worker lost the lease",
    "silent": "nothing more was heard of its worker", "retried": "it asked for another attempt",
    "unknown": "it was given up",
}  # fmt: skip


def effect_repeated(reading: Reading) -> Iterator[Finding]:
    """Find tools that an attempt called again although an earlier one had begun the same."""
    for each in _repeats(reading, "tool"):
        again, before = _spans(reading, each)
        if again is None or before is None:
            continue
        how = str(each.get("earlier"))
        if how == "waiting":
            continue  # it only asked first
        was = {
            "ok": "had come to its end", "unfinished": "had begun when its worker was lost",
        }.get(how, f"had ended as {how}")  # fmt: skip
        with_same = "with the same arguments" if each.get("same_inputs") else "with others"
        yield Finding(
            "effect-repeated",
            Severity.ERROR if how == "ok" else Severity.WARNING,
            f"{named(again)} ran again {with_same} in attempt {each.get('attempt')}: in attempt "
            f"{each.get('of_attempt')} it {was}.",
            (again.id, before.id),
            "What it does was possibly done twice. Have it take a key, such as the id of the "
            "execution and of the call, and save a checkpoint after what must be done once.",
            ("arguments",),
            possible=how != "ok",
        )


def abandoned_output(reading: Reading) -> Iterator[Finding]:
    """Find pieces of a stream that came from an attempt whose work was given up."""
    left = [each for each in _attempts(reading)[:-1] if str(each.get("ended")) in _WAYS]
    streamed = _streamed(reading) if left else {}
    for attempt in left:
        number = attempt.get("attempt")
        count, spans = streamed.get(number, (0, ())) if type(number) is int else (0, ())
        if not count:
            continue
        seen = bool(attempt.get("witnessed"))
        reached = "reached" if seen else "may have reached"
        yield Finding(
            "abandoned-output",
            Severity.WARNING,
            f"{count:,} pieces of the stream of attempt {number} {reached} whoever watched, and "
            f"then {_WAYS[str(attempt.get('ended'))]}: what they said was abandoned.",
            spans,
            "Have readers start anew when the attempt rises, or show nothing before it is over.",
            ("chunks",),
            possible=not seen,
        )


def attempts_differ(reading: Reading) -> Iterator[Finding]:
    """Find what was decided otherwise when an attempt did it again."""
    for each in _repeats(reading, "llm", "component", "tool"):
        again, before = _spans(reading, each)
        if again is None or before is None or str(each.get("earlier")) != "ok":
            continue
        if each.get("kind") == "tool" and not each.get("same_inputs"):
            what, fields = "was called with other arguments", ("arguments",)
        elif each.get("same_inputs") and _differs(again, before):
            what, fields = "answered otherwise to the same", ("outputs",)
        else:
            continue
        yield Finding(
            "attempts-differ",
            Severity.WARNING,
            f"{named(again)} {what} in attempt {each.get('attempt')} than in attempt "
            f"{each.get('of_attempt')}.",
            (again.id, before.id),
            "What an earlier attempt did or showed may not fit the answer. A checkpoint after a "
            "decision keeps it.",
            fields,
        )


def wait_expired(reading: Reading) -> Iterator[Finding]:
    """Find executions that waited for somebody in vain: a day or more, or until canceled."""
    facts = _facts(reading)
    waited = facts.get("waited_ns")
    canceled = facts.get("status") == "canceled" and bool(facts.get("waited"))
    if not canceled and not (isinstance(waited, int) and waited >= _DAY_NS):
        return
    waiting = facts.get("waiting")
    message = waiting.get("message") if isinstance(waiting, Mapping) else None
    told = f" ({message[:120]})" if isinstance(message, str) and message else ""
    if canceled:
        sentence = f"The execution was canceled while it waited for an answer{told}."
    else:
        days = int(waited) // _DAY_NS if isinstance(waited, int) else 1
        length = f"{days:,} {'day' if days == 1 else 'days'}"
        sentence = f"The execution has waited for an answer for {length} or more{told}."
    spans = [span.id for span in _of_kind(reading, WAIT)]
    yield Finding(
        "wait-expired",
        Severity.WARNING,
        sentence,
        tuple(spans[:1]),
        "Nothing ends a wait by itself: answer it, cancel it, or have something watch for it.",
    )


def repeated_spans(reading: Reading) -> frozenset[str]:
    """Return what a later attempt did anew, as it had to: no visit of its own."""
    found = (each.get("span") for each in _maps(_facts(reading).get("repeats")))
    return frozenset(span for span in found if isinstance(span, str))


def ended_before(reading: Reading, span_id: str) -> str | None:
    """Return how the attempt before the one of a span ended; None where there was none."""
    attempts = _attempts(reading)
    for earlier, later in itertools.pairwise(attempts):
        if later.get("span") == span_id:
            return str(earlier.get("ended"))
    return None


def _facts(reading: Reading) -> Mapping[str, Any]:
    facts = reading.run.extensions.get(EXTENSION)
    return facts if isinstance(facts, Mapping) else {}


def _attempts(reading: Reading) -> list[Mapping[str, Any]]:
    return _maps(_facts(reading).get("attempts"))


def _repeats(reading: Reading, *kinds: str) -> list[Mapping[str, Any]]:
    return [each for each in _maps(_facts(reading).get("repeats")) if each.get("kind") in kinds]


def _maps(tree: Any) -> list[Mapping[str, Any]]:
    if not isinstance(tree, list):
        return []
    return [each for each in tree[:_MOST] if isinstance(each, Mapping)]


def _spans(reading: Reading, repeat: Mapping[str, Any]) -> tuple[Span | None, Span | None]:
    return _span(reading, repeat.get("span")), _span(reading, repeat.get("of"))


def _span(reading: Reading, span_id: Any) -> Span | None:
    if not isinstance(span_id, str):
        return None
    row = reading.table.row_of(span_id)
    return None if row is None else next(reading.spans([row]))


def _streamed(reading: Reading) -> dict[int, tuple[int, tuple[str, ...]]]:
    """Return by attempt how many pieces it streamed, and the ids of the first spans that did."""
    found: dict[int, tuple[int, tuple[str, ...]]] = {}
    for span in reading.spans(range(min(len(reading.table), 100 * _MOST))):
        own = span.extensions.get(EXTENSION)
        number = own.get("attempt") if isinstance(own, Mapping) else None
        if type(number) is int and span.has("chunks"):
            count, ids = found.get(number, (0, ()))
            found[number] = (count + len(span.chunks or ()), (*ids, span.id)[:_SHOWN])
    return found


def _of_kind(reading: Reading, operation: str) -> Iterator[Span]:
    for span in reading.spans(range(min(len(reading.table), _MOST))):
        if span.operation == operation:
            yield span


def _differs(again: Span, before: Span) -> bool:
    """Say whether two calls put out something else: replies by what they say and call."""
    now, then = again.outputs, before.outputs
    if now is None or then is None:
        return False
    return bool(_said(now) != _said(then))


def _said(outputs: Any) -> Any:
    """Return outputs without what differs between any two calls: ids and what is said of them."""
    if isinstance(outputs, Mapping):
        return {key: _said(value) for key, value in outputs.items() if key not in ("id", "meta")}
    if isinstance(outputs, list):
        return [_said(item) for item in outputs]
    return outputs
