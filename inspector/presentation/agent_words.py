"""What is said of an agent: why it stopped, and what was changed in its state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from inspector.diff.values import value_changes
from inspector.presentation.previews import preview, text_preview
from inspector.presentation.values import items_in
from inspector.presentation.words import number_words, plural
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from inspector.diff.model import ValueChange
    from inspector.runfile.model import PipelineRun, Span

_REASONS = {
    "text": "it answered without calling a tool",
    "length": "its last answer was cut off at the limit of its length",
    "content_filter": "the provider's filter stopped its last answer",
    "budget_exceeded": "the budget of the run was used up",
}
_MOST_LEAVES = 2
_MOST_COMPARED = 200  # items of two lists of the same length
_LONGEST = 200
_LONGEST_SIDE = 80


def ended_words(run: PipelineRun, agent: Span, steps: int, called: Collection[str]) -> str:
    """Return why an agent stopped, as a sentence.

    Args:
        run: The run.
        agent: The agent's span.
        steps: How many steps it took.
        called: The names of the tools that its last step called.

    """
    if agent.status is SpanStatus.UNFINISHED:
        running = run.status == "running"
        return "It is still running." if running else "It had not stopped when the recording did."
    if agent.status is SpanStatus.FAILED:
        error = agent.error
        why = f": {text_preview(error.message, 200)}" if error is not None else ""
        return f"It failed{why}"
    if agent.status is SpanStatus.CANCELED:
        return "It was canceled."
    outputs = agent.outputs
    reason = outputs.get("exit_reason") if isinstance(outputs, Mapping) else None
    if not isinstance(reason, str) or not reason:
        if steps and not called:
            return "It stopped because it answered without calling a tool."
        return "Why it stopped was not recorded."
    return _reason_words(reason, steps, called)


def _reason_words(reason: str, steps: int, called: Collection[str]) -> str:
    shown = text_preview(reason, 80)
    if reason in called:
        return f"It stopped because {shown} was called, which ends it."
    if reason in _REASONS:
        return f"It stopped because {_REASONS[reason]}."
    if reason.startswith("max_"):
        return f"It stopped because it may take no more than {plural(steps, 'step')}."
    # All others are words of a hook's own.
    return f"It stopped because a hook asked it to: {shown}."


def state_words(change: Any) -> str:
    """Return what happened to a key of an agent's state."""
    if not isinstance(change, Mapping) or ("before" not in change and "after" not in change):
        return text_preview(preview(change), _LONGEST)
    if "before" not in change:
        return f"new: {text_preview(preview(change['after']), _LONGEST)}"
    if "after" not in change:
        return "removed"
    before, after = items_in(change["before"]), items_in(change["after"])
    if before is not None and after is not None:
        return _list_words(before, after)
    return " → ".join(
        text_preview(preview(change[side]), _LONGEST_SIDE) for side in ("before", "after")
    )


def _list_words(before: Any, after: Any) -> str:
    """Return what happened to a list: what came, what went, or what changed inside of it."""
    counts = f"{number_words(len(before))} → {plural(len(after), 'item')}"
    if len(after) == len(before):
        if len(after) > _MOST_COMPARED:
            return f"{counts}, changed inside"
        changes, _note = value_changes(list(before), list(after))
        return f"{plural(len(after), 'item')}, {_leaves(changes)}" if changes else counts
    # Lists of a state grow at their end, as conversations do.
    longer, shorter = (after, before) if len(after) > len(before) else (before, after)
    many = len(longer) - len(shorter)
    last = preview(longer[len(longer) - 1], _LONGEST_SIDE)
    word = "new" if longer is after else "removed"
    return f"{counts}, {word}: {last}" if many == 1 else f"{counts}, {word} last: {last}"


def _leaves(changes: tuple[ValueChange, ...] | list[ValueChange]) -> str:
    said = []
    for change in changes[:_MOST_LEAVES]:
        sides = [
            "(none)" if missing else text_preview(preview(value), _LONGEST_SIDE)
            for missing, value in (
                (change.kind == "added", change.left),
                (change.kind == "removed", change.right),
            )
        ]
        said.append(f"{text_preview(change.leaf, 60)}: {' → '.join(sides)}")
    more = len(changes) - _MOST_LEAVES
    return ", ".join([*said, *([f"and {number_words(more)} more"] if more > 0 else [])])
