"""Lets a test write spans and values down as they stand in a run file."""

from typing import Any

import orjson

from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun


def run_with(
    *spans: dict[str, Any], values: dict[str, Any] | None = None, **header: Any
) -> PipelineRun:
    """Return a run of these spans; what is left out of a span is filled in.

    Spans without a parent hang under the first one.
    """
    written = []
    for number, span in enumerate(spans, 1):
        written.append(
            {
                "id": f"s{number}",
                "parent": None if number == 1 else "s1",
                "kind": "pipeline" if number == 1 else "component",
                "name": f"part{number}",
                "path": "" if number == 1 else f"part{number}#1",
                "visit": 1,
                "start_ns": 1_000_000 * (number - 1),
                "end_ns": 1_000_000 * (number + 10),
                "status": "ok",
                **span,
            }
        )
    run = {
        "id": "01JDQ6Z3V4N8W2X5Y7A9B1C3D5",
        "kind": "pipeline",
        "name": "written",
        "status": "completed",
        "started_at": "2026-11-20T14:00:00Z",
        "duration_ns": 100_000_000,
        **header,
    }
    file = {"format": "haystack-run", "version": 1, "run": run, "spans": written}
    return load_run(orjson.dumps({**file, "values": values or {}}), use_cache=False)


def message(role: str, *parts: Any, **meta: Any) -> dict[str, Any]:
    """Return a chat message; a part that is a string is a text."""
    content = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"$": "chat_message", "role": role, "meta": meta, "content": content}


def call(call_id: str | None, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return a part of a message: a tool call."""
    return {"tool_call": {"id": call_id, "name": tool, "arguments": arguments}}


def result(call_id: str | None, tool: str, said: Any, *, failed: bool = False) -> dict[str, Any]:
    """Return a tool message."""
    origin = {"id": call_id, "name": tool, "arguments": {}}
    return message("tool", {"tool_result": {"call": origin, "result": said, "error": failed}})


def document(number: int, content: str, score: float | None = None, **meta: Any) -> dict[str, Any]:
    """Return a document."""
    made = {"$": "document", "id": f"doc-{number}", "content": content, "meta": meta}
    return made if score is None else {**made, "score": score}


def nested(depth: int) -> list[Any]:
    """Return lists in lists in lists."""
    outer: list[Any] = []
    inner = outer
    for _ in range(depth):
        deeper: list[Any] = []
        inner.append(deeper)
        inner = deeper
    return outer


def bomb(doublings: int) -> Any:
    """Return a value that is small in memory and endless when written out."""
    value: Any = "x"
    for _ in range(doublings):
        value = [value, value]
    return value
