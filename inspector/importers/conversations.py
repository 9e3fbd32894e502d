"""Runs of conversations: agents, the calls of models that they made, and the tools they called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.importers.building import RunBuilder, run_id
from inspector.importers.foreign import iso
from inspector.importers.imported import ImportedRun, import_note
from inspector.importers.paths import placed_paths
from inspector.importers.reading import Reading
from inspector.importers.tree_of_spans import NO_PARENT

if TYPE_CHECKING:
    from inspector.importers.imported import Context

_ROLES = {"agent": "agent", "llm": "llm", "tool": "tool"}


@dataclass(slots=True, eq=False)
class Told:
    """A span as a conversation tells of it. Times are nanoseconds since 1970.

    Args:
        kind: `agent`, `llm`, `tool` or `other`.
        name: That of the agent, the model or the tool.
        parent: The agent that it belongs to.
        start: When it began; None where nobody says.
        end: When it ended.
        status: `ok`, `failed` or `unfinished`.
        fields: Other fields of its record; those that are None are left out.
        lacking: What is not recorded and why, by field.

    """

    kind: str
    name: str
    parent: Told | None = None
    start: int | None = None
    end: int | None = None
    status: str = "ok"
    fields: dict[str, Any] = field(default_factory=dict)
    lacking: dict[str, str] = field(default_factory=dict)


def conversation_run(
    told: list[Told],
    context: Context,
    name: str,
    seed: str,
    *,
    builder: RunBuilder | None = None,
    **facts: Any,
) -> ImportedRun:
    """Return the run of what was told, parents before what they contain.

    Args:
        told: At least one span.
        context: Where they come from.
        name: What the run is called.
        seed: What tells the run from others.
        builder: Where values of it were kept already.
        facts: What else the import note says.

    """
    began = _starts(told)
    told = sorted(told, key=lambda each: began[id(each)])
    rows = {id(each): row for row, each in enumerate(told)}
    parents = [NO_PARENT if each.parent is None else rows[id(each.parent)] for each in told]
    readings = [Reading(each.kind, each.kind, each.name) for each in told]
    roots = [row for row, parent in enumerate(parents) if parent == NO_PARENT]
    paths, visits, indexes = placed_paths(readings, parents, several_roots=len(roots) > 1)
    starts = [each.start for each in told if each.start is not None]
    zero = min(starts, default=None)
    builder = RunBuilder(context.intake) if builder is None else builder
    for row, each in enumerate(told):
        record: dict[str, Any] = {
            "id": f"s{row + 1}",
            "parent": None if parents[row] == NO_PARENT else f"s{parents[row] + 1}",
            "kind": each.kind,
            "operation": each.kind,
            "name": each.name,
            "role": _ROLES.get(each.kind, "other"),
            "path": paths[row],
            "visit": visits[row],
            "status": each.status,
        }
        record["start_ns"] = began[id(each)] - (zero or 0)
        _note_times(record, each, zero)
        for key, value in each.fields.items():
            if value is not None:
                record[key] = builder.value(value)
        if each.kind == "tool":
            record["tool_call"] = {**record.get("tool_call", {}), "index": indexes[row]}
        if each.lacking:
            record["not_recorded"] = each.lacking
        builder.span(record)
    header: dict[str, Any] = {"id": run_id(seed, zero), "name": name, "status": _status(told)}
    if len(roots) == 1 and told[roots[0]].kind == "agent":
        header["kind"] = "agent"
        for key in ("inputs", "outputs"):
            if (value := told[roots[0]].fields.get(key)) is not None:
                header[key] = builder.value(value)
    if zero is not None:
        header["started_at"] = iso(zero)
        ends = [each.end for each in told if each.end is not None]
        if ends and max(ends) >= zero:
            header["duration_ns"] = max(ends) - zero
    header["not_recorded"] = context.losses.not_recorded
    header["extensions"] = {"import": import_note(context, **facts)}
    return ImportedRun(header, builder)


def _note_times(record: dict[str, Any], each: Told, zero: int | None) -> None:
    """Note when a span ended, and what of its times nobody says."""
    if each.start is None:
        each.lacking.setdefault("start_ns", "nobody says when it began")
    if each.end is not None and zero is not None and each.end >= (each.start or zero):
        record["end_ns"] = each.end - zero
    else:
        each.lacking.setdefault("end_ns", "nobody says when it ended")


def _status(told: list[Told]) -> str:
    roots = [each for each in told if each.parent is None]
    if roots[-1].status == "failed":
        return "failed"
    return "incomplete" if roots[-1].status == "unfinished" else "completed"


def _starts(told: list[Told]) -> dict[int, int]:
    """Return when each span began; one that does not say it, with what was told before it."""
    zero = min((each.start for each in told if each.start is not None), default=0)
    starts: dict[int, int] = {}
    latest = zero
    for each in told:
        above = starts.get(id(each.parent), zero)
        latest = max(above, latest) if each.start is None else each.start
        starts[id(each)] = latest
    return starts
