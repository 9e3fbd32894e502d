"""One run while it is being recorded, and its spans while they are open.

Nothing here knows Haystack. The tracer and the wrappers call `begin`, `set`, `chunk`,
`fail` and `end` from the host's own threads, so all of these are short, and none of
them ever raises: what could not be recorded is noted on the span instead.
"""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar
from threading import get_ident
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, ClassVar

from inspector.recording import assembly
from inspector.recording.guest import complain
from inspector.recording.stopped import was_stopped
from inspector.runfile.roles import is_haystacks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.recording.capture import Capture
    from inspector.recording.pricing import Priced
    from inspector.recording.spending import Spending
    from inspector.recording.toolcalls import ToolCalls
    from inspector.runfile.journal import RunWriter
    from inspector.runfile.usage import Usage

# The innermost span of this thread or task.
CURRENT: ContextVar[LiveSpan | None] = ContextVar("inspector_current_span", default=None)

_MAIN_THREAD = threading.main_thread().ident


class LiveSpan:
    """One operation that is going on. Made by a `Recording`, and by nobody else.

    Its first record is held back until its inputs are known, which Haystack tells
    right after it opened the span: one record less for nearly every span.
    """

    # What most spans never need stands on the class: setting it costs on every span.
    id: str | None = None  # given by the writer's thread, like the next four
    path = scope = ""
    visit = 1
    visits: dict[str, int] | None = None
    counted = True  # whether the visit always stands in the path
    stopped_ns: int | None = None  # when it handed over its result, before we encoded it
    end_ns: int | None = None
    status = "ok"
    tags: dict[str, Any] | None = None  # Haystack's tags that have no field of their own
    channels: dict[str, str] | None = None
    claimed: object | None = None  # the instance whose wrapper took this span
    at_end: Callable[[LiveSpan], None] | None = None  # what to do before the last record
    leaks = False  # it may be current in code that is not inside it
    peculiar = False  # what opens inside it may not belong there: look closely
    unsure = False  # code of the user runs in it, and may change what was encoded
    usage_below = False  # a span inside it reported the usage
    reply_known = False  # what its model says of itself needs no look: a replay gave the reply
    chunk_usage: dict[str, Any] | None = None
    used: list[dict[str, Any]] | None = None  # what its model reported, in the model's words
    spent = False  # it, or a call inside it, was counted against the budget
    counted_below = False  # the writer's: a call inside it is in the estimate
    asked: dict[str, str] | None = None  # the writer's: settings that its price depends on
    calls: ToolCalls | None = None
    facts: Any = None  # what the tracer remembers about it
    given: assembly.Given | None = None  # what a component got
    result: list[int] | None = None  # the identities of what it returned

    def __init__(
        self, recording: Recording, kind: str, operation: str, name: str,
        parent: LiveSpan | None, segment: str, role: str, type: str,  # noqa: A002
    ) -> None:  # fmt: skip
        self.start_ns = perf_counter_ns() - recording.zero_ns
        self.recording = recording
        self.kind = kind
        self.operation = operation
        self.name = name
        self.parent = parent
        self.segment = segment
        self.role = role
        self.type = type
        self.head: dict[str, Any] | None = {}  # None once the first record is on its way
        self.fields: dict[str, Any] = {}  # what goes with the last record

    def open(self) -> None:
        """Send the first record, with whatever is known by now."""
        head, self.head = self.head, None
        if head is None:
            return
        recording, parent = self.recording, self.parent
        if parent is None:
            recording.inputs = head.get("inputs")
        elif parent.head is not None:
            parent.open()
        if recording.finished:
            return
        recording.open_spans.add(self)
        recording.writer.do(assembly.start, self, head, place_of_thread(recording))

    def set(self, field: str, value: Any, *, channel: str = "tracer", how: str = "at_once") -> None:
        """Record one field, encoded now; `how="memo"` for what cannot change any more."""
        try:
            capture = self.recording.capture
            tree = capture.memo(value) if how == "memo" else capture.at_once(value)
            self.put(field, tree, channel=channel)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self.miss(field, error)

    def put(self, field: str, tree: Any, *, channel: str = "tracer") -> None:
        """Record one field that is a value tree already."""
        if self.head is not None:
            fields = self.head
            fields[field] = tree
        else:
            fields = {field: tree}
        if channel != "tracer":
            channels = self.channels = {**(self.channels or {}), field: channel}
            fields["channels"] = channels
        if field == "type":
            self.type = tree
        elif field == "role":
            self.role = tree
        if self.head is None:
            if field == "inputs" and self.parent is None:
                self.recording.inputs = tree
            self.recording.writer.do(assembly.update, self, fields)

    def note_channel(self, field: str, channel: str) -> None:
        """Say where a field comes from that is known from elsewhere than Haystack's tracing."""
        self.channels = {**(self.channels or {}), field: channel}

    def chunk(self, chunk: Any) -> None:
        """Record a streamed chunk with the time of its arrival."""
        try:
            recording = self.recording
            at_ns = perf_counter_ns() - recording.zero_ns
            if self.head is not None:
                self.open()
            tree = recording.capture.chunk(chunk)
            recording.writer.do(assembly.chunk, self, at_ns, tree)
            meta = getattr(chunk, "meta", None)
            if isinstance(meta, dict) and (usage := meta.get("usage")) and isinstance(usage, dict):
                known = {key: figure for key, figure in usage.items() if figure is not None}
                self.chunk_usage = {**(self.chunk_usage or {}), **known}
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self.miss("chunks", error)

    def fail(self, error: BaseException, *, channel: str = "tracer") -> None:
        """Keep the exception with its causes. Whoever knew it first knew it best."""
        try:
            if self is self.recording.root:
                self.recording.error = error
            if self.status == "ok":
                self.status = "canceled" if was_stopped(error) else "failed"
            if "error" not in self.fields:
                self.fields["error"] = self.recording.capture.error(error)
                if channel != "tracer":
                    self.channels = {**(self.channels or {}), "error": channel}
        except Exception as trouble:  # noqa: BLE001 - a guest never raises into its host
            self.miss("error", trouble)

    def miss(self, field: str, why: BaseException | str) -> None:
        """Note that a field could not be recorded."""
        try:
            words = why if isinstance(why, str) else f"{type(why).__name__}: {why}"
            missed = self.fields.setdefault("not_recorded", {})
            missed.setdefault(field, words[:300])
            complain(f"A value of {self.name!r} ({field}) was not recorded", why)
        except Exception as error:  # noqa: BLE001 - the last resort: stay silent in the file
            complain("A span could not say what it missed", error)

    def end(self, status: str | None = None) -> None:
        """Send the last record. Whatever comes later is ignored."""
        if self.end_ns is not None:
            return
        if self.at_end is not None:
            self._before_end(self.at_end)
        try:
            recording = self.recording
            end_ns = self.stopped_ns
            if end_ns is None:
                end_ns = perf_counter_ns() - recording.zero_ns
            self.end_ns = end_ns
            if self.head is not None:
                self.open()
            if status is not None:
                self.status = status
            fields = self.fields
            if self.tags is not None:
                fields["tags"] = self.tags
            if self.channels is not None:
                fields["channels"] = self.channels
                recording.channels.update(self.channels.values())
            self.claimed = self.calls = None  # the host's: nobody here lets go of them last
            if self.unsure:
                recording.capture.dirty(likely=self.kind not in ("llm", "component"))
            if not recording.finished:
                recording.open_spans.discard(self)
                recording.writer.do(assembly.end, self, fields)
                if self is recording.root and recording.on_root_end is not None:
                    recording.on_root_end(recording, self)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain(f"The end of {self.name!r} was not recorded", error)

    def _before_end(self, at_end: Callable[[LiveSpan], None]) -> None:
        self.at_end = None
        try:
            at_end(self)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            self.miss("outputs", error)


class Expected:
    """The span of Haystack that a root, opened before it, will stand for."""

    __slots__ = ("fill", "marker", "operation", "tag")

    def __init__(
        self, operation: str, tag: str, marker: object,
        fill: Callable[[Recording, LiveSpan, dict[str, Any]], None],
    ) -> None:  # fmt: skip
        self.operation = operation
        self.tag = tag  # its value is this very object, when it is the expected span
        self.marker = marker
        self.fill = fill

    def is_it(self, operation: str, tags: dict[str, Any]) -> bool:
        """Say whether a span is the expected one, and not one that a warm-up opens."""
        return operation == self.operation and tags.get(self.tag) is self.marker


class Recording:
    """One run being recorded."""

    # The tracer puts in its own class, whose instances Haystack can be handed.
    span_class: ClassVar[type[LiveSpan]] = LiveSpan

    def __init__(
        self, run_id: str, kind: str, name: str, *, writer: RunWriter, capture: Capture,
        zero_ns: int | None = None,
    ) -> None:  # fmt: skip
        self.run_id = run_id
        self.kind = kind
        self.name = name
        self.writer = writer
        self.capture = capture
        self.zero_ns = perf_counter_ns() if zero_ns is None else zero_ns
        self.root: LiveSpan | None = None
        self.mode = "sync"
        self.finished = False
        self.open_spans: set[LiveSpan] = set()
        self.usages: list[Usage] = []  # the writer's
        self.calls: list[Priced] = []  # the writer's
        self.tiers: dict[Any, dict[str, str]] = {}  # the writer's: of settings it has met
        self.definition: Any = None  # of what runs, as in the file
        self.started_at: str | None = None
        self.spending: Spending | None = None  # where the run has a budget
        self.not_recorded: list[dict[str, str]] = []
        self.channels = {"tracing"}
        self.extensions: dict[str, Any] = {}  # what others say in the run header
        self.made_by: dict[str, Any] = {}  # what the run header says of the recorder
        self.path: Path | None = None  # of the file, where there will be one
        self.inputs: Any = None  # the root's, for the run header
        self.error: BaseException | None = None  # the root's, until the run is finished
        self.target: Any = None  # the pipeline, agent or component that runs, where known
        self.expects: Expected | None = None  # the span of Haystack that the root stands for
        self.on_root_end: Callable[[Recording, LiveSpan], None] | None = None
        self.on_inner_run: Callable[[str, Any], None] | None = None  # by operation and tags
        self.replay: Any = None  # what answers the calls, when this run is a replay
        self.count = 0  # of spans; the writer's

    def begin(
        self, kind: str, *, operation: str, name: str, parent: LiveSpan | None, segment: str,
        role: str = "other", type: str = "", counted: bool = True, **fields: Any,  # noqa: A002
    ) -> LiveSpan:  # fmt: skip
        """Open a span now; `segment` is its part of the path, such as `inner:Ranker`.

        The visit is appended: always when `counted`, else from the second one on. What
        comes in `fields` are value trees.
        """
        live = self.span_class(self, kind, operation, name, parent, segment, role, type)
        if not counted:
            live.counted = False
        live.unsure = bool(type) and not is_haystacks(type)
        if fields and live.head is not None:
            live.head.update(fields)
        live.open()
        return live

    def prepare(
        self, kind: str, operation: str, name: str, parent: LiveSpan | None, segment: str,
        role: str = "other", type: str = "",  # noqa: A002
    ) -> LiveSpan:  # fmt: skip
        """Open a span whose first record waits for `LiveSpan.open`."""
        return self.span_class(self, kind, operation, name, parent, segment, role, type)

    def count_above(self, live: LiveSpan) -> None:
        """Note that a leaf call reported its usage: nothing above it counts it again."""
        above = live.parent
        while above is not None and not above.usage_below:
            above.usage_below = True
            above = above.parent

    def instance_of(self, live: LiveSpan) -> Any:
        """Return the component that a span stands for, as far as the target leads to it."""
        if live.claimed is not None:
            return live.claimed
        if live is self.root and live.kind != "pipeline":
            return self.target
        if live.kind != "component" or live.parent is None:
            return None
        pipeline = self._pipeline_of(live.parent)
        nodes = getattr(getattr(pipeline, "graph", None), "nodes", None)
        node = nodes.get(live.name) if nodes is not None else None
        return None if node is None else node.get("instance")

    def _pipeline_of(self, live: LiveSpan) -> Any:
        if live is self.root or (
            live.parent is self.root and self.root is not None and self.root.kind == "other"
        ):
            return self.target  # also where it runs inside of an attempt
        owner = None if live.parent is None else self.instance_of(live.parent)
        return getattr(owner, "pipeline", None)

    def leave_out(self, what: str, why: str) -> None:
        """Note for the file what this run lacks, once."""
        note = {"what": what, "why": why}
        if note not in self.not_recorded:
            self.not_recorded.append(note)


def place_of_thread(recording: Recording) -> str | None:
    """Name the thread, when it is not the main one, or else the task."""
    if get_ident() == _MAIN_THREAD:
        if recording.mode == "sync":
            return None
    else:
        return threading.current_thread().name
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return None
    return None if task is None else task.get_name()


def _nobodys() -> LiveSpan:
    recording = Recording("", "", "", writer=None, capture=None)  # type: ignore[arg-type]  # nobody writes it
    recording.finished = True
    return LiveSpan(recording, "other", "", "", None, "", "other", "")


# Stands for the inside of a run that nobody keeps: what runs in there is no run of its own.
NOBODYS = _nobodys()
