"""Several runs against one baseline: what each decides otherwise, answers, takes and costs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspector.diff.answer import answer_of
from inspector.diff.compare import diff_runs
from inspector.diff.model import AnswerKind, DecisionKind, Metric, Severity, Side
from inspector.errors import InspectorError
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from inspector.diff.model import Comparison

COHORT_VERSION = 1
FORMAT = "run-cohort"
_FIGURES = ("LLM calls", "tool calls", "tokens", "estimated cost", "duration")
_SEVERITIES = tuple(Severity)
_LONGEST_ANSWER = 4_000


@dataclass(frozen=True, slots=True)
class DecidedOtherwise:
    """How many decisions of one kind a run takes otherwise than the baseline."""

    kind: DecisionKind
    severity: Severity  # of the worst one
    count: int


@dataclass(frozen=True, slots=True)
class Member:
    """One run of a cohort, beside the baseline."""

    run: Side
    label: str
    """What tells it from the others, such as what was changed for it; may be empty."""
    verdict: str
    same: bool
    """Whether no decision differs."""
    answer: str | None
    """What it answered, at most its first 4 000 characters; None where it came to no answer."""
    answer_kind: AnswerKind
    extract: Any
    """What was taken out of its answer, where that was asked for."""
    decisions: tuple[DecidedOtherwise, ...]
    """What it decides otherwise, the most severe first."""
    divergence: str
    """The first decision that differs, in a sentence; "" where none does."""
    figures: tuple[Metric, ...]
    """Calls, tokens, cost and time; `left` is the baseline's."""


@dataclass(frozen=True, slots=True)
class Cohort:
    """Runs beside each other; the first one given is the baseline."""

    baseline: Side
    label: str
    answer: str | None
    extract: Any
    members: tuple[Member, ...]
    kinds: tuple[DecisionKind, ...]
    """The kinds of decisions on which any run differs, the most severe first."""
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether no run decides otherwise than the baseline."""
        return all(member.same for member in self.members)

    def figure(self, name: str) -> Metric | None:
        """Return a figure of the baseline, as its left side."""
        found = [each for member in self.members for each in member.figures if each.name == name]
        known = (each for each in found if each.left is not None)
        return next(known, next((each for each in found if each.left_paid is not None), None))

    def to_dict(self) -> dict[str, Any]:
        """Return the cohort as JSON, of a form that stays (see the schema)."""
        import msgspec

        found = {"format": FORMAT, "version": COHORT_VERSION, "same": self.same}
        found.update(msgspec.to_builtins(self))
        return found


def cohort(
    runs: Sequence[PipelineRun | str | Path],
    *,
    labels: Sequence[str] = (),
    extract: str | Callable[[str], Any] | None = None,
    ignore: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Cohort:
    """Compare runs with the first of them.

    Args:
        runs: The baseline, and the runs that are measured by it.
        labels: What tells each run from the others, in the order of the runs.
        extract: What to take out of the answers, as `diff_runs` takes it.
        ignore: Paths of values whose differences do not count.
        progress: Called with how much is done, from 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        InspectorError: There are fewer than two runs, a file cannot be read, or the comparison
            was stopped.

    """
    if len(runs) < 2:
        raise InspectorError("There is only one run.", hint="Name at least two.")
    opened = [each if isinstance(each, PipelineRun) else load_run(each) for each in runs]
    ignored = tuple(ignore)
    whole = len(opened) - 1

    def part(done: int) -> Callable[[float], None] | None:
        return None if progress is None else lambda share: progress((done + share) / whole)

    compared = [
        diff_runs(opened[0], other, extract=extract, ignore=ignored, progress=part(number),
                  cancelled=cancelled)
        for number, other in enumerate(opened[1:])
    ]  # fmt: skip
    return cohort_of(opened, compared, labels)


def cohort_of(
    runs: Sequence[PipelineRun], compared: Sequence[Comparison], labels: Sequence[str] = ()
) -> Cohort:
    """Return the cohort that comparisons with one baseline make.

    Args:
        runs: The baseline, then the runs it was compared with.
        compared: The comparisons, in the same order.
        labels: What tells each run from the others.

    """
    named = [*labels, *[""] * (len(runs) - len(labels))]
    members = tuple(
        _member(run, each, label)
        for run, each, label in zip(runs[1:], compared, named[1:], strict=True)
    )
    worst: dict[DecisionKind, int] = {}
    for member in members:
        for each in member.decisions:
            rank = _SEVERITIES.index(each.severity)
            worst[each.kind] = min(rank, worst.get(each.kind, rank))
    order = list(DecisionKind)
    kinds = sorted(worst, key=lambda kind: (worst[kind], order.index(kind)))
    notes = dict.fromkeys(note for each in compared for note in each.notes)
    return Cohort(
        baseline=compared[0].left, label=named[0], answer=_answer(runs[0]),
        extract=compared[0].answer.left_extract, members=members, kinds=tuple(kinds),
        notes=tuple(notes),
    )  # fmt: skip


def _member(run: PipelineRun, compared: Comparison, label: str) -> Member:
    differing = [each for each in compared.decisions if each.differs]
    counted = Counter(each.kind for each in differing)
    decided = [
        DecidedOtherwise(
            kind,
            min((each.severity for each in differing if each.kind is kind), key=_SEVERITIES.index),
            count,
        )
        for kind, count in counted.items()
    ]
    decided.sort(key=lambda each: (_SEVERITIES.index(each.severity), -each.count))
    found = {metric.name: metric for metric in compared.metrics}
    return Member(
        run=compared.right, label=label, verdict=compared.verdict, same=compared.same,
        answer=_answer(run), answer_kind=compared.answer.kind,
        extract=compared.answer.right_extract, decisions=tuple(decided),
        divergence=compared.divergence.sentence if compared.divergence else "",
        figures=tuple(found[name] for name in _FIGURES if name in found),
    )  # fmt: skip


def _answer(run: PipelineRun) -> str | None:
    found = answer_of(run)
    return None if found is None else found[:_LONGEST_ANSWER]


def schema() -> dict[str, Any]:
    """Return the JSON schema of what `to_dict` gives."""
    import msgspec

    made = msgspec.json.schema(Cohort)
    whole = made["$defs"]["Cohort"]
    whole["properties"] = {
        "format": {"const": FORMAT}, "version": {"const": COHORT_VERSION},
        "same": {"type": "boolean"}, **whole["properties"],
    }  # fmt: skip
    whole["required"] = ["format", "version", "same", *whole["required"]]
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Several recorded runs against a baseline",
        **made,
    }
    return dict(msgspec.json.decode(msgspec.json.encode(described)))
