"""The order in which step-through shows the spans of a run."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from inspector.runfile.failures import first_failures
from inspector.runfile.kinds import KIND_CODE, SpanKind
from inspector.runfile.table import NO_PARENT, SpanTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_STEP = KIND_CODE[SpanKind.STEP]
_NONE = NO_PARENT


class Walk:
    """Steps through a run, depth first: a span, then what it did, then what came after.

    Every method takes and returns rows of the run's table. `None` as an
    argument stands before the first and after the last span; as an answer it
    says that there is nothing in that direction.
    """

    def __init__(
        self, table: SpanTable, llm_flags: Callable[[], Sequence[int]] | None = None
    ) -> None:
        """Walk through a table.

        Args:
            table: The spans of a run.
            llm_flags: Says of each row, with 1, that it is a call of an LLM, which a component
                can be as well; asked at most once. Without it those are spans of that kind.

        """
        self._table = table
        self._llm_flags = llm_flags
        self._count = len(table)

    @property
    def first(self) -> int | None:
        """The span that step-through begins with."""
        return self.order[0] if self._count else None

    @property
    def last(self) -> int | None:
        """The span that step-through ends with."""
        return self.order[-1] if self._count else None

    def next(self, row: int | None) -> int | None:
        """Return the span that step-through shows after `row`."""
        if row is None:
            return self.first
        return self._at(self.position[row] + 1)

    def previous(self, row: int | None) -> int | None:
        """Return the span that step-through shows before `row`."""
        if row is None:
            return self.last
        return self._at(self.position[row] - 1)

    def into(self, row: int | None) -> int | None:
        """Return the first thing that happened inside the span."""
        if row is None:
            return self.first
        return _found(self._links[0][row])

    def out(self, row: int | None) -> int | None:
        """Return the span this one happened inside of."""
        return None if row is None else _found(self._table.parent_row[row])

    def over(self, row: int | None) -> int | None:
        """Return what came after the span and everything inside it."""
        if row is None:
            return self.first
        after = self._links[1]
        while row != _NONE:
            if after[row] != _NONE:
                return after[row]
            row = self._table.parent_row[row]
        return None

    def children(self, row: int | None) -> Iterator[int]:
        """Yield the spans right inside `row`, or the roots, in start order."""
        first_child, after = self._links
        child = first_child[self._count if row is None else row]
        while child != _NONE:
            yield child
            child = after[child]

    def next_of_kind(self, row: int | None, kind: str) -> int | None:
        """Return the next span of a kind such as `llm` or `tool`."""
        return self._next_among(self._positions_of_kind(kind), row)

    def previous_of_kind(self, row: int | None, kind: str) -> int | None:
        """Return the span of a kind before `row`."""
        return self._previous_among(self._positions_of_kind(kind), row)

    def next_failure(self, row: int | None) -> int | None:
        """Return the next span at which something went wrong, not its echoes."""
        return self._next_among(self._failure_positions, row)

    def previous_failure(self, row: int | None) -> int | None:
        """Return the span before `row` at which something went wrong."""
        return self._previous_among(self._failure_positions, row)

    def next_of(self, rows: Sequence[int], row: int | None) -> int | None:
        """Return the next span of some, such as those that findings point at; any order will do."""
        return self._next_among(self._in_walk_order(rows), row)

    def previous_of(self, rows: Sequence[int], row: int | None) -> int | None:
        """Return the span of some before `row`."""
        return self._previous_among(self._in_walk_order(rows), row)

    def visits(self, row: int) -> Sequence[int]:
        """Return every visit of the same component, this one among them.

        The same component is the same name at the same place: what an agent
        calls in its second step counts with what it called in its first.
        """
        return self._visits[self._places[row]]

    def visit_of(self, row: int) -> tuple[int, int]:
        """Return which visit this is, and of how many: `(3, 5)`."""
        visits = self.visits(row)
        return bisect_left(visits, self.position[row], key=self.position.__getitem__) + 1, len(
            visits
        )

    def next_visit(self, row: int | None) -> int | None:
        """Return the next visit of the same component."""
        if row is None:
            return None
        number, total = self.visit_of(row)
        return self.visits(row)[number] if number < total else None

    def previous_visit(self, row: int | None) -> int | None:
        """Return the visit of the same component before this one."""
        if row is None:
            return None
        number, _total = self.visit_of(row)
        return self.visits(row)[number - 2] if number > 1 else None

    @cached_property
    def failures(self) -> Sequence[int]:
        """The spans at which something went wrong, in walk order.

        An error that nothing catches fails every span around it as well.
        Those echo it and are left out: a failed span counts as one unless
        its last child failed and ended the matter.
        """
        return sorted(first_failures(self._table), key=self.position.__getitem__)

    @cached_property
    def order(self) -> Sequence[int]:
        """All rows, as step-through meets them."""
        first_child, after = self._links
        order = array("i")
        waiting: list[int] = []
        row = first_child[self._count]
        while True:
            while row == _NONE:
                if not waiting:
                    return order
                row = waiting.pop()
            order.append(row)
            if after[row] != _NONE:
                waiting.append(after[row])
            row = first_child[row]

    @cached_property
    def position(self) -> Sequence[int]:
        """For every row, its place in `order`."""
        position = array("i", bytes(4 * self._count))
        for place, row in enumerate(self.order):
            position[row] = place
        return position

    @cached_property
    def _links(self) -> tuple[array[int], array[int]]:
        """For every row its first child and the sibling after it; roots hang at the end."""
        first_child = array("i", [_NONE]) * (self._count + 1)
        after = array("i", [_NONE]) * self._count
        parent_row = self._table.parent_row
        for row in range(self._count - 1, -1, -1):
            parent = parent_row[row]
            home = self._count if parent == _NONE else parent
            after[row] = first_child[home]
            first_child[home] = row
        return first_child, after

    @cached_property
    def _places(self) -> Sequence[int]:
        """For every row a number that all visits of the same component share."""
        table = self._table
        kind, parent_row, name_code = table.kind, table.parent_row, table.name_code
        numbers: dict[tuple[int, int, int], int] = {}
        places = array("i", bytes(4 * self._count))
        for row in self.order:
            parent = parent_row[row]
            above = _NONE if parent == _NONE else places[parent]
            # An agent's steps are one place, however each is called.
            word = _NONE if kind[row] == _STEP else name_code[row]
            places[row] = numbers.setdefault((above, kind[row], word), len(numbers))
        return places

    @cached_property
    def _visits(self) -> Sequence[Sequence[int]]:
        places = self._places
        visits: list[array[int]] = [array("i") for _ in range(max(places, default=-1) + 1)]
        for row in self.order:
            visits[places[row]].append(row)
        return visits

    @cached_property
    def _failure_positions(self) -> Sequence[int]:
        return [self.position[row] for row in self.failures]

    @cached_property
    def _kind_positions(self) -> dict[int, Sequence[int]]:
        return {}

    def _positions_of_kind(self, kind: str) -> Sequence[int]:
        code = KIND_CODE[kind]
        if code not in self._kind_positions:
            column: Sequence[int] = self._table.kind
            if kind == SpanKind.LLM and self._llm_flags is not None:
                column, code_there = self._llm_flags(), 1
            else:
                code_there = code
            self._kind_positions[code] = array(
                "i", [place for place, row in enumerate(self.order) if column[row] == code_there]
            )
        return self._kind_positions[code]

    def _in_walk_order(self, rows: Sequence[int]) -> Sequence[int]:
        return sorted(self.position[row] for row in rows)

    def _next_among(self, positions: Sequence[int], row: int | None) -> int | None:
        place = -1 if row is None else self.position[row]
        found = bisect_right(positions, place)
        return self.order[positions[found]] if found < len(positions) else None

    def _previous_among(self, positions: Sequence[int], row: int | None) -> int | None:
        place = self._count if row is None else self.position[row]
        found = bisect_left(positions, place)
        return self.order[positions[found - 1]] if found else None

    def _at(self, place: int) -> int | None:
        return self.order[place] if 0 <= place < self._count else None


def _found(row: int) -> int | None:
    return None if row == _NONE else row
