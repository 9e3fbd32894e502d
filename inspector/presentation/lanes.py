"""Where each span sits on the timeline, from top to bottom."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from inspector.presentation.walk import Walk
from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.table import NO_END, NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.runfile.table import SpanTable

_AGENT = KIND_CODE[SpanKind.AGENT]
_STEP = KIND_CODE[SpanKind.STEP]
_HOLDS_AGENT = (KIND_CODE[SpanKind.COMPONENT], KIND_CODE[SpanKind.TOOL])
_NEVER = 2**63 - 1
_NOBODY = -1
_STEPS = -2  # the one name of all steps, whatever each is called
_NOWHERE, _PLAIN, _AGENTS = range(3)
# How many lanes a name is looked for in before it takes any free one.
_MOST_REMEMBERED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """One of several things that ran side by side, with everything inside it."""

    first_lane: int
    lane_count: int
    row: int  # the span that opened it, or its agent
    name_count: int  # how many names ran in its first lane
    is_agent: bool


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lane of every row of a table, and which lanes are branches of their own."""

    of_row: Sequence[int]
    count: int
    branches: tuple[Branch, ...]


def assign_lanes(table: SpanTable, walk: Walk | None = None) -> Lanes:
    """Give each span a lane below the span it happened inside of.

    Spans that overlap in time never share a lane, so a painter can draw a lane
    from left to right without looking at the others. What happens one after
    the other shares lanes; what runs side by side gets lanes of its own, and so
    does every agent among several. Lanes stay put: a name goes back to the lane
    it had under the same parent's lane, and while a run grows, lanes are only
    ever added, so that the order from top to bottom never changes.
    """
    walk = walk or Walk(table)
    starts, ends = _extents(table, walk)
    agents = _agents(table)
    tracks = _Tracks()
    track_of = array("i", bytes(4 * len(table)))
    parent_row, kind, name_code = table.parent_row, table.kind, table.name_code
    # The order of the walk breaks ties, so a parent always has its track first.
    for row in sorted(walk.order, key=starts.__getitem__):
        parent = parent_row[row]
        above = tracks.root if parent == NO_PARENT else tracks.all[track_of[parent]]
        name = _STEPS if kind[row] == _STEP else name_code[row]
        track_of[row] = tracks.take(above, row, name, starts[row], ends[row], agents[row])
    return tracks.laid_out(track_of)


def _extents(table: SpanTable, walk: Walk) -> tuple[Sequence[int], Sequence[int]]:
    """When each span, or anything inside it, began and ended."""
    starts = array("q", table.start_ns)
    ends = array("q", [_NEVER if end == NO_END else end for end in table.end_ns])
    parent_row = table.parent_row
    for row in reversed(walk.order):
        parent = parent_row[row]
        if parent != NO_PARENT:
            if starts[row] < starts[parent]:
                starts[parent] = starts[row]
            if ends[row] > ends[parent]:
                ends[parent] = ends[row]
    return starts, ends


def _agents(table: SpanTable) -> Sequence[int]:
    """Mark agents, and the components and tools that are one."""
    marks = bytearray(len(table))
    parent_row, kind = table.parent_row, table.kind
    for row, code in enumerate(kind):
        if code == _AGENT:
            marks[row] = 1
            parent = parent_row[row]
            if parent != NO_PARENT and kind[parent] in _HOLDS_AGENT:
                marks[parent] = 1
    return marks


@dataclass(slots=True)
class _Track:
    """A lane to be, and what hangs below it."""

    number: int
    row: int
    free: bool = False
    agent: int = _NOBODY
    listed_in: int = _NOWHERE  # the heap below that holds it, though it may no longer be free
    names: set[int] = field(default_factory=set)
    inner: list[_Track] = field(default_factory=list)
    # Of the inner tracks: when the busy ones end, and which are free, agents' apart.
    busy: list[tuple[int, int]] = field(default_factory=list)
    plain: list[int] = field(default_factory=list)
    agents: list[int] = field(default_factory=list)
    by_name: dict[int, list[_Track]] = field(default_factory=dict)


class _Tracks:
    def __init__(self) -> None:
        self.all: list[_Track] = []
        self.root = _Track(-1, -1)

    def take(self, above: _Track, row: int, name: int, start: int, end: int, agent: int) -> int:
        """Return the number of the track below `above` in which a span can run."""
        busy = above.busy
        while busy and busy[0][0] <= start:
            self._release(above, self.all[heappop(busy)[1]])
        track = self._chosen(above, name, agent) or self._new(above, row)
        track.free = False
        if agent and track.agent == _NOBODY:
            track.agent = name
            track.row = row
        if name not in track.names:
            track.names.add(name)
            homes = above.by_name.setdefault(name, [])
            if len(homes) < _MOST_REMEMBERED:
                homes.append(track)
        heappush(busy, (end, track.number))
        return track.number

    def laid_out(self, track_of: Sequence[int]) -> Lanes:
        """Turn tracks into lanes: below each, first what it holds, then its neighbours."""
        lanes = array("i", bytes(4 * len(self.all)))
        sizes = array("i", bytes(4 * len(self.all)))
        waiting = list(reversed(self.root.inner))
        order: list[_Track] = []
        while waiting:
            track = waiting.pop()
            lanes[track.number] = len(order)
            order.append(track)
            waiting.extend(reversed(track.inner))
        for track in reversed(order):
            sizes[track.number] = 1 + sum(sizes[inner.number] for inner in track.inner)
        families = [self.root, *order]
        branches = [
            Branch(
                first_lane=lanes[one.number],
                lane_count=sizes[one.number],
                row=one.row,
                name_count=len(one.names),
                is_agent=one.agent != _NOBODY,
            )
            for family in families
            if len(family.inner) > 1
            for one in family.inner
        ]
        branches.sort(key=lambda branch: branch.first_lane)
        of_row = array("i", [lanes[number] for number in track_of])
        return Lanes(of_row, len(order), tuple(branches))

    def _chosen(self, above: _Track, name: int, agent: int) -> _Track | None:
        """Return a free track: the name's own, else the topmost that it may share."""
        for track in above.by_name.get(name, ()):
            if track.free and not (agent and track.agent not in (name, _NOBODY)):
                return track
        plain = self._topmost(above.plain, _PLAIN)
        if agent:
            return plain
        other = self._topmost(above.agents, _AGENTS)
        if plain is None or other is None:
            return plain or other
        return min(plain, other, key=lambda track: track.number)

    def _topmost(self, heap: list[int], which: int) -> _Track | None:
        # A track may have been taken by its name, or by an agent, since it was put here.
        while heap:
            track = self.all[heap[0]]
            if track.free and track.listed_in == which:
                return track
            heappop(heap)
            if track.listed_in == which:
                track.listed_in = _NOWHERE
        return None

    def _release(self, above: _Track, track: _Track) -> None:
        track.free = True
        which = _PLAIN if track.agent == _NOBODY else _AGENTS
        if track.listed_in != which:
            track.listed_in = which
            heappush(above.plain if which == _PLAIN else above.agents, track.number)

    def _new(self, above: _Track, row: int) -> _Track:
        track = _Track(len(self.all), row)
        self.all.append(track)
        above.inner.append(track)
        return track
