"""From the spans of traces to runs of ours: one run a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.importers import trees
from inspector.importers.building import RunBuilder, run_id
from inspector.importers.counting import count_once
from inspector.importers.dialects import reading_of
from inspector.importers.failed_tools import note_failed_tools
from inspector.importers.foreign import iso
from inspector.importers.imported import ImportedRun, import_note
from inspector.importers.paths import placed_paths
from inspector.importers.reading import plain, tags_of
from inspector.importers.topology import topology_of
from inspector.importers.tree_of_spans import NO_PARENT, Placed, placed
from inspector.importers.trees import converted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inspector.importers.foreign import ForeignSpan
    from inspector.importers.imported import Context
    from inspector.importers.reading import Reading

_FIELDS = (
    "inputs", "outputs", "arguments", "senders", "receivers", "llm", "usage", "retrieval",
    "channels",
)  # fmt: skip
_NO_TOKENS = "the call does not say how many tokens it took"
_KINDS = ("pipeline", "agent", "component")


def runs_of(
    spans: Iterable[ForeignSpan],
    context: Context,
    *,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
) -> Iterator[ImportedRun]:
    """Yield a run for each trace among the spans, in the order in which they appear.

    Args:
        spans: Those of the whole file.
        context: Where they come from.
        facts: What else the file says of a trace, by its id: fields of the import note, and
            `title`, what the run is called.

    """
    traces: dict[str, list[ForeignSpan]] = {}
    for span in spans:
        traces.setdefault(span.trace, []).append(span)
    for number, (trace, members) in enumerate(traces.items()):
        context.check(number / len(traces))
        yield _run(
            trace, placed(members, context.losses), context, dict((facts or {}).get(trace, {}))
        )


def _run(trace: str, tree: Placed, context: Context, facts: dict[str, Any]) -> ImportedRun:
    readings: list[Reading] = []
    dialects: dict[str, int] = {}
    for span in tree.spans:
        reading, dialect = reading_of(span)
        readings.append(reading)
        dialects[dialect] = dialects.get(dialect, 0) + 1
    count_once(readings, tree.parents)
    note_failed_tools(tree, readings)
    _say_what_lies_outside(tree, context)
    roots = [row for row, parent in enumerate(tree.parents) if parent == NO_PARENT]
    title = _title(facts.pop("title", None), readings, roots)
    values = {field: facts.pop(field, None) for field in ("inputs", "outputs")}
    starts = [span.start for span in tree.spans if span.start is not None]
    zero = min(starts, default=None)
    builder = RunBuilder(context.intake)
    _Records(builder, tree, readings, zero, several=len(roots) != 1)
    note = import_note(
        context, dialects=[name for name in dialects if name], trace_id=trace, **facts
    )
    header = _header(trace, tree, readings, roots, zero, builder)
    header["name"] = title
    for field, value in values.items():
        if value is not None and field not in header:
            # Some tools encode once more what was JSON already.
            header[field] = builder.value(converted(plain(plain(value))))
    header["extensions"] = {"import": note}
    if not_recorded := _not_recorded(context, readings):
        header["not_recorded"] = not_recorded
    return ImportedRun(header, builder)


def _say_what_lies_outside(tree: Placed, context: Context) -> None:
    """Say of spans that have nothing to do with the time of the one that they belong to."""
    outside = 0
    for span, parent in zip(tree.spans, tree.parents, strict=True):
        if parent == NO_PARENT:
            continue
        above = tree.spans[parent]
        if span.start is None or above.start is None or above.end is None:
            continue
        outside += span.start > above.end or (span.end is not None and span.end < above.start)
    if outside:
        context.losses.problem(
            f"{outside:,} spans lie wholly outside the time of "
            "the span above: clocks that differ, or another run."
        )


def _title(said: Any, readings: list[Reading], roots: list[int]) -> str:
    if isinstance(said, str) and said:
        return said
    if title := next((reading.title for reading in readings if reading.title), ""):
        return title
    if len(roots) == 1:
        return readings[roots[0]].name
    return "trace"


class _Records:
    """Makes the record of each span of a trace when it is asked for."""

    def __init__(
        self,
        builder: RunBuilder,
        tree: Placed,
        readings: list[Reading],
        zero: int | None,
        *,
        several: bool,
    ) -> None:
        self._builder = builder
        self._tree = tree
        self._readings = readings
        self._zero = zero
        self._places = placed_paths(readings, tree.parents, several_roots=several)
        for row, (span, reading) in enumerate(zip(tree.spans, readings, strict=True)):
            parent = tree.parents[row]
            start, end = _times(span, reading, zero)
            builder.head(
                f"s{row + 1}",
                None if parent == NO_PARENT else f"s{parent + 1}",
                reading.kind,
                reading.name,
                reading.role or "other",
                start,
                end,
                _status_of(span),
                usage=reading.usage is not None,
                error=span.failed,
            )
        builder.make_records(self.record)

    def record(self, row: int) -> dict[str, Any]:
        """Return the record of a row."""
        span, reading, builder = self._tree.spans[row], self._readings[row], self._builder
        paths, visits, indexes = self._places
        parent = self._tree.parents[row]
        reading.finish()
        start, end = _times(span, reading, self._zero)
        record: dict[str, Any] = {
            "id": f"s{row + 1}",
            "parent": None if parent == NO_PARENT else f"s{parent + 1}",
            "kind": reading.kind,
            "operation": reading.operation,
            "name": reading.name,
            "role": reading.role or "other",
            "path": paths[row],
            "visit": visits[row],
            "start_ns": start,
            "status": _status_of(span),
        }
        if end is not None:
            record["end_ns"] = end
        if reading.type:
            record["type"] = reading.type
        if reading.step is not None:
            record["step"] = reading.step
        for field in _FIELDS:
            if (value := getattr(reading, field)) is not None:
                record[field] = builder.value(value)
        if reading.kind == "tool":
            record["tool_call"] = {**(reading.tool_call or {}), "index": indexes[row]}
        if span.failed:
            record["error"] = builder.value(reading.error or _error(span))
        if tags := tags_of(span, reading):
            record["tags"] = builder.value(tags)
        if not_recorded := _absent(span, reading):
            record["not_recorded"] = not_recorded
        record["extensions"] = {"import": {"span_id": span.id}}
        return record


def _times(span: ForeignSpan, reading: Reading, zero: int | None) -> tuple[int, int | None]:
    """Return start and end since the start of the run."""
    if span.start is None or zero is None:
        reading.not_recorded["start_ns"] = "the span does not say when it began"
        return 0, None
    start = span.start - zero
    if span.end is None:
        return start, None
    if span.end < span.start:
        early = span.start - span.end
        reading.not_recorded["end_ns"] = f"by its own account it ended {early:,} ns before it began"
        return start, start
    return start, span.end - zero


def _status_of(span: ForeignSpan) -> str:
    if span.failed:
        return "failed"
    return "unfinished" if span.unfinished else "ok"


def _absent(span: ForeignSpan, reading: Reading) -> dict[str, str]:
    found = reading.not_recorded
    calls = reading.role == "llm" or reading.kind == "llm"
    if calls and reading.usage is None and not span.failed:
        found.setdefault("usage", _NO_TOKENS)
    return found


def _error(span: ForeignSpan) -> dict[str, Any]:
    noted = span.exception or {}
    message = noted.get("exception.message") or span.message
    return trees.error(noted.get("exception.type"), message, noted.get("exception.stacktrace"))


def _header(
    trace: str,
    tree: Placed,
    readings: list[Reading],
    roots: list[int],
    zero: int | None,
    builder: RunBuilder,
) -> dict[str, Any]:
    header: dict[str, Any] = {"id": run_id(trace, zero), "status": _status(tree, roots)}
    root = readings[roots[0]] if len(roots) == 1 else None
    if root is not None and root.kind in _KINDS:
        header["kind"] = root.kind
    if mode := next((reading.mode for reading in readings if reading.mode), ""):
        header["mode"] = mode
    if zero is not None:
        header["started_at"] = iso(zero)
        ends = [span.end for span in tree.spans if span.end is not None]
        if ends and max(ends) >= zero:
            header["duration_ns"] = max(ends) - zero
    if root is not None:
        root.finish()
        for field in ("inputs", "outputs"):
            if (value := getattr(root, field)) is not None:
                header[field] = builder.value(value)
    failed = next((row for row in roots if tree.spans[row].failed), None)
    if failed is not None and (error := readings[failed].error or _error(tree.spans[failed])):
        header["error"] = builder.value(error)
    if topology := topology_of(readings, tree.parents, roots):
        header["topology"] = topology
    return header


def _status(tree: Placed, roots: list[int]) -> str:
    spans = [tree.spans[row] for row in roots]
    if any(span.failed for span in spans):
        return "failed"
    if not tree.rooted or any(span.unfinished for span in spans):
        return "incomplete"
    return "completed"


def _not_recorded(context: Context, readings: list[Reading]) -> list[dict[str, str]]:
    found = context.losses.not_recorded
    inner = [reading for reading in readings if reading.kind in ("component", "llm", "tool")]
    hidden = [reading for reading in inner if "inputs" in reading.not_recorded]
    if inner and len(hidden) == len(inner):
        found.append({"what": "inputs and outputs", "why": hidden[0].not_recorded["inputs"]})
    return found
