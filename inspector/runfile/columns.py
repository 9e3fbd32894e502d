"""Builds the span table from records, mending what is wrong in their headers."""

from __future__ import annotations

from array import array
from operator import gt, le, lt
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec.structs import astuple

from inspector.runfile.kinds import KIND_CODE, STATUS_CODE
from inspector.runfile.plain_ids import OutOfOrderError, PlainRows, plain_ids
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.runfile.problems import Problems

_OTHER = KIND_CODE["other"]
_OK = STATUS_CODE["ok"]
_UNFINISHED = STATUS_CODE["unfinished"]
_LATEST = 2**62

MARK_USAGE = 1
MARK_ERROR = 2
MARK_LLM = 4
"""Its role is to call a model, whatever its kind."""


class SpanHeader(msgspec.Struct, gc=False, kw_only=True):
    """What the table takes from a record. The rest of the record is skipped, not decoded.

    In the order in which our recorder writes: then each field is found without a search.
    """

    id: str
    parent: str | None = None
    kind: Literal["pipeline", "component", "agent", "step", "llm", "tool", "hook", "other"] = (
        "other"
    )
    name: str = ""
    role: str = ""
    start_ns: int
    end_ns: int | None = None
    status: Literal["ok", "failed", "canceled", "unfinished", ""] = ""
    usage: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


class _Codes(dict[str, int]):
    """Numbers words by first appearance."""

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self)
        return code


class Columns:
    """Rows in the order of the file.

    As long as ids are s1, s2, ... and parents come first, neither is kept: an id is
    its row. The first record that is otherwise makes us keep the names of all.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        self.start_ns = array("q")
        self.end_ns = array("q")
        self.kind = array("B")
        self.status = array("B")
        self.name_code = array("I")
        self.marks = array("B")
        self.offset = array("Q")
        self.length = array("Q")
        self.names = _Codes()
        self._parent_row = array("i")
        self._rows = PlainRows()
        self._ids: list[str] | None = None
        self._parents: list[str | None] = []

    def __len__(self) -> int:
        return len(self.start_ns)

    def extend(self, headers: Sequence[SpanHeader], offsets: list[int], lengths: list[int]) -> None:
        """Add many spans at once."""
        # Every row passes here: what follows is a few calls a column, none a row.
        ids, parents, kinds, names, roles, starts, ends, states, usages, errors = zip(
            *map(astuple, headers), strict=True
        )
        if (
            None in ends
            or "" in states
            or not all(ids)
            or min(starts) < 0
            or max(ends) >= _LATEST
            or not all(map(le, starts, ends))
        ):
            for header, offset, length in zip(headers, offsets, lengths, strict=True):
                self.add(_as_mapping(header), offset, length)
            return
        self._relate(ids, parents)
        self.start_ns.fromlist(list(starts))
        self.end_ns.fromlist(list(ends))
        self.kind.frombytes(bytes(map(KIND_CODE.__getitem__, kinds)))
        self.status.frombytes(bytes(map(STATUS_CODE.__getitem__, states)))
        self.name_code.fromlist(list(map(self.names.__getitem__, names)))
        # One byte a row: whole columns of bits are put together as very large numbers.
        marks = 0
        if any(usages):
            marks = int.from_bytes(bytes(map(bool, usages)), "big") * MARK_USAGE
        if any(errors):
            marks |= int.from_bytes(bytes(map(bool, errors)), "big") * MARK_ERROR
        if "llm" in roles:
            marks |= int.from_bytes(bytes(map("llm".__eq__, roles)), "big") * MARK_LLM
        self.marks.frombytes(marks.to_bytes(len(headers), "big"))
        self.offset.fromlist(offsets)
        self.length.fromlist(lengths)

    def append(self, header: SpanHeader, offset: int, length: int) -> None:
        """Add one span whose record has the right types."""
        start, end = header.start_ns, header.end_ns
        latest = start if end is None else end
        if not header.id or not 0 <= start <= latest < _LATEST:
            self.add(_as_mapping(header), offset, length)
            return
        self._relate((header.id,), (header.parent,))
        self.start_ns.append(start)
        self.end_ns.append(NO_END if end is None else end)
        self.kind.append(KIND_CODE[header.kind])
        fallback = _UNFINISHED if end is None else _OK
        self.status.append(STATUS_CODE[header.status] if header.status else fallback)
        self.name_code.append(self.names[header.name])
        self.marks.append(
            (MARK_USAGE if header.usage else 0)
            | (MARK_ERROR if header.error else 0)
            | (MARK_LLM if header.role == "llm" else 0)
        )
        self.offset.append(offset)
        self.length.append(length)

    def add(self, header: Mapping[str, Any], offset: int, length: int) -> int:
        """Add one span, whatever its record says; return its row."""
        row = len(self)
        given = header.get("id")
        span_id = given if isinstance(given, str) and given else f"#{row + 1}"
        if span_id != given:
            self.problems.add("The id of a span is missing or not a text.", where=f"span {row + 1}")
        parent = header.get("parent")
        if parent is not None and not isinstance(parent, str):
            self.problems.add("Its parent is not the id of a span.", where=span_id)
            parent = ""
        self._relate((span_id,), (parent,))
        start, end = self._times(header, span_id)
        self.start_ns.append(start)
        self.end_ns.append(end)
        self.kind.append(self._code(header, "kind", KIND_CODE, _OTHER, span_id))
        fallback = _UNFINISHED if end == NO_END else _OK
        self.status.append(self._code(header, "status", STATUS_CODE, fallback, span_id))
        name = header.get("name", "")
        if not isinstance(name, str):
            self.problems.add("Its name is not a text.", where=span_id)
        self.name_code.append(self.names[name if isinstance(name, str) else ""])
        self.marks.append(
            (MARK_USAGE if "usage" in header else 0)
            | (MARK_ERROR if "error" in header else 0)
            | (MARK_LLM if header.get("role") == "llm" else 0)
        )
        self.offset.append(offset)
        self.length.append(length)
        return row

    def change(self, row: int, fields: Mapping[str, Any]) -> None:
        """Take over what later records of a journal say about a span."""
        where = self.id(row)
        if "end_ns" in fields or "start_ns" in fields:
            known = {"start_ns": self.start_ns[row], **fields}
            self.start_ns[row], self.end_ns[row] = self._times(known, where)
        for name, codes, column in (
            ("kind", KIND_CODE, self.kind),
            ("status", STATUS_CODE, self.status),
        ):
            if name in fields:
                column[row] = self._code(fields, name, codes, column[row], where)
        if isinstance(called := fields.get("name"), str):
            self.name_code[row] = self.names[called]
        for field, mark in (("usage", MARK_USAGE), ("error", MARK_ERROR)):
            if field in fields:
                self.marks[row] |= mark
        if fields.get("role") == "llm":
            self.marks[row] |= MARK_LLM

    def id(self, row: int) -> str:
        """Return the id of the span in `row`."""
        return f"s{row + 1}" if self._ids is None else self._ids[row]

    def table(self, *, copy: bool = False) -> SpanTable:
        """Return the finished table.

        Args:
            copy: Whether more rows will follow, so that the table needs its own columns.

        """
        if any(map(gt, self.start_ns, self.start_ns[1:])):
            self._name_all()
        if self._ids is None:
            parent_row = self._parent_row
            columns: dict[str, Any] = {name: getattr(self, name) for name in _COLUMNS}
            if copy:
                parent_row = parent_row[:]
                columns = {name: column[:] for name, column in columns.items()}
            return SpanTable(
                **columns, parent_row=parent_row, depth=None, names=list(self.names), ids=None
            )
        order = sorted(range(len(self)), key=self.start_ns.__getitem__)
        columns = {
            name: array(getattr(self, name).typecode, map(getattr(self, name).__getitem__, order))
            for name in _COLUMNS
        }
        parents = [self._parents[place] for place in order]
        ids = self._unique([self._ids[place] for place in order])
        parent_row = self._families(ids, parents)
        return SpanTable(
            **columns,
            parent_row=parent_row,
            depth=self._depths(ids, parent_row),
            names=list(self.names),
            ids=ids,
        )

    def _relate(self, ids: Sequence[str], parents: Sequence[str | None]) -> None:
        if self._ids is None:
            expected = range(len(self), len(self) + len(ids))
            try:
                if ",".join(ids) != plain_ids(expected.start + 1, expected.stop + 1):
                    raise OutOfOrderError
                rows = self._rows
                rows.remember(ids, expected)
                above = list(map(rows.__getitem__, parents))
                if not all(map(lt, above, expected)):
                    raise OutOfOrderError
            except OutOfOrderError:
                self._name_all()
            else:
                self._parent_row.fromlist(above)
                return
        assert self._ids is not None
        self._ids += ids
        self._parents += parents

    def _name_all(self) -> None:
        if self._ids is None:
            self._ids = [f"s{row + 1}" for row in range(len(self._parent_row))]
            self._parents = [None if row < 0 else f"s{row + 1}" for row in self._parent_row]

    def _times(self, header: Mapping[str, Any], where: str) -> tuple[int, int]:
        start, end = header.get("start_ns"), header.get("end_ns")
        if type(start) is not int or not 0 <= start < _LATEST:
            self.problems.add("Its start is not a time.", where=where)
            # A place among its neighbours says more than the beginning of the run.
            start = self.start_ns[-1] if self.start_ns else 0
        if end is None:
            return start, NO_END
        if type(end) is not int or not 0 <= end < _LATEST:
            self.problems.add("Its end is not a time.", where=where)
            return start, NO_END
        if end < start:
            self.problems.add("It ends before it starts.", where=where)
            return start, start
        return start, end

    def _code(
        self,
        header: Mapping[str, Any],
        name: str,
        codes: Mapping[str, int],
        fallback: int,
        where: str,
    ) -> int:
        word = header.get(name)
        if word is None:
            return fallback
        if not isinstance(word, str) or word not in codes:
            self.problems.add(f"Its {name} is none that we know.", where=where)
            return fallback
        return codes[word]

    def _unique(self, ids: list[str]) -> list[str]:
        seen: set[str] = set()
        for row, span_id in enumerate(ids):
            if span_id in seen:
                self.problems.add("Two spans have this id.", where=span_id)
                again = 2
                while f"{span_id}~{again}" in seen:
                    again += 1
                ids[row] = f"{span_id}~{again}"
            seen.add(ids[row])
        return ids

    def _families(self, ids: list[str], parents: list[str | None]) -> array[int]:
        rows = {span_id: row for row, span_id in enumerate(ids)}
        root = next((row for row, parent in enumerate(parents) if parent is None), NO_PARENT)
        found = array("i")
        for row, parent in enumerate(parents):
            if parent is None:
                found.append(NO_PARENT)
            elif (above := rows.get(parent)) is not None:
                found.append(above)
            else:
                self.problems.add("Its parent is not in the file.", where=ids[row])
                found.append(root)
        return found

    def _depths(self, ids: list[str], parent_row: array[int]) -> array[int]:
        """Return how deep each row sits, cutting circles at the span that comes first."""
        unknown = -1
        depth = array("i", [unknown]) * len(parent_row)
        on_trail = bytearray(len(parent_row))
        for row in range(len(parent_row)):
            trail = []
            at = row
            while at != NO_PARENT and depth[at] == unknown and not on_trail[at]:
                on_trail[at] = 1
                trail.append(at)
                at = parent_row[at]
            if at != NO_PARENT and on_trail[at]:
                lead, circle = trail[: trail.index(at)], trail[trail.index(at) :]
                first = circle.index(min(circle))
                self.problems.add("Its parents form a circle.", where=ids[circle[first]])
                parent_row[circle[first]] = NO_PARENT
                # Each of these is still followed by its parent, and the cut one is last.
                self._number(circle[first + 1 :] + circle[: first + 1], parent_row, depth)
                self._number(lead, parent_row, depth)
            else:
                self._number(trail, parent_row, depth)
            for each in trail:
                on_trail[each] = 0
        return depth

    @staticmethod
    def _number(trail: Sequence[int], parent_row: array[int], depth: array[int]) -> None:
        for row in reversed(trail):
            above = parent_row[row]
            depth[row] = 0 if above == NO_PARENT else depth[above] + 1


_COLUMNS = ("start_ns", "end_ns", "kind", "status", "name_code", "marks", "offset", "length")


def _as_mapping(header: SpanHeader) -> dict[str, Any]:
    found = {
        name: value
        for name in ("id", "parent", "kind", "name", "start_ns", "end_ns", "status", "role")
        if (value := getattr(header, name)) not in (None, "")
    }
    for name in ("usage", "error"):
        if getattr(header, name):
            found[name] = True
    return found
