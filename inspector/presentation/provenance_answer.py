"""What is answered when somebody asks where a value came from, or who used it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from inspector.presentation.previews import text_preview
from inspector.presentation.value_paths import joined, value_at
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.value_paths import Step
    from inspector.runfile.model import PipelineRun, Span

_MOST_PARTS = 2_000


class Link(StrEnum):
    """How it is known that a value went from one place to another."""

    RECORDED = "recorded"
    INFERRED = "inferred"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value of a span that another one came from, or went into."""

    span_id: str
    path: str
    link: Link
    title: str  # what the span is called
    why: str  # a sentence without its full stop
    preview: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known about where a value came from or went to."""

    question: str
    candidates: tuple[Candidate, ...] = ()
    note: str = ""  # what no candidate says: that the caller passed it, that there are more

    @property
    def only(self) -> Candidate | None:
        """The one place to go to, where there is just one."""
        return self.candidates[0] if len(self.candidates) == 1 else None


def link_words(each: Candidate) -> str:
    """Return how a way is known, in words: lines that are solid or dashed say it to the eye."""
    return f"{'Recorded' if each.link is Link.RECORDED else 'Inferred'}: {each.why}"


def span_title(span: Span) -> str:
    """Return what a span is called in a list: its name, and which visit it was."""
    name = text_preview(span.name or span.id, 60)
    return f"{name}, visit {span.visit}" if span.visit > 1 else name


def named(span: Span, steps: Sequence[Step]) -> str:
    """Return what a value is called in a question."""
    path = joined(steps[1:]).lstrip(".") or (steps[0].label if steps else "this")
    return f"`{text_preview(path, 80)}` of `{span_title(span)}`"


def result_around(run: PipelineRun, span: Span, steps: Sequence[Step]) -> str:
    """Return the id of the call that the tool result around a path answers."""
    for end in range(len(steps), 1, -1):
        value = value_at(run, span, joined(steps[:end]))
        parts = value.get("content") if tag_of(value) == "chat_message" else [value]
        for part in parts if isinstance(parts, list) else ():
            match part:
                case {"tool_result": {"call": {"id": str(call_id)}}}:
                    return call_id
    return ""


def call_ids_in(value: Any) -> list[str]:
    """Return the ids of the tool calls in a reply, a list of replies, or a part of one."""
    waiting, found = [value], []
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        match waiting.pop(0):
            case {"tool_call": {"id": str(call_id)}} | {"id": str(call_id), "arguments": _}:
                found.append(call_id)
            case {"$": "chat_message", "content": list(parts)}:
                waiting += parts
            case list(items):
                waiting += items[:200]
            case {"replies": list(items)} | {"messages": list(items)}:
                waiting += items[-1:] if len(items) > 1 else items
    return found
