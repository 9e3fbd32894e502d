"""All rules there are, in one table, and what looks for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.findings import (
    acting,
    answering,
    calling_tools,
    concluding,
    durable,
    failing,
    keeping,
    prompting,
    reaching,
    recorded,
    retrieving,
    routing,
    spending,
    timing,
    visiting,
)
from inspector.findings.finding import Finding, Rule
from inspector.findings.plugins import plugin_rules
from inspector.findings.reading import Reading, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.runfile.model import PipelineRun

FAILURES, RETRIEVAL, FLOW = "Failures", "Retrieval", "Flow"
DURABLE = "Durable executions"
AGENTS, COST_AND_TIME, DATA = "Agents and answers", "Cost and time", "Data"

RULES: tuple[Rule, ...] = (
    Rule("failed", "something failed; only where it began", failing.failed, FAILURES),
    Rule("retried", "a call that had failed was made again", failing.retried, FAILURES),
    Rule("NO_RESULTS", "a search found no documents", retrieving.no_results, RETRIEVAL),
    Rule("FILTER_EXCLUSION", "filters left no documents over; proven where another search of the "
         "run found some that they shut out", retrieving.filter_exclusion, RETRIEVAL),
    Rule("SCORE_BELOW_CUTOFF", "all documents were dropped for their scores; proven where scores "
         "and limit are recorded", retrieving.score_below_cutoff, RETRIEVAL),
    Rule("RANKING_FAILURE", "a ranker failed, lost all documents or contradicts its own scores; "
         "possibly, it cut off what would have answered", retrieving.ranking_failure, RETRIEVAL),
    Rule("CONTEXT_LOSS", "documents were given to a prompt and are not in what the model read",
         prompting.context_loss, RETRIEVAL),
    Rule("EMPTY_CONTEXT", "a model answered from a prompt without documents",
         prompting.empty_context, RETRIEVAL),
    Rule("GENERATOR_FAILURE", "a model had the documents and failed or said nothing; possibly, it "
         "says that it does not know", prompting.generator_failure, RETRIEVAL),
    Rule("route-not-taken", "a component ran although its route was not taken",
         routing.route_not_taken, FLOW),
    Rule("untaken-branch", "a router took none of its branches", reaching.untaken_branch, FLOW),
    Rule("blocked-component", "a component had some inputs and waited for others",
         reaching.blocked_component, FLOW),
    Rule("component-never-reached", "nothing came to a component, and no router decided so",
         reaching.component_never_reached, FLOW),
    Rule("extra-visit", "a component ran again although nothing new had come to it",
         visiting.extra_visit, FLOW),
    Rule("loop-without-progress", "a loop came back to a state that it had been in",
         visiting.loop_without_progress, FLOW),
    Rule("input-mutated", "a component changed in place what others were given, too",
         visiting.input_mutated, FLOW),
    Rule("empty-answer", "a model answered with nothing", answering.empty_answer, AGENTS),
    Rule("cut-off", "an answer ended at the limit of its length", answering.cut_off, AGENTS),
    Rule("content-filter", "the provider's filter stopped an answer",
         answering.content_filter, AGENTS),
    Rule("hallucinated-tool", "a model asked for a tool that it was not offered",
         calling_tools.hallucinated_tool, AGENTS),
    Rule("arguments-misfit", "a tool was called against its own schema",
         acting.arguments_misfit, AGENTS),
    Rule("tool-error-swallowed", "a tool did not work, and possibly the answer does not say so",
         calling_tools.tool_error_swallowed, AGENTS),
    Rule("same-call-repeated", "a tool was asked the same again and answered the same",
         calling_tools.same_call_repeated, AGENTS),
    Rule("step-limit", "an agent ran out of steps", acting.step_limit, AGENTS),
    Rule("answer-not-from-tool", "possibly, the figures of an answer come from no tool",
         concluding.answer_not_from_tool, AGENTS),
    Rule("context-growing", "prompts grew to four fifths of what the model can read",
         concluding.context_growing, AGENTS),
    Rule("budget-stop", "the run used up its budget", recorded.budget_stop, COST_AND_TIME),
    Rule("outlier-step", "a step took five times as long as others of its name, and two seconds",
         timing.outlier_step, COST_AND_TIME),
    Rule("cache-never-hit", "three or more long prompts of an agent, none from the cache",
         spending.cache_never_hit, COST_AND_TIME),
    Rule("tokens-wasted", "half of a prompt or more are documents that the answer does not use; "
         "proven where it cites", spending.tokens_wasted, COST_AND_TIME),
    Rule("slow-first-token", "the first piece of a stream took five seconds",
         timing.slow_first_token, COST_AND_TIME),
    Rule("idle-wait", "nothing was at work for five seconds and a tenth of the run",
         timing.idle_wait, COST_AND_TIME),
    Rule("usage-missing", "a call reported no tokens, though others or its provider do",
         spending.usage_missing, COST_AND_TIME),
    Rule("secret-in-run", "keys, tokens or passwords stand in the file",
         keeping.secrets_in_run, DATA),
    Rule("not-serialised", "a value could not be kept, only its type",
         keeping.not_serialised, DATA),
    Rule("truncated-value", "a value was left out for its size", keeping.truncated, DATA),
    Rule("clock-backwards", "a span begins before what it happened in, or ends before it begins",
         timing.clock_backwards, DATA),
    Rule("chunks-mismatch", "what was streamed is not the answer", keeping.chunks_mismatch, DATA),
    Rule("effect-repeated", "an attempt of a durable execution called a tool again that an earlier "
         "one had called", durable.effect_repeated, DURABLE),
    Rule("abandoned-output", "what an attempt had streamed was abandoned with it; proven where "
         "somebody saw it", durable.abandoned_output, DURABLE),
    Rule("attempts-differ", "an attempt decided otherwise than the one before",
         durable.attempts_differ, DURABLE),
    Rule("wait-expired", "an execution waited a day or more, or until it was canceled",
         durable.wait_expired, DURABLE),
    Rule("replay-drift", "a replay was not what had been recorded", recorded.replay_drift, DATA),
)  # fmt: skip


class Examined(NamedTuple):
    """What the rules found, and which of them could not be applied, in sentences."""

    findings: tuple[Finding, ...]
    skipped: tuple[str, ...] = ()


def all_rules() -> tuple[Rule, ...]:
    """Return our rules, then those of other packages."""
    names = {rule.name for rule in RULES}
    return (*RULES, *(rule for rule in plugin_rules()[0] if rule.name not in names))


def check(
    run: PipelineRun, *,
    rules: Iterable[Rule] | None = None, cancelled: Callable[[], bool] | None = None,
) -> tuple[Finding, ...]:  # fmt: skip
    """Return everything that the rules find in a run, the worst first, then as it happened.

    Once `cancelled` says so, what was found so far is dropped and nothing is returned.
    """
    return examine(run, rules=rules, cancelled=cancelled).findings


def examine(
    run: PipelineRun, *,
    rules: Iterable[Rule] | None = None, cancelled: Callable[[], bool] | None = None,
) -> Examined:  # fmt: skip
    """Return what `check` does, and which rules failed: a rule that does is skipped."""
    reading = Reading(run, cancelled)
    found: list[Finding] = []
    skipped: list[str] = []
    for rule in all_rules() if rules is None else rules:
        try:
            found += [_sane(reading, finding) for finding in rule.find(reading)]
        except Stopped:
            return Examined(())
        except Exception as error:  # noqa: BLE001 - one rule must not cost the others
            told = f"{type(error).__name__}: {error}"[:200]
            skipped.append(f"The rule {rule.name} failed and was skipped: {told}")
    table = run.table
    last = len(table)

    def place(finding: Finding) -> tuple[int, int]:
        row = table.row_of(finding.spans[0]) if finding.spans else None
        return finding.severity.rank, last if row is None else row

    return Examined(tuple(sorted(found, key=place)), tuple(skipped))


def _sane(reading: Reading, finding: Finding) -> Finding:
    """Return a finding; what is none, or points at spans that are not there, is refused.

    Raises:
        TypeError: Another package's rule found something else.

    """
    if not isinstance(finding, Finding):
        raise TypeError(f"it found {finding!r}, which is no Finding")
    for span_id in finding.spans:
        if reading.table.row_of(span_id) is None:
            raise ValueError(f"it points at the span {span_id!r}, which the run has not")
    finding.severity.rank  # noqa: B018 - one that is no Severity fails here
    return finding
