"""A run as the tree a person opens branch by branch: component, visit, agent step, call."""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import TYPE_CHECKING

from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = 0
_COMPONENT = KIND_CODE[SpanKind.COMPONENT]
_FAILED = STATUS_CODE[SpanStatus.FAILED]
_FOR_EVER = 2**63 - 1


class RunTree:
    """Spans by what they happened inside of; visits of one component under one node.

    Nodes are numbers, made when a branch is first looked into, so that a run of
    a million spans opens at once. Node 0 is the invisible root. A node stands
    for one span, or for all visits of a component that ran more than once.

    With `bounds`, only what happened in that stretch of time, or holds
    something that did, is in the tree.
    """

    def __init__(self, table: SpanTable, bounds: tuple[int, int] | None = None) -> None:
        self._table = table
        self._bounds = bounds
        self._parents: list[int] = [ROOT]
        self._places: list[int] = [0]
        self._rows: list[int] = [NO_PARENT]
        self._visits: dict[int, Sequence[int]] = {}
        self._children: dict[int, Sequence[int]] = {}
        self._node_of: dict[int, int] = {}

    def children(self, node: int) -> Sequence[int]:
        """Return the nodes below `node`, in the order in which they first started."""
        if node not in self._children:
            self._children[node] = self._make_children(node)
        return self._children[node]

    def has_children(self, node: int) -> bool:
        """Say whether there is anything below `node`, without making it."""
        if node in self._visits:
            return True
        if self._bounds is not None:
            return bool(self.children(node))
        return bool(len(self._table.children(self._rows[node])))

    def parent(self, node: int) -> int:
        """Return the node above; the root is above itself."""
        return self._parents[node]

    def place(self, node: int) -> int:
        """Return the position of `node` among its siblings."""
        return self._places[node]

    def row(self, node: int) -> int | None:
        """Return the row of the node's span; `None` for the root and for visits."""
        row = self._rows[node]
        return None if row == NO_PARENT else row

    def visits(self, node: int) -> Sequence[int]:
        """Return the rows of the visits a node gathers; empty for a single span."""
        return self._visits.get(node, ())

    def node_of(self, row: int) -> int | None:
        """Return the node of a span, or `None` where the bounds leave it out."""
        path = [row]
        while (above := self._table.parent_row[path[-1]]) != NO_PARENT:
            path.append(above)
        for step in reversed(path):
            if step not in self._node_of:
                above = self._table.parent_row[step]
                self._look_into(ROOT if above == NO_PARENT else self._node_of[above])
            if step not in self._node_of:
                return None
        return self._node_of[row]

    def failed_inside(self, node: int) -> bool:
        """Say whether something below `node` failed."""
        if visits := self._visits.get(node):
            status = self._table.status
            return any(status[row] == _FAILED or row in self._around_failures for row in visits)
        return self._rows[node] in self._around_failures

    @cached_property
    def shown(self) -> int:
        """How many spans happened within the bounds."""
        table = self._table
        if self._bounds is None:
            return len(table)
        first, last = self._bounds
        return sum(
            start <= last and (end == NO_END or end >= first)
            for start, end in zip(table.start_ns, table.end_ns, strict=True)
        )

    def _look_into(self, node: int) -> None:
        for child in self.children(node):
            if child in self._visits:
                self.children(child)

    def _make_children(self, node: int) -> Sequence[int]:
        if visits := self._visits.get(node):
            return array("q", [self._add(node, place, row) for place, row in enumerate(visits)])
        rows = [row for row in self._table.children(self._rows[node]) if self._is_kept(row)]
        return array(
            "q",
            [
                self._add(node, place, gathered[0], gathered)
                for place, gathered in enumerate(self._gathered(rows))
            ],
        )

    def _gathered(self, rows: Sequence[int]) -> Sequence[Sequence[int]]:
        kind, name_code = self._table.kind, self._table.name_code
        by_name: dict[int, list[int]] = {}
        ordered: list[list[int]] = []
        for row in rows:
            if kind[row] != _COMPONENT:
                ordered.append([row])
            elif (known := by_name.get(name_code[row])) is not None:
                known.append(row)
            else:
                by_name[name_code[row]] = made = [row]
                ordered.append(made)
        return ordered

    def _add(self, parent: int, place: int, row: int, gathered: Sequence[int] = ()) -> int:
        node = len(self._rows)
        self._parents.append(parent)
        self._places.append(place)
        if len(gathered) > 1:
            self._rows.append(NO_PARENT)
            self._visits[node] = gathered
        else:
            self._rows.append(row)
            self._node_of[row] = node
        return node

    def _is_kept(self, row: int) -> bool:
        if self._bounds is None:
            return True
        first, last = self._bounds
        starts, ends = self._extents
        return starts[row] <= last and ends[row] >= first

    @cached_property
    def _extents(self) -> tuple[array[int], array[int]]:
        """For every row when it or anything inside it first started and last ended.

        A span can outlive the one it started in: a stream that is read later,
        a thread that was not waited for.
        """
        table = self._table
        starts = array("q", table.start_ns)
        ends = array("q", [_FOR_EVER if end == NO_END else end for end in table.end_ns])
        for row in range(len(table) - 1, -1, -1):
            start, end, above = starts[row], ends[row], table.parent_row[row]
            while above != NO_PARENT and (starts[above] > start or ends[above] < end):
                starts[above] = min(starts[above], start)
                ends[above] = max(ends[above], end)
                above = table.parent_row[above]
        return starts, ends

    @cached_property
    def _around_failures(self) -> set[int]:
        table = self._table
        around: set[int] = set()
        for row, status in enumerate(table.status):
            if status != _FAILED:
                continue
            above = table.parent_row[row]
            while above != NO_PARENT and above not in around:
                around.add(above)
                above = table.parent_row[above]
        return around
