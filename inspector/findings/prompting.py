"""Which documents a model was given to read, and what it made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.findings.answers import is_no_answer
from inspector.findings.finding import Finding, Severity
from inspector.findings.passages import (
    Passage,
    bare,
    covered,
    ids_of,
    names_of,
    squeezed,
    stands_in,
)
from inspector.findings.reading import counted, error_words, named
from inspector.findings.retrieval_flow import Stage, answer_of, readers_of, stages
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.findings.reading import Reading
    from inspector.runfile.model import Span

_MOSTLY = 0.6


def context_loss(reading: Reading) -> Iterator[Finding]:
    """Find documents that were to be in a prompt, and are not in what the model read."""
    for stage in _prompts(reading):
        if not stage.taken or stage.span.status != SpanStatus.OK:
            continue
        if not stage.written:
            continue  # not recorded, or of a kind that we cannot read
        lost = [each for each in stage.taken if each.content and each not in stage.there]
        if lost:
            given = counted(len(stage.taken), "document")
            readers = readers_of(reading, stage)
            yield _loss(
                f"{named(stage.span)} was given {given}, and {names_of(lost)} "
                f"{'is' if len(lost) == 1 else 'are'} not in its prompt.",
                (stage.span.id, *(each.id for each in readers[:2])), lost,
                "Look at how its template goes through the documents.",
            )  # fmt: skip
        yield from _lost_on_the_way(reading, stage, stage.there)


def _lost_on_the_way(reading: Reading, stage: Stage, there: list[Passage]) -> Iterator[Finding]:
    for reader in readers_of(reading, stage) if there else ():
        read = bare(squeezed(reader.inputs))
        lost = [each for each in there if not stands_in(each, read)] if read else []
        if lost:
            yield _loss(
                f"{names_of(lost)} {'was' if len(lost) == 1 else 'were'} in the prompt of "
                f"{named(stage.span)}, and not in what {named(reader)} read.",
                (reader.id, stage.span.id), lost,
                "Look at what shortens the prompt between the two.",
            )  # fmt: skip


def _loss(sentence: str, spans: tuple[str, ...], lost: list[Passage], hint: str) -> Finding:
    fields = ("inputs.documents", "outputs.prompt")
    return Finding(
        "CONTEXT_LOSS", Severity.WARNING, sentence, spans, hint, fields, ids_of(lost)
    )  # fmt: skip


def empty_context(reading: Reading) -> Iterator[Finding]:
    """Find models that answered a question for which they were given no document."""
    for stage in _prompts(reading):
        if not stage.given or stage.taken:
            continue
        readers = [each for each in readers_of(reading, stage) if each.status == SpanStatus.OK]
        if not readers:
            continue
        lost = stage.found
        before = (
            f"although {counted(len(lost), 'document')} had been found"
            if lost else "as the search before it had found none"
        )  # fmt: skip
        yield Finding(
            "EMPTY_CONTEXT",
            Severity.WARNING,
            f"{named(readers[0])} answered from a prompt without documents "
            f"({named(stage.span)} was given none), {before}.",
            (readers[0].id, stage.span.id, *(each.span.id for each in stage.sources)),
            "Whatever it says comes from the model itself: answer otherwise when nothing is found.",
            ("inputs.messages",),
            ids_of(lost),
        )


def generator_failure(reading: Reading) -> Iterator[Finding]:
    """Find models that had the documents, and gave no answer."""
    seen: set[int] = set()
    for stage in _prompts(reading):
        there = stage.there
        for reader in readers_of(reading, stage) if there else ():
            if reader.row in seen:
                continue
            seen.add(reader.row)
            if (told := _failure(stage, reader, there)) is not None:
                words, proof, possible = told
                yield Finding(
                    "GENERATOR_FAILURE",
                    Severity.ERROR if reader.status == SpanStatus.FAILED else Severity.WARNING,
                    f"{named(reader)} had {counted(len(there), 'document')} in its prompt, {words}",
                    (reader.id, stage.span.id),
                    "The search did its part: look at the prompt, the model and its settings.",
                    ("outputs.replies",),
                    ids_of(proof),
                    possible=possible,
                )


def _failure(
    stage: Stage, reader: Span, there: list[Passage]
) -> tuple[str, list[Passage], bool] | None:
    if reader.status == SpanStatus.FAILED:
        told = error_words(reader)[0]
        return f"and failed{f': {told}' if told else ''}.", there, False
    answer = answer_of(reader)
    if answer == "" and not _calls_tools(reader):
        return "and answered nothing.", there, False
    query = stage.query()
    fitting = [each for each in there if covered(query, each.content) >= _MOSTLY]
    if fitting and is_no_answer(answer):
        words = f"and says that it does not know; {names_of(fitting)} speaks of the question."
        return words, fitting, True
    return None


def _calls_tools(reader: Span) -> bool:
    return '"tool_call"' in str(reader.outputs).replace("'", '"')


def _prompts(reading: Reading) -> list[Stage]:
    return [stage for stage in stages(reading) if stage.role == "prompt"]
