# ruff: noqa: E501 - runs and cases in a line each
"""Runs made by hand, with whatever a test wants to find in them."""

from typing import Any

import orjson

from inspector.runfile.compact import compact
from inspector.runfile.digest import value_id
from inspector.runfile.layout import run_file
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

HEADER = {
    "id": "01M8M4ZS3P6ZYDM51Q3F20SR8P", "kind": "pipeline", "name": "made", "mode": "sync",
    "status": "completed", "started_at": "2026-11-29T17:17:34.198578Z", "duration_ns": 1880894,
    "recorder": {"version": "0.1.0", "channels": ["tracing"]},
}  # fmt: skip


def span(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"s{number}", "parent": None if number == 1 else "s1",
        "kind": "pipeline" if number == 1 else "component",
        "operation": "haystack.pipeline.run" if number == 1 else "haystack.component.run",
        "name": "made" if number == 1 else f"part{number}", "path": "" if number == 1 else f"part{number}#1",
        "visit": 1, "start_ns": number * 1000, "end_ns": number * 1000 + 500, "status": "ok", **fields,
    }  # fmt: skip


def made_bytes(
    *spans: dict[str, Any], values: tuple[Any, ...] = (), header: dict[str, Any] | None = None
) -> bytes:
    """Return a file; `{"$value": n}` in a tree is the n-th of the values."""
    names: list[str] = []

    def put(tree: Any) -> Any:
        if isinstance(tree, dict):
            if "$value" in tree:
                return {"$ref": names[tree["$value"]]}
            return {key: put(part) for key, part in tree.items()}
        return [put(part) for part in tree] if isinstance(tree, list) else tree

    kept: list[tuple[str, bytes]] = []
    for value in values:
        text = compact(put(value), str)
        names.append(value_id(text))
        kept.append((names[-1], text))
    return b"".join(
        run_file(
            orjson.dumps(put({**HEADER, **(header or {})})),
            [compact(put(each), str) for each in spans],
            kept,
            named_by_digest=True,
        )
    )


def made_run(*spans: dict[str, Any], **more: Any) -> PipelineRun:
    return load_run(made_bytes(*spans, **more))
