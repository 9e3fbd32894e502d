"""A cohort as lines for a terminal, and as a table for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.page import cell_text
from inspector.presentation.cohort_table import (
    NOT_COMPARABLE,
    ColumnKind,
    cohort_table,
    cohort_verdict,
    not_comparable,
    run_words,
)
from inspector.presentation.visible import columns, one_line
from inspector.presentation.words import elided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.diff.cohort import Cohort


def cohort_lines(cohort: Cohort) -> Iterator[str]:
    """Yield a cohort as lines for a terminal."""
    shown = cohort_table(cohort)
    yield cohort_verdict(cohort)
    yield ""
    longest = {ColumnKind.RUN: 40, ColumnKind.ANSWER: 48}
    cells = [
        [elided(cell.text, longest.get(column.kind, 60))
         for column, cell in zip(shown.columns, row.cells, strict=True)]
        for row in shown.rows
    ]  # fmt: skip
    titles = [column.title for column in shown.columns]
    widths = [max(columns(row[at]) for row in (titles, *cells)) for at in range(len(titles))]
    for row in (titles, *cells):
        parts = []
        for column, width, words in zip(shown.columns, widths, row, strict=True):
            room = " " * (width - columns(words))
            parts.append(room + words if column.kind.is_figure else words + room)
        yield "  ".join(parts).rstrip()
    yield from _remarks(cohort)


def _remarks(cohort: Cohort) -> Iterator[str]:
    said = [
        (run_words(member.run, member.label), [each for each in (member.divergence,) if each],
         not_comparable(member))
        for member in cohort.members
    ]  # fmt: skip
    if any(first for _, first, _ in said):
        yield ""
        yield "First divergence from the baseline"
        for name, first, _ in said:
            yield from (f"  {elided(name, 40)}: {one_line(words)}" for words in first)
    if any(why for _, _, why in said):
        yield ""
        yield f"Not comparable ({NOT_COMPARABLE})"
        for name, _, why in said:
            yield from (f"  {elided(name, 40)}: {words}" for words in why)
    if cohort.notes:
        yield ""
        yield from (f"note: {one_line(note)}" for note in cohort.notes)


def cohort_markdown(cohort: Cohort) -> str:
    """Return a cohort as a table for a pull request; text of a run never is more than text."""
    shown = cohort_table(cohort)
    lines = [f"**{cell_text(cohort_verdict(cohort))}**", ""]
    lines.append("| " + " | ".join(cell_text(column.title) for column in shown.columns) + " |")
    marks = ["--:" if column.kind.is_figure else "---" for column in shown.columns]
    lines.append("| " + " | ".join(marks) + " |")
    lines += [
        "| " + " | ".join(cell_text(cell.text) for cell in row.cells) + " |" for row in shown.rows
    ]
    lines += [_as_markdown(remark) for remark in _remarks(cohort)]
    return "\n".join(lines) + "\n"


def _as_markdown(remark: str) -> str:
    if remark.startswith("  "):
        return f"- {cell_text(remark.strip())}"
    return f"{cell_text(remark)}\n" if remark else ""
