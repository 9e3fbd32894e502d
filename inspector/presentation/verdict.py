"""The first thing a person wants to know of a run: how it ended, and what it took."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from inspector.presentation.llm_calls import llm_flags
from inspector.presentation.outline import error_sentence, span_label
from inspector.presentation.words import (
    UNKNOWN,
    duration_words,
    money_words,
    number_words,
    one_line,
    plural,
    sentence,
    status_words,
)
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, RunStatus, SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.findings import Finding
    from inspector.runfile.estimate import CostEstimate
    from inspector.runfile.model import PipelineRun

_FEW_SPANS = 2_000
_ORDER = ("llm", "tool", "tokens", "cost", "budget", "failed", "findings", "problems")
_TOOL = KIND_CODE[SpanKind.TOOL]
_FAILED = STATUS_CODE[SpanStatus.FAILED]


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure of the verdict. `key` says which, for those who place or link it."""

    key: str
    text: str
    tip: str = ""
    colour: str = ""  # the theme's name of it, where it is not always the same
    short: str = ""  # what is said of it where there is little room


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a run ended, and the figures that go with it."""

    name: str
    status: RunStatus
    ending: str  # "completed in 4.2 s"
    facts: tuple[Fact, ...]


def is_quick(run: PipelineRun) -> bool:
    """Say whether `verdict` takes no longer than a person notices."""
    return len(run.spans) <= _FEW_SPANS


def verdict(run: PipelineRun, *, deep: bool = True) -> Verdict:
    """Return what the line above a run says.

    Some figures need a look at every span. Without `deep` they are left out, so
    that a long run can say at once how it ended.
    """
    facts = [*_tokens(run, deep=deep), *_cost(run), *_budget(run), *_problems(run)]
    if deep:
        facts = [*_calls(run), *facts, *_failures(run)]
    facts.sort(key=lambda fact: _ORDER.index(fact.key))
    return Verdict(one_line(run.name), run.status, _ending(run), tuple(facts))


def with_findings(shown: Verdict, findings: Sequence[Finding]) -> Verdict:
    """Return the verdict with how many findings there are, and the worst of them as its tip."""
    if not findings:
        return _with(shown, "findings", None)
    # Not before the line is first seen, which has neither of these.
    from inspector.presentation.finding_list import severity_look, summary_words

    worst = findings[0].severity
    _icon, colour = severity_look(worst)
    told = f"{summary_words(findings)}\n{one_line(findings[0].sentence)}"
    fact = Fact("findings", plural(len(findings), "finding"), told, colour)
    return _with(shown, "findings", fact)


def with_estimate(shown: Verdict, estimate: CostEstimate) -> Verdict:
    """Return the verdict with what was estimated now, instead of what the file says."""
    if not estimate.call_count or (estimate.complete and not _is_priced(estimate)):
        return _with(shown, "cost", None)  # nothing was paid: there is nothing to say
    from inspector.presentation.cost_table import gaps_words, provenance_words, total_words

    date = estimate.pricing_snapshot_date
    of = f" (prices of {one_line(date)})" if date and estimate.total is not None else ""
    told = " ".join(filter(None, (provenance_words(estimate), gaps_words(estimate))))
    return _with(
        shown,
        "cost",
        Fact("cost", f"{total_words(estimate)}{of}", told, short=total_words(estimate)),
    )


def _is_priced(estimate: CostEstimate) -> bool:
    return any(group.amount is not None for group in estimate.llms)


def _with(shown: Verdict, key: str, fact: Fact | None) -> Verdict:
    facts = [each for each in shown.facts if each.key != key]
    facts += [] if fact is None else [fact]
    facts.sort(key=lambda each: _ORDER.index(each.key))
    return replace(shown, facts=tuple(facts))


def _ending(run: PipelineRun) -> str:
    word = status_words(run.status)
    if run.duration_ns is not None:
        joint = "in" if run.status is RunStatus.COMPLETED else "after"
        return f"{word} {joint} {duration_words(run.duration_ns)}"
    if not run.table.end_of_run():
        return word  # what another program wrote may know no times at all
    so_far = duration_words(run.table.end_of_run())
    if run.status is RunStatus.RUNNING:
        return f"{word}, {so_far} so far"
    if run.status is RunStatus.INCOMPLETE:
        return f"{word} after at least {so_far}"
    return word


def _calls(run: PipelineRun) -> list[Fact]:
    llm, tools = sum(llm_flags(run)), run.table.kind.count(_TOOL)
    facts = []
    if llm:
        facts.append(Fact("llm", plural(llm, "LLM call")))
    if tools:
        facts.append(Fact("tool", plural(tools, "tool call")))
    return facts


def _tokens(run: PipelineRun, *, deep: bool) -> list[Fact]:
    # A replay's header counts the calls that were asked live, and not its recorded answers.
    stored = None if run.replay_of is not None else run.header.get("usage")
    figures = stored if isinstance(stored, dict) else run.usage if deep else None
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
    unknown = _figure(estimate, "unknown_calls") or 0
    if unknown:
        tip += f" What {plural(unknown, 'call')} cost is not known."
    money = money_words(amount, at_least=unknown > 0)
    return [Fact("cost", f"{money}{of}", tip, short=money)]


def _budget(run: PipelineRun) -> list[Fact]:
    budget = run.header.get("budget")
    if not isinstance(budget, dict) or budget.get("exceeded") not in _LIMITS:
        return []
    limit = budget["exceeded"]
    text = "stopped by its budget" if budget.get("stopped") is True else "over its budget"
    spent = budget.get("spent")
    allowed, used = budget.get(limit), spent.get(limit) if isinstance(spent, dict) else None
    return [Fact("budget", text, f"{_limit_words(limit, used)} of {_limit_words(limit, allowed)}")]


_LIMITS = ("usd", "tokens", "calls")


def _limit_words(limit: str, amount: Any) -> str:
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return UNKNOWN
    if limit == "usd":
        return money_words(amount, estimate=False)
    return plural(amount, limit.removesuffix("s")) if isinstance(amount, int) else UNKNOWN


def _failures(run: PipelineRun) -> list[Fact]:
    table = run.table
    failed = [row for row, status in enumerate(table.status) if status == _FAILED]
    # What fails fails everything around it: those are echoes, not failures of their own.
    around = {table.parent_row[row] for row in failed}
    failures = [row for row in failed if row not in around]
    if not failures:
        return []
    first = failures[0]
    told = sentence([span_label(run, first), error_sentence(run.spans[first])], ": ")
    return [Fact("failed", plural(len(failures), "failure"), f"{told}\nGo to the first failure")]


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
