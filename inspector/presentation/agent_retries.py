"""Tool calls that failed and were made again, and what calls ran with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.diff.values import value_changes
from inspector.presentation.previews import text_preview
from inspector.presentation.transcript import CallPart, argument_text
from inspector.presentation.values import entries_in
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from inspector.runfile.model import Span

_MOST_WAITING = 10


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """An argument that another try was given otherwise; "" where it had none."""

    name: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Retry:
    """That a tool was called again after it had failed, and what was changed about it."""

    failed_id: str  # the span of the call that failed
    failed_step: int
    changes: tuple[ArgumentChange, ...]
    worked: bool | None  # None while it is not known


class FailedCalls:
    """Calls that failed, until the same tool is called again."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[tuple[Span, int]]] = {}

    def note(self, tool: Span, number: int) -> Retry | None:
        """Take note of a call; return what it tries again, if it does."""
        waiting = self._waiting.get(tool.name, [])
        # Calls of one turn are made at once: none can be the other's second try. Of several
        # that failed it is that of the one it is most like.
        tried = [
            (len(changes := _argument_changes(before, tool)), at, changes)
            for at, (before, step) in enumerate(waiting[:_MOST_WAITING])
            if step < number
        ]
        retry = None
        if tried:
            _, place, changes = min(tried)
            before, step = waiting.pop(place)
            worked = None if tool.end_ns is None else not is_failed(tool)
            retry = Retry(before.id, step, changes, worked)
        if is_failed(tool):
            self._waiting.setdefault(tool.name, []).append((tool, number))
        return retry


def ran_with(part: CallPart, tool: Span) -> tuple[ArgumentChange, ...]:
    """Return what a tool was given that the LLM had not asked for."""
    asked, given = dict(part.arguments), tool.arguments if tool.has("arguments") else None
    if part.arguments_text is not None or not isinstance(given, Mapping):
        return ()
    got = {key: argument_text(value) for key, value in entries_in(given)}
    return tuple(
        ArgumentChange(text_preview(key, 80), _cut(asked.get(key, "")), _cut(got.get(key, "")))
        for key in dict.fromkeys((*asked, *got))
        if asked.get(key) != got.get(key)
    )


def is_failed(tool: Span) -> bool:
    """Say whether a call ended with an error."""
    return tool.status is SpanStatus.FAILED


def _argument_changes(before: Span, now: Span) -> tuple[ArgumentChange, ...]:
    one, other = (_given(span) for span in (before, now))
    changes, _note = value_changes(one, other)
    return tuple(
        ArgumentChange(
            text_preview(change.leaf or "arguments", 80),
            "" if change.kind == "added" else _short(change.left),
            "" if change.kind == "removed" else _short(change.right),
        )
        for change in changes
    )


def _given(tool: Span) -> Any:
    return tool.inputs if tool.inputs is not None else tool.arguments


def _short(value: Any) -> str:
    return _cut(argument_text(value))


def _cut(text: str) -> str:
    return text_preview(text, 300)
