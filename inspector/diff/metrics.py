"""Figures of two runs: tokens, calls, estimated cost, time. Unknown is never zero."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.model import Metric, Paid
from inspector.errors import InspectorError
from inspector.runfile.estimate import Standing
from inspector.runfile.kinds import KIND_CODE, SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.diff.context import Context
    from inspector.runfile.model import PipelineRun

_FIGURES = {
    "prompt_tokens": "input tokens",
    "completion_tokens": "output tokens",
    "total_tokens": "tokens",
    "cached_tokens": "cached input tokens",
    "reasoning_tokens": "reasoning tokens",
}
_MOST_DURATIONS = 100


def metrics_of(context: Context, models: tuple[set[str], set[str]]) -> tuple[Metric, ...]:
    """Return the figures of both runs and how they differ.

    Args:
        context: The runs.
        models: The LLMs that answered on each side.

    """
    left, right = context.left.run, context.right.run
    return (
        *_tokens(left, right, models),
        *_cost(left, right),
        *_durations(left, right),
    )


def _tokens(
    left: PipelineRun, right: PipelineRun, models: tuple[set[str], set[str]]
) -> Iterator[Metric]:
    one, other = left.usage or {}, right.usage or {}
    why = None
    if models[0] != models[1]:
        why = f"another model: {_names(models[1])} instead of {_names(models[0])}"
    elif one.get("unknown_calls") or other.get("unknown_calls"):
        why = "some calls did not report their tokens"
    yield _metric("LLM calls", "calls", one.get("calls"), other.get("calls"))
    for name, words in _FIGURES.items():
        if name in one or name in other:
            yield _metric(words, "tokens", one.get(name), other.get(name), why)
    tools = [_count(run, SpanKind.TOOL) for run in (left, right)]
    if any(tools):
        yield _metric("tool calls", "calls", tools[0], tools[1])


class _Cost(NamedTuple):
    """What the answers of a run come to, by whose prices, and what was paid for them."""

    amount: float | None
    prices: tuple[str, str, str]  # currency, price list and its date
    paid: Paid | None


def _cost(left: PipelineRun, right: PipelineRun) -> Iterator[Metric]:
    one, other = _estimate(left), _estimate(right)
    priced = [each for each in (one, other) if each is not None and each.amount is not None]
    told = priced or [each for each in (one, other) if each is not None and each.paid is not None]
    if not told:
        return
    why = None
    if len(priced) < 2:
        why = "no price is known on one side" if priced else "no price is known"
    elif priced[0].prices != priced[1].prices:
        why = "another price list"
    unit = told[0].prices[0]
    metric = _metric("estimated cost", unit, one and one.amount, other and other.amount, why)
    yield replace(metric, left_paid=one and one.paid, right_paid=other and other.paid)


def _estimate(run: PipelineRun) -> _Cost | None:
    """Return what all answers of a run come to by the bundled list, whoever gave them."""
    from inspector.cost.estimating import estimate_in_total

    try:
        found = estimate_in_total(run)
        answered = sum(group.counts.get(Standing.ANSWERED, 0) for group in found.llms)
        paid = Paid(_float(found.total), answered, found.call_count) if answered else None
        if answered:
            found = estimate_in_total(run, answers_priced=True)
    except (InspectorError, OSError):
        return None
    prices = (found.currency, found.pricing_source, str(found.pricing_snapshot_date))
    return _Cost(_float(found.total), prices, paid)


def _float(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def _durations(left: PipelineRun, right: PipelineRun) -> Iterator[Metric]:
    why = _other_machine(left, right)
    yield _metric("duration", "ns", left.duration_ns, right.duration_ns, why)
    one, other = _by_component(left), _by_component(right)
    for name in list(dict.fromkeys((*one, *other)))[:_MOST_DURATIONS]:
        yield _metric(f"duration of {name}", "ns", one.get(name), other.get(name), why)


def _by_component(run: PipelineRun) -> dict[str, int]:
    """Return how long each component of the outermost pipeline took, its visits added up."""
    table = run.table
    found: dict[str, int] = {}
    for root in run.roots:
        for row in table.children(root.row):
            duration = table.duration_ns(row)
            if duration is not None and table.kind_of(row) is SpanKind.COMPONENT:
                name = table.name(row)
                found[name] = found.get(name, 0) + duration
    return found


def _other_machine(left: PipelineRun, right: PipelineRun) -> str | None:
    if (left.replay_of is None) != (right.replay_of is None):
        return "one is a replay, which takes its answers from a recording"
    if left.mode != right.mode and left.mode and right.mode:
        return f"one ran {left.mode}, the other {right.mode}"
    for name in ("platform", "python"):
        one, other = ((run.environment or {}).get(name) for run in (left, right))
        if one != other:
            return f"another machine: {other} instead of {one}"
    return None


def _count(run: PipelineRun, kind: SpanKind) -> int:
    code = KIND_CODE[kind]
    return sum(each == code for each in run.table.kind)


def _names(models: set[str]) -> str:
    return ", ".join(sorted(models)) or "none"


def _metric(name: str, unit: str, left: Any, right: Any, why: str | None = None) -> Metric:
    delta = None
    if _is_number(left) and _is_number(right) and why is None:
        delta = right - left
        if isinstance(delta, float):
            # What a person would write down: 0.3 - 0.1 is no 0.19999999999999998.
            delta = float(Decimal(repr(right)) - Decimal(repr(left)))
    return Metric(name, unit, left, right, delta, why)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
