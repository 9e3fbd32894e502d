"""Where tokens went although nothing was won by them, and where nobody counted them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.findings.finding import Finding, Severity
from inspector.findings.passages import Passage, ids_of, names_of, words_of
from inspector.findings.reading import counted, named, replies_of
from inspector.findings.retrieval_flow import answer_of, readers_of, stages
from inspector.runfile.columns import MARK_USAGE
from inspector.runfile.kinds import KIND_CODE, SpanKind, SpanStatus
from inspector.runfile.kinds import STATUS_CODE as CODES

if TYPE_CHECKING:
    from inspector.findings.reading import Reading
    from inspector.findings.retrieval_flow import Stage
    from inspector.runfile.model import Span

_FEWEST_CALLS = 3
_CACHEABLE = 1_100  # providers cache prefixes from 1,024 tokens on
_SIGNS_A_TOKEN = 4
_MUCH = 1_000
_MOSTLY = 0.5
_CITES = re.compile(r"\[(\d{1,3})\]")
_MOST_SPANS = 6
_EMBEDDER = "embedding"


def cache_never_hit(reading: Reading) -> Iterator[Finding]:
    """Find agents whose long prompts begin alike, and were never answered from a cache."""
    by_agent: dict[int, list[tuple[int, int]]] = {}
    hit: set[int] = set()
    for row in reading.calls:
        agent_row = reading.agent_of(row)
        sent, cached = reading.skim.tokens.get(row, (None, None))
        if agent_row is None or cached is None or not sent:
            continue
        if cached:
            hit.add(agent_row)
        elif sent >= _CACHEABLE:
            by_agent.setdefault(agent_row, []).append((row, sent))
    for agent_row, calls in by_agent.items():
        if agent_row in hit or len(calls) < _FEWEST_CALLS:
            continue
        agent = reading.run.spans[agent_row]
        tokens = sum(tokens for _, tokens in calls)
        yield Finding(
            "cache-never-hit",
            Severity.NOTE,
            f"{counted(len(calls), 'LLM call')} of {named(agent)} sent {tokens:,} tokens of "
            "prompts that grow from call to call, and none came from the provider's cache.",
            tuple(reading.table.id(row) for row, _ in calls[:_MOST_SPANS]),
            "A prefix is cached where it is the very same: look for a time or an id at its head.",
            ("usage.cached_input_tokens",),
        )


def tokens_wasted(reading: Reading) -> Iterator[Finding]:
    """Find prompts that are mostly documents of which the answer makes no use."""
    for stage in stages(reading):
        if stage.role != "prompt" or not stage.taken:
            continue
        if sum(len(each.content) for each in stage.taken) < _MUCH * _SIGNS_A_TOKEN:
            continue
        written, there = stage.written, stage.there
        for reader in readers_of(reading, stage)[:1]:
            answer = answer_of(reader)
            if not answer or len(there) < 2:
                continue
            unused, is_proven = _unused(reading, stage, there, answer)
            tokens = sum(len(each.content) for each in unused) // _SIGNS_A_TOKEN
            whole = max(1, len(written) // _SIGNS_A_TOKEN)
            if tokens < _MUCH or tokens < whole * _MOSTLY:
                continue
            yield Finding(
                "tokens-wasted",
                Severity.NOTE,
                f"The answer of {named(reader)} makes no use of {len(unused)} of "
                f"{counted(len(there), 'document')} in its prompt: {names_of(unused)}, some "
                f"{tokens:,} tokens.",
                (reader.id, stage.span.id),
                "Retrieve fewer documents, or rank them before they go into the prompt.",
                ("inputs.messages",),
                ids_of(unused),
                possible=not is_proven,
            )


def _unused(
    reading: Reading, stage: Stage, there: list[Passage], answer: str
) -> tuple[list[Passage], bool]:
    """Return the documents that an answer does not use, and whether it says so itself."""
    if marked := _referenced(reading, stage):
        return [each for each in there if not marked.get(each.id, True)], True
    cited = {int(number) for number in _CITES.findall(answer)}
    if cited and max(cited) <= len(there):
        return [each for number, each in enumerate(there, 1) if number not in cited], True
    said = words_of(answer)
    # A word that all of them have tells them not apart.
    words = [words_of(each.content) for each in there]
    common = frozenset.intersection(*words)
    return [
        each for each, its in zip(there, words, strict=True) if not (its - common) & said
    ], False


def _referenced(reading: Reading, stage: Stage) -> Mapping[str, bool]:
    """Return which documents the answer builder found referred to."""
    home = reading.table.parent_row[stage.row]
    found: dict[str, bool] = {}
    for row in reading.table.children(home):
        if row <= stage.row or reading.skim.roles[row] != "conversion":
            continue
        outputs = reading.run.spans[row].outputs
        answers = outputs.get("answers") if isinstance(outputs, Mapping) else None
        for answer in answers if isinstance(answers, list) else ():
            documents = answer.get("documents") if isinstance(answer, Mapping) else None
            for each in documents if isinstance(documents, list) else ():
                meta: Any = each.get("meta") if isinstance(each, Mapping) else None
                if isinstance(meta, Mapping) and isinstance(meta.get("referenced"), bool):
                    found[str(each.get("id"))] = meta["referenced"]
    return found if any(found.values()) else {}


def usage_missing(reading: Reading) -> Iterator[Finding]:
    """Find calls of models that report no tokens, where others or their provider would."""
    table = reading.table
    streamed = set(reading.skim.streamed)
    ok, llm = CODES[SpanStatus.OK], KIND_CODE[SpanKind.LLM]
    calls = [
        row
        for row in reading.calls
        if table.status[row] == ok
        and (table.kind[row] == llm or reading.skim.roles[row] == "llm")
        and reading.skim.outputs[row]
    ]
    silent = [row for row in calls if not table.marks[row] & MARK_USAGE]
    others_do = any(row in reading.skim.tokens for row in calls)
    missing = [
        row
        for row in silent[:_MOST_LOOKED_AT]
        if (others_do or row in streamed or _is_of_provider(reading.run.spans[row]))
        and replies_of(reading.run.spans[row])
    ]
    if not missing:
        return
    first = reading.run.spans[missing[0]]
    streams = sum(row in streamed for row in missing)
    hint = (
        "Ask the provider for it: OpenAI's streams tell with `stream_options={'include_usage': "
        "True}`."
        if streams else "The costs of the run are more than its estimate says."
    )  # fmt: skip
    yield Finding(
        "usage-missing",
        Severity.NOTE,
        f"{len(missing)} of {counted(len(calls), 'LLM call')} reported no tokens, such as that of "
        f"{named(first)}{reading.place_of(first)}.",
        tuple(table.id(row) for row in missing[:_MOST_SPANS]),
        hint,
        ("usage",),
    )


_MOST_LOOKED_AT = 2_000


def _is_of_provider(span: Span) -> bool:
    return bool((span.llm or {}).get("provider"))
