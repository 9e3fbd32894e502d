"""Decision points as rows of a table: what, on which side, how grave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import Agreement, Severity
from inspector.presentation.previews import text_preview
from inspector.presentation.table_cells import Cell, MadeRows, TableRow
from inspector.presentation.visible import one_line
from inspector.presentation.words import sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.model import Comparison, Decision

TITLES = ("Differs", "Severity", "Decision", "What happened", "Left", "Right")

MARKS = {
    Agreement.SAME: ("=", "same", "same"),
    Agreement.NOISE: ("≈", "only noise", "secondary"),
    Agreement.DIFFERS: ("≠", "differs", "changed"),
    Agreement.LEFT_ONLY: ("−", "left only", "failed"),
    Agreement.RIGHT_ONLY: ("+", "right only", "same"),
    Agreement.UNKNOWN: ("?", "unknown", "secondary"),
}
"""The sign, the words and the ink of each agreement."""

SEVERITY_INKS = {
    Severity.CRITICAL: "failed",
    Severity.MAJOR: "changed",
    Severity.MINOR: "text",
    Severity.NOTE: "secondary",
}
_SEVERITY_ICONS = {
    Severity.CRITICAL: "failed",
    Severity.MAJOR: "warning",
    Severity.MINOR: "info",
}
_RANKS = {severity: rank for rank, severity in enumerate(Severity)}

_KINDS = {
    "input": ("asked", "out"),
    "query": ("query", "search"),
    "documents": ("documents", "retrieval"),
    "route": ("route", "routing"),
    "untaken": ("untaken route", "routing"),
    "prompt": ("prompt", "prompt"),
    "llm": ("LLM", "llm"),
    "reply": ("reply", "llm"),
    "tool": ("tool", "tool"),
    "arguments": ("arguments", "tool"),
    "result": ("tool result", "tool"),
    "validator": ("verdict", "validation"),
    "retry": ("retry", "visits"),
    "exit": ("exit", "completed"),
    "failure": ("failure", "failed"),
    "answer": ("answer", "completed"),
}


def kind_words(kind: str) -> str:
    """Return what sort of decision it is, in words."""
    return _KINDS.get(kind, (kind, ""))[0]


def sorted_decisions(
    comparison: Comparison, *, by_severity: bool = True, only_changed: bool = False
) -> list[Decision]:
    """Return the decisions in the order in which they are shown.

    Args:
        comparison: Whose.
        by_severity: Whether the worst come first; otherwise as they happened.
        only_changed: Whether those that differ are all.

    """
    if not by_severity and not only_changed:
        return list(comparison.decisions)
    differing: list[Decision] = []
    alike: list[Decision] = []
    for each in comparison.decisions:
        (differing if each.differs else alike).append(each)
    if by_severity:
        differing.sort(key=lambda each: (_RANKS[each.severity], each.number))
    return differing if only_changed else differing + alike


def decision_rows(comparison: Comparison, decisions: Sequence[Decision]) -> MadeRows:
    """Return decisions as rows of a table with the columns `TITLES`."""
    first = comparison.divergence.decision if comparison.divergence else None
    return MadeRows(
        [each.number for each in decisions],
        lambda at: _row(decisions[at], decisions[at].number == first),
    )


def _row(each: Decision, is_first: bool) -> TableRow:
    sign, words, ink = MARKS[each.agreement]
    quiet = "text" if each.differs else "secondary"
    severity = str(each.severity) if each.differs else ""
    name, icon = _KINDS.get(each.kind, (str(each.kind), "other"))
    title = one_line(each.title)
    where = one_line(each.path)
    left, right = _sides(each)
    cells = (
        Cell(f"{sign} {words}", ink=ink if each.differs else "secondary", strong=each.differs),
        Cell(
            severity,
            icon=_SEVERITY_ICONS.get(each.severity, "") if severity else "",
            ink=SEVERITY_INKS[each.severity],
        ),
        Cell(name, icon=icon, ink=quiet, icon_ink="secondary"),
        Cell(
            sentence(["First divergence" if is_first else "", title]),
            ink=quiet,
            strong=is_first,
        ),
        Cell(left, ink=quiet, quoted=True),
        Cell(right, ink=quiet, quoted=True),
    )
    spoken = sentence(
        [
            "first divergence" if is_first else "", name, where, words, severity, title,
            f"left: {left}" if left else "", f"right: {right}" if right else "",
        ],
        ", ",
    )  # fmt: skip
    return TableRow(each.number, cells, spoken)


def _sides(each: Decision) -> tuple[str, str]:
    """Return what was decided on both sides; of a long text, the first that it does not share."""
    if each.kind == "prompt" and each.text is not None and not each.text.same:
        gone, new = (
            next((part.text for part in each.text.parts
                  if part.kind == side and part.text.strip()), "")
            for side in ("left", "right")
        )  # fmt: skip
        return _excerpt(gone), _excerpt(new)
    return one_line(each.left), one_line(each.right)


def _excerpt(text: str) -> str:
    return f"…{text_preview(text, 120)}" if text else "nothing there"


def count_words(comparison: Comparison) -> str:
    """Return how many decisions differ: `2 of 6 decisions differ`."""
    total = len(comparison.decisions)
    differing = sum(each.differs for each in comparison.decisions)
    if not total:
        return "No decision was recorded"
    word = "decision" if total == 1 else "decisions"
    if not differing:
        return f"None of {total} {word} differs"
    return f"{differing} of {total} {word} {'differs' if differing == 1 else 'differ'}"
