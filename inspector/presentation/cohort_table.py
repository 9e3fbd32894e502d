"""A cohort as a table: runs as rows; decisions, answer, tokens, cost and time as columns."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.model import AnswerKind, Severity
from inspector.presentation.compare_summary import delta_words
from inspector.presentation.comparison_text import figure_words, paid_words
from inspector.presentation.decision_table import kind_words
from inspector.presentation.previews import preview, text_preview
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.visible import one_line
from inspector.presentation.words import UNKNOWN, plural, sentence, status_words

if TYPE_CHECKING:
    from inspector.diff.cohort import Cohort, DecidedOtherwise, Member
    from inspector.diff.model import Metric, Side

BASELINE = 0
"""The key of the baseline's row; members follow in their order, from 1."""
_LONGEST_ANSWER = 300
_SAME = "="
NOT_COMPARABLE = "n/c"
_FIGURES = {
    "LLM calls": "LLM calls", "tool calls": "Tool calls", "tokens": "Tokens",
    "estimated cost": "Cost", "duration": "Time",
}  # fmt: skip
_ANSWERS = {
    AnswerKind.SAME: ("same", "same", "="),
    AnswerKind.REWORDED: ("reworded", "same", "≈"),
    AnswerKind.CHANGED: ("changed", "changed", "≠"),
    AnswerKind.FLIPPED: ("flipped", "failed", "≠"),
    AnswerKind.UNKNOWN: ("unknown", "secondary", "?"),
}
_INKS = {Severity.CRITICAL: "failed", Severity.MAJOR: "changed", Severity.MINOR: "text"}


class ColumnKind(StrEnum):
    """What a column holds."""

    RUN = "run"
    DECISION = "decision"
    ANSWER = "answer"
    FIGURE = "figure"
    DELTA = "delta"  # how much more or less than the baseline
    PAID = "paid"  # what a replay really paid, in words

    @property
    def is_figure(self) -> bool:
        """Whether it stands at the right."""
        return self in (ColumnKind.FIGURE, ColumnKind.DELTA)


class CohortColumn(NamedTuple):
    """One column; `name` is the kind of decision or the figure it is about."""

    kind: ColumnKind
    title: str
    name: str = ""


class CohortTable(NamedTuple):
    """The table, and what it is sorted by: `sort_keys[row][column]`, smaller first."""

    columns: tuple[CohortColumn, ...]
    rows: tuple[TableRow, ...]
    sort_keys: tuple[tuple[Any, ...], ...]

    def sorted_rows(self, column: int | None, *, falling: bool = False) -> list[TableRow]:
        """Return the rows by a column, the baseline first; what is unknown stands last."""
        numbers = list(range(1, len(self.rows)))
        if column is not None:
            known = [at for at in numbers if self.sort_keys[at][column] is not None]
            known.sort(key=lambda at: self.sort_keys[at][column], reverse=falling)
            numbers = known + [at for at in numbers if self.sort_keys[at][column] is None]
        return [self.rows[0], *(self.rows[at] for at in numbers)]


def cohort_table(cohort: Cohort) -> CohortTable:
    """Return the table of a cohort."""
    shown = _columns(cohort)
    rows = [_baseline_row(cohort, shown)]
    keys: list[tuple[Any, ...]] = [tuple(None for _ in shown)]
    for number, member in enumerate(cohort.members, 1):
        rows.append(_member_row(number, member, shown))
        keys.append(tuple(_sort_key(member, column, number) for column in shown))
    return CohortTable(tuple(shown), tuple(rows), tuple(keys))


def _columns(cohort: Cohort) -> list[CohortColumn]:
    figures = []
    for name, title in _FIGURES.items():
        found = [each for member in cohort.members for each in member.figures if each.name == name]
        if not found:
            continue
        figures.append(CohortColumn(ColumnKind.FIGURE, title, name))
        if any(each.delta or each.not_comparable for each in found):
            words = title if title.startswith("LLM") else title.lower()
            figures.append(CohortColumn(ColumnKind.DELTA, f"± {words}", name))
        if any(_paid(each, left=left) for each in found for left in (True, False)):
            figures.append(CohortColumn(ColumnKind.PAID, "Paid", name))
    decisions = [
        CohortColumn(ColumnKind.DECISION, _title(kind_words(kind)), kind)
        for kind in cohort.kinds
        if kind != "answer"
    ]
    return [
        CohortColumn(ColumnKind.RUN, "Run"),
        *decisions,
        CohortColumn(ColumnKind.ANSWER, "Answer"),
        *figures,
    ]


def _title(words: str) -> str:
    return words[:1].upper() + words[1:]


def run_words(side: Side, label: str) -> str:
    """Return what a run is called in a row: what was changed for it, else its file."""
    name = one_line(side.origin or side.name or side.id)
    return one_line(label) or name


def _baseline_row(cohort: Cohort, shown: list[CohortColumn]) -> TableRow:
    name = run_words(cohort.baseline, cohort.label)
    cells = []
    for column in shown:
        match column.kind:
            case ColumnKind.RUN:
                cells.append(Cell(name, icon="home", icon_ink="secondary", strong=True))
            case ColumnKind.DECISION:
                cells.append(Cell("", ink="secondary"))
            case ColumnKind.ANSWER:
                cells.append(_answer_cell(cohort.answer, cohort.extract, "text"))
            case ColumnKind.FIGURE:
                metric = cohort.figure(column.name)
                words = figure_words(metric, metric.left) if metric else UNKNOWN
                cells.append(Cell(words, figure=True))
            case ColumnKind.DELTA:
                cells.append(Cell("", figure=True))
            case ColumnKind.PAID:
                metric = cohort.figure(column.name)
                cells.append(Cell(_paid(metric, left=True), ink="secondary"))
    spoken = sentence(["Baseline", name, *_spoken(shown, cells)], ", ")
    return TableRow(BASELINE, tuple(cells), spoken)


def _member_row(number: int, member: Member, shown: list[CohortColumn]) -> TableRow:
    name = run_words(member.run, member.label)
    decided = {each.kind: each for each in member.decisions}
    figures = {each.name: each for each in member.figures}
    failed = member.run.status in ("failed", "canceled", "incomplete")
    cells = []
    for column in shown:
        match column.kind:
            case ColumnKind.RUN:
                icon, ink = ("completed", "same") if member.same else ("compare", "changed")
                icon, ink = ("failed", "failed") if failed else (icon, ink)
                cells.append(Cell(name, icon=icon, icon_ink=ink))
            case ColumnKind.DECISION:
                cells.append(_decision_cell(next(
                    (each for kind, each in decided.items() if kind == column.name), None
                )))  # fmt: skip
            case ColumnKind.ANSWER:
                _, ink, mark = _ANSWERS[member.answer_kind]
                cells.append(_answer_cell(member.answer, member.extract, ink, mark))
            case ColumnKind.FIGURE:
                cells.append(_figure_cell(figures.get(column.name)))
            case ColumnKind.DELTA:
                cells.append(_delta_cell(figures.get(column.name)))
            case ColumnKind.PAID:
                words = _paid(figures.get(column.name), left=False)
                cells.append(Cell(words, ink="secondary"))
    state = "" if member.run.status == "completed" else status_words(member.run.status)
    same = "decides as the baseline" if member.same else ""
    spoken = sentence([name, state, same, *_spoken(shown, cells)], ", ")
    return TableRow(number, tuple(cells), spoken)


def _spoken(shown: list[CohortColumn], cells: list[Cell]) -> list[str]:
    return [
        f"{column.title}: {cell.text}"
        for column, cell in zip(shown[1:], cells[1:], strict=True)
        if cell.text
    ]


def _decision_cell(decided: DecidedOtherwise | None) -> Cell:
    if decided is None:
        return Cell(_SAME, ink="secondary")
    words = "≠" if decided.count == 1 else f"≠ {decided.count}"
    return Cell(words, ink=_INKS.get(decided.severity, "text"))


def _answer_cell(answer: str | None, extract: Any, ink: str, mark: str = "") -> Cell:
    if answer is None:
        return Cell("no answer", ink="secondary")
    said = "" if extract is None else f"{extract if isinstance(extract, str) else preview(extract)}"
    words = one_line(said) or text_preview(answer, _LONGEST_ANSWER)
    return Cell(f"{mark} {words}".strip(), quoted=True, ink=ink)


def _figure_cell(metric: Metric | None) -> Cell:
    if metric is None or metric.right is None:
        return Cell(UNKNOWN, figure=True, ink="secondary")
    return Cell(figure_words(metric, metric.right), figure=True)


def _paid(metric: Metric | None, *, left: bool) -> str:
    if metric is None:
        return ""
    value, paid = (
        (metric.left, metric.left_paid) if left else (metric.right, metric.right_paid)
    )  # fmt: skip
    return paid_words(value, paid, metric.unit)


def _delta_cell(metric: Metric | None) -> Cell:
    if metric is None or metric.right is None:
        return Cell("", figure=True)
    # A figure may be known, and yet not be held against the other.
    words = NOT_COMPARABLE if metric.not_comparable is not None else delta_words(metric)
    return Cell(words, figure=True, ink="secondary")


def _sort_key(member: Member, column: CohortColumn, number: int) -> Any:
    match column.kind:
        case ColumnKind.RUN:
            return number
        case ColumnKind.DECISION:
            return next((each.count for each in member.decisions if each.kind == column.name), 0)
        case ColumnKind.ANSWER:
            return list(AnswerKind).index(member.answer_kind)
    found = next((each for each in member.figures if each.name == column.name), None)
    if column.kind is ColumnKind.DELTA:
        return None if found is None or found.delta is None else float(found.delta)
    if column.kind is ColumnKind.PAID:
        paid = None if found is None else found.right_paid
        return None if paid is None else paid.amount
    return None if found is None or found.right is None else float(found.right)


def tip_words(cohort: Cohort, key: int) -> str:
    """Return what there is to say of a row: its verdict, its divergence, what is not comparable."""
    if key == BASELINE:
        return "Everything else is measured by this run."
    member = cohort.members[key - 1]
    return "\n".join(line for line in (one_line(member.verdict), *not_comparable(member)) if line)


def not_comparable(member: Member) -> list[str]:
    """Return why figures of a run cannot be held against the baseline's, a sentence each."""
    found: dict[str, list[str]] = {}
    for each in member.figures:
        if each.not_comparable is not None:
            found.setdefault(one_line(each.not_comparable), []).append(each.name)
    return [f"{_listed(names)} cannot be compared: {why}." for why, names in found.items()]


def _listed(names: list[str]) -> str:
    said = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return said[:1].upper() + said[1:]


_EVERY = {1: "The other run decides", 2: "Both other runs decide"}


def cohort_verdict(cohort: Cohort) -> str:
    """Return what the runs did beside the baseline, in one sentence."""
    count = len(cohort.members)
    alike = sum(member.same for member in cohort.members)
    answered = sum(
        member.answer_kind in (AnswerKind.SAME, AnswerKind.REWORDED) for member in cohort.members
    )
    if alike == count:
        every = _EVERY.get(count, f"All {count} other runs decide")
        return f"{every} as the baseline does."
    if alike:
        whole = plural(count, "run")
        decided = f"{count - alike} of {whole} decide{'s' if count - alike == 1 else ''} otherwise"
    else:
        decided = f"{_EVERY.get(count, f'All {count} other runs decide')} otherwise"
    if answered == count:
        return f"{decided}, and the answer is the same."
    other = count - answered
    if other == count:
        return f"{decided}, with another answer."
    return f"{decided}; {other} {'comes' if other == 1 else 'come'} to another answer."
