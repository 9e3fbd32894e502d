"""What a change did, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.diff.model import AnswerKind, DecisionKind
from inspector.diff.said import plural, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.diff.model import (
        AnswerVerdict,
        Cause,
        ConfigurationChange,
        Decision,
        Divergence,
        Pair,
    )

_LONGEST = 400
_SHORT = 80


def verdict_of(
    answer: AnswerVerdict,
    decisions: Sequence[Decision],
    divergence: Divergence | None,
    configuration: Sequence[ConfigurationChange],
    pairs: Sequence[Pair],
) -> str:
    """Return the sentence that stands above everything else."""
    if divergence is None:
        return _alike(answer, configuration, pairs)
    first = decisions[divergence.decision]
    said = answer.sentence.rstrip(".")
    if first.kind is DecisionKind.ANSWER:
        return f"{said}, though every decision before it is the same."
    sentence = f"{said}. First divergence{_where(first)}: {short(divergence.sentence, _LONGEST)}"
    cause = next((each for each in divergence.causes if each.likely != "possible"), None)
    if cause is not None and cause.path != first.path:
        word = "because" if cause.likely == "certain" else "likely because"
        sentence += f", {word} {_cause_words(cause)}"
    return sentence.rstrip(".") + "."


def _cause_words(cause: Cause) -> str:
    if not cause.leaf or (cause.leaf.endswith("type") and " instead of " in cause.sentence):
        return short(cause.sentence, _LONGEST)
    # Of a long text the sentence of the divergence has told already what is new in it.
    if len(cause.sentence) > _SHORT:
        return f"of another {cause.leaf} of {cause.path}"
    return f"of {short(cause.sentence, _LONGEST)}"


def _where(first: Decision) -> str:
    return f" at {first.path}" if first.path and "/" in first.path else ""


def _alike(
    answer: AnswerVerdict, configuration: Sequence[ConfigurationChange], pairs: Sequence[Pair]
) -> str:
    said = {
        AnswerKind.SAME: "The answer is the same, and no decision differs",
        AnswerKind.UNKNOWN: f"{answer.sentence.rstrip('.')}, and no decision differs",
    }.get(answer.kind, f"{answer.sentence.rstrip('.')}, and no other decision differs")
    if configuration:
        first = short(configuration[0].sentence)
        rest = len(configuration) - 1
        more = f" and {plural(rest, 'more difference')} in the set-up" if rest else ""
        return f"{said}, although {first}{more}."
    changed = sum(not pair.same for pair in pairs)
    if changed:
        return f"{said}; other values differ in {plural(changed, 'span')}."
    return f"{said}."
