"""What of a run is still to be seen when the rest was cut away, and what there is to choose.

A thing is known by the id of its span: its path changes when turns before it are cut out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.diff.answer import answer_of
from inspector.errors import InspectorError
from inspector.findings.registry import all_rules, examine
from inspector.presentation.decided import decided
from inspector.presentation.visible import one_line
from inspector.presentation.words import elided
from inspector.runfile.fingerprint import Fingerprints
from inspector.runfile.kinds import RunStatus, SpanKind, SpanStatus
from inspector.runfile.leaf import LeafError, read_leaf
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun, Span

FAILURE, ANSWER, FINDING, DIVERGENCE = "failure", "answer", "finding", "divergence"
_LONGEST = 120
_KINDS = {"retrieval": "documents", "ranking": "documents"} | dict.fromkeys(
    ("routing", "validation"), "route"
)
# What these decide of is most of what they are given, and a part of it will do.
_OF_MUCH = ("ending", "decision")


class Choice(NamedTuple):
    """Something that a run shows, as it is named and in words."""

    name: str
    words: str


class Keep(NamedTuple):
    """Something that has to be seen in what is left of a run."""

    name: str
    words: str
    holds: Callable[[PipelineRun], bool]
    span: str = ""
    """The id of the span that shows it."""
    by_given: bool = False
    """Whether that span did it because of what it was given, which has to stay then, unless a
    replay runs it again: where its answer comes from the recording, nothing else keeps it."""


def choices(run: PipelineRun) -> list[Choice]:
    """Return all that can be chosen of a run: its failure, its answer, decisions, findings."""
    found = []
    if run.status is RunStatus.FAILED and run.error is not None:
        found.append(Choice(FAILURE, _short(f"{run.error.type}: {run.error.message}")))
    if (answer := answer_of(run)) is not None:
        found.append(Choice(ANSWER, _short(answer)))
    decisions = decided(run)
    found += [
        Choice(f"{_kind(span)}/{span.path}", _short(decisions.pop(span.path)))
        for span in run.spans
        if span.path in decisions
    ]
    for finding in examine(run).findings:
        name = f"{FINDING}/{finding.rule}"
        if all(choice.name != name for choice in found):
            found.append(Choice(name, _short(finding.sentence)))
    return found


def keep_by_default(run: PipelineRun) -> Keep:
    """Return the failure of a run that failed, else its answer.

    Raises:
        InspectorError: It has neither.

    """
    if run.status is RunStatus.FAILED and run.error is not None:
        return keep_failure(run)
    if answer_of(run) is not None:
        return keep_answer(run)
    raise InspectorError(
        "This run has neither failed nor answered.",
        hint="Say what is to be kept with --keep; --list shows what there is.",
    )


def keep_named(run: PipelineRun, name: str) -> Keep:
    """Return what a person has chosen: `failure`, `answer`, or a decision by kind and path.

    Raises:
        InspectorError: The run shows no such thing.

    """
    if name == FAILURE:
        return keep_failure(run)
    if name == ANSWER:
        return keep_answer(run)
    kind, _, rest = name.partition("/")
    if kind == FINDING and rest:
        return keep_finding(run, rest)
    decisions = decided(run)
    for span in run.spans:
        if span.path in decisions and name in (f"{_kind(span)}/{span.path}", span.path):
            return _keep_decision(span, decisions[span.path])
    raise InspectorError(
        f"This run shows nothing called {elided(one_line(name), _LONGEST)}.",
        hint="--list shows what there is.",
    )


def keep_failure(run: PipelineRun) -> Keep:
    """Return what keeps a run failing as it did, at the same place.

    Raises:
        InspectorError: It did not fail.

    """
    error = run.error
    if run.status is not RunStatus.FAILED or error is None:
        raise InspectorError("This run did not fail.", hint="Choose something that it shows.")
    failed = [span for span in run.spans if span.status is SpanStatus.FAILED]
    inner = max(failed, key=lambda span: span.path.count("/") if span.path else -1, default=None)
    innermost = "" if inner is None else inner.id
    kind, message = error.type, error.message

    def holds(other: PipelineRun) -> bool:
        now = other.error
        if other.status is not RunStatus.FAILED or now is None:
            return False
        return (now.type, now.message) == (kind, message) and _has(other, innermost)

    return Keep(FAILURE, _short(f"{kind}: {message}"), holds, innermost, by_given=True)


def keep_answer(run: PipelineRun) -> Keep:
    """Return what keeps a run answering what it did.

    Raises:
        InspectorError: It gave no answer.

    """
    answer = answer_of(run)
    if answer is None:
        raise InspectorError("This run gave no answer.", hint="Choose something that it shows.")
    return Keep(ANSWER, _short(answer), lambda other: answer_of(other) == answer)


def _keep_decision(span: Span, words: str) -> Keep:
    named = span.id

    def holds(other: PipelineRun) -> bool:
        return _has(other, named) and decided(other).get(other.span(named).path) == words

    by_given = span.role != "ranking" and _kind(span) not in _OF_MUCH
    return Keep(f"{_kind(span)}/{span.path}", _short(words), holds, named, by_given)


def keep_finding(run: PipelineRun, rule: str) -> Keep:
    """Return what keeps the first finding of a rule. No replay is needed to see it.

    Raises:
        InspectorError: There is no such rule, or it finds nothing in the run.

    """
    rules = [each for each in all_rules() if each.name == rule]
    if not rules:
        raise InspectorError(f"There is no rule {elided(one_line(rule), _LONGEST)}.")
    found = examine(run, rules=rules).findings
    if not found:
        raise InspectorError(f"The rule {rule} finds nothing in this run.")
    first = found[0]

    def holds(other: PipelineRun) -> bool:
        return any(
            (each.rule, each.spans[:1], each.possible) == (rule, first.spans[:1], first.possible)
            for each in examine(other, rules=rules).findings
        )

    span = first.spans[0] if first.spans else ""
    return Keep(f"{FINDING}/{rule}", _short(first.sentence), holds, span)


def keep_divergence(run: PipelineRun, other: PipelineRun) -> Keep:
    """Return what keeps the first decision in which a run differs from another one.

    Raises:
        InspectorError: They decided the same.

    """
    first = _divergence(run, other)
    if first is None:
        raise InspectorError("The two runs decided the same.", hint="Choose what to keep.")
    span = first[1] or ""
    words = _short(first[3])
    return Keep(
        DIVERGENCE, words, lambda left: (_divergence(left, other) or ())[:3] == first[:3], span
    )  # fmt: skip


def _divergence(
    left: PipelineRun, right: PipelineRun
) -> tuple[str, str | None, str | None, str] | None:
    from inspector.diff.compare import diff_runs

    compared = diff_runs(left, right)
    if compared.divergence is None:
        return None
    first = next(each for each in compared.decisions if each.number == compared.divergence.decision)
    return str(first.kind), first.left_span, first.right_span, first.title


def _kind(span: Span) -> str:
    if span.kind is SpanKind.TOOL:
        return "tool"
    return "ending" if span.kind is SpanKind.AGENT else _KINDS.get(span.role, "decision")


def given_to(run: PipelineRun, named: str) -> str:
    """Return the fingerprint of what the call with this id was given.

    What stands beside texts in the `meta` of messages and documents does not count.
    """
    if (
        not _has(run, named)
        or not named
        or run.span(named).kind in (SpanKind.PIPELINE, SpanKind.AGENT)
    ):
        return ""
    raw = run.span(named).raw

    def lookup(digest: str) -> Any:
        try:
            return _bare(read_leaf(run.values.raw(digest))[0])
        except LeafError as error:
            raise KeyError(digest) from error

    return Fingerprints(lookup).of(_bare(raw.get("arguments", raw.get("inputs"))))


def _bare(tree: Any) -> Any:
    if isinstance(tree, list):
        return [_bare(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    has_meta = tag_of(tree) in ("chat_message", "document")
    return {key: _bare(value) for key, value in tree.items() if key != "meta" or not has_meta}


def _has(run: PipelineRun, named: str) -> bool:
    return not named or run.table.row_of(named) is not None


def _short(words: str) -> str:
    return elided(one_line(words), _LONGEST)
