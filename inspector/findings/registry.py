"""All rules there are, in one table, and what looks for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.acting import arguments_misfit, step_limit
from inspector.findings.answering import content_filter, cut_off, empty_answer
from inspector.findings.failing import failed, retried
from inspector.findings.finding import Finding, Rule
from inspector.findings.reading import Reading, Stopped
from inspector.findings.recorded import budget_stop, replay_drift
from inspector.findings.routing import route_not_taken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.runfile.model import PipelineRun

RULES: tuple[Rule, ...] = (
    Rule("failed", "something failed; only where it began", failed),
    Rule("retried", "a call that had failed was made again", retried),
    Rule("empty-answer", "a model answered with nothing", empty_answer),
    Rule("cut-off", "an answer ended at the limit of its length", cut_off),
    Rule("content-filter", "the provider's filter stopped an answer", content_filter),
    Rule("route-not-taken", "a component ran although its route was not taken", route_not_taken),
    Rule("arguments-misfit", "a tool was called against its own schema", arguments_misfit),
    Rule("step-limit", "an agent ran out of steps", step_limit),
    Rule("budget-stop", "the run used up its budget", budget_stop),
    Rule("replay-drift", "a replay was not what had been recorded", replay_drift),
)


def check(
    run: PipelineRun, *,
    rules: Iterable[Rule] = RULES, cancelled: Callable[[], bool] | None = None,
) -> tuple[Finding, ...]:  # fmt: skip
    """Return everything that the rules find in a run, the worst first, then as it happened.

    Once `cancelled` says so, what was found so far is dropped and nothing is returned.
    """
    reading = Reading(run, cancelled)
    try:
        found = [finding for rule in rules for finding in rule.find(reading)]
    except Stopped:
        return ()
    table = run.table
    last = len(table)

    def place(finding: Finding) -> tuple[int, int]:
        row = table.row_of(finding.spans[0]) if finding.spans else None
        return finding.severity.rank, last if row is None else row

    return tuple(sorted(found, key=place))
