"""Which tool was called, with which arguments, and what it returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.diff.model import Agreement, Decision, DecisionKind, Severity
from inspector.diff.said import arguments_text, json_words, quoted, short, value_words
from inspector.diff.text import text_diff
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.diff.context import Both
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
        call = _call_words(both.any)
        title = short(f"{call} was {side} called", _MOST_WORDS)
        yield both.decision(
            DecisionKind.TOOL, title, [None if each is None else call for each in words],
            agreement, Severity.MAJOR,
        )  # fmt: skip
        return
    assert left is not None
    assert right is not None
    if left.name != right.name:
        title = f"{right.name} was called instead of {left.name}"
        yield both.decision(DecisionKind.TOOL, title, words, Agreement.DIFFERS, Severity.MAJOR)
    else:
        title = f"{left.name} was called"
        yield both.decision(DecisionKind.TOOL, title, words, Agreement.SAME)
    yield _arguments(both, left, right)


def _arguments(both: Both, left: Span, right: Span) -> Decision:
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


def _call_words(span: Span) -> str:
    return f"{span.name}({short(arguments_text(arguments_of(span)), 80)})"


def results(both: Both) -> Iterator[Decision]:
    """Yield what a tool returned, or how it failed."""
    if both.kind is not SpanKind.TOOL or both.alone:
        return
    left, right = both.left, both.right
    assert left is not None
    assert right is not None
    failed = [span.status is SpanStatus.FAILED for span in (left, right)]
    words = [_result_words(span) for span in (left, right)]
    if both.pair.same:
        title = f"{both.name} {_ended(failed[0], words[0])}"
        yield both.decision(DecisionKind.RESULT, title, words, Agreement.SAME)
        return
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
    outputs = span.outputs
    return quoted(outputs) if isinstance(outputs, str) else value_words(outputs)


def _ended(failed: bool, words: str) -> str:
    if failed:
        return f"failed ({words})" if words else "failed"
    return f"returned {words or json_words(None)}"
