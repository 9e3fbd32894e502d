"""A replay as it comes in: its spans, what is held, and what differs from the recording.

It is made from the events of a worker (`replay/protocol.py`), a few at a time, and knows
neither threads nor Qt.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from inspector.runfile.drift import Drift

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from inspector.runfile.model import PipelineRun

_ROOT = ""
_OF_PAUSES = ("paused", "resumed", "edited", "reset")


class Match(StrEnum):
    """How a span of the replay stands to the recording."""

    RUNNING = "running"  # it has not ended, and nothing is known against it
    MATCHED = "matched"  # answered from the recording, or executed without a difference
    AROUND = "around"  # as recorded itself, but for something that happened inside of it
    DRIFTED = "drifted"  # it differs, or the recording has no such call
    EDITED = "edited"  # its result is what a person put in its place
    LIVE = "live"  # it ran for real


_DIFFERENT = (Match.DRIFTED, Match.EDITED, Match.LIVE)


class ReplayedSpan:
    """One span of the replay. `row` is that of its twin in the recording's table, if any."""

    __slots__ = (
        "chunks", "differs_inside", "drifts", "end_ns", "error", "id", "kind", "name", "number",
        "parent", "path", "role", "row", "source", "start_ns", "status", "step", "type", "visit",
    )  # fmt: skip

    def __init__(self, number: int, said: Mapping[str, Any], row: int | None) -> None:
        self.number = number  # its place in `LiveReplay.spans`
        self.row = row
        self.id = str(said.get("id") or f"?{number}")
        self.parent = str(said.get("parent") or _ROOT)
        self.kind = str(said.get("kind") or "other")
        self.name = str(said.get("name") or "")
        self.type = str(said.get("type") or "")
        self.role = str(said.get("role") or "")
        self.path = str(said.get("path") or "")
        self.visit = _whole(said.get("visit"), 1)
        self.step = _whole(said.get("step"), None)
        self.start_ns = _whole(said.get("start_ns"), 0)
        self.end_ns: int | None = None
        self.status = "unfinished"
        self.source = ""
        self.error: tuple[str, str] | None = None  # type, message
        self.chunks = 0
        self.drifts = 0
        self.differs_inside = False  # whether something in it drifted, was edited or ran live

    @property
    def match(self) -> Match:
        """How it stands to the recording, as far as that is known."""
        if self.source == "edited":
            return Match.EDITED
        if self.drifts or (self.row is None and self.kind != "step"):
            return Match.DRIFTED
        if self.source == "live":
            return Match.LIVE
        if self.end_ns is None:
            return Match.RUNNING
        return Match.AROUND if self.differs_inside else Match.MATCHED


class HeldCall(NamedTuple):
    """A call that is being held, as the worker told of it."""

    pause: int
    phase: str  # before, after
    path: str
    visit: int
    kind: str
    name: str
    span_id: str
    source: str
    can_edit: bool
    values: Any  # before a call its inputs by name; after it its result, or an error's tree
    cut: bool  # whether something of the values had to be left out
    raised: bool
    edited: bool = False  # whether a person has set another value, which the worker took
    settled: int = 0  # how often the worker took another value, or the one it came with again
    state: Any = None  # what the agent around it had in its state, if there is one
    because: tuple[str, ...] = ()  # the keys of the breakpoints that hold it
    role: str = ""


class Refusal(NamedTuple):
    """A command that could not be carried out, and why."""

    message: str
    hint: str = ""
    do: str = ""  # the command, as the protocol has it
    pause: int | None = None  # the held call it was about

    @property
    def is_of_value(self) -> bool:
        """Whether it was about what a held call goes on with."""
        return self.do in ("set value", "reset value")


class Advance(NamedTuple):
    """What some events have changed."""

    spans: tuple[int, ...] = ()  # numbers of spans that began, ended or changed
    grew: bool = False  # whether there are more spans than before
    held: bool = False  # whether other calls are held than before
    drifts: tuple[Drift, ...] = ()  # found now
    refused: tuple[Refusal, ...] = ()

    def and_then(self, other: Advance) -> Advance:
        """Return what both have changed."""
        return Advance(
            tuple(dict.fromkeys((*self.spans, *other.spans))), self.grew or other.grew,
            self.held or other.held, (*self.drifts, *other.drifts),
            (*self.refused, *other.refused),
        )  # fmt: skip


if TYPE_CHECKING:
    _Take = Callable[["LiveReplay", Mapping[str, Any]], ReplayedSpan | None]


class LiveReplay:
    """What is known of a replay so far.

    Args:
        recording: What is replayed.
        rows_by_path: The rows of the recording's table by path, as `rows_by_path` of
            `runfile.totals` finds them; made off the GUI thread.

    """

    def __init__(self, recording: PipelineRun, rows_by_path: Mapping[str, int]) -> None:
        self.recording = recording
        self._rows = rows_by_path
        self._spans: list[ReplayedSpan] = []
        self._by_id: dict[str, ReplayedSpan] = {}
        self._by_path: dict[str, ReplayedSpan] = {}
        self._children: dict[str, list[ReplayedSpan]] = {}
        self._of_row: dict[int, ReplayedSpan] = {}
        self._drifts: list[Drift] = []
        self._early: dict[str, int] = {}  # drifts of calls that have no span yet
        self._held: dict[int, HeldCall] = {}
        self.breakpoints: list[int] = []  # numbers that the worker gave, in order
        self.started: Mapping[str, Any] = {}  # what `started` said: target, kind, run
        self.finished: Mapping[str, Any] | None = None  # the last event
        self.is_over = False  # whether nothing more will come, however it ended

    @property
    def spans(self) -> Sequence[ReplayedSpan]:
        """All spans, in the order in which they began."""
        return self._spans

    @property
    def held(self) -> tuple[HeldCall, ...]:
        """The calls that are being held, the oldest first."""
        return tuple(self._held.values())

    @property
    def drifts(self) -> Sequence[Drift]:
        """What was found so far, in order."""
        return self._drifts

    def span(self, span_id: str) -> ReplayedSpan | None:
        """Return a span of the replay by its id."""
        return self._by_id.get(span_id)

    def at(self, path: str) -> ReplayedSpan | None:
        """Return the first span of the replay at a path."""
        return self._by_path.get(path)

    def of_row(self, row: int) -> ReplayedSpan | None:
        """Return what a span of the recording has become in the replay."""
        return self._of_row.get(row)

    def row_at(self, path: str) -> int | None:
        """Return the row of the recording's table at a path."""
        return self._rows.get(path)

    def children(self, span: ReplayedSpan | None) -> Sequence[ReplayedSpan]:
        """Return what began inside of a span; of None, the roots."""
        return self._children.get(_ROOT if span is None else span.id, ())

    def take(self, events: Iterable[Mapping[str, Any]]) -> Advance:
        """Take note of some events, and return what they change. Unknown events are left out."""
        changed: dict[int, None] = {}
        count, found = len(self._spans), len(self._drifts)
        refused: list[Refusal] = []
        held = False
        for event in events:
            word = event.get("event")
            if (take := self._OF_SPANS.get(str(word))) is not None:
                if (span := take(self, event)) is not None:
                    changed[span.number] = None
                    if span.match in _DIFFERENT:
                        self._mark_around(span, changed)
            elif word in _OF_PAUSES:
                held |= self._hold(event)
            elif word == "breakpoint":
                self.breakpoints.append(_whole(event.get("number"), 0))
            elif word == "refused":
                refused.append(_refusal(event))
            elif word == "started":
                self.started = event
            elif word == "finished":
                self.finished = event
                held |= self.let_go()
        return Advance(
            tuple(changed), len(self._spans) > count, held, tuple(self._drifts[found:]),
            tuple(refused),
        )  # fmt: skip

    def close(self) -> bool:
        """Take note that nothing more will come; return whether anything was still held."""
        self.is_over = True
        return self.let_go()

    def _mark_around(self, span: ReplayedSpan, changed: dict[int, None]) -> None:
        """Take note at everything around a span that it is not as it was recorded."""
        above = self._by_id.get(span.parent)
        while above is not None and not above.differs_inside:
            above.differs_inside = True
            changed[above.number] = None
            above = self._by_id.get(above.parent)

    def let_go(self) -> bool:
        """Take note that nothing is held any more."""
        were_held = bool(self._held)
        self._held.clear()
        return were_held

    def _begin(self, said: Mapping[str, Any]) -> ReplayedSpan:
        path = str(said.get("path") or "")
        span = ReplayedSpan(len(self._spans), said, self._rows.get(path))
        span.drifts = self._early.pop(path, 0)
        self._spans.append(span)
        self._by_id[span.id] = span
        self._by_path.setdefault(path, span)
        if span.row is not None:
            self._of_row.setdefault(span.row, span)
        above = span.parent if span.parent in self._by_id else _ROOT
        self._children.setdefault(above, []).append(span)
        return span

    def _end(self, said: Mapping[str, Any]) -> ReplayedSpan | None:
        span = self._by_id.get(str(said.get("id")))
        if span is None:
            return None
        span.end_ns = _whole(said.get("end_ns"), span.start_ns)
        span.status = str(said.get("status") or "ok")
        span.source = str(said.get("source") or "")
        if isinstance(error := said.get("error"), dict):
            span.error = str(error.get("type") or ""), str(error.get("message") or "")
        return span

    def _stream(self, said: Mapping[str, Any]) -> ReplayedSpan | None:
        span = self._by_id.get(str(said.get("id")))
        if span is not None:
            span.chunks += 1
        return span

    def _drift(self, said: Mapping[str, Any]) -> ReplayedSpan | None:
        told = said.get("drift")
        drift = Drift.from_dict(told if isinstance(told, dict) else {})
        self._drifts.append(drift)
        if not drift.counts:
            return None
        span = self._by_path.get(drift.path)
        if span is None:
            self._early[drift.path] = self._early.get(drift.path, 0) + 1
        else:
            span.drifts += 1
        return span

    def _hold(self, said: Mapping[str, Any]) -> bool:
        match said.get("event"):
            case "paused":
                call = _held(said)
                self._held[call.pause] = call
            case "resumed":
                told = said.get("pauses")
                for number in told if isinstance(told, list) else ():
                    self._held.pop(_whole(number, None), None)
            case _:
                number = _whole(said.get("pause"), 0)
                if number not in self._held:
                    return False
                call = self._held[number]
                edited = said.get("event") == "edited"
                self._held[number] = call._replace(edited=edited, settled=call.settled + 1)
        return True

    _OF_SPANS: ClassVar[Mapping[str, _Take]] = {
        "began": _begin,
        "ended": _end,
        "chunk": _stream,
        "drift": _drift,
    }


def _held(said: Mapping[str, Any]) -> HeldCall:
    return HeldCall(
        pause=_whole(said.get("pause"), 0),
        phase=str(said.get("phase") or ""),
        path=str(said.get("path") or ""),
        visit=_whole(said.get("visit"), 1),
        kind=str(said.get("kind") or ""),
        name=str(said.get("name") or ""),
        span_id=str(said.get("id") or ""),
        source=str(said.get("source") or ""),
        can_edit=said.get("can_edit") is not False,
        values=said.get("values"),
        cut=bool(said.get("cut")),
        raised=bool(said.get("raised")),
        state=said.get("state"),
        because=_words(said.get("because")),
        role=str(said.get("role") or ""),
    )


def _refusal(said: Mapping[str, Any]) -> Refusal:
    return Refusal(
        str(said.get("message") or ""), str(said.get("hint") or ""), str(said.get("do") or ""),
        _whole(said.get("pause"), None),
    )  # fmt: skip


def _words(told: Any) -> tuple[str, ...]:
    # A worker that runs what a stranger has written may say anything.
    return tuple(each for each in told if isinstance(each, str)) if isinstance(told, list) else ()


def _whole(value: Any, otherwise: Any) -> Any:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return value if is_whole else otherwise
