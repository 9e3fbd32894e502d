"""Lets a test draw a whole run, with the file it would have come from."""

from collections.abc import Mapping
from typing import Any

import orjson

from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from inspector.runfile.table import NO_END, NO_PARENT, SpanTable
from tests.helpers.tables import table_from_outline


def run_from_outline(
    outline: str,
    *,
    fields: Mapping[str, Mapping[str, Any]] | None = None,
    status: str | None = None,
) -> PipelineRun:
    """Read a drawing (see `table_from_outline`) as a run.

    Args:
        outline: The spans.
        fields: More fields of the spans of a name, such as `{"llm": {"usage": ...}}`.
        status: The run's, when it does not follow from the spans.
    """
    return run_from_table(table_from_outline(outline), fields=fields, status=status)


def run_from_table(
    table: SpanTable,
    *,
    fields: Mapping[str, Mapping[str, Any]] | None = None,
    status: str | None = None,
) -> PipelineRun:
    """Write a table as a run file, and read it."""
    paths: list[str] = []
    seen: dict[tuple[int, str], int] = {}
    spans = []
    for row in range(len(table)):
        parent, name, kind = table.parent_row[row], table.name(row), str(table.kind_of(row))
        visit = seen[parent, name] = seen.get((parent, name), 0) + 1
        segment = {"step": f"step{visit - 1}", "llm": "llm", "tool": f"tool:{name}[{visit - 1}]"}
        above = "" if parent == NO_PARENT else paths[parent]
        own = "" if parent == NO_PARENT else segment.get(kind, f"{name}#{visit}")
        paths.append(f"{above}/{own}".strip("/"))
        span: dict[str, Any] = {
            "id": table.id(row),
            "parent": None if parent == NO_PARENT else table.id(parent),
            "kind": kind,
            "operation": f"haystack.{kind}.run",
            "name": name,
            "path": paths[-1],
            "visit": visit,
            "start_ns": table.start_ns[row],
            "status": str(table.status_of(row)),
        }
        if table.end_ns[row] != NO_END:
            span["end_ns"] = table.end_ns[row]
        if kind == "step":
            span["step"] = visit - 1
        spans.append(span | dict((fields or {}).get(name, {})))
    ended = all(end != NO_END for end in table.end_ns)
    header: dict[str, Any] = {
        "id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5",
        "kind": "pipeline",
        "name": table.name(0) if len(table) else "empty",
        "status": status or ("completed" if ended else "incomplete"),
        "started_at": "2026-11-20T14:00:00Z",
    }
    if ended:
        header["duration_ns"] = table.end_of_run()
    parts = [
        b'{"format":"haystack-run","version":1,"run":' + orjson.dumps(header) + b',\n"spans":[',
        b",\n".join(orjson.dumps(span) for span in spans),
        b'],\n"values":{\n}}',
    ]
    return load_run(b"\n".join(parts), use_cache=False)
