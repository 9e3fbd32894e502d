"""An agent turn by turn: what was new in its prompt, what it called, what that changed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from inspector.diff.values import value_changes
from inspector.presentation.outline import total_tokens
from inspector.presentation.previews import preview, text_preview
from inspector.presentation.transcript import (
    EMPTY,
    CallPart,
    ToolOutcome,
    Transcript,
    Turn,
    argument_text,
    marked_new,
    transcript,
)
from inspector.presentation.values import entries_in, items_in
from inspector.presentation.words import duration_words, number_words, plural, token_words
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.table import NO_PARENT

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.table import SpanTable

MOST_TURNS = 12
"""So many turns are read and shown at once, those around the one that is looked at."""

_MOST_TOOLS = 100
_LONGEST_RESULT = 2_000
_MOST_WAITING = 10
_EARLIER_SEARCHED = 30  # steps before the first shown one in which a call may have failed


@dataclass(frozen=True, slots=True)
class ArgumentChange:
    """An argument that another try was given otherwise; "" where it had none."""

    name: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Retry:
    """That a tool was called again after it had failed, and what was changed about it."""

    failed_id: str  # the span of the call that failed
    failed_step: int
    changes: tuple[ArgumentChange, ...]
    worked: bool | None  # None while it is not known


@dataclass(frozen=True, slots=True)
class StateChange:
    """A key of the agent's state that a tool or a hook changed."""

    key: str
    words: str
    span_id: str


@dataclass(frozen=True, slots=True)
class AgentCall:
    """A tool call of a turn."""

    call: CallPart
    span_id: str | None
    retry: Retry | None = None


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
    failed = _Failed()
    for number in range(max(0, first - _EARLIER_SEARCHED), first):
        for tool in _tools(run, steps[number]):
            failed.note(tool, number)
    turns: list[AgentTurn] = []
    for number in shown:
        now = _conversation(run, steps[number])
        turns.append(_turn(run, steps[number], number, (before, now), failed))
        before = now
    span = run.spans[agent]
    return AgentTurns(
        agent_id=span.id,
        name=text_preview(span.name or "agent", 80),
        total=len(steps),
        first=first,
        turns=tuple(turns),
        ended=_ended(run, span, steps),
        failed=span.status is SpanStatus.FAILED,
    )


class _Failed:
    """Calls that failed, until the same tool is called again."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[tuple[Span, int]]] = {}

    def note(self, tool: Span, number: int) -> Retry | None:
        """Take note of a call; return what it tries again, if it does."""
        waiting = self._waiting.get(tool.name, [])
        # Calls of one turn are made at once: none can be the other's second try. Of several
        # that failed it is that of the one it is most like.
        tried = [
            (len(changes := _argument_changes(before, tool)), at, changes)
            for at, (before, step) in enumerate(waiting[:_MOST_WAITING])
            if step < number
        ]
        retry = None
        if tried:
            _, place, changes = min(tried)
            before, step = waiting.pop(place)
            worked = None if tool.end_ns is None else not _is_failed(tool)
            retry = Retry(before.id, step, changes, worked)
        if _is_failed(tool):
            self._waiting.setdefault(tool.name, []).append((tool, number))
        return retry


def _turn(
    run: PipelineRun,
    step: int,
    number: int,
    sides: tuple[Transcript, Transcript],
    failed: _Failed,
) -> AgentTurn:
    before, now = sides
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
        calls=tuple(_calls(replies, tools, retries)),
        state=tuple(_state(run, step)),
        facts=tuple(_facts(span, llm)),
        failed=span.status is SpanStatus.FAILED or any(_is_failed(tool) for tool in tools),
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
    replies: tuple[Turn, ...], tools: Sequence[Span], retries: Sequence[Retry | None]
) -> Iterator[AgentCall]:
    """Yield what the LLM asked for with what became of it, then what ran unasked."""
    left = dict(enumerate(tools))
    for turn in replies:
        for part in turn.parts:
            if not isinstance(part, CallPart):
                continue
            place = next((at for at, tool in left.items() if _answers(tool, part)), None)
            if place is None:
                yield AgentCall(part, None)
                continue
            tool = left.pop(place)
            yield AgentCall(replace(part, outcome=_outcome(tool)), tool.id, retries[place])
    for place, tool in left.items():
        given = tool.arguments if tool.has("arguments") else tool.inputs
        arguments = tuple((key, argument_text(value)) for key, value in entries_in(given))
        call = CallPart(None, text_preview(tool.name, 80), arguments, outcome=_outcome(tool))
        yield AgentCall(call, tool.id, retries[place])


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
    return ToolOutcome(said, _is_failed(tool), tool.id, None, tool.duration_ns, tool.end_ns)


def _is_failed(tool: Span) -> bool:
    return tool.status is SpanStatus.FAILED


def _argument_changes(before: Span, now: Span) -> tuple[ArgumentChange, ...]:
    one, other = (_given(span) for span in (before, now))
    changes, _note = value_changes(one, other)
    return tuple(
        ArgumentChange(
            text_preview(change.leaf or "arguments", 80),
            "" if change.kind == "added" else _short(change.left),
            "" if change.kind == "removed" else _short(change.right),
        )
        for change in changes
    )


def _given(tool: Span) -> Any:
    return tool.inputs if tool.inputs is not None else tool.arguments


def _short(value: Any) -> str:
    return text_preview(argument_text(value), 300)


def _state(run: PipelineRun, step: int) -> Iterator[StateChange]:
    for row in run.table.children(step)[:_MOST_TOOLS]:
        if run.table.kind_of(row) not in (SpanKind.TOOL, SpanKind.HOOK):
            continue
        span = run.spans[row]
        for key, change in (span.state_changes or {}).items():
            yield StateChange(text_preview(key, 80), _change_words(change), span.id)


def _change_words(change: Any) -> str:
    if not isinstance(change, Mapping) or ("before" not in change and "after" not in change):
        return text_preview(preview(change), 200)
    if "before" not in change:
        return f"new: {text_preview(preview(change['after']), 200)}"
    if "after" not in change:
        return "removed"
    before, after = items_in(change["before"]), items_in(change["after"])
    if before is not None and after is not None:
        return f"{number_words(len(before))} → {plural(len(after), 'item')}"
    return " → ".join(text_preview(preview(change[side]), 100) for side in ("before", "after"))


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


def _ended(run: PipelineRun, agent: Span, steps: Sequence[int]) -> str:
    if agent.status is SpanStatus.UNFINISHED:
        running = run.status == "running"
        return "It is still running." if running else "It had not stopped when the recording did."
    if agent.status is SpanStatus.FAILED:
        error = agent.error
        why = f": {text_preview(error.message, 200)}" if error is not None else ""
        return f"It failed{why}"
    if agent.status is SpanStatus.CANCELED:
        return "It was canceled."
    outputs = agent.outputs
    reason = outputs.get("exit_reason") if isinstance(outputs, Mapping) else None
    return _reason_words(reason, run, steps)


def _reason_words(reason: Any, run: PipelineRun, steps: Sequence[int]) -> str:
    if not isinstance(reason, str) or not reason:
        last = list(_tools(run, steps[-1])) if steps else []
        if steps and not last:
            return "It stopped because it answered without calling a tool."
        return "Why it stopped was not recorded."
    if reason == "text":
        return "It stopped because it answered without calling a tool."
    if reason.startswith("max_"):
        return f"It stopped because it may take no more than {plural(len(steps), 'step')}."
    called = {tool.name for tool in _tools(run, steps[-1])} if steps else set()
    shown = text_preview(reason, 80)
    if reason in called:
        return f"It stopped because {shown} was called, which ends it."
    return f"It stopped for {shown}."
