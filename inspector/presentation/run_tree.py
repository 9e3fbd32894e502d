"""A run as the tree a person opens branch by branch: component, visit, agent step, call."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from functools import cache, cached_property
from itertools import compress
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.narrowing import with_parents
from inspector.runfile.kinds import KIND_CODE, STATUS_CODE, SpanKind, SpanStatus
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    Bounds = tuple[int, int]
    # The rows that one node stands for: a span, or all visits of a component.
    Family = Sequence[int]

ROOT = 0
PAGE = 1_000
"""More nodes than this below one are shown in pages: a view lays out all that stand together."""

_COMPONENT = KIND_CODE[SpanKind.COMPONENT]
_AGENT = KIND_CODE[SpanKind.AGENT]
_FAILED = STATUS_CODE[SpanStatus.FAILED]
_FOR_EVER = 2**63 - 1
_FEW_NAMES = 64  # that it is quicker to look for one by one


@cache
def _only(code: int) -> bytes:
    """Return what turns one byte into 1, and all others into 0."""
    return bytes(int(each == code) for each in range(256))


_IS_COMPONENT = _only(_COMPONENT)
_IS_OTHER = bytes(1 - each for each in _IS_COMPONENT)


class Key(NamedTuple):
    """Names a node across trees of the same run, as after it grew or was filtered."""

    sort: str  # "span", "visits" or "page"
    row: int


def agent_within(table: SpanTable, row: int) -> int | None:
    """Return the agent that a component is, when it is one.

    Haystack runs an agent as a component of its pipeline, which makes two spans of
    one name and nearly one time. People see one thing in them, and so do we.
    """
    if table.kind[row] != _COMPONENT:
        return None
    agents = [child for child in table.children(row) if table.kind[child] == _AGENT]
    if len(agents) != 1 or table.name_code[agents[0]] != table.name_code[row]:
        return None
    return agents[0]


def is_folded(table: SpanTable, row: int) -> bool:
    """Say whether a span is an agent that is shown in the row of its component."""
    if table.kind[row] != _AGENT:
        return False
    above = table.parent_row[row]
    return above != NO_PARENT and agent_within(table, above) == row


class RunTree:
    """Spans by what they happened inside of; visits of one component under one node.

    An agent stands in the row of the component that it is (`agent_within`).

    Nodes are numbers, made when a branch is first looked into, so that a run of
    a million spans opens at once. Node 0 is the invisible root. A node stands
    for one span, for all visits of a component that ran more than once, or for
    a page of a very long list.

    With `bounds`, only what happened in that stretch of time, or holds
    something that did, is in the tree. With `matched`, a byte a row, only
    what is 1 there, or holds something that is.
    """

    def __init__(
        self,
        table: SpanTable,
        bounds: Bounds | None = None,
        *,
        matched: bytes | None = None,
        facts: _Facts | None = None,
        page: int = PAGE,
    ) -> None:
        self._table = table
        self._bounds = bounds
        self._matched = matched
        self._facts = facts or _Facts(table)
        self.page_size = page
        self._parents: list[int] = [ROOT]
        self._places: list[int] = [0]
        self._rows: list[int] = [NO_PARENT]
        self._visits: dict[int, Family] = {}
        self._pages: dict[int, Sequence[Family]] = {}
        self._page_starts: dict[int, Sequence[int]] = {}
        self._gathered_under: dict[int, dict[int, int]] = {}
        self._children: dict[int, Sequence[int]] = {}
        self._node_of: dict[int, int] = {}

    def within(self, bounds: Bounds | None, matched: bytes | None = None) -> RunTree:
        """Return the tree of another stretch of the same run's time, or of other matches."""
        return RunTree(self._table, bounds, matched=matched, facts=self._facts, page=self.page_size)

    @property
    def row_count(self) -> int:
        """How many spans the table has, in the tree or not."""
        return len(self._table)

    def children(self, node: int) -> Sequence[int]:
        """Return the nodes below `node`, in the order in which they first started."""
        found = self._children.get(node)
        if found is None:
            found = self._children[node] = self._make_children(node)
        return found

    def has_children(self, node: int) -> bool:
        """Say whether there is anything below `node`, without making it."""
        if node in self._visits or node in self._pages:
            return True
        if node in self._children:
            return bool(self._children[node])
        row = self._rows[node]
        inside = self._table.children(row)
        if len(inside) == 1 and row != NO_PARENT and agent_within(self._table, row) is not None:
            # The one thing inside is the agent that the node stands for as well.
            return bool(self.children(node))
        return self._keeps_any(inside)

    def parent(self, node: int) -> int:
        """Return the node above; the root is above itself."""
        return self._parents[node]

    def place(self, node: int) -> int:
        """Return the position of `node` among its siblings."""
        return self._places[node]

    def row(self, node: int) -> int | None:
        """Return the row of the node's span; `None` for the root, visits and pages."""
        row = self._rows[node]
        return None if row == NO_PARENT else row

    def visits(self, node: int) -> Sequence[int]:
        """Return the rows of the visits a node gathers; empty for other nodes."""
        return self._visits.get(node, ())

    def is_page(self, node: int) -> bool:
        """Say whether a node is a page of a very long list."""
        return node in self._pages

    def page(self, node: int) -> Sequence[int]:
        """Return the first row of each entry of a page; empty for other nodes."""
        return [family[0] for family in self._pages.get(node, ())]

    def first_row(self, node: int) -> int:
        """Return the row of the first span that a node stands for."""
        if node in self._visits:
            return self._visits[node][0]
        if node in self._pages:
            return self._pages[node][0][0]
        return self._rows[node]

    def key(self, node: int) -> Key:
        """Return a name for a node that `node_for` knows in other trees of the run."""
        sort = "visits" if node in self._visits else "page" if node in self._pages else "span"
        return Key(sort, self.first_row(node))

    def node_for(self, key: Key) -> int | None:
        """Return the node of that name; `None` where there is none here."""
        if key.row >= len(self._table):
            return None
        node = self.node_of(key.row)
        while node is not None and node != ROOT and self.key(node).sort != key.sort:
            node = self._parents[node]
        return node or None

    def node_of(self, row: int) -> int | None:
        """Return the node of a span, or `None` where the bounds leave it out."""
        path = [row]
        while (above := self._table.parent_row[path[-1]]) != NO_PARENT:
            path.append(above)
        for step in reversed(path):
            if step not in self._node_of:
                above = self._table.parent_row[step]
                self._look_for(step, ROOT if above == NO_PARENT else self._node_of[above])
                if step not in self._node_of and is_folded(self._table, step):
                    self._node_of[step] = self._node_of[above]
            if step not in self._node_of:
                return None
        return self._node_of[row]

    def failed_inside(self, node: int) -> bool:
        """Say whether something below `node` failed."""
        families = self._pages.get(node) or ([self._visits[node]] if node in self._visits else ())
        if families:
            # Not row by row in Python: a component may have run a hundred thousand times.
            failed = self._facts.failures_and_around
            return bool(failed) and any(not failed.isdisjoint(family) for family in families)
        return self._rows[node] in self._facts.around_failures

    @cached_property
    def shown(self) -> int:
        """How many spans match, or happened within the bounds."""
        table = self._table
        if self._matched is not None:
            return sum(self._matched)
        if self._bounds is None:
            return len(table)
        first, last = self._bounds
        started = bisect_right(table.start_ns, last)
        return sum(end == NO_END or end >= first for end in table.end_ns[:started])

    def _look_for(self, row: int, above: int) -> None:
        """Make the nodes between a span and the one it happened inside of."""
        self.children(above)
        first = row
        if self._table.kind[row] == _COMPONENT:
            first = self._gathered_under[above].get(self._table.name_code[row], row)
        if (starts := self._page_starts.get(above)) is not None:
            page = self._children[above][bisect_right(starts, first) - 1]
            self.children(page)
            above = page
        if row in self._node_of:
            return
        for child in self._children[above]:
            if child in self._visits and self._visits[child][0] == first:
                self._look_into_visits(child, row)

    def _look_into_visits(self, node: int, row: int) -> None:
        self.children(node)
        if (starts := self._page_starts.get(node)) is not None:
            self.children(self._children[node][bisect_right(starts, row) - 1])

    def _make_children(self, node: int) -> Sequence[int]:
        if node in self._pages:
            return self._add_all(node, self._pages[node])
        if node in self._visits:
            families: Sequence[Family] = [(row,) for row in self._visits[node]]
        else:
            families = self._gathered(node, self._kept(self._inside(self._rows[node])))
        size = self.page_size
        if len(families) <= size:
            return self._add_all(node, families)
        pages = [families[start : start + size] for start in range(0, len(families), size)]
        self._page_starts[node] = [page[0][0] for page in pages]
        return array("q", [self._add_page(node, place, page) for place, page in enumerate(pages)])

    def _inside(self, row: int) -> Sequence[int]:
        """Return what happened right inside a span, or inside the agent that it is."""
        rows = self._table.children(row)
        agent = None if row == NO_PARENT else agent_within(self._table, row)
        if agent is None:
            return rows
        beside = [child for child in rows if child != agent]
        return sorted((*beside, *self._table.children(agent)))

    def _gathered(self, node: int, rows: Sequence[int]) -> Sequence[Family]:
        # Not row by row in Python: there may be a hundred thousand.
        kinds = _bytes_at(self._table.kind, rows)
        others = list(zip(compress(rows, kinds.translate(_IS_OTHER)), strict=True))
        components = list(compress(rows, kinds.translate(_IS_COMPONENT))) if others else rows
        by_name = _by_name(self._table, components)
        self._gathered_under[node] = {name: family[0] for name, family in by_name.items()}
        return sorted((*others, *by_name.values()), key=itemgetter(0)) if by_name else others

    def _add_all(self, parent: int, families: Sequence[Family]) -> Sequence[int]:
        return array("q", [self._add(parent, place, one) for place, one in enumerate(families)])

    def _add(self, parent: int, place: int, family: Family) -> int:
        node = len(self._rows)
        self._parents.append(parent)
        self._places.append(place)
        if len(family) > 1:
            self._rows.append(NO_PARENT)
            self._visits[node] = family
        else:
            self._rows.append(family[0])
            self._node_of[family[0]] = node
        return node

    def _add_page(self, parent: int, place: int, families: Sequence[Family]) -> int:
        node = len(self._rows)
        self._parents.append(parent)
        self._places.append(place)
        self._rows.append(NO_PARENT)
        self._pages[node] = families
        return node

    def rows_in(self, node: int) -> Sequence[int]:
        """Return the rows that a node itself stands for: its span's, an agent's in it, visits'."""
        families = self._pages.get(node) or ([self._visits[node]] if node in self._visits else ())
        if families:
            return [row for family in families for row in family]
        row = self._rows[node]
        agent = None if row == NO_PARENT else agent_within(self._table, row)
        return (row,) if agent is None else (row, agent)

    @cached_property
    def _around_matches(self) -> bytes:
        return with_parents(self._table, self._matched or b"")

    def _keeps_any(self, rows: Sequence[int]) -> bool:
        """Say whether `_kept` would leave anything."""
        if self._bounds is not None:
            return bool(self._kept(rows))
        if self._matched is None:
            return bool(len(rows))
        return 1 in _bytes_at(self._around_matches, rows)

    def _kept(self, rows: Sequence[int]) -> Sequence[int]:
        if self._matched is not None:
            kept = _bytes_at(self._around_matches, rows)
            rows = rows if 0 not in kept else list(compress(rows, kept))
        if self._bounds is None:
            return rows
        first, last = self._bounds
        starts, ends = self._facts.extents
        return [row for row in rows if starts[row] <= last and ends[row] >= first]


def _bytes_at(column: bytes | array[int], rows: Sequence[int]) -> bytes:
    """Return what a column of small numbers holds at ascending rows, most often one stretch."""
    if rows and rows[-1] - rows[0] == len(rows) - 1:
        return bytes(iter(column[rows[0] : rows[-1] + 1]))
    return bytes(map(column.__getitem__, rows))


def _by_name(table: SpanTable, rows: Sequence[int]) -> dict[int, list[int]]:
    """Return the rows of each name."""
    if len(table.names) <= _FEW_NAMES:
        codes, numbers = _bytes_at(table.name_code, rows), list(rows)
        return {name: list(compress(numbers, codes.translate(_only(name)))) for name in set(codes)}
    by_name: dict[int, list[int]] = {}
    for row in rows:
        by_name.setdefault(table.name_code[row], []).append(row)
    return by_name


class _Facts:
    """What follows from the spans alone, shared by all trees of a run."""

    def __init__(self, table: SpanTable) -> None:
        self._table = table

    @cached_property
    def extents(self) -> tuple[array[int], array[int]]:
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
    def around_failures(self) -> set[int]:
        """The rows of all spans that something failed inside of."""
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

    @cached_property
    def failures_and_around(self) -> set[int]:
        """Those and the rows of all spans that failed themselves."""
        failed = (row for row, status in enumerate(self._table.status) if status == _FAILED)
        return self.around_failures.union(failed)
