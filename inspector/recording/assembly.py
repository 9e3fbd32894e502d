"""Making the records of a run's spans, on the writer's thread.

The host's threads only hand over what they saw, in order. Numbering spans, spelling their
paths and saying who sent what takes longer than that, and needs nothing of the host's:
where one of its objects counts, its identity is handed over, never the object, which
could otherwise be let go last, and be finalised, on a thread that is none of its own.

Each function here is a piece of work in the writer's queue: it gets the queue's record,
which begins with the writer and the function itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.recording.paths import AGENT_SEGMENT, escaped
from inspector.recording.pricing import asked_in, estimate_of, take
from inspector.recording.replies import MODEL_ROLES, as_fields, usage_of
from inspector.runfile.usage import total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.recording.session import LiveSpan


class PipelineFacts:
    """What the components of one pipeline run need to know about it."""

    __slots__ = ("by_caller", "models", "seen", "sent")

    def __init__(self, data: Any) -> None:
        # Which sockets the caller gave a value to.
        self.by_caller: dict[str, frozenset[str]] = {}
        if isinstance(data, dict):
            self.by_caller = {
                name: frozenset(inputs) for name, inputs in data.items() if isinstance(inputs, dict)
            }
        self.sent: dict[int, str] = {}  # who sent the object of this identity last
        self.models: dict[str, str] = {}  # what answered in a component: its LLM or embedder
        self.seen: dict[str, Mapping[str, Any]] = {}  # the tags of each component that ran


class Given(NamedTuple):
    """Which sockets of a component got something, and which objects where several may send."""

    sockets: tuple[str, ...]
    parts: dict[str, list[int]]


def given_to(inputs: Mapping[str, Any], spec: Mapping[str, Any]) -> Given:
    """Look at the inputs of a component, on the host's thread."""
    parts = _NOTHING
    for socket, value in inputs.items():
        if socket in spec and len(spec[socket]["senders"]) > 1:
            inside = map(id, value) if type(value) in (list, tuple) else ()
            parts = {**parts, socket: [id(value), *inside]}
    return Given(tuple(inputs), parts)


_NOTHING: dict[str, list[int]] = {}


def start(record: tuple[Any, ...]) -> None:
    """Take the start of a span: `(writer, start, live, head, thread)`."""
    writer, _, live, head, thread = record
    parent = _above(live)
    if live.id is None:
        number(live)
    span = {
        "id": live.id,
        "parent": None if parent is None else parent.id,
        "kind": live.kind,
        "operation": live.operation,
        "name": live.name,
        "type": live.type,
        "role": live.role,
        "path": live.path,
        "visit": live.visit,
        "start_ns": live.start_ns,
    }
    if not live.type:
        del span["type"]
    if thread is not None:
        span["thread"] = thread
    if live.given is not None:
        _connections(live, live.given, span)
    if head:
        span.update(head)
        if live.role in MODEL_ROLES:
            live.asked = asked_in(head, live.recording)
    writer.started(span)


def number(live: LiveSpan) -> None:
    """Give a span its id and its path. A replay needs them before anything is written."""
    recording = live.recording
    recording.count += 1
    live.id = f"s{recording.count}"
    parent = _above(live)
    if parent is None:
        live.path = live.scope = ""
    else:
        _place(live, parent)


def _above(live: LiveSpan) -> LiveSpan | None:
    parent = live.parent
    while parent is not None and parent.id is None:
        parent = parent.parent  # its start was lost, as the queue was full
    return parent


def update(record: tuple[Any, ...]) -> None:
    """Take more of a span: `(writer, update, live, fields)`."""
    writer, _, live, fields = record
    if live.asked is None and live.role in MODEL_ROLES:
        live.asked = asked_in(fields, live.recording)
    if live.id is not None:
        writer.updated(live.id, fields)


def chunk(record: tuple[Any, ...]) -> None:
    """Take a chunk of a span's stream: `(writer, chunk, live, at_ns, tree)`."""
    writer, _, live, at_ns, tree = record
    if live.id is not None:
        writer.chunked(live.id, at_ns, tree)


def end(record: tuple[Any, ...]) -> None:
    """Take the end of a span: `(writer, end, live, fields)`."""
    writer, _, live, fields = record
    facts = None if live.parent is None else live.parent.facts
    if live.result is not None and type(facts) is PipelineFacts:
        facts.sent.update(dict.fromkeys(live.result, live.name))
    usage = None
    if live.used is not None:
        usage = usage_of(live.used, live.type)
        if usage is not None:
            live.recording.usages.append(usage)
            fields["usage"] = as_fields(usage, with_raw=True)
    take(live, usage, fields)
    if live.id is not None:
        writer.ended(live.id, live.end_ns, live.status, fields)


def left_open(record: tuple[Any, ...]) -> None:
    """Take that a span had not ended when the run did: `(writer, left_open, live)`."""
    _, _, live = record
    take(live, None, live.fields)


def sum_up(record: tuple[Any, ...]) -> None:
    """Add up what the calls used and cost, when all have ended.

    The record is `(writer, sum_up, recording, spending)`.
    """
    writer, _, recording, spending = record
    fields: dict[str, Any] = {}
    usage = total(recording.usages)
    if usage is not None:
        fields["usage"] = as_fields(usage, with_raw=False)
    cost = estimate_of(recording.calls, recording.definition, recording.started_at)
    if cost is not None:
        fields["cost_estimate"] = cost
    if spending is not None:
        fields["budget"] = spending.said()
    if fields:
        writer.noted(fields)


def _place(live: LiveSpan, parent: LiveSpan) -> None:
    """Count the visit and spell the path."""
    segment, visits = live.segment, parent.visits
    if visits is None:
        visits = parent.visits = {}
    live.visit = visit = visits.get(segment, 0) + 1
    visits[segment] = visit
    if live.counted or visit > 1:
        segment = f"{segment}#{visit}"
    if "/" in segment:
        segment = escaped(segment)
    scope = parent.scope
    live.path = live.scope = f"{scope}/{segment}" if scope else segment
    if segment == AGENT_SEGMENT and live.kind == "agent":
        # What the agent does counts as done by the component that holds it.
        live.scope, live.visits = scope, visits


def _connections(live: LiveSpan, given: Given, span: dict[str, Any]) -> None:
    """Say who sent each input of a component, and who gets its outputs."""
    tags = live.facts
    outputs = tags.get("haystack.component.output_spec") or {}
    if to := {socket: list(to) for socket, spec in outputs.items() if (to := spec["receivers"])}:
        span["receivers"] = to
    facts = None if live.parent is None else live.parent.facts
    known = facts if type(facts) is PipelineFacts else None
    span["senders"] = _senders(live.name, tags, given, known)


def _senders(
    name: str, tags: Mapping[str, Any], given: Given, facts: PipelineFacts | None
) -> dict[str, list[str | None]]:
    """Name the senders of each input; one that nobody sent is a default, and is left out."""
    spec = tags.get("haystack.component.input_spec") or {}
    by_caller = () if facts is None else facts.by_caller.get(name, ())
    senders: dict[str, list[str | None]] = {}
    for socket in given.sockets:
        known = spec[socket]["senders"] if socket in spec else ()
        if not known:
            if facts is None or socket in by_caller:
                senders[socket] = [None]
        elif facts is None or socket not in given.parts:
            senders[socket] = list(known)
        else:
            # Of several possible senders, those whose very output this is, in their order.
            found = (facts.sent.get(part) for part in given.parts[socket])
            actual = [sender for sender in dict.fromkeys(found) if sender in known]
            senders[socket] = list(actual or known)
    return senders
