"""An agent turn by turn: what was new in its prompt, what it called, what that changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inspector.presentation.agent_retries import (
    ArgumentChange,
    FailedCalls,
    Retry,
    is_failed,
    ran_with,
)
from inspector.presentation.agent_words import ended_words, state_words
from inspector.presentation.outline import total_tokens
from inspector.presentation.previews import preview, text_preview
from inspector.presentation.transcript import (
    EMPTY,
    CallPart,
    ResultPart,
    ToolOutcome,
    Transcript,
    Turn,
    argument_text,
    marked_new,
    transcript,
)
from inspector.presentation.values import entries_in
from inspector.presentation.words import duration_words, token_words
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.table import SpanTable

MOST_TURNS = 12
"""So many turns are read and shown at once, those around the one that is looked at."""

_MOST_TOOLS = 100
_LONGEST_RESULT = 2_000
_EARLIER_SEARCHED = 30  # steps before the first shown one in which a call may have failed


@dataclass(frozen=True, slots=True)
class StateChange:
    """A key of the agent's state that a tool or a hook changed."""

    key: str
    words: str
    span_id: str


@dataclass(frozen=True, slots=True)
class Again:
    """That a call that failed was made again, and where."""

    span_id: str
    step: int
    worked: bool | None  # None while it is not known


@dataclass(frozen=True, slots=True)
class AgentCall:
    """A tool call of a turn."""

    call: CallPart
    span_id: str | None
    retry: Retry | None = None
    ran_with: tuple[ArgumentChange, ...] = ()
    """What of its arguments was something else when it ran: a person or the agent put it in."""
    again: Again | None = None
    did_not_run: bool = False
    """Whether the agent went on without it; the outcome is what the LLM was told instead."""


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """One step: what the LLM was sent that is new, what it said, and what that led to."""

    number: int
    span_id: str
    llm_id: str | None
    new: tuple[Turn, ...]
    earlier: int  # messages that it was sent before, too
    dropped: int
    replies: tuple[Turn, ...]
    calls: tuple[AgentCall, ...]
    state: tuple[StateChange, ...]
    facts: tuple[str, ...]
    failed: bool

    @property
    def span_ids(self) -> frozenset[str]:
        """The spans that this turn is the place of."""
        ids = {self.span_id, self.llm_id, *(call.span_id for call in self.calls)}
        return frozenset(one for one in ids if one is not None)


@dataclass(frozen=True, slots=True)
class AgentTurns:
    """Some turns of an agent."""

    agent_id: str
    name: str
    total: int
    first: int  # which of all turns the first one here is, from 0
    turns: tuple[AgentTurn, ...]
    ended: str  # why it stopped, as a sentence
    failed: bool


def agent_row(table: SpanTable, row: int) -> int | None:
    """Return the agent that a span is, is a part of, or is the component of."""
    if table.kind_of(row) is SpanKind.COMPONENT:
        for child in table.children(row)[:_MOST_TOOLS]:
            if table.kind_of(child) is SpanKind.AGENT:
                return child
    above = row
    while above != NO_PARENT:
        if table.kind_of(above) is SpanKind.AGENT:
            return above
        above = table.parent_row[above]
    return None


def step_rows(table: SpanTable, agent: int) -> list[int]:
    """Return the rows of an agent's steps."""
    return [row for row in table.children(agent) if table.kind_of(row) is SpanKind.STEP]


def step_at(table: SpanTable, steps: Sequence[int], row: int) -> int:
    """Return in which of an agent's steps a span is, from 0; the first for those in none."""
    above = row
    while above != NO_PARENT and table.kind_of(above) is not SpanKind.STEP:
        above = table.parent_row[above]
    # Rows are numbered in the order in which spans began.
    return max(0, bisect_right(steps, above) - 1) if above != NO_PARENT else 0


def agent_turns(run: PipelineRun, agent: int, around: int) -> AgentTurns:
    """Return the turns of an agent around one of them.

    Args:
        run: The run.
        agent: The row of the agent's span.
        around: Which turn has to be among them, from 0.

    """
    steps = step_rows(run.table, agent)
    first = max(0, min(around - MOST_TURNS // 2, len(steps) - MOST_TURNS))
    shown = range(first, min(first + MOST_TURNS, len(steps)))
    before = _conversation(run, steps[first - 1]) if first else EMPTY
    now = _conversation(run, steps[first]) if steps else EMPTY
    failed = FailedCalls()
    for number in range(max(0, first - _EARLIER_SEARCHED), first):
        for tool in _tools(run, steps[number]):
            failed.note(tool, number)
    turns: list[AgentTurn] = []
    for number in shown:
        after = _conversation(run, steps[number + 1]) if number + 1 < len(steps) else EMPTY
        turns.append(_turn(run, steps[number], number, (before, now, after), failed))
        before, now = now, after
    span = run.spans[agent]
    return AgentTurns(
        agent_id=span.id,
        name=text_preview(span.name or "agent", 80),
        total=len(steps),
        first=first,
        turns=tuple(_with_second_tries(turns)),
        ended=ended_words(run, span, len(steps), _called_last(run, steps)),
        failed=span.status is SpanStatus.FAILED,
    )


def _with_second_tries(turns: Sequence[AgentTurn]) -> Iterator[AgentTurn]:
    """Yield turns whose failed calls say where they were made again."""
    again = {
        call.retry.failed_id: Again(call.span_id, turn.number, call.retry.worked)
        for turn in turns
        for call in turn.calls
        if call.retry is not None and call.span_id is not None
    }
    for turn in turns:
        if any(call.span_id in again for call in turn.calls):
            calls = (replace(call, again=again.get(call.span_id or "")) for call in turn.calls)
            yield replace(turn, calls=tuple(calls))
        else:
            yield turn


def _turn(
    run: PipelineRun,
    step: int,
    number: int,
    sides: tuple[Transcript, Transcript, Transcript],
    failed: FailedCalls,
) -> AgentTurn:
    before, now, after = sides
    span = run.spans[step]
    tools = list(_tools(run, step))
    # A failed call of this turn must not count as tried again by another of the same turn.
    retries = [failed.note(tool, number) for tool in tools]
    said = marked_new(now, before, "before") if before else now
    llm = _llm(run, step)
    prompt = [turn for turn in said.turns if not turn.is_reply]
    fresh = [turn for turn in prompt if turn.is_new or not before]
    replies = tuple(turn for turn in said.turns if turn.is_reply)
    return AgentTurn(
        number=number,
        span_id=span.id,
        llm_id=llm.id if llm is not None else None,
        new=tuple(fresh),
        earlier=len(prompt) - len(fresh),
        dropped=said.dropped,
        replies=replies,
        calls=tuple(_calls(run, replies, tools, retries, _results(after))),
        state=tuple(_state(run, step)),
        facts=tuple(_facts(span, llm)),
        failed=span.status is SpanStatus.FAILED or any(is_failed(tool) for tool in tools),
    )


def _conversation(run: PipelineRun, step: int) -> Transcript:
    llm = _llm(run, step)
    return EMPTY if llm is None else transcript(llm.inputs, llm.outputs, plain_texts=True)


def _llm(run: PipelineRun, step: int) -> Span | None:
    rows = (row for row in run.table.children(step) if run.table.kind_of(row) is SpanKind.LLM)
    row = next(rows, None)
    return None if row is None else run.spans[row]


def _tools(run: PipelineRun, step: int) -> Iterator[Span]:
    for row in run.table.children(step)[:_MOST_TOOLS]:
        if run.table.kind_of(row) is SpanKind.TOOL:
            yield run.spans[row]


def _calls(
    run: PipelineRun,
    replies: tuple[Turn, ...],
    tools: Sequence[Span],
    retries: Sequence[Retry | None],
    told: Mapping[str, str],
) -> Iterator[AgentCall]:
    """Yield what the LLM asked for with what became of it, then what ran unasked."""
    left = dict(enumerate(tools))
    for turn in replies:
        for part in turn.parts:
            if not isinstance(part, CallPart):
                continue
            place = next((at for at, tool in left.items() if _answers(tool, part)), None)
            if place is None:
                yield _without_span(part, told)
                continue
            tool = left.pop(place)
            outcome = _outcome(tool)
            said = told.get(part.call_id or "")
            if said is not None and not outcome.failed and run.table.children(tool.row):
                # Of all that happened inside of a tool, the LLM is told one thing.
                outcome = replace(outcome, text=said)
            done = replace(part, outcome=outcome)
            yield AgentCall(done, tool.id, retries[place], ran_with(part, tool))
    for place, tool in left.items():
        given = tool.arguments if tool.has("arguments") else tool.inputs
        arguments = tuple((key, argument_text(value)) for key, value in entries_in(given))
        call = CallPart(None, text_preview(tool.name, 80), arguments, outcome=_outcome(tool))
        yield AgentCall(call, tool.id, retries[place])


def _without_span(part: CallPart, told: Mapping[str, str]) -> AgentCall:
    """Return a call that no tool answered: rejected by a person, or of a tool there is not."""
    said = told.get(part.call_id or "")
    if said is None:
        return AgentCall(part, None)
    return AgentCall(replace(part, outcome=ToolOutcome(said, failed=False)), None, did_not_run=True)


def _results(after: Transcript) -> dict[str, str]:
    """Return what an LLM was told of its calls, by their ids."""
    return {
        part.call_id: part.text
        for turn in after.turns
        for part in turn.parts
        if isinstance(part, ResultPart) and part.call_id is not None
    }


def _answers(tool: Span, part: CallPart) -> bool:
    call_id = (tool.tool_call or {}).get("id")
    return call_id == part.call_id if part.call_id is not None else tool.name == part.tool


def _outcome(tool: Span) -> ToolOutcome:
    error = tool.error
    if error is not None:
        said: str | None = text_preview(error.message, _LONGEST_RESULT)
    else:
        outputs = tool.outputs
        if isinstance(outputs, Mapping) and list(outputs) == ["result"]:
            outputs = outputs["result"]
        said = outputs if isinstance(outputs, str) or outputs is None else preview(outputs)
    return ToolOutcome(said, is_failed(tool), tool.id, None, tool.duration_ns, tool.end_ns)


def _called_last(run: PipelineRun, steps: Sequence[int]) -> set[str]:
    return {tool.name for tool in _tools(run, steps[-1])} if steps else set()


def _state(run: PipelineRun, step: int) -> Iterator[StateChange]:
    for row in run.table.children(step)[:_MOST_TOOLS]:
        if run.table.kind_of(row) not in (SpanKind.TOOL, SpanKind.HOOK):
            continue
        span = run.spans[row]
        for key, change in (span.state_changes or {}).items():
            yield StateChange(text_preview(key, 80), state_words(change), span.id)


def _facts(step: Span, llm: Span | None) -> Iterator[str]:
    if step.duration_ns is not None:
        yield duration_words(step.duration_ns)
    if llm is None:
        return
    if llm.usage is not None and (tokens := total_tokens(llm.usage)) is not None:
        yield token_words(tokens)
    model = (llm.llm or {}).get("name")
    if isinstance(model, str):
        yield text_preview(model, 60)
