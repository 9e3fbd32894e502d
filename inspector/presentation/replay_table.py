"""The spans of a recording and those that only its replay has, as the rows of one table.

A span of the replay that the recording has, too, stands in the row of its twin; what is new
follows after all rows of the recording. So nothing moves while a replay comes in.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.live_replay import Match
from inspector.presentation.outline import span_label
from inspector.presentation.words import kind_words, one_line
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.presentation.live_replay import LiveReplay, ReplayedSpan
    from inspector.runfile.model import PipelineRun

GHOST = 0
"""The state of a row that only the recording has, so far."""

MATCHES: tuple[Match, ...] = tuple(Match)
STATE_OF: dict[Match, int] = {match: code for code, match in enumerate(MATCHES, 1)}
_SHORTEST_SHARE = 0.01
_FAILED = str(SpanStatus.FAILED)


class Newcomer(NamedTuple):
    """A span that the recording does not have, and where it belongs in the recording's time."""

    parent: int  # a row, or NO_PARENT
    at_ns: int  # the moment of the recording it came at; of no use inside of another newcomer
    length_ns: int


class ReplayTable:
    """Rows of recording and replay together, and how each stands.

    Rows below `recorded` are those of the recording's own table.
    """

    def __init__(self, live: LiveReplay) -> None:
        self.live = live
        table = live.recording.table
        self.recorded = len(table)
        self.states = bytearray(self.recorded)
        self.failed: set[int] = set()  # rows whose span failed in the replay, and where it began
        self._new: list[ReplayedSpan] = []
        self._row_of: dict[str, int] = {}  # rows of new spans by id
        self._parents: list[int] = []
        self._places: list[int] = []
        self._reached: dict[int, int] = {}  # how far the recording's time went, by parent row
        end = live.recording.duration_ns or table.end_of_run()
        self._shortest_ns = max(1, round(end * _SHORTEST_SHARE))

    def __len__(self) -> int:
        return len(self.states)

    @property
    def new_count(self) -> int:
        """How many spans the recording does not have."""
        return len(self._new)

    @property
    def counts(self) -> dict[Match, int]:
        """How many spans of the replay there are of each sort."""
        return {match: self.states.count(code) for match, code in STATE_OF.items()}

    def row_of(self, span: ReplayedSpan) -> int:
        """Return the row in which a span of the replay stands."""
        return span.row if span.row is not None else self._row_of[span.id]

    def span_of(self, row: int) -> ReplayedSpan | None:
        """Return the span of the replay in a row; None where only the recording has one."""
        if row >= self.recorded:
            return self._new[row - self.recorded]
        return self.live.of_row(row)

    def recorded_id(self, row: int) -> str | None:
        """Return the id of the recorded span in a row, if there is one."""
        return self.live.recording.table.id(row) if row < self.recorded else None

    def label(self, row: int) -> str:
        """Return what people call the span in a row."""
        if row < self.recorded:
            return span_label(self.live.recording, row)
        span = self._new[row - self.recorded]
        if span.kind == "step" and span.step is not None:
            return f"step {span.step}"
        return one_line(span.name) or kind_words(span.kind)

    def kind_and_role(self, row: int) -> tuple[str, str]:
        """Return what the span in a row is."""
        span = self.span_of(row)
        if span is not None:
            return span.kind, span.role
        recorded = self.live.recording.spans[row]
        return str(recorded.kind), recorded.role

    def match(self, row: int) -> Match | None:
        """Return how a row stands; None where only the recording has a span, so far."""
        code = self.states[row]
        return None if code == GHOST else MATCHES[code - 1]

    def take(self, numbers: Sequence[int]) -> list[int]:
        """Take note of spans that began, ended or changed; return their rows."""
        spans = self.live.spans
        return [self._take(spans[number]) for number in numbers]

    def _take(self, span: ReplayedSpan) -> int:
        row = span.row if span.row is not None else self._row_of.get(span.id)
        if row is None:
            row = self._add(span)
        self.states[row] = STATE_OF[span.match]
        if span.row is not None and span.end_ns is not None:
            self._reach(row)
        if span.status == _FAILED and not any(
            inner.status == _FAILED for inner in self.live.children(span)
        ):
            self.failed.add(row)
        return row

    def _add(self, span: ReplayedSpan) -> int:
        above = self.live.span(span.parent)
        parent = NO_PARENT if above is None else self.row_of(above)
        row = len(self.states)
        self._row_of[span.id] = row
        self._new.append(span)
        self._parents.append(parent)
        self._places.append(self._place(parent))
        self.states.append(GHOST)
        return row

    def _place(self, parent: int) -> int:
        """Return where in the recording's time something new comes: after what was before it."""
        if not 0 <= parent < self.recorded:
            return 0 if parent == NO_PARENT else self._places[parent - self.recorded]
        table = self.live.recording.table
        at = self._reached.get(parent, table.start_ns[parent])
        end = table.end_ns[parent]
        # Inside of what is around it, also when nothing of that was left.
        return at if end == NO_END else max(table.start_ns[parent], min(at, end - 1))

    def _reach(self, row: int) -> None:
        table = self.live.recording.table
        parent, end = table.parent_row[row], table.end_ns[row]
        if end != NO_END and end > self._reached.get(parent, -1):
            self._reached[parent] = end

    def snapshot(self) -> Snapshot:
        """Return the rows there are now, to be arranged on another thread."""
        return Snapshot(
            self.live.recording, tuple(self._new), tuple(self._parents), tuple(self._places),
            self._shortest_ns,
        )  # fmt: skip

    def table(self) -> SpanTable:
        """Return all rows as a table. New spans have the times of the moment they came at."""
        return self.snapshot().table()

    def newcomers(self) -> list[Newcomer]:
        """Return what the recording does not have, row by row."""
        return self.snapshot().newcomers()


class Snapshot(NamedTuple):
    """The rows of a replay at one moment."""

    recording: PipelineRun
    new: tuple[ReplayedSpan, ...]
    parents: tuple[int, ...]
    places: tuple[int, ...]
    shortest_ns: int

    @property
    def recorded(self) -> int:
        """How many rows are recorded."""
        return len(self.recording.table)

    def newcomers(self) -> list[Newcomer]:
        """Return what the recording does not have, row by row."""
        return [
            Newcomer(parent, at, max(self.shortest_ns, (span.end_ns or 0) - span.start_ns))
            for span, parent, at in zip(self.new, self.parents, self.places, strict=True)
        ]

    def table(self) -> SpanTable:
        """Return all rows as a table. New spans have the times of the moment they came at."""
        old = self.recording.table
        if not self.new:
            return old
        names = list(old.names)
        codes = {name: code for code, name in enumerate(names)}
        columns = {
            name: array(getattr(old, name).typecode, getattr(old, name))
            for name in ("start_ns", "end_ns", "parent_row", "kind", "status", "name_code", "marks")
        }
        depth = array("i", old.depth)
        ids = [*old.ids()]
        for span, parent, at in zip(self.new, self.parents, self.places, strict=True):
            if span.name not in codes:
                codes[span.name] = len(names)
                names.append(span.name)
            row = {
                "start_ns": at,
                "end_ns": at,
                "parent_row": parent,
                "kind": KIND_CODE.get(span.kind, KIND_CODE[SpanKind.OTHER]),
                "status": STATUS_CODE.get(span.status, 0),
                "name_code": codes[span.name],
                "marks": 0,
            }
            for name, value in row.items():
                columns[name].append(value)
            depth.append(0 if parent == NO_PARENT else depth[parent] + 1)
            ids.append(f"+{span.id}")
        nowhere = array("q", bytes(8 * len(ids)))
        return SpanTable(
            **columns, depth=depth, offset=nowhere, length=nowhere, names=names, ids=ids,
        )  # fmt: skip
