"""Visits, turns and calls more or less, why an agent stopped, and what failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.calling import call_words
from inspector.diff.glance import loaded
from inspector.diff.model import Agreement, Decision, DecisionKind, Severity
from inspector.diff.said import listed, plural, short, value_words
from inspector.diff.text import text_diff
from inspector.runfile.kinds import SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.diff.context import Both, SideView
    from inspector.runfile.model import Span

_MOST_WORDS = 300


def counts_of(view: SideView, parent: Span | None) -> dict[str, int]:
    """Return how many times each component ran inside a span; agent steps count as `turn`."""
    table = view.run.table
    found: dict[str, int] = {}
    for row in table.children(-1 if parent is None else parent.row):
        name = "turn" if table.kind_of(row) is SpanKind.STEP else table.name(row)
        found[name] = found.get(name, 0) + 1
    return found


def retry(both: Both, left: int, right: int) -> Decision:
    """Return that something ran again, or not again, on one side only.

    Args:
        both: The first span that only one side has.
        left: How many times it ran on the left, right on the right.
        right: See there.

    """
    agreement = both.one_sided
    assert agreement is not None
    if both.kind is SpanKind.STEP:
        words = [plural(left, "turn"), plural(right, "turn")]
        title = f"the agent took {words[1]} instead of {left}"
        if calls := calls_in(both):
            title += f": it {'no longer' if both.right is None else 'also'} called {calls}"
        title = short(title, _MOST_WORDS)
    else:
        words = [plural(left, "time"), plural(right, "time")]
        title = f"{both.name} ran {words[1]} instead of {left}"
    return both.decision(DecisionKind.RETRY, title, words, agreement, Severity.MAJOR)


def calls_in(both: Both) -> str:
    """Return the tools that were called in a turn that one side has, in words."""
    view, span = both.sides[0] if both.left is not None else both.sides[1]
    assert span is not None
    calls = [call_words(child) for child in view.run.children(span) if child.kind is SpanKind.TOOL]
    return listed(calls)


def exits(both: Both) -> Iterator[Decision]:
    """Yield why an agent stopped."""
    if both.kind is not SpanKind.AGENT and both.role != "agent":
        return
    if both.kind is SpanKind.STEP or both.alone or not both.worked:
        return
    if both.kind is SpanKind.COMPONENT and any(
        span is not None and any(c.kind is SpanKind.AGENT for c in view.run.children(span))
        for view, span in both.sides
    ):
        return
    reasons = [_exit_reason(view, span) for view, span in both.sides]
    if reasons == [None, None]:
        return
    title = f"{both.name} stopped for {reasons[0] or reasons[1]}"
    if None in reasons:
        yield both.decision(DecisionKind.EXIT, title, reasons, Agreement.UNKNOWN)
    elif reasons[0] == reasons[1]:
        yield both.decision(DecisionKind.EXIT, title, reasons, Agreement.SAME)
    else:
        title = f"{both.name} stopped for {reasons[1]} instead of {reasons[0]}"
        yield both.decision(DecisionKind.EXIT, title, reasons, Agreement.DIFFERS, Severity.MAJOR)


def _exit_reason(view: SideView, span: Span | None) -> str | None:
    if span is None:
        return None
    raw = view.glance.members(view.facts(span).outputs).get("exit_reason")
    # The outputs beside it hold the whole conversation.
    reason = None if raw is None else view.run.resolve(loaded(bytes(raw)))
    return None if reason is None else value_words(reason)


def failures(both: Both, *, echo: bool) -> Iterator[Decision]:
    """Yield that a span did not end well.

    Args:
        both: The pair.
        echo: Whether it only failed because something inside it did.

    """
    if echo or both.kind in (SpanKind.TOOL, SpanKind.STEP) or both.worked:
        return
    if both.inner and both.any.kind is SpanKind.OTHER:
        return
    words = [None if span is None else _ending(span) for _, span in both.sides]
    if (agreement := both.one_sided) is not None:
        title = f"{both.name} {words[0] or words[1]}"
        yield both.decision(
            DecisionKind.FAILURE, short(title, _MOST_WORDS), words, agreement, Severity.CRITICAL
        )
        return
    left, right = both.left, both.right
    assert left is not None
    assert right is not None
    if left.status is right.status:
        errors = [_error(span) for span in (left, right)]
        same = errors[0] == errors[1]
        title = f"{both.name} {words[0]}"
        if not same:
            title = f"{both.name} {words[1]} instead of {words[0]}"
        yield both.decision(
            DecisionKind.FAILURE, short(title, _MOST_WORDS), words,
            Agreement.SAME if same else Agreement.DIFFERS, Severity.MAJOR,
            text=None if same else text_diff(*errors),
        )  # fmt: skip
    else:
        title = f"{both.name} {words[1]}; before, it {words[0]}"
        yield both.decision(
            DecisionKind.FAILURE, short(title, _MOST_WORDS), words, Agreement.DIFFERS,
            Severity.CRITICAL,
        )  # fmt: skip


def _error(span: Span) -> str:
    """Return the error that began it: those around it only say that it happened."""
    error = span.error
    if error is None:
        return ""
    while error.cause is not None:
        error = error.cause
    return f"{error.type.rpartition('.')[2]}: {error.message}"


def _ending(span: Span) -> str:
    match span.status:
        case SpanStatus.OK:
            return "completed"
        case SpanStatus.FAILED:
            return f"failed ({short(_error(span))})" if span.error else "failed"
        case SpanStatus.CANCELED:
            return "was canceled"
    return "did not end"
