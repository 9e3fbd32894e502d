"""What a person wants to know of a span first, as facts in a fixed order."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from inspector.presentation.previews import preview, short_type, text_preview
from inspector.presentation.values import entries_in, items_in
from inspector.presentation.words import (
    clock_words,
    duration_words,
    kind_words,
    number_words,
    percent_words,
    plural,
    sentence,
    status_mark,
    status_words,
    token_words,
)
from inspector.runfile.kinds import SpanStatus

if TYPE_CHECKING:
    from inspector.runfile.model import PipelineRun, Span
    from inspector.runfile.usage import Usage

_MOST_SIBLINGS = 20_000
_MOST_SHOWN = 50
_LONG = 2_000

_USAGE_WORDS = (
    ("input_tokens", "Input"),
    ("cached_input_tokens", "of it cached"),
    ("cache_write_tokens", "of it written to the cache"),
    ("audio_input_tokens", "of it audio"),
    ("output_tokens", "Output"),
    ("reasoning_tokens", "of it reasoning"),
    ("audio_output_tokens", "of it audio"),
    ("embedding_tokens", "Embedded"),
    ("total_tokens", "Total"),
)
_FIELD_WORDS = {
    "inputs": "Inputs",
    "outputs": "Outputs",
    "arguments": "Final arguments",
    "start_ns": "When it began",
    "end_ns": "How long it took",
    "chunks": "Streamed chunks",
    "usage": "Token usage",
    "llm": "LLM",
    "error": "Error",
    "senders": "Senders",
    "receivers": "Receivers",
    "tool_call": "Tool call",
    "retrieval": "Retrieval",
    "state_changes": "State changes",
    "type": "Class",
    "tags": "Tags",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing known of a span."""

    label: str
    text: str
    from_file: bool = False  # words of the file, not ours: shown as values are
    state: str = ""  # of a status: what its mark and colour go by
    target: str | None = None  # the span that a click leads to
    number: bool = False


@dataclass(frozen=True, slots=True)
class FactGroup:
    """Facts that belong together, under a few words."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A span on one page."""

    title: str
    subtitle: str
    kind: str
    role: str
    status: str
    groups: tuple[FactGroup, ...]

    def text(self) -> str:
        """Return all of it as plain text, for copying."""
        lines = [sentence([self.title, self.subtitle])]
        for group in self.groups:
            lines += ["", group.title] if group.title else [""]
            lines += [f"{fact.label}: {fact.text}" for fact in group.facts]
        return "\n".join(lines)


def summary(run: PipelineRun, span: Span, visit: tuple[int, int] | None = None) -> Summary:
    """Return the facts of `span`; `visit` says which visit it is, and of how many."""
    groups = (
        FactGroup("", tuple(_what(run, span, visit))),
        FactGroup("LLM", tuple(_llm(span))),
        FactGroup("Tokens", tuple(_usage(span))),
        FactGroup("Tool call", tuple(_tool_call(span))),
        FactGroup("Retrieval", tuple(_retrieval(span))),
        FactGroup("Comes from", tuple(_senders(run, span))),
        FactGroup("Goes to", tuple(_receivers(run, span))),
        FactGroup("State", tuple(_state(span))),
        FactGroup("Streamed", tuple(_streamed(span))),
        FactGroup("Replayed", tuple(_replayed(span))),
        FactGroup("Tags", tuple(_mapped(span.tags))),
        FactGroup("Not recorded", tuple(_not_recorded(span))),
        FactGroup("Could not be read", tuple(Fact("", said) for said in span.problems)),
        FactGroup("How it was recorded", tuple(_channels(span))),
    )
    name = text_preview(span.name or run.name or kind_words(span.kind), 200)
    return Summary(
        title=name,
        subtitle=kind_words(span.kind),
        kind=str(span.kind),
        role=span.role,
        status=str(span.status),
        groups=tuple(group for group in groups if group.facts),
    )


def _what(run: PipelineRun, span: Span, visit: tuple[int, int] | None) -> Iterator[Fact]:
    yield Fact("Status", _status(run, span), state=str(span.status))
    yield from _error(span)
    untimed = span.not_recorded
    if "end_ns" not in untimed:
        yield Fact("Took", _took(run, span), number=True)
    if "start_ns" not in untimed:
        yield Fact("Began", _began(run, span), number=True)
    number, total = _visit(span, visit)
    if total > 1:
        yield Fact("Visit", f"{number_words(number)} of {number_words(total)}", number=True)
    if span.step is not None:
        yield Fact("Agent step", number_words(span.step), number=True)
    if span.role and span.role not in ("other", str(span.kind)):
        yield Fact("Role", text_preview(span.role, 60))
    if span.type:
        module, _, name = text_preview(span.type, 300).rpartition(".")
        yield Fact("Class", name, from_file=True)
        if module:
            yield Fact("Module", module, from_file=True)
    package = _package(run, span)
    if package:
        yield Fact("Package", package, from_file=True)
    if span.path:
        yield Fact("Path", text_preview(span.path, _LONG), from_file=True)
    if span.thread:
        yield Fact("Thread", text_preview(span.thread, 200), from_file=True)


def _visit(span: Span, visit: tuple[int, int] | None) -> tuple[int, int]:
    # A step says its own number, which is another than that of a visit.
    return (span.visit, 1) if visit is None or span.step is not None else visit


def _status(run: PipelineRun, span: Span) -> str:
    words = status_words(span.status)
    if span.status is SpanStatus.UNFINISHED and run.status == "running":
        words = "still running"
    return sentence([status_mark(span.status), words], " ")


def _error(span: Span) -> Iterator[Fact]:
    error = span.error
    if error is not None:
        said = f"{short_type(error.type)}: {text_preview(error.message, 240)}"
        yield Fact("Error", said, from_file=True)


def _took(run: PipelineRun, span: Span) -> str:
    if span.duration_ns is None:
        return "not ended"
    whole = run.duration_ns
    share = percent_words(span.duration_ns, whole) if whole and span.parent_id else ""
    return sentence([duration_words(span.duration_ns), f"{share} of the run" if share else ""])


def _began(run: PipelineRun, span: Span) -> str:
    offset = run.header.get("utc_offset_s")
    clock = clock_words(
        run.started_at, offset if isinstance(offset, int) else None, max(0, span.start_ns)
    )
    into = f"{duration_words(span.start_ns)} into the run" if span.start_ns else "with the run"
    return sentence([into, clock if run.started_at else ""])


def _package(run: PipelineRun, span: Span) -> str:
    component = _component(run.topology, span.path)
    if component is None:
        return ""
    words = [component.get("package"), component.get("version")]
    return " ".join(text_preview(word, 80) for word in words if isinstance(word, str))


def _component(topology: Any, path: str) -> Mapping[str, Any] | None:
    """Return what the topology says about the component a path ends at."""
    found: Mapping[str, Any] | None = None
    inside = topology
    for segment in path.split("/"):
        components = inside.get("components") if isinstance(inside, Mapping) else None
        name = segment.partition("#")[0]
        if not isinstance(components, Mapping) or not isinstance(components.get(name), Mapping):
            # Inside an agent, a step or a nested pipeline: those have no entry of their own.
            found = None
            continue
        found = components[name]
        assert found is not None
        inside = found.get("topology") or found.get("agent")
    return found


def _llm(span: Span) -> Iterator[Fact]:
    llm = span.llm or {}
    for key, label in (("name", "Name"), ("provider", "Provider"), ("finish_reason", "Stopped")):
        value = llm.get(key)
        if value is not None:
            text = value if isinstance(value, str) else preview(value)
            yield Fact(label, text_preview(text, 200), from_file=True)


def _usage(span: Span) -> Iterator[Fact]:
    usage: Usage | None = span.usage
    if usage is None:
        if span.kind == "llm" and "usage" not in span.not_recorded:
            yield Fact("", "The provider reported no usage.")
        return
    for name, label in _USAGE_WORDS:
        figure = getattr(usage, name)
        if figure is not None:
            yield Fact(label, token_words(figure), number=True)
    if not usage.known:
        yield Fact("", "The provider's figures are in words we do not know; see Raw.")


def _tool_call(span: Span) -> Iterator[Fact]:
    call = span.tool_call or {}
    if call.get("id") is not None:
        yield Fact("Id", text_preview(str(call["id"]), 200), from_file=True)
    index = call.get("index")
    if isinstance(index, int):
        yield Fact("Place in the reply", number_words(index + 1), number=True)


def _retrieval(span: Span) -> Iterator[Fact]:
    retrieval = span.retrieval or {}
    labels = {"query": "Query", "top_k": "Asked for", "filters": "Filters"}
    for key, label in labels.items():
        value = retrieval.get(key)
        if value is not None:
            yield Fact(label, preview(value, _LONG), from_file=True)
    documents = items_in(retrieval.get("documents"))
    if documents is not None:
        yield Fact("Found", plural(len(documents), "document"), number=True)
    for key, label in (("embedder", "Embedder"), ("store", "Store")):
        if retrieval.get(key) is not None:
            yield Fact(label, preview(retrieval[key], _LONG), from_file=True)


def _senders(run: PipelineRun, span: Span) -> Iterator[Fact]:
    for socket, senders in islice((span.senders or {}).items(), _MOST_SHOWN):
        for sender in islice(items_in(senders) or (senders,), _MOST_SHOWN):
            if sender is None:
                yield Fact(text_preview(socket, 80), "the caller")
            elif isinstance(sender, str):
                origin = _neighbour(run, span, sender, before=True)
                yield Fact(text_preview(socket, 80), text_preview(sender, 120), True, target=origin)


def _receivers(run: PipelineRun, span: Span) -> Iterator[Fact]:
    for socket, receivers in islice((span.receivers or {}).items(), _MOST_SHOWN):
        for receiver in islice(items_in(receivers) or (receivers,), _MOST_SHOWN):
            if isinstance(receiver, str):
                after = _neighbour(run, span, receiver, before=False)
                note = "" if after else " · did not run afterwards"
                yield Fact(
                    text_preview(socket, 80),
                    text_preview(receiver, 120) + note,
                    from_file=True,
                    target=after,
                )


def _neighbour(run: PipelineRun, span: Span, name: str, *, before: bool) -> str | None:
    """Return the visit of the component `name` that is nearest to `span` in time."""
    table = run.table
    siblings = table.children(table.parent_row[span.row])
    # Rows are numbered in the order in which spans began.
    place = bisect_left(siblings, span.row)
    nearest = (
        siblings[max(0, place - _MOST_SIBLINGS) : place][::-1]
        if before
        else siblings[place + 1 : place + 1 + _MOST_SIBLINGS]
    )
    return next((table.id(row) for row in nearest if table.name(row) == name), None)


def _state(span: Span) -> Iterator[Fact]:
    changes = span.state_changes or {}
    if changes:
        keys = ", ".join(text_preview(key, 60) for key in islice(changes, _MOST_SHOWN))
        yield Fact("Changed", keys, from_file=True)


def _streamed(span: Span) -> Iterator[Fact]:
    chunks = span.chunks if span.has("chunks") else None
    if not chunks:
        return
    yield Fact("Chunks", number_words(len(chunks)), number=True)
    first_ns = chunks[0].at_ns - span.start_ns
    yield Fact("First after", duration_words(first_ns), number=True)
    if len(chunks) > 1:
        yield Fact("Last after", duration_words(chunks[-1].at_ns - span.start_ns), number=True)


def _replayed(span: Span) -> Iterator[Fact]:
    for key, label in (("source", "Answered by"), ("take", "Take")):
        value = span.raw.get(key)
        if isinstance(value, str | int):
            yield Fact(label, text_preview(str(value), 80), from_file=True)
    if span.raw.get("inputs_edited") is True:
        yield Fact("Inputs", "edited by hand")


def _mapped(values: Mapping[str, Any]) -> Iterator[Fact]:
    for key, value in islice(entries_in(values), _MOST_SHOWN):
        yield Fact(text_preview(key, 80), preview(value, 400), from_file=True)


def field_words(name: str) -> str:
    """Return what a field of a span is called on screen."""
    return _FIELD_WORDS.get(name) or text_preview(name, 80)


def _not_recorded(span: Span) -> Iterator[Fact]:
    for key, why in islice(span.not_recorded.items(), _MOST_SHOWN):
        text = why if isinstance(why, str) else preview(why)
        yield Fact(field_words(key), text_preview(text, _LONG), from_file=True)


def _channels(span: Span) -> Iterator[Fact]:
    by_channel: dict[str, list[str]] = {}
    for field, channel in islice(span.channels.items(), _MOST_SHOWN):
        by_channel.setdefault(text_preview(str(channel), 60), []).append(field_words(field))
    if not by_channel:
        return
    yield Fact("Haystack's tracing", "everything but what follows")
    for channel, names in by_channel.items():
        yield Fact(channel, ", ".join(names).lower())
