"""Everything the window shows of one span, decoded and worded, tab by tab.

Made on a worker thread and handed over whole: values can be large, and a window
that decodes in a slot stands still.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

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

_MOST_TOOLS = 1_000
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
    DOCUMENTS = "documents"
    STATE = "state"
    RAW = "raw"
    ERROR = "error"


WOULD_FILL = {
    Tab.INPUT: "What went into this span. Steps have no input of their own.",
    Tab.OUTPUT: "What came out of this span. Steps have no output of their own.",
    Tab.MESSAGES: "The conversation of an LLM call, or any chat messages a component was passed.",
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


def span_detail(run: PipelineRun, span: Span, walk: Walk) -> SpanDetail:
    """Decode and word everything there is to show of `span`."""
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
        Tab.DOCUMENTS: bool(documents),
        Tab.STATE: bool(state.roots),
        Tab.RAW: True,
        Tab.ERROR: error is not None,
    }
    return SpanDetail(
        span_id=span.id,
        summary=summary(run, span, walk.visit_of(span.row)),
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


def _messages(run: PipelineRun, span: Span, inputs: Any, outputs: Any, walk: Walk) -> Transcript:
    if span.kind is SpanKind.STEP:
        # A step is its LLM call and the tools that this called.
        calls = (child for child in run.children(span) if child.kind is SpanKind.LLM)
        call = next(calls, None)
        return EMPTY if call is None else _messages(run, call, call.inputs, call.outputs, walk)
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
    row = walk.previous_visit(span.row)
    if not plain or row is None:
        return found
    earlier = run.spans[row]
    said = transcript(earlier.inputs, earlier.outputs, plain_texts=True)
    return marked_new(found, said, earlier.path) if said else found


def _outcomes(run: PipelineRun, span: Span) -> Mapping[str, ToolOutcome]:
    """Return how the agent's tools ended up to here, by the id of their call."""
    outcomes: dict[str, ToolOutcome] = {}
    for step in _steps(run, span):
        for near in run.children(step)[:_MOST_TOOLS]:
            if near.kind is SpanKind.TOOL and isinstance(near.tool_call, Mapping):
                call_id = near.tool_call.get("id")
                if isinstance(call_id, str):
                    # What a tool of an earlier step gave back stands in the messages.
                    outcomes[call_id] = _outcome(near, with_text=step.id == span.parent_id)
    return outcomes


def _steps(run: PipelineRun, span: Span) -> Iterator[Span]:
    """Yield the agent steps whose tool calls a span's messages may speak of."""
    if span.kind is SpanKind.AGENT:
        yield from run.children(span)[:_MOST_TOOLS]
    elif span.kind in (SpanKind.COMPONENT, SpanKind.PIPELINE):
        # The agent in an agent's component, and those in the components of a pipeline.
        below = (SpanKind.AGENT, SpanKind.COMPONENT)
        for child in run.children(span)[:_MOST_TOOLS]:
            if child.kind in below[: 2 if span.kind is SpanKind.PIPELINE else 1]:
                yield from _steps(run, child)
    elif span.kind is SpanKind.LLM:
        step = run.parent(span)
        agent = run.parent(step) if step is not None else None
        if step is None or agent is None:
            return
        before = [near for near in run.children(agent) if near.start_ns <= step.start_ns]
        yield from before[-_MOST_TOOLS:]


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
