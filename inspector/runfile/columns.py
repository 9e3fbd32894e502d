"""Builds the span table from records, mending what is wrong in their headers."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.runfile.kinds import KIND_CODE, STATUS_CODE
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable

if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHER = KIND_CODE["other"]
_OK = STATUS_CODE["ok"]
_UNFINISHED = STATUS_CODE["unfinished"]
_LATEST = 2**62

MARK_USAGE = 1
MARK_ERROR = 2


@dataclass(slots=True)
class Columns:
    """Rows in the order of the file, parents still by name."""

    start_ns: array[int] = field(default_factory=lambda: array("q"))
    end_ns: array[int] = field(default_factory=lambda: array("q"))
    kind: array[int] = field(default_factory=lambda: array("B"))
    status: array[int] = field(default_factory=lambda: array("B"))
    name_code: array[int] = field(default_factory=lambda: array("L"))
    marks: array[int] = field(default_factory=lambda: array("B"))
    offset: array[int] = field(default_factory=lambda: array("Q"))
    length: array[int] = field(default_factory=lambda: array("Q"))
    ids: list[str] = field(default_factory=list)
    parents: list[str | None] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def add(self, header: Mapping[str, Any], offset: int, length: int) -> None:
        """Add the span that a decoded record describes."""
        row = len(self.start_ns)
        span_id = header.get("id")
        if not isinstance(span_id, str) or not span_id:
            self.problems.append(f"span {row + 1} has no id")
            span_id = f"#{row + 1}"
        parent = header.get("parent")
        name = header.get("name")
        start = header.get("start_ns")
        end = header.get("end_ns")
        if type(start) is not int or not 0 <= start < _LATEST:
            self.problems.append(f"{span_id}: start_ns is not a time")
            start = self.start_ns[-1] if row else 0
        if end is None:
            end = NO_END
        elif type(end) is not int or not start <= end < _LATEST:
            self.problems.append(f"{span_id}: end_ns is not a time after its start")
            end = NO_END if type(end) is not int else start
        self.ids.append(span_id)
        self.parents.append(parent if isinstance(parent, str) else None)
        self.start_ns.append(start)
        self.end_ns.append(end)
        kind = header.get("kind")
        self.kind.append(KIND_CODE.get(kind, _OTHER) if isinstance(kind, str) else _OTHER)
        status = header.get("status")
        fallback = _UNFINISHED if end == NO_END else _OK
        self.status.append(
            STATUS_CODE.get(status, fallback) if isinstance(status, str) else fallback
        )
        name = name if isinstance(name, str) else ""
        self.name_code.append(self.names.setdefault(name, len(self.names)))
        self.marks.append(MARK_USAGE * ("usage" in header) + MARK_ERROR * ("error" in header))
        self.offset.append(offset)
        self.length.append(length)

    def table(self) -> SpanTable:
        """Return the finished table: unique ids, every span under a parent or a root."""
        rows: dict[str, int] = {}
        for row, span_id in enumerate(self.ids):
            if span_id in rows:
                self.problems.append(f"two spans are called {span_id}")
                while span_id in rows:
                    span_id += "'"
                self.ids[row] = span_id
            rows[span_id] = row
        parent_row = array("q", bytes(8 * len(self.ids)))
        root = next((row for row, parent in enumerate(self.parents) if parent is None), 0)
        for row, parent in enumerate(self.parents):
            if parent is None:
                parent_row[row] = NO_PARENT
            elif parent in rows:
                parent_row[row] = rows[parent]
            else:
                self.problems.append(f"{self.ids[row]}: its parent {parent} is not in the file")
                parent_row[row] = root if row != root else NO_PARENT
        depth = self._depths(parent_row)
        return SpanTable(
            start_ns=self.start_ns, end_ns=self.end_ns, parent_row=parent_row, depth=depth,
            kind=self.kind, status=self.status, name_code=self.name_code, marks=self.marks,
            offset=self.offset, length=self.length, names=list(self.names), ids=self.ids,
        )  # fmt: skip

    def _depths(self, parent_row: array[int]) -> array[int]:
        """Return how deep each row sits, cutting circles at the span that comes first."""
        unknown, walking = -1, -2
        depth = array("l", [unknown]) * len(parent_row)
        for row in range(len(parent_row)):
            trail = []
            at = row
            while at != NO_PARENT and depth[at] == unknown:
                depth[at] = walking
                trail.append(at)
                at = parent_row[at]
            if at != NO_PARENT and depth[at] == walking:
                cut = min(trail[trail.index(at) :])
                self.problems.append(f"{self.ids[cut]}: its parents form a circle")
                parent_row[cut] = NO_PARENT
                for each in trail:
                    depth[each] = unknown
                trail = []
                at = row
                while at != NO_PARENT and depth[at] == unknown:
                    trail.append(at)
                    at = parent_row[at]
            level = -1 if at == NO_PARENT else depth[at]
            for each in reversed(trail):
                level += 1
                depth[each] = level
        return depth
