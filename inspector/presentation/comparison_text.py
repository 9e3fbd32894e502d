"""A comparison as lines for a terminal: the verdict first, figures last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.presentation.visible import one_line
from inspector.presentation.words import UNKNOWN, duration_words, money_words, number_words, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.diff.model import Comparison, Decision, Metric, Paid, TextDiff

_SEVERITIES = ("critical", "major", "minor", "note")
_MARKS = {"same": "=", "noise": "~", "differs": "≠", "left only": "−", "right only": "+"}
_MOST_PARTS = 40
_LONGEST_PART = 200


def comparison_lines(comparison: Comparison, *, everything: bool = False) -> Iterator[str]:
    """Yield the lines.

    Args:
        comparison: What to tell.
        everything: Whether decisions that are the same are told too.

    """
    yield comparison.verdict
    yield from _divergence(comparison)
    yield from _decisions(comparison, everything=everything)
    yield from _answer(comparison)
    yield from _configuration(comparison)
    yield from _metrics(comparison)
    if comparison.notes:
        yield ""
        yield from (f"note: {one_line(note)}" for note in comparison.notes)


def _divergence(comparison: Comparison) -> Iterator[str]:
    found = comparison.divergence
    if found is None:
        return
    if found.causes:
        yield ""
        yield "Possible causes of the first divergence"
        yield from (f"  {cause.likely:8}  {one_line(cause.sentence)}" for cause in found.causes)
    if found.chain:
        yield ""
        yield "From there to the answer"
        for link in found.chain:
            known = "recorded" if link.recorded else "inferred"
            yield f"  {known}  {one_line(link.sentence)}"


def _decisions(comparison: Comparison, *, everything: bool) -> Iterator[str]:
    shown = [each for each in comparison.decisions if everything or each.differs]
    if not everything:
        shown.sort(key=lambda each: (_SEVERITIES.index(each.severity), each.number))
    alike = sum(not each.differs for each in comparison.decisions)
    yield ""
    if not any(each.differs for each in comparison.decisions):
        yield f"No decision differs ({plural(alike, 'decision')})"
    else:
        rest = (
            ""
            if everything
            else f" ({number_words(alike)} {'is' if alike == 1 else 'are'} the same)"
        )
        yield f"Decisions{'' if everything else ' that differ'}{rest}"
    for each in shown:
        yield _decision_line(each)


def _decision_line(each: Decision) -> str:
    mark = _MARKS.get(each.agreement, "?")
    severity = each.severity if each.differs else ""
    where = f"{one_line(each.path)}: " if each.path else ""
    return f"  {mark} {severity:8}  {each.kind:9}  {where}{one_line(each.title)}"


def _answer(comparison: Comparison) -> Iterator[str]:
    text = comparison.answer.text
    if text is None or text.same:
        return
    yield ""
    yield "Answer"
    yield from marked_lines(text)


def marked_lines(text: TextDiff) -> Iterator[str]:
    """Yield what two texts do not share, each part with its sign."""
    changed = [part for part in text.parts if part.kind != "same" and part.text.strip()]
    for part in changed[:_MOST_PARTS]:
        sign = "−" if part.kind == "left" else "+"
        words = one_line(part.text.strip())
        yield f"  {sign} {words[:_LONGEST_PART]}{'…' if len(words) > _LONGEST_PART else ''}"
    if len(changed) > _MOST_PARTS:
        yield f"  and {plural(len(changed) - _MOST_PARTS, 'more part')}"
    if text.note:
        yield f"  ({text.note})"


def _configuration(comparison: Comparison) -> Iterator[str]:
    if not comparison.configuration:
        return
    yield ""
    yield "Set up in another way"
    for change in comparison.configuration:
        yield f"  {change.area:11}  {one_line(change.sentence)}"


def _metrics(comparison: Comparison) -> Iterator[str]:
    if not comparison.metrics:
        return
    yield ""
    yield "Figures"
    width = max(len(metric.name) for metric in comparison.metrics)
    for metric in comparison.metrics:
        values = f"{figure_words(metric, metric.left)} → {figure_words(metric, metric.right)}"
        yield f"  {one_line(metric.name):{width}}  {values}{_difference(metric)}"
        yield from (f"  {'':{width}}  {words}" for words in paid_lines(metric))


def figure_words(metric: Metric, value: Any) -> str:
    """Return one side of a metric with its unit."""
    if value is None:
        return UNKNOWN
    if metric.unit == "ns":
        return duration_words(value)
    if metric.unit in ("tokens", "calls"):
        return number_words(value)
    return money_words(value, metric.unit)


def paid_words(value: Any, paid: Paid | None, currency: str) -> str:
    """Return what a replay really paid and why; "" where the figure says as much."""
    if paid is None or (value is not None and paid.amount == value):
        return ""
    known = paid.amount is not None
    amount = money_words(paid.amount, currency, estimate=bool(paid.amount)) if known else UNKNOWN
    return f"{amount}, {paid.words}"


def paid_lines(metric: Metric) -> list[str]:
    """Return what was really paid on either side, a line each, where that is another amount."""
    sides = (
        ("left", metric.left, metric.left_paid), ("right", metric.right, metric.right_paid),
    )  # fmt: skip
    said = [(side, paid_words(value, paid, metric.unit)) for side, value, paid in sides]
    return [f"{side}: paid {words}" for side, words in said if words]


def _difference(metric: Metric) -> str:
    if metric.not_comparable is not None:
        return f"  (not comparable: {one_line(metric.not_comparable)})"
    if not metric.delta:
        return ""
    words = figure_words(metric, abs(metric.delta)).removeprefix("≈ ")
    return f"  ({'+' if metric.delta > 0 else '−'}{words})"
