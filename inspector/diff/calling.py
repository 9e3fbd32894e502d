"""Which tool was called, with which arguments, and what it returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from inspector.diff.model import Agreement, Decision, DecisionKind, Pairing, Severity
from inspector.diff.said import (
    arguments_text,
    json_words,
    listed,
    quoted,
    replies_text,
    short,
    value_words,
)
from inspector.diff.text import text_diff
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inspector.diff.context import Both, SideView
    from inspector.runfile.model import Span

_MOST_WORDS = 300


def tools(both: Both) -> Iterator[Decision]:
    """Yield which tool was called and with what, before it ran."""
    if both.kind is not SpanKind.TOOL:
        return
    left, right = both.left, both.right
    words = [None if span is None else span.name for span in (left, right)]
    if (agreement := both.one_sided) is not None:
        side = "no longer" if right is None else "newly"
        call = call_words(both.any)
        title = short(f"{call} was {side} called", _MOST_WORDS)
        yield both.decision(
            DecisionKind.TOOL, title, [None if each is None else call for each in words],
            agreement, Severity.MAJOR,
        )  # fmt: skip
        return
    assert left is not None
    assert right is not None
    if left.name != right.name:
        instead = both.pair.how is Pairing.ALONE
        words = [call_words(span) if instead else span.name for span in (left, right)]
        title = short(f"{words[1]} was called instead of {words[0]}", _MOST_WORDS)
        yield both.decision(DecisionKind.TOOL, title, words, Agreement.DIFFERS, Severity.MAJOR)
        if instead:
            return
    else:
        title = f"{left.name} was called"
        yield both.decision(DecisionKind.TOOL, title, words, Agreement.SAME)
    yield _arguments(both, left, right)


def in_another_order(calls: Sequence[Both]) -> Iterator[Decision]:
    """Yield that the same tools were called in another order, in one turn."""
    places = [
        (_index(both.context.left, both.left), _index(both.context.right, both.right))
        for both in calls
    ]
    if any(left is None or right is None for left, right in places):
        return
    ranks = [right for _, right in sorted(places)]
    if ranks == sorted(ranks):  # type: ignore[type-var]  # the same
        return
    words = []
    for side in range(2):
        ordered = sorted(zip(places, calls, strict=True), key=lambda each: each[0][side])  # type: ignore[arg-type,return-value]  # the same
        spans = [both.right if side else both.left for _, both in ordered]
        words.append(listed([call_words(span) for span in spans if span is not None], 6))
    title = f"the tools were called in another order: {words[1]} instead of {words[0]}"
    yield calls[0].decision(
        DecisionKind.TOOL, short(title, _MOST_WORDS), words, Agreement.DIFFERS, Severity.MINOR
    )


def _index(view: SideView, span: Span | None) -> int | None:
    call = None if span is None else view.glance.peek(view.facts(span).tool_call)
    index = call.get("index") if isinstance(call, dict) else None
    return index if isinstance(index, int) else None


def _arguments(both: Both, left: Span, right: Span) -> Decision:
    if both.pair.same:
        facts = both.facts
        given = facts.arguments if bytes(facts.arguments) else facts.inputs
        same = short(arguments_text(both.view.glance.peek(given))) or "nothing"
        title = f"{both.name} was given {same}"
        return both.decision(DecisionKind.ARGUMENTS, title, [same] * 2, Agreement.SAME)
    one, other = arguments_of(left), arguments_of(right)
    words = [short(arguments_text(each)) or "nothing" for each in (one, other)]
    agreement, changes = both.compare(one, other, "arguments")
    if agreement is not Agreement.DIFFERS:
        title = f"{both.name} was given {words[0]}"
        return both.decision(DecisionKind.ARGUMENTS, title, words, agreement, changes=changes)
    title = f"{right.name} was given {words[1]} instead of {words[0]}"
    return both.decision(
        DecisionKind.ARGUMENTS, short(title, _MOST_WORDS), words, agreement, Severity.MAJOR,
        changes=changes,
    )  # fmt: skip


def arguments_of(span: Span) -> Any:
    """Return what a tool was called with: what ran, not what the LLM asked for, where known."""
    return span.arguments if span.has("arguments") else span.inputs


def call_words(span: Span) -> str:
    """Return a call in short: `search(query="valve")`."""
    return f"{span.name}({short(arguments_text(arguments_of(span)), 80)})"


def results(both: Both) -> Iterator[Decision]:
    """Yield what a tool returned, or how it failed."""
    if both.kind is not SpanKind.TOOL or both.alone or both.pair.how is Pairing.ALONE:
        return
    left, right = both.left, both.right
    assert left is not None
    assert right is not None
    failed = [span.status is SpanStatus.FAILED for span in (left, right)]
    if both.pair.same:
        outputs = both.view.glance.peek(both.facts.outputs)
        same = _result_words(left) if failed[0] else _output_words(outputs)
        title = f"{both.name} {_ended(failed[0], same)}"
        yield both.decision(DecisionKind.RESULT, title, [same] * 2, Agreement.SAME)
        return
    words = [_result_words(span) for span in (left, right)]
    if failed[0] != failed[1]:
        title = f"{right.name} {_ended(failed[1], words[1])}; before, it " + (
            "failed" if failed[0] else "worked"
        )
        yield both.decision(DecisionKind.RESULT, title, words, Agreement.DIFFERS, Severity.CRITICAL)
        return
    one, other = (_outcome(span) for span in (left, right))
    agreement, changes = both.compare(one, other, "outputs")
    if agreement is not Agreement.DIFFERS:
        title = f"{both.name} {_ended(failed[0], words[0])}"
        yield both.decision(DecisionKind.RESULT, title, words, agreement, changes=changes)
        return
    title = f"{right.name} {_ended(failed[1], words[1])} instead of {words[0]}"
    text = None
    if isinstance(one, str) and isinstance(other, str):
        text = text_diff(one, other)
    yield both.decision(
        DecisionKind.RESULT, short(title, _MOST_WORDS), words, agreement, Severity.MAJOR,
        text=text, changes=changes,
    )  # fmt: skip


def _outcome(span: Span) -> Any:
    error = span.error
    return span.outputs if error is None else f"{error.type}: {error.message}"


def _result_words(span: Span) -> str:
    error = span.error
    if error is not None:
        return short(f"{error.type.rpartition('.')[2]}: {error.message}")
    if not span.has("outputs"):
        return ""
    return _output_words(span.outputs)


def _output_words(outputs: Any) -> str:
    if isinstance(outputs, Mapping) and (said := replies_text(outputs)) is not None:
        # A tool that is an agent or an LLM: what it said, and not all of its state.
        return quoted(said)
    return quoted(outputs) if isinstance(outputs, str) else value_words(outputs)


def _ended(failed: bool, words: str) -> str:
    if failed:
        return f"failed ({words})" if words else "failed"
    return f"returned {words or json_words(None)}"
