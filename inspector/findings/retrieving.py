"""Why documents were not found, or got lost before they reached a prompt."""

from __future__ import annotations

from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

from inspector.findings.answers import is_no_answer
from inspector.findings.filters import admits, words_of_filters
from inspector.findings.finding import Finding, Severity
from inspector.findings.passages import covered, ids_of, names_of
from inspector.findings.reading import counted, named
from inspector.findings.retrieval_flow import (
    Stage,
    answer_of,
    readers_of,
    setting,
    stages,
    threshold_of,
)
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from inspector.findings.passages import Passage
    from inspector.findings.reading import Reading

_OUT = ("outputs.documents",)
_REORDERS = ("LostInTheMiddle", "MetaField", "Diversity")  # of purpose, whatever the scores
_HALF = 0.5
_MOST_COMPARED = 40
_MUCH_BETTER = 0.25
# Others than these may give no documents because they are not meant to.
_DROPS = frozenset({"other", "joining", "conversion", "ranking"})


def no_results(reading: Reading) -> Iterator[Finding]:
    """Find searches that found nothing, although nothing was to be left out."""
    for stage in _empty_searches(reading):
        if _filters(reading, stage) or threshold_of(reading, stage)[1] is not None:
            continue  # another rule says it, which knows why
        hint = "Look whether the store holds what is sought, and how the question is put."
        yield _nothing_found(reading, stage, "NO_RESULTS", "found no documents", hint)


def filter_exclusion(reading: Reading) -> Iterator[Finding]:
    """Find searches whose filters left nothing over."""
    for stage in _empty_searches(reading):
        filters = _filters(reading, stage)
        if not filters:
            continue
        told = words_of_filters(filters)
        hint = f"Ask once without the filters: {told}."
        shut_out, others = _shut_out(reading, stage, filters)
        if not shut_out:
            words = "found no documents with its filters"
            yield _nothing_found(reading, stage, "FILTER_EXCLUSION", words, hint, possible=True)
            continue
        yield Finding(
            "FILTER_EXCLUSION",
            Severity.WARNING,
            f"The filters of {named(stage.span)} left nothing over ({told}): they shut out "
            f"{names_of(shut_out)}, which another search of the run found.",
            (stage.span.id, *others),
            "Look whether the filters mean what they say, and how the documents are labelled.",
            ("retrieval.filters", *_OUT),
            ids_of(shut_out),
        )


def score_below_cutoff(reading: Reading) -> Iterator[Finding]:
    """Find documents that were all dropped because of their scores."""
    for stage in _empty_searches(reading):
        name, limit = threshold_of(reading, stage)
        if limit is not None and not _filters(reading, stage):
            words = f"found no documents that reach its `{name}` of {limit:g}"
            hint = "Ask once without it, to see what scores there are."
            yield _nothing_found(reading, stage, "SCORE_BELOW_CUTOFF", words, hint, possible=True)
    for stage in _droppers(reading):
        name, limit = threshold_of(reading, stage)
        scores = [each.score for each in stage.taken if each.score is not None]
        if limit is None and (stage.role == "ranking" or not scores):
            continue  # a ranker without a limit has another excuse
        is_proven = (
            limit is not None
            and stage.role != "ranking"  # which scores anew
            and len(scores) == len(stage.taken)
            and max(scores) < limit
        )
        below = f", below its `{name}` of {limit:g}" if limit is not None else ""
        if limit is not None and scores and stage.role != "ranking" and max(scores) >= limit:
            continue  # it is not for their scores
        best = f" (the best score was {max(scores):.4g})" if scores else ""
        yield Finding(
            "SCORE_BELOW_CUTOFF",
            Severity.WARNING,
            f"{named(stage.span)} dropped all {counted(len(stage.taken), 'document')}"
            f"{best}{below}.",
            (stage.span.id,),
            "Lower the limit, or look why nothing fits the question better.",
            ("inputs.documents", *_OUT),
            ids_of(stage.taken),
            possible=not is_proven,
        )


def ranking_failure(reading: Reading) -> Iterator[Finding]:
    """Find rankers that lost documents, contradict their own scores, or cut the answer off."""
    for stage in stages(reading):
        if stage.role != "ranking" or not stage.taken:
            continue
        if stage.span.status == SpanStatus.FAILED:
            left = counted(len(stage.taken), "document")
            sentence = f"{named(stage.span)} failed, and {left} stayed unranked."
            yield _ranking(stage, sentence, stage.taken)
            continue
        kept = stage.kept
        if kept is None or stage.span.status != SpanStatus.OK:
            continue
        if not kept:
            if threshold_of(reading, stage)[1] is None:
                yield _ranking(stage, f"{named(stage.span)} returned none of the "
                               f"{counted(len(stage.taken), 'document')} that it was given.",
                               stage.taken)  # fmt: skip
            continue
        if pair := _contradiction(stage, kept):
            first, second = pair
            yield _ranking(stage, f"{named(stage.span)} ranks {names_of([first])} (score "
                           f"{first.score:.4g}) above {names_of([second])} ({second.score:.4g}): "
                           "the order contradicts its own scores.", list(pair))  # fmt: skip
        elif better := _cut_answer(reading, stage, kept):
            yield _ranking(stage, f"{named(stage.span)} cut off {names_of(better)}, with more "
                           "words of the question than all that it kept, and the model had no "
                           "answer.", better, possible=True)  # fmt: skip


def _ranking(
    stage: Stage, sentence: str, proof: list[Passage], *, possible: bool = False
) -> Finding:
    return Finding(
        "RANKING_FAILURE",
        Severity.WARNING,
        sentence,
        (stage.span.id, *(source.span.id for source in stage.sources)),
        "Compare what went into the ranker with what came out of it.",
        ("inputs.documents", *_OUT),
        ids_of(proof),
        possible=possible,
    )


def _contradiction(stage: Stage, kept: list[Passage]) -> tuple[Passage, Passage] | None:
    """Return two neighbours in an order that the ranker's own scores forbid."""
    kind = stage.span.type.rpartition(".")[2]
    if kind.startswith(_REORDERS):
        return None
    before = {each.id: each.score for each in stage.taken}
    for first, second in pairwise(kept):
        if first.score is None or second.score is None:
            return None
        if before.get(first.id) == first.score or before.get(second.id) == second.score:
            return None  # scores of somebody else: it ranked by something that it does not tell
        if first.score < second.score:
            return first, second
    return None


def _cut_answer(reading: Reading, stage: Stage, kept: list[Passage]) -> list[Passage]:
    """Return what a ranker cut off that fits the question, where there was no answer then."""
    ids = {each.id for each in kept}
    cut = [each for each in stage.taken if each.id not in ids]
    query = stage.query()
    if not cut or not query:
        return []
    if not any(is_no_answer(answer_of(reader)) for reader in readers_of(reading, stage)):
        return []
    most = max(covered(query, each.content) for each in kept)
    return [
        each
        for each in cut
        if (share := covered(query, each.content)) >= _HALF and share >= most + _MUCH_BETTER
    ]


def _empty_searches(reading: Reading) -> list[Stage]:
    return [
        stage
        for stage in stages(reading)
        if stage.role == "retrieval" and stage.span.status == SpanStatus.OK
        and stage.puts_out and not stage.kept and not stage.taken
    ]  # fmt: skip


def _droppers(reading: Reading) -> list[Stage]:
    return [
        stage
        for stage in stages(reading)
        if stage.role in _DROPS and stage.span.status == SpanStatus.OK
        and stage.taken and len(stage.puts_out) == 1 and not stage.kept
    ]  # fmt: skip


def _filters(reading: Reading, stage: Stage) -> Any:
    asked = stage.span.retrieval or {}
    return asked.get("filters") or setting(reading, stage, "filters")[1] or None


def _nothing_found(
    reading: Reading, stage: Stage, rule: str, words: str, hint: str, *, possible: bool = False
) -> Finding:
    others = _successes(reading).get(reading.table.parent_row[stage.row], [])
    asked = (stage.span.retrieval or {}).get("query", stage.inputs.get("query"))
    question = f" for “{asked[:80]}{'…' * (len(asked) > 80)}”" if isinstance(asked, str) else ""
    rest = f"; {named(others[0].span)} did find some" if others else ""
    return Finding(
        rule,
        Severity.NOTE if others else Severity.WARNING,
        f"{named(stage.span)} {words}{question}{reading.place_of(stage.span)}{rest}.",
        (stage.span.id, *(other.span.id for other in others[:3])),
        hint,
        _OUT,
        possible=possible,
    )


def _successes(reading: Reading) -> Mapping[int, list[Stage]]:
    """Return the searches that found something, by the pipeline that they were made in."""

    def look() -> dict[int, list[Stage]]:
        found: dict[int, list[Stage]] = {}
        for stage in stages(reading):
            if stage.role == "retrieval" and stage.kept:
                found.setdefault(reading.table.parent_row[stage.row], []).append(stage)
        return found

    return reading.once("successes", look)


def _shut_out(
    reading: Reading, stage: Stage, filters: Any
) -> tuple[list[Passage], tuple[str, ...]]:
    """Return documents of the same store that filters shut out, and where they were found."""
    store = (stage.span.retrieval or {}).get("store")
    shut: dict[str, Passage] = {}
    others: list[str] = []
    here = reading.table.parent_row[stage.row]
    found_some = _successes(reading)
    elsewhere = (each for home, held in found_some.items() if home != here for each in held)
    for other in islice(chain(found_some.get(here, ()), elsewhere), _MOST_COMPARED):
        is_same = other.span.name == stage.span.name
        if not is_same and (not store or (other.span.retrieval or {}).get("store") != store):
            continue
        found = [each for each in other.kept or () if admits(filters, each) is False]
        if found:
            others.append(other.span.id)
        shut.update((each.id, each) for each in found)
    return list(shut.values()), tuple(others[:3])
