"""What stands above and below everything else of a comparison: the verdict, causes, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.model import AnswerKind, DecisionKind
from inspector.presentation.comparison_text import figure_words, paid_lines
from inspector.presentation.previews import preview
from inspector.presentation.table_cells import Cell, TableRow
from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    UNKNOWN,
    percent_words,
    plural,
    sentence,
    started_words,
    status_words,
)

if TYPE_CHECKING:
    from inspector.diff.model import Comparison, Metric, Side

FIGURE_TITLES = ("Figure", "Left", "Right", "Difference", "")
SETUP_TITLES = ("", "What", "Left", "Right")

_KEY_FIGURES = {"tokens": "tokens", "estimated cost": "cost", "duration": "time"}
_ANSWERS = {
    AnswerKind.SAME: ("completed", "same"),
    AnswerKind.REWORDED: ("completed", "same"),
    AnswerKind.CHANGED: ("compare", "changed"),
    AnswerKind.FLIPPED: ("failed", "failed"),
    AnswerKind.UNKNOWN: ("help", "secondary"),
}
_LIKELY = {"certain": "Because", "likely": "Likely because", "possible": "Possibly because"}


class Headline(NamedTuple):
    """What is read first."""

    sentence: str
    cause: str  # one line, or nothing
    more: str  # what else there is to say about causes: "2 more possible causes"
    icon: str
    ink: str


def headline(comparison: Comparison) -> Headline:
    """Return the verdict of a comparison."""
    icon, ink = _ANSWERS[comparison.answer.kind]
    if comparison.equal:
        total = len(comparison.decisions)
        alike = f"{plural(total, 'decision')} and every value are the same" if total else ""
        return Headline(
            "Nothing but noise differs.",
            sentence([alike, "ids, times and durations aside"], ", ").capitalize() + ".",
            "", "completed", "same",
        )  # fmt: skip
    found = comparison.divergence
    if found is None:
        return Headline(one_line(comparison.verdict), "", "", icon, ink)
    first = comparison.decisions[found.decision]
    said = one_line(comparison.answer.sentence).rstrip(".")
    if first.kind is DecisionKind.ANSWER:
        return Headline(
            f"{said}, though every decision before it is the same.",
            *_cause(comparison), icon, ink,
        )  # fmt: skip
    if comparison.answer.kind is AnswerKind.SAME:
        icon, ink = "compare", "changed"
    divergence = one_line(found.sentence).rstrip(".")
    where = f" at {one_line(first.path)}" if "/" in first.path else ""
    words = f"{said}. First divergence{where}: {divergence}."
    return Headline(words, *_cause(comparison), icon, ink)


def _cause(comparison: Comparison) -> tuple[str, str]:
    causes = comparison.divergence.causes if comparison.divergence else ()
    if not causes:
        return "", ""
    first = causes[0]
    words = f"{_LIKELY.get(first.likely, 'Because')} {one_line(first.sentence).rstrip('.')}."
    rest = len(causes) - 1
    return words, plural(rest, "more possible cause") if rest else ""


def key_figures(comparison: Comparison) -> list[str]:
    """Return cost, tokens and time in words: what is asked right after the verdict."""
    said = []
    for metric in comparison.metrics:
        name = _KEY_FIGURES.get(metric.name)
        if name is None or metric.left is None or metric.right is None:
            continue
        if metric.name == "duration" and metric.not_comparable is not None:
            continue  # a replay that was paused took as long as somebody looked at it
        left, right = (figure_words(metric, value) for value in (metric.left, metric.right))
        change = _share(metric)
        both = left if left == right else f"{left} → {right.removeprefix('≈ ')}"
        beside = "; ".join(filter(None, (change, *paid_lines(metric))))
        said.append(f"{name} {both}{f' ({beside})' if beside else ''}")
    return said


def _share(metric: Metric) -> str:
    if metric.not_comparable is not None or not metric.delta or not metric.left:
        return ""
    sign = "+" if metric.delta > 0 else "−"
    share = percent_words(abs(float(metric.delta)), float(metric.left))
    return "" if share.startswith("<") else sign + share


def delta_words(metric: Metric) -> str:
    """Return how much more or less the right side has."""
    if metric.not_comparable is not None:
        return "not comparable"
    if metric.delta is None:
        return UNKNOWN
    if not metric.delta:
        return "="
    words = figure_words(metric, abs(metric.delta)).removeprefix("≈ ")
    return f"{'+' if metric.delta > 0 else '−'}{words}"


def figure_rows(comparison: Comparison) -> list[TableRow]:
    """Return the metrics as rows of a table with the columns `FIGURE_TITLES`."""
    rows = []
    for key, metric in enumerate(comparison.metrics):
        name = one_line(metric.name)
        left, right = (figure_words(metric, value) for value in (metric.left, metric.right))
        delta, share = delta_words(metric), _share(metric)
        why = one_line(metric.not_comparable or "")
        paid = paid_lines(metric)
        beside = "; ".join(filter(None, (why or share, *paid)))
        quiet = "secondary" if delta in ("=", UNKNOWN) or why else "text"
        name = name[:1].upper() + name[1:]
        cells = (
            Cell(name), Cell(left, figure=True, ink=quiet), Cell(right, figure=True, ink=quiet),
            Cell(delta, figure=True, ink=quiet), Cell(beside, ink="secondary"),
        )  # fmt: skip
        rows.append(
            TableRow(key, cells, sentence([name, f"{left}, then {right}", delta, why, *paid], ", "))
        )
    return rows


def setup_rows(comparison: Comparison) -> list[TableRow]:
    """Return what is set up in another way, as rows with the columns `SETUP_TITLES`."""
    rows = []
    for key, change in enumerate(comparison.configuration):
        left, right = (_value(each) for each in (change.left, change.right))
        words = one_line(change.sentence)
        cells = (
            Cell(change.area, ink="secondary"), Cell(words),
            Cell(left, quoted=True, ink="text" if left else "secondary"),
            Cell(right, quoted=True, ink="text" if right else "secondary"),
        )  # fmt: skip
        rows.append(TableRow(key, cells, sentence([change.area, words], ", ")))
    return rows


def _value(value: Any) -> str:
    return "" if value is None else preview(value)


class ChainStep(NamedTuple):
    """One step of the way from the first divergence to the answer."""

    words: str
    recorded: bool  # how it is known that it follows from the step before
    left: str | None
    right: str | None
    decision: int | None


def chain_steps(comparison: Comparison) -> list[ChainStep]:
    """Return the way from the first divergence to the answer; its first step is the divergence."""
    found = comparison.divergence
    if found is None:
        return []
    first = comparison.decisions[found.decision]
    steps = [ChainStep(one_line(found.sentence), True, first.left_span, first.right_span,
                       first.number)]  # fmt: skip
    steps += [
        ChainStep(one_line(link.sentence), link.recorded, link.left_span, link.right_span, None)
        for link in found.chain
    ]
    return steps


def cause_lines(comparison: Comparison) -> list[tuple[str, str]]:
    """Return how sure each cause of the first divergence is, and what it is."""
    causes = comparison.divergence.causes if comparison.divergence else ()
    return [(cause.likely, one_line(cause.sentence)) for cause in causes]


def side_words(side: Side) -> str:
    """Return which run stands on a side."""
    return sentence(
        [
            one_line(side.name),
            status_words(side.status),
            started_words(side.started_at) if side.started_at else "",
            plural(side.spans, "span"),
        ]
    )
