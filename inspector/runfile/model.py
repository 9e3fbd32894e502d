"""What a run is: a value, read once, frozen, and shared between threads without a lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import gt
from typing import TYPE_CHECKING, Any, overload
from weakref import ref

from inspector.errors import RunFileError
from inspector.runfile.kinds import RunStatus, SpanKind, SpanStatus
from inspector.runfile.lru import ByteLRU
from inspector.runfile.problems import Problem
from inspector.runfile.records import Record, SpanRecords
from inspector.runfile.span import Chunk, Span, SpanError, read_error
from inspector.runfile.table import NO_PARENT, SpanTable
from inspector.runfile.totals import PathIndex, TimelineEntry, timeline_of, usage_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from inspector.runfile.source import ByteSource
    from inspector.runfile.store import ValueStore
    from inspector.runfile.value_index import ValueIndex
    from inspector.runfile.verify import Integrity

__all__ = [
    "Chunk",
    "PipelineRun",
    "Problem",
    "RunStatus",
    "Span",
    "SpanError",
    "SpanKind",
    "SpanStatus",
    "SpanTable",
    "TimelineEntry",
]

_KEPT_RECORDS = 16 * 2**20


class _Spans(Sequence[Span]):
    """The spans of a run in start order, made when they are asked for."""

    __slots__ = ("_run",)

    def __init__(self, run: PipelineRun) -> None:
        self._run = run

    def __len__(self) -> int:
        return len(self._run.table)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | Sequence[Span]:
        rows = range(len(self))
        if isinstance(index, slice):
            return [Span(self._run, row) for row in rows[index]]
        return Span(self._run, rows[index])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """Everything that a reader found out about a run before anybody looks at a span."""

    header: Mapping[str, Any]
    members: Mapping[str, bytes]
    """The JSON of the file's own members, but for spans and values."""
    table: SpanTable
    records: SpanRecords
    values: ValueStore
    index: ValueIndex
    source: ByteSource
    problems: tuple[Problem, ...] = ()
    origin: Path | None = None
    complete: bool = True
    status: RunStatus | None = None
    record_digests: str | None = None
    digest: str | None = None
    extra: Mapping[str, bytes] = field(default_factory=dict)
    """Those members that we do not know; they are kept when a run is saved."""


class PipelineRun:
    """One execution of a pipeline, an agent or a component, start to end."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts
        self.header = parts.header
        self.table = parts.table
        self.values = parts.values
        self.origin = parts.origin
        self.complete = parts.complete
        self._records: ByteLRU[int, Record] = ByteLRU(_KEPT_RECORDS)

    def __repr__(self) -> str:
        return f"<PipelineRun {self.id} {self.name!r} {self.status}, {len(self.spans)} spans>"

    @property
    def parts(self) -> RunParts:
        """What the reader found; for those who write and verify runs."""
        return self._parts

    @property
    def identity(self) -> object:
        """Equal for every reading of the same run, so that a selection survives a reload."""
        return self.id or id(self)

    # The header

    def _text(self, name: str) -> str:
        value = self.header.get(name)
        return value if isinstance(value, str) else ""

    def _mapping(self, name: str) -> Mapping[str, Any] | None:
        value = self._resolved(name)
        return value if isinstance(value, dict) else None

    def _resolved(self, name: str) -> Any:
        return self.values.resolve(self.header[name]) if name in self.header else None

    @property
    def id(self) -> str:
        return self._text("id")

    @property
    def kind(self) -> str:
        return self._text("kind")

    @property
    def name(self) -> str:
        return self._text("name")

    @property
    def mode(self) -> str | None:
        return self._text("mode") or None

    @property
    def started_at(self) -> str | None:
        return self._text("started_at") or None

    @property
    def status(self) -> RunStatus:
        """How the run ended, as far as the file knows."""
        if self._parts.status is not None:
            return self._parts.status
        try:
            return RunStatus(self._text("status"))
        except ValueError:
            return RunStatus.INCOMPLETE

    @property
    def duration_ns(self) -> int | None:
        value = self.header.get("duration_ns")
        return value if type(value) is int and value >= 0 else None

    @cached_property
    def inputs(self) -> Any:
        """What the caller passed."""
        return self._resolved("inputs")

    @cached_property
    def outputs(self) -> Any:
        """What the caller got."""
        return self._resolved("outputs")

    @cached_property
    def error(self) -> SpanError | None:
        """The exception that ended the run."""
        return read_error(self._mapping("error"))

    @cached_property
    def topology(self) -> Mapping[str, Any] | None:
        """The components and their connections."""
        return self._mapping("topology")

    @cached_property
    def definition(self) -> Mapping[str, Any] | None:
        """The pipeline as text for people and comparisons; never to be built from unasked."""
        return self._mapping("definition")

    @cached_property
    def environment(self) -> Mapping[str, Any] | None:
        """The versions that were in use."""
        return self._mapping("environment")

    @cached_property
    def snapshot(self) -> Mapping[str, Any] | None:
        """Haystack's own snapshot, inert."""
        return self._mapping("snapshot")

    @property
    def cost_estimate(self) -> dict[str, Any] | None:
        """The estimate that was stored with the run."""
        value = self.header.get("cost_estimate")
        return value if isinstance(value, dict) else None

    @property
    def not_recorded(self) -> Sequence[Any]:
        """What the recorder left out, and why."""
        value = self._resolved("not_recorded")
        return value if isinstance(value, list) else []

    @property
    def continues(self) -> Any:
        """The id of the run or snapshot that this run resumes."""
        return self._resolved("continues")

    @property
    def replay_of(self) -> Any:
        """The id of the run that this run replays."""
        return self._resolved("replay_of")

    @property
    def extensions(self) -> Mapping[str, Any]:
        """Namespaced room for others."""
        return self._mapping("extensions") or {}

    # The spans

    @property
    def spans(self) -> Sequence[Span]:
        """Every span, in start order."""
        return _Spans(self)

    @property
    def roots(self) -> tuple[Span, ...]:
        """The spans that stand in no other."""
        return self.children(None)

    def children(self, span: Span | None) -> tuple[Span, ...]:
        """Return the spans right below one, in start order; None asks for the roots."""
        row = NO_PARENT if span is None else span.row
        return tuple(Span(self, child) for child in self.table.children(row))

    def parent(self, span: Span) -> Span | None:
        """Return the span that another happened in."""
        row = self.table.parent_row[span.row]
        return None if row < 0 else Span(self, row)

    def span(self, span_id: str) -> Span:
        """Return a span by its id.

        Raises:
            KeyError: The run has no such span.

        """
        row = self.table.row_of(span_id)
        if row is None:
            raise KeyError(span_id)
        return Span(self, row)

    def at(self, path: str) -> Span | None:
        """Return the first span at a path such as `agent#1/step2/llm`."""
        row = self._paths.find(path)
        return None if row is None else Span(self, row)

    @cached_property
    def _paths(self) -> PathIndex:
        return PathIndex(self)

    def record(self, row: int) -> Record:
        """Return the record behind a row."""
        record = self._records.get(row)
        if record is None:
            try:
                text = self._parts.records.text(row)
            except RunFileError as error:
                return Record(b"{}", self.values, str(error))
            record = Record(text, self.values, row=row, shelf=ref(self._records))
            self._records.put(row, record, record.weight)
        return record

    def record_text(self, row: int) -> bytes:
        """Return the JSON of a span's record.

        Raises:
            RunFileError: The file is not there any more, or not the same.

        """
        return self._parts.records.text(row)

    def record_texts(self) -> Iterator[tuple[int, bytes]]:
        """Yield every span's row and JSON in the order of the file, read in large blocks.

        Raises:
            RunFileError: The file is not there any more, or not the same.

        """
        records, place = self._parts.records.in_order(), self.table.offset
        rows: Iterable[int] = range(len(self.table))
        if any(map(gt, place, place[1:])):
            rows = sorted(rows, key=place.__getitem__)
        for row in rows:
            yield row, records.text(row)

    def resolve(self, tree: Any) -> Any:
        """Return a copy of a tree with its references followed."""
        return self.values.resolve(tree)

    # What follows from the spans

    @cached_property
    def timeline(self) -> list[TimelineEntry]:
        """Each component visit, agent step, LLM call and tool call, in start order."""
        return timeline_of(self)

    @cached_property
    def usage(self) -> dict[str, int] | None:
        """Tokens of the leaf calls, added up; None where no call of a model was seen.

        A figure that no call reported is left out. `unknown_calls` of the `calls` reported
        nothing: then the sums are the least it can have been.
        """
        return usage_of(self)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What of the file could not be read."""
        trouble = self._parts.source.trouble
        if trouble:
            return (*self._parts.problems, Problem(trouble, hint="Open it again."))
        return self._parts.problems

    # What can be done with a run

    def save(self, path: str | Path, *, indent: int | None = None) -> None:
        """Write the run to a file; `.gz` and `.zst` compress it."""
        from inspector.runfile.save import save_run

        save_run(self, path, indent=indent)

    def verify(self) -> Integrity:
        """Say whether the file is as its writer left it."""
        from inspector.runfile.verify import verify_run

        return verify_run(self)
