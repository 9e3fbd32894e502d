"""What a visit of a component did otherwise than the visit before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.diff.model import TextPart
from inspector.diff.text import text_diff
from inspector.diff.values import value_changes
from inspector.presentation.outline import total_tokens
from inspector.presentation.previews import text_preview
from inspector.presentation.transcript import argument_text
from inspector.presentation.words import duration_words, status_words, token_words

if TYPE_CHECKING:
    from inspector.diff.model import ValueChange
    from inspector.runfile.model import PipelineRun, Span

_SECTIONS = (("inputs", "Input"), ("arguments", "The tool ran with"), ("outputs", "Output"))
_SINGULAR = {"inputs": "input", "arguments": "arguments", "outputs": "output"}
_MOST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class ChangedLeaf:
    """One leaf that differs; its parts, put together, are what stood there before and now."""

    leaf: str
    kind: str  # "changed", "added", "removed"
    parts: tuple[TextPart, ...]  # of kind "same", "left" (before) and "right" (now)
    note: str = ""
    noise: str = ""  # why it does not count, such as "id" or "time"


@dataclass(frozen=True, slots=True)
class ChangedSection:
    """Everything that differs in what went in, or in what came out."""

    title: str
    leaves: tuple[ChangedLeaf, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A figure or a state that differs."""

    label: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class VisitDifference:
    """Two visits of the same component."""

    name: str
    before_id: str
    facts: tuple[ChangedFact, ...]
    sections: tuple[ChangedSection, ...]

    @property
    def is_nothing(self) -> bool:
        """Whether nothing of what went in and came out differs, but for ids, times and figures."""
        outcome = any(fact.label in ("Status", "Error") for fact in self.facts)
        return not outcome and all(
            leaf.noise for section in self.sections for leaf in section.leaves
        )


def visit_difference(run: PipelineRun, before: Span, now: Span) -> VisitDifference:
    """Return what `now` took and gave that `before` did not. Takes its time on large values."""
    sections: list[ChangedSection] = []
    for field, title in _SECTIONS:
        if not (before.has(field) or now.has(field)):
            continue
        one, other = (getattr(span, field) if span.has(field) else None for span in (before, now))
        changes, note = value_changes(one, other)
        leaves = tuple(_leaf(change, field) for change in _counted_first(changes))
        section = ChangedSection(title, leaves, note or "")
        # A tool is mostly run with what the LLM asked for: once is enough.
        if (leaves or note) and not any(leaves == known.leaves for known in sections):
            sections.append(section)
    return VisitDifference(
        name=text_preview(now.name or run.name, 80),
        before_id=before.id,
        facts=tuple(_facts(before, now)),
        sections=tuple(sections),
    )


def _counted_first(changes: tuple[ValueChange, ...]) -> list[ValueChange]:
    return sorted(changes, key=lambda change: change.noise is not None)


def _leaf(change: ValueChange, field: str) -> ChangedLeaf:
    before, now = (_text(value) for value in (change.left, change.right))
    noise = change.noise or ""
    leaf = change.leaf or _SINGULAR[field]
    if change.kind == "added":
        return ChangedLeaf(leaf, "added", (TextPart("right", now),), noise=noise)
    if change.kind == "removed":
        return ChangedLeaf(leaf, "removed", (TextPart("left", before),), noise=noise)
    if isinstance(change.left, str) and isinstance(change.right, str):
        found = text_diff(before, now)
        return ChangedLeaf(leaf, "changed", found.parts, found.note or "", noise)
    parts = (TextPart("left", before), TextPart("right", now))
    return ChangedLeaf(leaf, "changed", parts, noise=noise)


def _text(value: Any) -> str:
    return argument_text(value)[:_MOST_TEXT]


def _facts(before: Span, now: Span) -> list[ChangedFact]:
    errors = [text_preview(span.error.message, 300) if span.error else "" for span in (before, now)]
    tokens = [
        token_words(total_tokens(span.usage)) if span.usage is not None else ""
        for span in (before, now)
    ]
    facts = [
        ChangedFact("Status", status_words(before.status), status_words(now.status)),
        ChangedFact("Error", *errors),
        ChangedFact("Took", duration_words(before.duration_ns), duration_words(now.duration_ns)),
        ChangedFact("Tokens", *tokens),
    ]
    return [fact for fact in facts if fact.before != fact.now]
