"""Everything the window shows of one span, decoded and worded, tab by tab.

Made on a worker thread and handed over whole: values can be large, and a window
that decodes in a slot stands still.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from inspector.presentation.agent_turns import agent_row
from inspector.presentation.documents import NO_DOCUMENTS, DocumentsView, documents_view
from inspector.presentation.previews import preview, text_preview
from inspector.presentation.summary import Summary, summary
from inspector.presentation.transcript import (
    EMPTY,
    ToolOutcome,
    Transcript,
    marked_new,
    transcript,
)
from inspector.presentation.values import ValueNode, entries_in, field_path, fingerprint, items_in
from inspector.presentation.words import duration_words, plural
from inspector.runfile.kinds import SpanKind, SpanStatus
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from inspector.presentation.walk import Walk
    from inspector.runfile.model import PipelineRun, Span, SpanError

_MOST_TOOLS = 200  # of a step
_MOST_STEPS = 200
_MOST_COMPONENTS = 50
# Kinds of spans that take something and give something back.
_HAS_VALUES = {
    SpanKind.PIPELINE,
    SpanKind.COMPONENT,
    SpanKind.AGENT,
    SpanKind.LLM,
    SpanKind.TOOL,
    SpanKind.OTHER,
}


class Tab(StrEnum):
    """What can be read of a span, in the order of the tabs."""

    SUMMARY = "summary"
    INPUT = "input"
    OUTPUT = "output"
    MESSAGES = "messages"
    TURNS = "turns"
    DOCUMENTS = "documents"
    STATE = "state"
    RAW = "raw"
    ERROR = "error"


WOULD_FILL = {
    Tab.INPUT: "What went into this span. Steps have no input of their own.",
    Tab.OUTPUT: "What came out of this span. Steps have no output of their own.",
    Tab.MESSAGES: "The conversation of an LLM call, or any chat messages a component was passed.",
    Tab.TURNS: "An agent turn by turn. This span is neither an agent nor a part of one.",
    Tab.DOCUMENTS: "Documents that were found, ranked or passed on. This span holds none.",
    Tab.STATE: "What a tool or a hook changed in an agent's state. This span changed nothing.",
    Tab.ERROR: "The exception a span ended with. This one did not fail.",
}


@dataclass(frozen=True, slots=True)
class Section:
    """Values to open, or a sentence on why there are none."""

    roots: tuple[ValueNode, ...] = ()
    missing: str = ""


@dataclass(frozen=True, slots=True)
class SpanDetail:
    """One span, ready to show."""

    span_id: str
    summary: Summary
    inputs: Section
    outputs: Section
    messages: Transcript
    documents: DocumentsView
    state: Section
    error: SpanError | None
    tabs: Mapping[Tab, str]  # "" where a tab applies, else what would fill it

    def applies(self, tab: Tab) -> bool:
        return not self.tabs[tab]

    def tab_of(self, field: str) -> Tab | None:
        """Return the tab in which a field such as `outputs.replies[0]` stands."""
        root = field.partition(".")[0].partition("[")[0]
        sections = {Tab.INPUT: self.inputs, Tab.OUTPUT: self.outputs, Tab.STATE: self.state}
        for tab, section in sections.items():
            if any(node.path.partition(".")[0] == root for node in section.roots):
                return tab
        return Tab.ERROR if root == "error" and self.error is not None else None


def span_detail(run: PipelineRun, span: Span, walk: Walk | None) -> SpanDetail:
    """Decode and word everything there is to show of `span`.

    Without a `walk`, which takes its time to make for a very long run, all is there but
    which visit this is and what is new since the one before.
    """
    inputs, outputs = _inputs(run, span), _outputs(run, span)
    messages = _messages(run, span, inputs, outputs, walk)
    documents = (
        documents_view(inputs, outputs, span.retrieval)
        if inputs is not None or outputs is not None
        else NO_DOCUMENTS
    )
    error = span.error or (run.error if span.parent_id is None else None)
    state = Section(tuple(_state_nodes(span)))
    input_section = _input_section(span, inputs)
    output_section = _output_section(run, span, outputs)
    filled = {
        Tab.SUMMARY: True,
        Tab.INPUT: bool(input_section.roots or input_section.missing),
        Tab.OUTPUT: bool(output_section.roots or output_section.missing),
        Tab.MESSAGES: bool(messages),
        Tab.TURNS: agent_row(run.table, span.row) is not None,
        Tab.DOCUMENTS: bool(documents),
        Tab.STATE: bool(state.roots),
        Tab.RAW: True,
        Tab.ERROR: error is not None,
    }
    return SpanDetail(
        span_id=span.id,
        summary=summary(run, span, walk.visit_of(span.row) if walk is not None else None),
        inputs=input_section,
        outputs=output_section,
        messages=messages,
        documents=documents,
        state=state,
        error=error,
        tabs={tab: "" if filled[tab] else WOULD_FILL[tab] for tab in Tab},
    )


def _inputs(run: PipelineRun, span: Span) -> Any:
    inputs = span.inputs
    return run.inputs if inputs is None and span.parent_id is None else inputs


def _outputs(run: PipelineRun, span: Span) -> Any:
    outputs = span.outputs
    return run.outputs if outputs is None and span.parent_id is None else outputs


def _messages(
    run: PipelineRun, span: Span, inputs: Any, outputs: Any, walk: Walk | None
) -> Transcript:
    if span.kind is SpanKind.STEP:
        # A step is its LLM call and the tools that this called.
        rows = (r for r in run.table.children(span.row) if run.table.kind_of(r) is SpanKind.LLM)
        row = next(rows, None)
        if row is None:
            return EMPTY
        call = run.spans[row]
        return _messages(run, call, call.inputs, call.outputs, walk)
    plain = span.kind is SpanKind.LLM or span.role == "llm"
    found = transcript(
        inputs,
        outputs,
        plain_texts=plain,
        outcomes=_outcomes(run, span),
        replied_ns=span.end_ns if plain else None,
    )
    if not found:
        return EMPTY
    before = walk.previous_visit(span.row) if walk is not None and plain else None
    if before is None:
        return found
    earlier = run.spans[before]
    said = transcript(earlier.inputs, earlier.outputs, plain_texts=True)
    return marked_new(found, said, earlier.path) if said else found


def _outcomes(run: PipelineRun, span: Span) -> Mapping[str, ToolOutcome]:
    """Return how the agent's tools ended up to here, by the id of their call."""
    table = run.table
    outcomes: dict[str, ToolOutcome] = {}
    for step in _steps(run, span.row):
        for row in table.children(step)[:_MOST_TOOLS]:
            if table.kind_of(row) is not SpanKind.TOOL:
                continue
            tool = run.spans[row]
            call_id = (tool.tool_call or {}).get("id")
            if isinstance(call_id, str):
                # What a tool of an earlier step gave back stands in the messages.
                own = step == table.parent_row[span.row]
                outcomes[call_id] = _outcome(tool, with_text=own)
    return outcomes


def _steps(run: PipelineRun, row: int) -> Iterator[int]:
    """Yield the rows of the agent steps whose tool calls a span's messages may speak of."""
    table = run.table
    match table.kind_of(row):
        case SpanKind.AGENT:
            yield from table.children(row)[-_MOST_STEPS:]
        case SpanKind.COMPONENT | SpanKind.PIPELINE as kind:
            # The agent in an agent's component, and those in the components of a pipeline.
            deeper = kind is SpanKind.PIPELINE
            for child in table.children(row)[:_MOST_COMPONENTS]:
                below = table.kind_of(child)
                if below is SpanKind.AGENT or (deeper and below is SpanKind.COMPONENT):
                    yield from _steps(run, child)
        case SpanKind.LLM if (step := table.parent_row[row]) >= 0:
            agent = table.parent_row[step]
            steps = table.children(agent) if agent >= 0 else ()
            # Rows are numbered in the order in which spans began.
            end = bisect_right(steps, step)
            yield from steps[max(0, end - _MOST_STEPS) : end]


def _outcome(span: Span, *, with_text: bool) -> ToolOutcome:
    error = span.error
    said: str | None = None
    if error is not None:
        said = error.message
    elif with_text:
        outputs = span.outputs
        if isinstance(outputs, Mapping) and list(outputs) == ["result"]:
            outputs = outputs["result"]
        said = outputs if isinstance(outputs, str) or outputs is None else preview(outputs)
    failed = span.status is SpanStatus.FAILED
    return ToolOutcome(said, failed, span.id, None, span.duration_ns, span.end_ns)


def _input_section(span: Span, inputs: Any) -> Section:
    arguments = span.arguments if span.has("arguments") else None
    if inputs is None and arguments is None:
        return Section(missing=_missing(span, "inputs"))
    if arguments is not None and fingerprint(arguments) != fingerprint(inputs):
        roots = []
        if inputs is not None:
            roots.append(ValueNode("the LLM asked for", inputs, "inputs"))
        return Section((*roots, ValueNode("the tool ran with", arguments, "arguments")))
    notes = _notes(span.senders, "from")
    return Section(tuple(_socket_nodes(inputs, "inputs", "input", notes)))


def _output_section(run: PipelineRun, span: Span, outputs: Any) -> Section:
    roots: list[ValueNode] = []
    if outputs is not None:
        roots += _socket_nodes(outputs, "outputs", "output", _notes(span.receivers, "to"))
    chunks = span.chunks if span.has("chunks") else None
    if chunks:
        arrived = tuple(f"after {duration_words(chunk.at_ns - span.start_ns)}" for chunk in chunks)
        values = [chunk.value for chunk in chunks]
        roots.append(ValueNode("chunks", values, "chunks", "as they arrived", notes=arrived))
    if roots:
        return Section(tuple(roots))
    if span.status is SpanStatus.UNFINISHED and span.kind in _HAS_VALUES:
        running = run.status == "running"
        return Section(
            missing="Still running." if running else "It had not ended when the file did."
        )
    if span.status is SpanStatus.FAILED and "outputs" not in span.not_recorded:
        return Section(missing="It failed before it gave anything back. The Error tab says why.")
    return Section(missing=_missing(span, "outputs"))


def _missing(span: Span, field: str) -> str:
    why = span.not_recorded.get(field)
    if isinstance(why, str) and why:
        return f"Not recorded: {text_preview(why, 1_000)}"
    if span.kind in _HAS_VALUES:
        return "Not recorded. The file does not say why."
    return ""


def _socket_nodes(
    values: Any, root: str, alone: str, notes: Mapping[str, str]
) -> Iterator[ValueNode]:
    """Yield a node for each socket; what is no set of sockets is one node of its own."""
    entries = list(entries_in(values)) if tag_of(values) in (None, "dict") else []
    if not entries:
        yield ValueNode(alone, values, root)
    for name, value in entries:
        yield ValueNode(name, value, field_path(root, name), notes.get(name, ""))


def _notes(connections: Mapping[str, Any] | None, word: str) -> Mapping[str, str]:
    notes: dict[str, str] = {}
    for socket, names in (connections or {}).items():
        ends = list(items_in(names) or ([names] if isinstance(names, str) else []))
        shown = [
            text_preview(str(end), 60) if end is not None else "the caller" for end in ends[:4]
        ]
        if shown:
            more = f" and {len(ends) - 4} more" if len(ends) > 4 else ""
            notes[socket] = f"{word} {', '.join(shown)}{more}"
    return notes


def _state_nodes(span: Span) -> Iterator[ValueNode]:
    for key, change in (span.state_changes or {}).items():
        path = field_path("state_changes", key)
        if isinstance(change, Mapping):
            yield ValueNode(key, change, path, _change_words(change))
        else:
            yield ValueNode(key, change, path)


def _change_words(change: Mapping[str, Any]) -> str:
    if "before" not in change:
        return "new"
    if "after" not in change:
        return "removed"
    before, after = items_in(change["before"]), items_in(change["after"])
    if before is not None and after is not None and len(before) != len(after):
        return _growth(before, after)
    return "changed"


def _growth(before: Sequence[Any], after: Sequence[Any]) -> str:
    more = len(after) - len(before)
    return f"{plural(more, 'item')} more" if more > 0 else f"{plural(-more, 'item')} less"
