"""What Haystack's `LoggingTracer` writes into a log: an operation, then its tags, a line each.

An operation is logged when it ends, so that what it contains stands before it. There are no ids,
no times, and nothing says which run an operation belongs to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from inspector.importers.foreign import ForeignSpan
from inspector.importers.texts import is_whole, whole
from inspector.importers.traces import runs_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspector.importers.head import Head
    from inspector.importers.imported import Context, ImportedRun

_OPERATION = re.compile(r"Operation: (haystack\.[\w.]+|[\w.]+\.\w+)")
_IN_BYTES = re.compile(rb"Operation: (?:haystack\.)?[\w.]+")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_RESET = "\x1b[0m"
_TAG = re.compile(r"([A-Za-z_][\w.\-]*)=")
_SPACE_BEFORE_EXTRAS = re.compile(r"\s{2,}(?:tag_name|operation_name|lineno|module)=.*\Z")
_NO_SHAPE = re.compile("")
_LONGEST_PREFIX = 300
_MOST_CHARACTERS = 2**28

_PIPELINES = frozenset({"haystack.pipeline.run", "haystack.async_pipeline.run"})
_COMPONENT, _AGENT = "haystack.component.run", "haystack.agent.run"
_STEP = "haystack.agent.step"
_INNER_NAMES = frozenset({"chat_generator", "tool_invoker"})
_VALUES = {
    _COMPONENT: ("haystack.component.input", "haystack.component.output"),
    "haystack.pipeline.run": ("haystack.pipeline.input_data", "haystack.pipeline.output_data"),
    "haystack.async_pipeline.run": (
        "haystack.pipeline.input_data", "haystack.pipeline.output_data",
    ),
    "haystack.agent.step.llm": ("haystack.agent.step.llm.input", "haystack.agent.step.llm.output"),
}  # fmt: skip


def detect(head: Head) -> int:
    """Return how sure it is that a file is of this format."""
    if _IN_BYTES.search(head.data) is None:
        return 0
    if head.text[:1] in (b"{", b"["):
        # Logs of one JSON object a line; a run that quotes such a log is none.
        return 75 if head.keys >= {"event"} or head.keys >= {"message"} else 0
    return 80 if b"logging_tracer" in head.data or b"haystack." in head.data else 55


def read(context: Context) -> Iterator[ImportedRun]:
    """Yield a run for each pipeline or agent that ran by itself."""
    text = whole(context.source, context.name).decode("utf-8", "replace")
    spans = _nested(list(_operations(text[:_MOST_CHARACTERS], context)))
    losses = context.losses
    losses.lose("times and durations", "the log does not say when an operation began or ended")
    losses.lose("nesting", "the log has no ids; it is told by the order in which operations ended")
    losses.lose("errors", "the log has no errors; an operation without its output did not end well")
    yield from runs_of(spans, context)


def _operations(text: str, context: Context) -> Iterator[ForeignSpan]:
    current: ForeignSpan | None = None
    shape, open_tag, parts = _NO_SHAPE, "", list[str]()
    count = 0
    for number, raw in enumerate(text.split("\n")):
        if number % 4096 == 0:
            context.check(0.5)
        line = _event_of(raw.rstrip("\r"))
        plain = _COLOUR.sub("", line)
        found = _OPERATION.search(plain)
        before = shape.match(plain)
        tag = _TAG.match(plain, before.end()) if before is not None else None
        if found is not None and tag is None:
            if current is not None:
                _keep(current, open_tag, parts)
                yield current
            count += 1
            current = ForeignSpan("", f"o{count}", None, found[1])
            current.ended = True
            shape, open_tag = _shape_of(plain[: found.start()]), ""
        elif current is None:
            continue
        elif tag is not None and (not open_tag or shape is not _NO_SHAPE or "." in tag[1]):
            _keep(current, open_tag, parts)
            open_tag, parts = tag[1], [line.partition(f"{tag[1]}=")[2]]
        elif open_tag and (shape is _NO_SHAPE or before is None) and not _is_whole(parts):
            parts.append(line)
        elif plain.strip():
            # A line of another logger: the tags of an operation stand in one piece.
            _keep(current, open_tag, parts)
            yield current
            current, open_tag = None, ""
    if current is not None:
        _keep(current, open_tag, parts)
        yield current


def _keep(span: ForeignSpan, tag: str, parts: list[str]) -> None:
    if tag:
        span.attributes[tag] = _ended("\n".join(parts))


def _is_whole(parts: list[str]) -> bool:
    """Whether nothing more of a value can follow: it ended its colour, or is JSON by itself."""
    if _RESET in parts[-1]:
        return True
    text = "\n".join(parts).strip()
    return text.isdigit() or (text[:1] in ("{", "[") and is_whole(text.encode("utf-8", "replace")))


def _shape_of(prefix: str) -> re.Pattern[str]:
    """Return what matches whatever stands before the messages of this logger: times change."""
    if not prefix:
        return _NO_SHAPE
    parts = (re.escape(part) for part in re.split(r"\d+", prefix[:_LONGEST_PREFIX]))
    return re.compile(r"\d+".join(parts))


def _event_of(line: str) -> str:
    """Return the message of a line of JSON, as structured logs have them; else the line."""
    if line[:1] != "{":
        return line
    try:
        tree = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    event = tree.get("event", tree.get("message")) if isinstance(tree, dict) else None
    return event if isinstance(event, str) else line


def _ended(value: str) -> Any:
    """Return a tag's value without colours and without what structured logs put behind it."""
    text = value.partition(_RESET)[0] if _RESET in value else value
    text = _SPACE_BEFORE_EXTRAS.sub("", _COLOUR.sub("", text)).rstrip()
    return int(text) if text.isdigit() and len(text) < 16 else text


def _nested(spans: list[ForeignSpan]) -> list[ForeignSpan]:
    """Give each operation its parent; return them as they began, parents first."""
    waiting: list[ForeignSpan] = []
    inside: dict[str, list[ForeignSpan]] = {}
    for span in spans:
        children = _children_of(span, waiting)
        if children:
            del waiting[len(waiting) - len(children) :]
            inside[span.id] = children
            for child in children:
                child.parent = span.id
        waiting.append(span)
        _note_failure(span)
    ordered: list[ForeignSpan] = []
    for root in waiting:
        stack = [root]
        while stack:
            span = stack.pop()
            span.trace = root.id
            ordered.append(span)
            stack += reversed(inside.get(span.id, []))
    if len(waiting) > 1 and not any(root.id in inside for root in waiting):
        # Nothing but loose operations: they are shown side by side, in one run.
        for span in ordered:
            span.trace = "log"
    return ordered


def _children_of(span: ForeignSpan, waiting: list[ForeignSpan]) -> list[ForeignSpan]:
    """Return those at the end of what waits that stand inside of an operation."""
    takes = _TAKEN.get(span.name)
    if span.name == _COMPONENT:
        kind = str(span.attributes.get("haystack.component.type", ""))
        limit = 1 if kind.endswith(("Agent", "SuperComponent", "PipelineTool")) else 0
        takes, most = frozenset({_AGENT, *_PIPELINES}), limit
    else:
        most = len(waiting)
    if takes is None:
        return []
    found: list[ForeignSpan] = []
    for each in reversed(waiting):
        if len(found) >= most or each.name not in takes:
            break
        if span.name == _AGENT and each.name == _COMPONENT and not _is_inner(each):
            break
        found.append(each)
    return found[::-1]


def _is_inner(span: ForeignSpan) -> bool:
    return span.attributes.get("haystack.component.name") in _INNER_NAMES


_STEPS = frozenset({"haystack.agent.step.llm", "haystack.agent.step.tool"})
_TAKEN: dict[str, frozenset[str]] = {
    "haystack.pipeline.run": frozenset({_COMPONENT, _AGENT}),
    "haystack.async_pipeline.run": frozenset({_COMPONENT, _AGENT}),
    _AGENT: frozenset({_STEP, _COMPONENT, *_STEPS}),
    _STEP: _STEPS,
}


def _note_failure(span: ForeignSpan) -> None:
    taken, given = _VALUES.get(span.name, ("", ""))
    if taken in span.attributes and given not in span.attributes:
        span.failed = True
        span.message = "It has an input and no output: it raised, and the log does not say what."
