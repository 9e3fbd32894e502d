"""One span of a run: a light view on a row of its table, decoded piece by piece."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.runfile.usage import Usage, recorded_usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.runfile.kinds import SpanKind, SpanStatus
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.records import Record

_MAX_CAUSES = 50


@dataclass(frozen=True, slots=True)
class Chunk:
    """One piece of a streamed reply and when it arrived, counted from the start of the run."""

    at_ns: int
    value: Any


@dataclass(frozen=True, slots=True)
class SpanError:
    """An exception as it was recorded; `cause` and `context` chain like Python's own."""

    type: str
    message: str
    traceback: str
    cause: SpanError | None = None
    context: SpanError | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def attributes(self) -> Mapping[str, Any]:
        """The exception's own attributes that were recorded, such as `status_code`."""
        found = self.raw.get("attributes")
        return found if isinstance(found, dict) else {}


def read_error(tree: Any, *, left: int = _MAX_CAUSES) -> SpanError | None:
    """Return the error that a tree describes, or None where it describes none."""
    if not isinstance(tree, dict):
        return None

    def word(key: str) -> str:
        said = tree.get(key)
        return said if isinstance(said, str) else ""

    return SpanError(
        type=word("type"),
        message=word("message"),
        traceback=word("traceback"),
        cause=read_error(tree.get("cause"), left=left - 1) if left else None,
        context=read_error(tree.get("context"), left=left - 1) if left else None,
        raw=tree,
    )


class Span:
    """One timed operation of a run.

    Cheap to make and to throw away: whatever stands in the table costs nothing,
    everything else is read from the file when it is asked for.
    """

    __slots__ = ("_record_", "_run", "row")

    def __init__(self, run: PipelineRun, row: int) -> None:
        self._run = run
        self.row = row
        self._record_: Record | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Span):
            return NotImplemented
        return self.row == other.row and self._run.identity == other._run.identity

    def __hash__(self) -> int:
        return hash((self._run.identity, self.row))

    def __repr__(self) -> str:
        return f"<Span {self.id} {self.kind} {self.name!r}>"

    # What the table knows

    @property
    def id(self) -> str:
        """The span's name within its file, such as `s14`."""
        return self._run.table.id(self.row)

    @property
    def parent_id(self) -> str | None:
        """The id of the span that this one happened in; None for a root."""
        row = self._run.table.parent_row[self.row]
        return None if row < 0 else self._run.table.id(row)

    @property
    def kind(self) -> SpanKind:
        return self._run.table.kind_of(self.row)

    @property
    def status(self) -> SpanStatus:
        return self._run.table.status_of(self.row)

    @property
    def name(self) -> str:
        return self._run.table.name(self.row)

    @property
    def depth(self) -> int:
        """How many spans are around this one."""
        return self._run.table.depth[self.row]

    @property
    def start_ns(self) -> int:
        return self._run.table.start_ns[self.row]

    @property
    def end_ns(self) -> int | None:
        end = self._run.table.end_ns[self.row]
        return None if end < 0 else end

    @property
    def duration_ns(self) -> int | None:
        return self._run.table.duration_ns(self.row)

    # What the record knows

    @property
    def operation(self) -> str:
        return self._record.text("operation")

    @property
    def type(self) -> str:
        return self._record.text("type")

    @property
    def role(self) -> str:
        return self._record.text("role")

    @property
    def path(self) -> str:
        return self._record.text("path")

    @property
    def thread(self) -> str | None:
        return self._record.text("thread") or None

    @property
    def visit(self) -> int:
        number = self._record.number("visit")
        return 1 if number is None else number

    @property
    def step(self) -> int | None:
        return self._record.number("step")

    @property
    def inputs(self) -> Any:
        return self._record.tree("inputs")

    @property
    def outputs(self) -> Any:
        return self._record.tree("outputs")

    @property
    def arguments(self) -> Any:
        return self._record.tree("arguments")

    @property
    def error(self) -> SpanError | None:
        return read_error(self._record.mapping("error"))

    @property
    def usage(self) -> Usage | None:
        tree = self._record.mapping("usage")
        return None if tree is None else recorded_usage(tree)

    @property
    def llm(self) -> Mapping[str, Any] | None:
        return self._record.mapping("llm")

    @property
    def senders(self) -> Mapping[str, Any] | None:
        return self._record.mapping("senders")

    @property
    def receivers(self) -> Mapping[str, Any] | None:
        return self._record.mapping("receivers")

    @property
    def tool_call(self) -> Mapping[str, Any] | None:
        return self._record.mapping("tool_call")

    @property
    def retrieval(self) -> Mapping[str, Any] | None:
        return self._record.mapping("retrieval")

    @property
    def state_changes(self) -> Mapping[str, Any] | None:
        return self._record.mapping("state_changes")

    @property
    def tags(self) -> Mapping[str, Any]:
        return self._record.mapping("tags") or {}

    @property
    def channels(self) -> Mapping[str, Any]:
        return self._record.mapping("channels") or {}

    @property
    def not_recorded(self) -> Mapping[str, Any]:
        return self._record.mapping("not_recorded") or {}

    @property
    def extensions(self) -> Mapping[str, Any]:
        return self._record.mapping("extensions") or {}

    @property
    def chunks(self) -> list[Chunk] | None:
        """The pieces of a streamed reply; None where it was not streamed."""
        tree = self._record.tree("chunks")
        if not isinstance(tree, list):
            return None
        return [
            Chunk(item[0], item[1])
            for item in tree
            if isinstance(item, list) and len(item) == 2 and type(item[0]) is int
        ]

    @property
    def raw(self) -> Mapping[str, Any]:
        """The record as it stands in the file, references not followed."""
        return self._record.raw

    def has(self, name: str) -> bool:
        """Whether a field was recorded at all; its value is not decoded for this."""
        return self._record.has(name)

    @property
    def problems(self) -> tuple[str, ...]:
        """What of this span could not be read, in words."""
        return self._record.problems()

    @property
    def _record(self) -> Record:
        if self._record_ is None:
            self._record_ = self._run.record(self.row)
        return self._record_
