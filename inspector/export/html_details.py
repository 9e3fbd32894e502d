"""What differs at each decision, with all that proves it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.diff.model import DecisionKind
from inspector.export.html_documents import documents
from inspector.export.html_sections import differing, where
from inspector.export.html_table import Row, table
from inspector.export.html_texts import sides
from inspector.export.html_values import two_values, values
from inspector.export.markup import NOTHING, Markup, element, joined, place
from inspector.presentation.decision_table import MARKS

if TYPE_CHECKING:
    from inspector.diff.model import Comparison, Decision, ValueChange
    from inspector.export.html_texts import Room

_INKS = {"changed": "differs", "failed": "bad", "same": "good"}


def details(comparison: Comparison, room: Room) -> Markup:
    """Return each decision that differs with its texts, documents and values."""
    groups: list[list[Decision]] = []
    for each in differing(comparison):
        # Four calls of another LLM are one piece of news.
        known = next((group for group in groups if _bare(group[0]) == _bare(each)), None)
        if known is None:
            groups.append([each])
        else:
            known.append(each)
    return joined(_one(group, comparison, room) for group in groups)


def _bare(each: Decision) -> Decision:
    return replace(each, number=0, path="", left_span=None, right_span=None)


def _one(group: list[Decision], comparison: Comparison, room: Room) -> Markup:
    each = group[0]
    sign, words, ink = MARKS[each.agreement]
    mark = element("span", f"{sign} {words}: ", class_=_INKS.get(ink))
    key = f"d{each.number}"
    others = [
        [" " if at == 0 else ", ", place(other.path or "the run", id=f"d{other.number}")]
        for at, other in enumerate(group[1:])
    ]
    return element(
        "article",
        element("h3", mark, where(each), id=key),
        element("p", each.title, class_="run"),
        element("p", "In the same way at", others, class_="note") if others else None,
        _body(each, comparison, room),
        aria_labelledby=key,
    )


def _body(each: Decision, comparison: Comparison, room: Room) -> Markup:
    if each.kind is DecisionKind.ANSWER and comparison.answer.text is not None:
        return element("p", element("a", "Both answers, side by side", href="#answer"))
    what = f"{each.kind} {each.path}".strip()
    blocks = []
    if each.text is not None and not each.text.same:
        blocks.append(sides(each.text, room, caption=what))
    if each.documents:
        blocks.append(documents(each.documents, what))
        if contents := _contents(each, comparison):
            blocks.append(values(contents, room, caption=f"Content of {what}"))
    if each.changes:
        blocks.append(values(each.changes, room, caption=f"Values of {what}"))
    if not blocks and each.left != each.right:
        left, right = two_values(each.left or None, each.right or None)
        blocks.append(
            table(("Left", "Right"), [Row((left, right))], caption=what, look="cards values two")
        )
    return joined(blocks) if blocks else NOTHING


def _contents(each: Decision, comparison: Comparison) -> list[ValueChange]:
    """Return what documents say otherwise: a rank does not tell."""
    found: list[ValueChange] = []
    for span in comparison.spans:
        if (span.left_span, span.right_span) == (each.left_span, each.right_span):
            found += [
                change
                for change in span.outputs
                if change.noise is None and change.leaf.endswith((".content", '["content"]'))
            ]
    return found
