"""Comparing two runs: decisions first, then what differs inside, then figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.diff.align import align
from inspector.diff.answer import judge
from inspector.diff.configuration import configuration_changes
from inspector.diff.context import Context, SideView
from inspector.diff.decisions import decisions_of
from inspector.diff.divergence import first_divergence
from inspector.diff.extract import extractor_of
from inspector.diff.glance import loaded
from inspector.diff.histories import without_history
from inspector.diff.metrics import metrics_of
from inspector.diff.model import Comparison, Side, SpanChanges
from inspector.diff.noise import NoiseRules
from inspector.diff.values import value_changes
from inspector.diff.verdict import verdict_of
from inspector.errors import InspectorError
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun, Span
from inspector.runfile.reading import without_collection
from inspector.runfile.source import held

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from inspector.diff.extract import Extractor
    from inspector.diff.model import Decision, Pair, ValueChange

_MOST_SPANS = 200
_MOST_NOISY = 50
_MOST_LEAVES = 200


class ComparisonStoppedError(InspectorError):
    """Somebody asked for a comparison to end before it was done."""


def diff_runs(
    left: PipelineRun | str | Path,
    right: PipelineRun | str | Path,
    *,
    extract: str | Callable[[str], Any] | None = None,
    ignore: Iterable[str] = (),
    sync: Sequence[tuple[str, str]] = (),
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Comparison:
    """Compare two runs.

    Args:
        left: The baseline: a run, or the file of one.
        right: What it is compared with.
        extract: What to take out of the answers: `field:PATH`, `regex:PATTERN`,
            `python:MODULE:FUNCTION`, or a function of the answer's text.
        ignore: Paths of values whose differences do not count, such as `*.meta.session`.
        sync: Pairs of spans that stand side by side whatever they look like, by their ids or
            paths.
        progress: Called with how much is done, from 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        InspectorError: A file cannot be read, an extractor, a path or a sync point makes no
            sense, or the comparison was stopped.

    """
    extractor = extractor_of(extract)
    noise = NoiseRules(tuple(ignore))

    def tick(done: float) -> None:
        if cancelled is not None and cancelled():
            raise ComparisonStoppedError("The comparison was stopped.")
        if progress is not None:
            progress(done)

    one, other = (_opened(each) for each in (left, right))
    # Thousands of records and values are looked at, each of them some times.
    with without_collection(), held(one.parts.source), held(other.parts.source):
        return _compared(one, other, extractor, noise, sync, tick)


def _compared(
    one: PipelineRun,
    other: PipelineRun,
    extractor: Extractor | None,
    noise: NoiseRules,
    sync: Sequence[tuple[str, str]],
    tick: Callable[[float], None],
) -> Comparison:
    points = [(_row_id(one, a, "left"), _row_id(other, b, "right")) for a, b in sync]
    tick(0.0)
    alignment = align(one, other, sync=points, keys=noise, tick=lambda: tick(0.0))
    tick(0.4)
    context = Context(SideView(one), SideView(other), noise)
    answer = judge(one, other, extractor)
    decisions = decisions_of(context, alignment, answer, lambda part: tick(0.4 + part * 0.3))
    configuration = configuration_changes(one, other, noise)
    divergence = first_divergence(context, alignment, decisions, configuration)
    tick(0.8)
    spans, left_out = _span_changes(context, alignment.pairs, tick)
    metrics = metrics_of(context, _models(decisions))
    tick(1.0)
    return Comparison(
        left=_side(one), right=_side(other),
        verdict=verdict_of(answer, decisions, divergence, configuration, alignment.pairs),
        answer=answer, decisions=decisions, divergence=divergence, configuration=configuration,
        pairs=alignment.pairs, spans=spans, metrics=metrics,
        notes=(*_notes(one, other), *left_out),
    )  # fmt: skip


def changes_of(
    left: PipelineRun, right: PipelineRun, pair: Pair, *, ignore: Iterable[str] = ()
) -> SpanChanges:
    """Return how one pair of spans differs, leaf by leaf; for pairs that a comparison left out."""
    context = Context(SideView(left), SideView(right), NoiseRules(tuple(ignore)))
    return _changes(context, pair)


def _opened(run: PipelineRun | str | Path) -> PipelineRun:
    return run if isinstance(run, PipelineRun) else load_run(run)


def _row_id(run: PipelineRun, wanted: str, side: str) -> str:
    if run.table.row_of(wanted) is not None:
        return wanted
    if (span := run.at(wanted)) is not None:
        return span.id
    raise InspectorError(
        f"The {side} run has no span with the id or path {wanted!r}.",
        hint="`run-inspector show FILE --json` lists the ids and paths of all.",
    )


def _side(run: PipelineRun) -> Side:
    return Side(
        id=run.id, name=run.name, status=str(run.status), started_at=run.started_at,
        duration_ns=run.duration_ns, origin=None if run.origin is None else run.origin.name,
        digest=run.parts.digest, spans=len(run.spans),
    )  # fmt: skip


def _span_changes(
    context: Context, pairs: Sequence[Pair], tick: Callable[[float], None]
) -> tuple[tuple[SpanChanges, ...], tuple[str, ...]]:
    both = [pair for pair in pairs if pair.left is not None and pair.right is not None]
    # Noise is shown for a few; of every other pair it is worked out when somebody looks.
    differing = sum(not pair.same for pair in both)
    most = min(_MOST_SPANS, differing + _MOST_NOISY)
    wanted = sorted(both, key=lambda pair: pair.same)[:most]
    keep = {id(pair) for pair in wanted}
    found = []
    for number, pair in enumerate(pair for pair in both if id(pair) in keep):
        if number % 32 == 0:
            tick(0.8 + 0.2 * number / len(wanted))
        changes = _changes(context, pair)
        if changes.inputs or changes.outputs or changes.note:
            found.append(changes)
    if differing <= _MOST_SPANS:
        return tuple(found), ()
    rest = differing - _MOST_SPANS
    return tuple(found), (f"The values of {rest} more pairs that differ are not listed.",)


def _changes(context: Context, pair: Pair) -> SpanChanges:
    left = None if pair.left is None else Span(context.left.run, pair.left)
    right = None if pair.right is None else Span(context.right.run, pair.right)
    view, span = (context.left, left) if left is not None else (context.right, right)
    assert span is not None
    path = view.facts(span).path
    found: dict[str, tuple[ValueChange, ...]] = {"inputs": (), "outputs": ()}
    notes: dict[str, None] = {}
    for name in found:
        if left is None or right is None:
            continue
        raws = [bytes(getattr(each, name)) for each in (context.left.facts(left),
                                                        context.right.facts(right))]  # fmt: skip
        if raws[0] == raws[1]:
            continue
        # References are followed only where two of them differ.
        one, other = (loaded(raw) for raw in raws)
        if without_history(context, one, other, least=0 if name == "inputs" else _MOST_LEAVES):
            notes["What was sent in earlier turns is left out."] = None
        found[name], note = value_changes(
            one, other, context.noise.under(f"{path}.{name}"), most=_MOST_LEAVES,
            left_lookup=context.left.lookup, right_lookup=context.right.lookup,
        )  # fmt: skip
        if note:
            notes[note] = None
    return SpanChanges(
        path=path, left_span=None if left is None else left.id,
        right_span=None if right is None else right.id, inputs=found["inputs"],
        outputs=found["outputs"], note=" ".join(notes) or None,
    )  # fmt: skip


def _models(decisions: Sequence[Decision]) -> tuple[set[str], set[str]]:
    models: tuple[set[str], set[str]] = (set(), set())
    for decision in decisions:
        if decision.kind == "llm":
            for side, words in enumerate((decision.left, decision.right)):
                if words:
                    models[side].add(words.partition(",")[0])
    return models


def _notes(left: PipelineRun, right: PipelineRun) -> list[str]:
    notes = []
    for side, run in (("left", left), ("right", right)):
        if not run.complete:
            notes.append(f"The {side} run is not complete: what is missing was not compared.")
        if run.problems:
            notes.append(f"Not all of the {side} run's file could be read.")
        if run.definition is None:
            notes.append(f"The {side} run's definition was not recorded.")
    if left.mode != right.mode and left.mode and right.mode:
        notes.append(f"The left run was {left.mode}, the right one {right.mode}.")
    return notes
