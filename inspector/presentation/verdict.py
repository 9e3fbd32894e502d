"""The first thing a person wants to know of a run: how it ended, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.presentation.words import (
    duration_words,
    money_words,
    number_words,
    one_line,
    plural,
    status_words,
)
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, RunStatus, SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.runfile.model import PipelineRun

_FEW_SPANS = 2_000


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of the verdict. `key` says which, for those who place or link it."""

    key: str
    text: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended, and the figures that go with it."""

    name: str
    status: RunStatus
    ending: str  # "completed in 4.2 s"
    facts: tuple[Fact, ...]


def usage_is_at_hand(run: PipelineRun) -> bool:
    """Say whether the tokens of a run are known without reading every span of it."""
    return isinstance(run.header.get("usage"), dict) or len(run.spans) <= _FEW_SPANS


def verdict(run: PipelineRun, *, usage: Mapping[str, Any] | None = None) -> Verdict:
    """Return what the line above a run says.

    `usage` holds its tokens when somebody has added them up already; else they
    are taken from the file's header, or added up here for a small run.
    """
    facts = [*_calls(run), *_tokens(run, usage), *_cost(run), *_failures(run), *_problems(run)]
    return Verdict(one_line(run.name), run.status, _ending(run), tuple(facts))


def _ending(run: PipelineRun) -> str:
    word = status_words(run.status)
    if run.duration_ns is not None:
        joint = "in" if run.status is RunStatus.COMPLETED else "after"
        return f"{word} {joint} {duration_words(run.duration_ns)}"
    if run.status in {RunStatus.RUNNING, RunStatus.INCOMPLETE}:
        return f"{word} after at least {duration_words(run.table.end_of_run())}"
    return word


def _calls(run: PipelineRun) -> list[Fact]:
    kinds = run.table.kind
    llm = kinds.count(KIND_CODE[SpanKind.LLM])
    tools = kinds.count(KIND_CODE[SpanKind.TOOL])
    facts = []
    if llm:
        facts.append(Fact("llm", plural(llm, "LLM call")))
    if tools:
        facts.append(Fact("tool", plural(tools, "tool call")))
    return facts


def _tokens(run: PipelineRun, added_up: Mapping[str, Any] | None) -> list[Fact]:
    figures = added_up
    if figures is None:
        stored = run.header.get("usage")
        if isinstance(stored, dict):
            figures = stored
        elif usage_is_at_hand(run):
            figures = run.usage
    if not figures:
        return []
    total = _figure(figures, "total_tokens")
    into = _figure(figures, "prompt_tokens", "input_tokens")
    out = _figure(figures, "completion_tokens", "output_tokens")
    if total is None:
        if into is None and out is None:
            return []
        total = (into or 0) + (out or 0)
    unknown = _figure(figures, "unknown_calls") or 0
    at_least = "≥ " if unknown else ""
    parts = [
        f"{number_words(into)} in" if into is not None else "",
        f"{number_words(out)} out" if out is not None else "",
        f"{plural(unknown, 'call')} did not report any" if unknown else "",
    ]
    return [Fact("tokens", f"{at_least}{plural(total, 'token')}", ", ".join(filter(None, parts)))]


def _cost(run: PipelineRun) -> list[Fact]:
    estimate = run.cost_estimate
    amount = estimate.get("total_usd") if estimate else None
    if estimate is None or isinstance(amount, bool) or not isinstance(amount, int | float):
        return []
    source = estimate.get("pricing_source")
    date = estimate.get("pricing_snapshot_date")
    of = f" (prices of {one_line(str(date))})" if date else ""
    tip = f"An estimate from {one_line(str(source))}." if source else "An estimate."
    return [Fact("cost", f"{money_words(amount)}{of}", tip)]


def _failures(run: PipelineRun) -> list[Fact]:
    failed = run.table.status.count(STATUS_CODE[SpanStatus.FAILED])
    if not failed:
        return []
    return [Fact("failed", f"{plural(failed, 'span')} failed", "Go to the first failure")]


def _problems(run: PipelineRun) -> list[Fact]:
    problems = run.problems
    if not problems:
        return []
    told = "\n".join(one_line(str(problem)) for problem in problems[:5])
    return [Fact("problems", plural(len(problems), "problem") + " in the file", told)]


def _figure(figures: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = figures.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
