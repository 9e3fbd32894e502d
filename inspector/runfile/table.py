"""The spans of a run as columns: what lists, trees and painters need of every span.

A million spans take some sixty bytes each here, against hundreds as objects.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from inspector.runfile.kinds import KINDS, STATUSES, SpanKind, SpanStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NO_END = -1
"""What `end_ns` holds for a span that has not ended; real times are never negative."""

NO_PARENT = -1


class SpanTable:
    """One row a span, in start order whatever the file's order was.

    Every column is an `array.array`, so `numpy.frombuffer(table.start_ns, "int64")`
    costs nothing. Times are sane: `start_ns >= 0`, and `end_ns` is either `NO_END`
    or not before the start. A parent's row may come after its child's in odd files.
    """

    __slots__ = (
        "_child_rows",
        "_depth",
        "_first_child",
        "_ids",
        "_rows",
        "end_ns",
        "kind",
        "length",
        "marks",
        "name_code",
        "names",
        "offset",
        "parent_row",
        "start_ns",
        "status",
    )

    def __init__(
        self,
        *,
        start_ns: array[int],
        end_ns: array[int],
        parent_row: array[int],
        depth: array[int] | None,
        kind: array[int],
        status: array[int],
        name_code: array[int],
        marks: array[int],
        offset: array[int],
        length: array[int],
        names: Sequence[str],
        ids: Sequence[str] | None,
    ) -> None:
        self.start_ns = start_ns
        self.end_ns = end_ns
        self.parent_row = parent_row
        self._depth = depth
        self.kind = kind
        self.status = status
        self.name_code = name_code
        self.marks = marks
        self.offset = offset
        self.length = length
        self.names = names
        # None stands for s1, s2, s3 ..., which is what our recorder writes: a
        # million strings and a dictionary of them would outweigh all else here.
        self._ids = ids
        self._rows: dict[str, int] | None = None
        self._first_child: array[int] | None = None
        self._child_rows: array[int] | None = None

    def __len__(self) -> int:
        return len(self.start_ns)

    @property
    def depth(self) -> array[int]:
        """How many spans are around each."""
        if self._depth is None:
            # Every parent's row comes before its children's here.
            depth = array("i")
            append = depth.append
            for above in self.parent_row:
                append(depth[above] + 1 if above >= 0 else 0)
            self._depth = depth
        return self._depth

    @property
    def plain_ids(self) -> bool:
        """Whether the spans are called s1, s2, s3 ... by row."""
        return self._ids is None

    def id(self, row: int) -> str:
        """Return the id of the span in `row`."""
        return f"s{row + 1}" if self._ids is None else self._ids[row]

    def row_of(self, span_id: str) -> int | None:
        """Return the row of a span, or None where the run has no such span."""
        if self._ids is None:
            number = span_id[1:]
            if span_id[:1] != "s" or not (number.isascii() and number.isdigit()):
                return None
            if number[0] == "0" or len(number) > 10 or int(number) > len(self):
                return None
            return int(number) - 1
        if self._rows is None:
            self._rows = {span_id: row for row, span_id in enumerate(self._ids)}
        return self._rows.get(span_id)

    def name(self, row: int) -> str:
        """Return the name of the span in `row`."""
        return self.names[self.name_code[row]]

    def kind_of(self, row: int) -> SpanKind:
        """Return the kind of the span in `row`."""
        return KINDS[self.kind[row]]

    def status_of(self, row: int) -> SpanStatus:
        """Return the status of the span in `row`."""
        return STATUSES[self.status[row]]

    def duration_ns(self, row: int) -> int | None:
        """Return how long the span in `row` took, or None while it is unfinished."""
        end = self.end_ns[row]
        return None if end == NO_END else end - self.start_ns[row]

    def children(self, row: int) -> Sequence[int]:
        """Return the rows below `row` in start order; `NO_PARENT` asks for the roots."""
        if self._first_child is None or self._child_rows is None:
            self._first_child, self._child_rows = self._families()
        first, rows = self._first_child, self._child_rows
        return rows[first[row + 1] : first[row + 2]]

    def end_of_run(self) -> int:
        """Return the latest moment that any span knows of."""
        return max(max(self.end_ns, default=0), max(self.start_ns, default=0))

    def ids(self) -> Iterator[str]:
        """Yield every id, by row."""
        return (self.id(row) for row in range(len(self)))

    def _families(self) -> tuple[array[int], array[int]]:
        # A counting sort by parent: two flat arrays instead of a list a parent.
        count = len(self)
        first = array("i", bytes(4 * (count + 2)))
        for parent in self.parent_row:
            first[parent + 2] += 1
        for slot in range(1, count + 2):
            first[slot] += first[slot - 1]
        free = first[:]
        rows = array("i", bytes(4 * count))
        for row, parent in enumerate(self.parent_row):
            rows[free[parent + 1]] = row
            free[parent + 1] += 1
        return first, rows
