"""A comparison as one HTML file: nothing in it runs, nothing comes from elsewhere.

It reads on a phone and on paper, in light and dark. The same comparison gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import COMPARISON_VERSION
from inspector.export.html_details import details
from inspector.export.html_page import head
from inspector.export.html_sections import (
    answer,
    configuration,
    decisions,
    divergence,
    metrics,
    notes,
    spans,
    tree,
)
from inspector.export.html_table import Row, table
from inspector.export.html_texts import Room
from inspector.export.markup import NOTHING, Markup, element, joined
from inspector.presentation.decision_table import count_words
from inspector.presentation.words import (
    UNKNOWN,
    duration_words,
    elided,
    one_line,
    plural,
    sentence,
    started_words,
    status_words,
)

if TYPE_CHECKING:
    from inspector.diff.model import Comparison, Side
    from inspector.runfile.model import PipelineRun

_LONGEST_NAME = 120


def comparison_html(comparison: Comparison, left: PipelineRun, right: PipelineRun) -> str:
    """Return the page of a comparison.

    Args:
        comparison: What to tell.
        left: The run on its left side, for the names of its spans.
        right: The run on its right side.

    """
    room = Room()
    sections = [
        ("Why, and what followed", "why", divergence(comparison)),
        ("Answer", "answer", answer(comparison, room)),
        ("Decisions", "decisions", decisions(comparison)),
        ("What differs", "details", details(comparison, room)),
        ("Set up in another way", "configuration", configuration(comparison, room)),
        ("Spans", "spans", tree(comparison, left, right)),
        ("Values", "values", spans(comparison, room)),
        ("Figures", "figures", metrics(comparison)),
        ("Notes", "notes", notes(comparison)),
        ("Where this comes from", "origin", _origin(comparison, left, right)),
    ]
    shown = [(title, key, body) for title, key, body in sections if body]
    body = element(
        "body",
        _head_of_page(comparison, [(title, key) for title, key, _ in shown]),
        element(
            "main",
            [
                element("section", element("h2", title, id=key), body, aria_labelledby=key)
                for title, key, body in shown
            ],
        ),
        element("footer", f"Comparison format {COMPARISON_VERSION}."),
    )
    return f"<!DOCTYPE html>\n{element('html', head(_title(comparison)), body, lang='en')}\n"


def _title(comparison: Comparison) -> str:
    names = (_name(side) for side in (comparison.left, comparison.right))
    return " → ".join(elided(name, 60) for name in names)


def _name(side: Side) -> str:
    return elided(one_line(side.origin or side.name or side.id), _LONGEST_NAME)


def _head_of_page(comparison: Comparison, sections: list[tuple[str, str]]) -> Markup:
    said = comparison.answer.sentence
    rest = comparison.verdict.removeprefix(said).strip()
    if rest == comparison.verdict.strip():
        said, rest = comparison.verdict, ""
    names = [
        (
            element("dt", word),
            element("dd", element("code", _name(side)), f" · {_facts(side)}"),
        )
        for word, side in (("Left", comparison.left), ("Right", comparison.right))
    ]
    links = [element("li", element("a", title, href=f"#{key}")) for title, key in sections]
    return element(
        "header",
        element("p", f"Two runs compared · {count_words(comparison)}", class_="kicker"),
        element("h1", said, class_="run"),
        element("p", rest, class_="lead run") if rest else None,
        element("dl", names, class_="names"),
        element("nav", element("ul", links), aria_label="Sections") if sections else None,
    )


def _facts(side: Side) -> str:
    return sentence(
        [
            elided(one_line(side.name), 80), status_words(side.status),
            duration_words(side.duration_ns), started_words(side.started_at),
        ]
    )  # fmt: skip


def _origin(comparison: Comparison, left: PipelineRun, right: PipelineRun) -> Markup:
    one, other = _provenance(comparison.left, left), _provenance(comparison.right, right)
    rows = [
        Row((name, element("span", one[name], class_="value"),
             element("span", other[name], class_="value")), named=True)
        for name in one
        if one[name] != UNKNOWN or other[name] != UNKNOWN
    ]  # fmt: skip
    if not rows:
        return NOTHING
    return joined(
        table(("", "Left", "Right"), rows, caption="Where this comes from", told=(1, 2)),
        element(
            "p",
            "Made from the two files named here. It runs nothing and fetches nothing.",
            class_="note",
        ),
    )


def _provenance(side: Side, run: PipelineRun) -> dict[str, str]:
    known = run.environment or {}
    packages = known.get("packages")
    haystack = packages.get("haystack-ai") if isinstance(packages, dict) else None

    def said(value: object) -> str:
        return elided(one_line(value), 200) if isinstance(value, str) and value else UNKNOWN

    return {
        "File": said(side.origin),
        "Run": said(side.name),
        "Id": said(side.id),
        "Digest of the file": said(side.digest),
        "Ended": status_words(side.status),
        "Started": said(side.started_at),
        "Spans": plural(side.spans, "span"),
        "Recorded with Run Inspector": said(known.get("recorder")),
        "Haystack": said(haystack),
        "Python": said(known.get("python")),
    }
