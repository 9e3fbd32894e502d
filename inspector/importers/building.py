"""Making a run of ours from what an importer found: records, values, header.

Everything else works on it as on any other run. Nothing of it is written down as our files
have it before somebody looks at it: a list of spans needs no values.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from inspector.importers.late import LATE, Late, LateRecords, LateValues
from inspector.runfile.columns import Columns, SpanHeader
from inspector.runfile.compact import compact
from inspector.runfile.model import PipelineRun, RunParts
from inspector.runfile.problems import Problems
from inspector.runfile.store import ValueStore
from inspector.runfile.value import REF, TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspector.runfile.intake import Intake

_INLINE = 200
_INTERNED_TAGS = frozenset({"chat_message", "document", "tool", "byte_stream", "bytes", "array"})
_THERE, _NOT_THERE = msgspec.Raw(b"1"), msgspec.Raw()
_BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class RunBuilder:
    """Puts one run together. Spans come in start order, with their final ids."""

    def __init__(self, intake: Intake) -> None:
        self._intake = replace(intake, problems=Problems())
        self._values = LateValues()
        self._headers: list[SpanHeader] = []
        self._records: list[dict[str, Any] | None] = []
        self._make: Callable[[int], dict[str, Any]] | None = None

    def __len__(self) -> int:
        return len(self._headers)

    def take_problems(self, problems: Problems) -> None:
        """Say of this run what was found wrong with its file."""
        self._intake.problems.take(problems)

    def value(self, tree: Any) -> Any:
        """Return a tree in which what is long stands by reference."""
        kind = type(tree)
        if kind is Late:
            if len(tree.text) > LATE:
                return {REF: self._values.keep_late(tree)}
            return self.value(tree.convert(tree.text))
        if kind is str:
            return tree if len(tree) <= _INLINE else self._whole(tree)
        if kind is dict:
            if tree.get(TAG) in _INTERNED_TAGS:
                return self._whole(tree)
            return {key: self.value(item) for key, item in tree.items()}
        if kind is list:
            if len(tree) > _INLINE and type(tree[0]) in (int, float):
                return self._whole(tree)
            items = [self.value(item) for item in tree]
            return self._whole(items) if len(items) > 1 else items
        return tree

    def kept(self, tree: Any) -> dict[str, Any]:
        """Return a reference to a tree whose parts went through `value` already."""
        return {REF: self._values.keep(compact(tree, str))}

    def _whole(self, tree: Any) -> Any:
        text = compact(tree, str)
        return tree if len(text) <= _INLINE else {REF: self._values.keep(text)}

    def span(self, record: dict[str, Any]) -> None:
        """Add a span: its record, whose values went through `value` already."""
        self.head(
            record["id"],
            record["parent"],
            record["kind"],
            record["name"],
            record.get("role", ""),
            record["start_ns"],
            record.get("end_ns"),
            record["status"],
            usage="usage" in record,
            error="error" in record,
        )
        self._records.append(record)

    def head(
        self,
        span_id: str,
        parent: str | None,
        kind: Any,
        name: str,
        role: str,
        start_ns: int,
        end_ns: int | None,
        status: Any,
        *,
        usage: bool,
        error: bool,
    ) -> None:
        """Add a span by what the table of the run knows; `make_records` makes its record."""
        self._headers.append(
            SpanHeader(
                id=span_id,
                parent=parent,
                kind=kind,
                name=name,
                role=role,
                start_ns=start_ns,
                end_ns=end_ns,
                status=status,
                usage=_THERE if usage else _NOT_THERE,
                error=_THERE if error else _NOT_THERE,
            )
        )

    def make_records(self, make: Callable[[int], dict[str, Any]]) -> None:
        """Give what makes the record of a row that was added by its head only."""
        self._make = make

    def run(self, header: Mapping[str, Any]) -> PipelineRun:
        """Return the run."""
        count, problems, values = len(self._headers), self._intake.problems, self._values
        columns = Columns(problems)
        if count:
            columns.extend(self._headers, list(range(count)), [0] * count)
        table = columns.table()
        records = LateRecords(count, self._text)
        values.make_all = records.make_all
        self._headers.clear()
        text = compact(dict(header), str)
        return PipelineRun(
            RunParts(
                header=dict(header),
                members={"format": b'"haystack-run"', "version": b"1", "run": text},
                table=table,
                records=records,
                values=ValueStore(values, values),
                index=values,
                source=values,
                problems=problems.found(),
                origin=self._intake.path,
                complete=True,
            )
        )

    def _text(self, row: int) -> bytes:
        record = self._make(row) if self._make is not None else self._records[row]
        if self._make is None:
            self._records[row] = None
        return compact(record, str)


def run_id(seed: str, started_ns: int | None) -> str:
    """Return an id for a foreign run: the same each time that the same one is opened."""
    number = ((started_ns or 0) // 1_000_000) & (2**48 - 1)
    number = number << 80 | int.from_bytes(hashlib.sha256(seed.encode()).digest()[:10])
    return "".join(_BASE32[number >> shift & 31] for shift in range(125, -1, -5))
