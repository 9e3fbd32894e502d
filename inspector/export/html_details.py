"""What differs at each decision, with all that proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import DecisionKind
from inspector.export.html_documents import documents
from inspector.export.html_sections import differing, where
from inspector.export.html_table import Row, table
from inspector.export.html_texts import sides
from inspector.export.html_values import two_values, values
from inspector.export.markup import NOTHING, Markup, element, joined
from inspector.presentation.decision_table import MARKS

if TYPE_CHECKING:
    from inspector.diff.model import Comparison, Decision, ValueChange
    from inspector.export.html_texts import Room

_INKS = {"changed": "differs", "failed": "bad", "same": "good"}


def details(comparison: Comparison, room: Room) -> Markup:
    """Return each decision that differs with its texts, documents and values."""
    return joined(_one(each, comparison, room) for each in differing(comparison))


def _one(each: Decision, comparison: Comparison, room: Room) -> Markup:
    sign, words, ink = MARKS[each.agreement]
    mark = element("span", f"{sign} {words}: ", class_=_INKS.get(ink))
    key = f"d{each.number}"
    return element(
        "article",
        element("h3", mark, where(each), id=key),
        element("p", each.title, class_="run"),
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
