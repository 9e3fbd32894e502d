"""A cohort as one HTML file, in the style of a comparison's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.cohort import COHORT_VERSION
from inspector.export.html_page import head
from inspector.export.html_table import Row, table
from inspector.export.markup import NOTHING, Markup, element, joined
from inspector.presentation.cohort_table import (
    cohort_table,
    cohort_verdict,
    not_comparable,
    run_words,
)
from inspector.presentation.words import elided, plural, status_words

if TYPE_CHECKING:
    from inspector.diff.cohort import Cohort
    from inspector.presentation.table_cells import Cell

_INKS = {"changed": "differs", "failed": "bad", "same": "good", "secondary": "quiet"}


def cohort_html(cohort: Cohort) -> str:
    """Return the page of a cohort. The same cohort gives the same bytes."""
    sections = [
        ("Runs", "runs", _runs(cohort)),
        ("First divergence from the baseline", "divergence", _divergences(cohort)),
        ("Answers", "answers", _answers(cohort)),
        ("Not comparable", "not-comparable", _reasons(cohort)),
        ("Notes", "notes", _notes(cohort)),
    ]
    shown = [
        element("section", element("h2", title, id=key), body, aria_labelledby=key)
        for title, key, body in sections
        if body
    ]
    top = element(
        "header",
        element("p", f"{plural(len(cohort.members) + 1, 'run')} compared", class_="kicker"),
        element("h1", cohort_verdict(cohort), class_="run"),
    )
    foot = element("footer", f"Cohort format {COHORT_VERSION}.")
    body = element("body", top, element("main", shown), foot)
    title = elided(cohort_verdict(cohort), 120)
    return f"<!DOCTYPE html>\n{element('html', head(title), body, lang='en')}\n"


def _runs(cohort: Cohort) -> Markup:
    shown = cohort_table(cohort)
    figures = [at for at, each in enumerate(shown.columns) if each.kind.is_figure]
    titles = [each.title for each in shown.columns]
    rows = [
        Row([_cell(cell) for cell in row.cells], look="baseline" if not row.key else None,
            named=True)
        for row in shown.rows
    ]  # fmt: skip
    told = range(1, len(titles))
    return joined(
        table(titles, rows, caption="Runs beside the baseline", figures=figures, told=tuple(told)),
        element("p", "The first run is the baseline: the others are measured by it.",
                class_="note"),
    )  # fmt: skip


def _cell(cell: Cell) -> Markup:
    look = "value" if cell.quoted else "run"
    ink = _INKS.get(cell.ink)
    return element("span", cell.text, class_=f"{look} {ink}" if ink else look)


def _divergences(cohort: Cohort) -> Markup:
    said = [
        (run_words(member.run, member.label), member.divergence or _state(member.run.status))
        for member in cohort.members
    ]
    return _list([(name, words) for name, words in said if words])


def _state(status: str) -> str:
    return "" if status == "completed" else f"The run {status_words(status)}."


def _answers(cohort: Cohort) -> Markup:
    said = [(run_words(cohort.baseline, cohort.label), cohort.answer)]
    said += [(run_words(member.run, member.label), member.answer) for member in cohort.members]
    parts = [
        (element("h3", name), element("p", answer or "No answer.", class_="said"))
        for name, answer in said
    ]
    return joined(parts)


def _reasons(cohort: Cohort) -> Markup:
    return _list(
        [
            (run_words(member.run, member.label), " ".join(not_comparable(member)))
            for member in cohort.members
            if not_comparable(member)
        ]
    )


def _notes(cohort: Cohort) -> Markup:
    items = [element("li", note, class_="run") for note in cohort.notes]
    return element("ul", items, class_="plain") if items else NOTHING


def _list(said: list[tuple[str, str]]) -> Markup:
    items = [
        element("li", element("strong", f"{name}: "), element("span", words, class_="run"))
        for name, words in said
    ]
    return element("ul", items, class_="plain") if items else NOTHING
