"""What a run did to its pipeline's graph: who ran, how long, and what went over which edge."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.graph import OUTSIDE, graph_of
from inspector.runfile.kinds import KIND_CODE, KINDS, STATUS_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.runfile.model import PipelineRun
    from inspector.runfile.table import SpanTable

    Bounds = tuple[int, int]

MOST_LOOKED_INTO = 20_000
"""Of how many visits it is looked up what they sent and received."""

_MOST_ASKED = 200
_FOR_EVER = 2**63 - 1
_FAILED = STATUS_CODE[SpanStatus.FAILED]
_UNFINISHED = STATUS_CODE[SpanStatus.UNFINISHED]
_OWN_NODE = {
    KIND_CODE[kind] for kind in (SpanKind.COMPONENT, SpanKind.LLM, SpanKind.TOOL, SpanKind.AGENT)
}


class Tally:
    """Rows of a table that can be counted within any stretch of time at once."""

    __slots__ = ("_ended", "_ends", "_started", "_starts", "rows")

    def __init__(self, table: SpanTable, rows: Sequence[int]) -> None:
        self.rows = rows
        starts = [table.start_ns[row] for row in rows]
        ends = [_FOR_EVER if (end := table.end_ns[row]) == NO_END else end for row in rows]
        took = [
            0 if end == _FOR_EVER else end - start for start, end in zip(starts, ends, strict=True)
        ]
        by_end = sorted(zip(ends, took, strict=True))
        self._starts = starts
        self._started = [0, *accumulate(took)]
        self._ends = [end for end, _ in by_end]
        self._ended = [0, *accumulate(time for _, time in by_end)]

    def within(self, bounds: Bounds | None) -> tuple[int, int]:
        """Return how many ran in a stretch of time, and the sum of what they took."""
        if bounds is None:
            return len(self.rows), self._started[-1]
        begun = bisect_right(self._starts, bounds[1])
        over = bisect_left(self._ends, bounds[0])
        return begun - over, self._started[begun] - self._ended[over]


class NodeState(NamedTuple):
    """What became of a node in a stretch of time."""

    visits: int
    took_ns: int
    failed: int
    uninvited: int  # visits to which no connection brought anything, though one could have
    is_running: bool


class Traces:
    """A graph and what one run did to it. Made off the window's thread for long runs."""

    def __init__(self, run: PipelineRun, stopped: Callable[[], bool] = lambda: False) -> None:
        self.run = run
        self.graph = graph_of(run.topology)
        self._node_of = array("i", [OUTSIDE]) * len(run.table)
        self._own: list[list[int]] = [[] for _ in self.graph.nodes]
        self._find_visits(stopped)
        table = run.table
        self._sent: dict[int, frozenset[str] | None] = {}
        self.is_partial = False  # there were too many visits to look up what each of them sent
        self._uninvited: list[list[int]] = [[] for _ in self.graph.nodes]
        self._withheld = [False] * len(self.graph.edges)
        over: list[list[int]] = [[] for _ in self.graph.edges]
        self._find_deliveries(over, stopped)
        self.visits = [Tally(table, rows) for rows in self._own]
        self.deliveries = [Tally(table, rows) for rows in over]
        self._failures = [
            Tally(table, [row for row in rows if table.status[row] == _FAILED])
            for rows in self._own
        ]
        self._uninvited_visits = [Tally(table, rows) for rows in self._uninvited]
        running = run.status == "running"
        self._is_running = [
            running and any(table.status[row] == _UNFINISHED for row in rows[-1:])
            for rows in self._own
        ]

    def node_of(self, row: int) -> int | None:
        """Return the node that a span stands for or happened inside of."""
        number = self._node_of[row] if 0 <= row < len(self._node_of) else OUTSIDE
        return None if number == OUTSIDE else number

    def state(self, node: int, bounds: Bounds | None) -> NodeState:
        """Return what became of a node in a stretch of time."""
        count, took_ns = self.visits[node].within(bounds)
        return NodeState(
            count,
            took_ns,
            self._failures[node].within(bounds)[0],
            self._uninvited_visits[node].within(bounds)[0],
            self._is_running[node],
        )

    def passed(self, edge: int, bounds: Bounds | None) -> int:
        """Return how many values went over an edge in a stretch of time."""
        return self.deliveries[edge].within(bounds)[0]

    def was_withheld(self, edge: int) -> bool:
        """Say whether the sender ran and is known to have put nothing out there."""
        return self._withheld[edge]

    def rows_within(self, rows: Sequence[int], bounds: Bounds | None) -> list[int]:
        """Return those rows that ran in a stretch of time."""
        if bounds is None:
            return list(rows)
        table = self.run.table
        return [
            row
            for row in rows
            if table.start_ns[row] <= bounds[1]
            and (table.end_ns[row] == NO_END or table.end_ns[row] >= bounds[0])
        ]

    def _find_visits(self, stopped: Callable[[], bool]) -> None:
        table, graph = self.run.table, self.graph
        kind, parent_row = table.kind, table.parent_row
        rows: Sequence[int] = range(len(table))
        if any(above > row for row, above in enumerate(parent_row)):
            rows = sorted(rows, key=lambda row: table.depth[row])
        for row in rows:
            if not row % 4096 and stopped():
                return
            above = parent_row[row]
            scope = OUTSIDE if above == NO_PARENT else self._node_of[above]
            self._node_of[row] = scope
            if kind[row] not in _OWN_NODE:
                continue
            own = self._own_node(row, scope, KINDS[kind[row]], table.name(row))
            if own is not None:
                self._node_of[row] = own
                while len(self._own) < len(graph.nodes):
                    self._own.append([])
                self._own[own].append(row)
        for own_rows in self._own:
            own_rows.sort()

    def _own_node(self, row: int, scope: int, kind: SpanKind, name: str) -> int | None:
        graph = self.graph
        if kind is SpanKind.AGENT:
            # An agent that is a component is counted as that. One that runs alone is not.
            if scope != OUTSIDE or self.run.table.parent_row[row] != NO_PARENT:
                return None
            kind = SpanKind.COMPONENT
            if len(graph.outermost) == 1:
                return graph.outermost[0]
        found = graph.find(scope, kind, name)
        if found is not None or kind is not SpanKind.TOOL or scope == OUTSIDE:
            return found
        # Not among the tools that the agent was built with: one of a toolset.
        return graph.add_tool(scope, name).number if graph.nodes[scope].is_agent else None

    # What went over edges

    def _find_deliveries(self, over: list[list[int]], stopped: Callable[[], bool]) -> None:
        graph, parent_row = self.graph, self.run.table.parent_row
        coming: list[list[int]] = [[] for _ in graph.nodes]
        for number, edge in enumerate(graph.edges):
            if edge.is_call:
                over[number] = self._own[edge.receiver]
            else:
                coming[edge.receiver].append(number)
        families: dict[tuple[int, int], list[int]] = {}
        for node, rows in enumerate(self._own):
            for row in rows:
                families.setdefault((parent_row[row], node), []).append(row)
        receiving = sorted(
            row for node, rows in enumerate(self._own) if coming[node] for row in rows
        )
        for row in receiving[:MOST_LOOKED_INTO]:
            if stopped():
                return
            self._look_into(row, coming[self._node_of[row]], families, over)
        self.is_partial = len(receiving) > MOST_LOOKED_INTO
        for number, edge in enumerate(graph.edges):
            rows = self._own[edge.sender][:_MOST_ASKED]
            if rows and not edge.is_call and not over[number]:
                self._withheld[number] = all(self._lacks(row, edge.output) for row in rows)

    def _look_into(
        self,
        row: int,
        coming: Sequence[int],
        families: Mapping[tuple[int, int], list[int]],
        over: list[list[int]],
    ) -> None:
        """Find out over which edges a visit got something, and whether any kept it waiting."""
        graph, table = self.graph, self.run.table
        senders = self.run.spans[row].senders
        came = refused = False
        for number in coming:
            edge = graph.edges[number]
            sent_by = families.get((table.parent_row[row], edge.sender), [])
            last = self._last_before(sent_by, table.start_ns[row])
            if last is None:
                continue
            if self._lacks(last, edge.output):
                refused = True
            elif senders is None or _names(senders.get(edge.input), graph.nodes[edge.sender].name):
                over[number].append(row)
                came = True
        if refused and not came:
            self._uninvited[self._node_of[row]].append(row)

    def _last_before(self, rows: Sequence[int], at_ns: int) -> int | None:
        table = self.run.table
        place = bisect_right(rows, at_ns, key=table.start_ns.__getitem__)
        for row in reversed(rows[max(0, place - 8) : place]):
            if table.end_ns[row] != NO_END and table.end_ns[row] <= at_ns:
                return row
        return None

    def _lacks(self, row: int, output: str) -> bool:
        """Say whether a visit is known to have put nothing out at a socket."""
        if row not in self._sent:
            self._sent[row] = self._sockets_sent(row)
        sent = self._sent[row]
        return sent is not None and output not in sent

    def _sockets_sent(self, row: int) -> frozenset[str] | None:
        span = self.run.spans[row]
        if span.status is not SpanStatus.OK:
            return None
        outputs = span.raw.get("outputs")
        if isinstance(outputs, Mapping) and any(str(key).startswith("$") for key in outputs):
            outputs = span.outputs  # kept elsewhere, or with names that need care
        if not isinstance(outputs, Mapping) or "$" in outputs:
            return None
        return frozenset(str(name) for name in outputs)


def _names(senders: object, name: str) -> bool:
    return isinstance(senders, (list, tuple)) and name in senders
