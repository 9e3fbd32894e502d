"""Segments of a durable execution, as the recorder leaves them, made without Haystack."""

import json
from pathlib import Path
from typing import Any

from inspector.hayhooks.recorder.layout import MANIFEST, manifest_text
from inspector.runfile.durable import ATTEMPT

EXECUTION = "5f3c9d21aa"
_MS = 1_000_000


def killed_and_done_again(folder: Path) -> Path:
    """Write an execution that was killed in `charge` and did it again; return its folder."""
    place = folder / EXECUTION
    place.mkdir(parents=True)
    _segment(place, 1, "2026-11-30T10:00:00.000000Z", ["find", "charge"], is_killed=True)
    _segment(place, 2, "2026-11-30T10:00:05.000000Z", ["charge"], is_killed=False)
    (place / MANIFEST).write_bytes(manifest_text({"execution": EXECUTION, "deployment": "bills"}))
    return place


def _segment(
    place: Path, attempt: int, started_at: str, names: list[str], *, is_killed: bool
) -> None:
    facts: dict[str, Any] = {"attempt": attempt, "worker": {"host": "bench", "pid": attempt}}
    header = {
        "id": f"01JD0000000000000000000{attempt:03d}", "kind": "pipeline", "name": "bills",
        "status": "running", "started_at": started_at, "extensions": {"hayhooks": facts},
    }  # fmt: skip
    lines: list[dict[str, Any]] = [
        {"record": "run", "format": "haystack-run", "version": 1, "run": header},
        _start("s1", None, "other", ATTEMPT, f"attempt {attempt}", "", 0),
        _start("s2", "s1", "pipeline", "haystack.pipeline.run", "pipeline", "pipeline#1", 1),
    ]
    for number, name in enumerate(names, 3):
        begun = number * 10
        span = f"s{number}"
        path = f"pipeline#1/{name}#1"
        inputs = {"inputs": {"bill": 7}}
        lines.append(
            _start(span, "s2", "component", "haystack.component.run", name, path, begun, **inputs)
        )
        if not (is_killed and name == names[-1]):
            lines.append(_end(span, begun + 5))
    if not is_killed:
        lines += [_end("s2", 90), _end("s1", 95)]
        over = {"status": "completed", "duration_ns": 95 * _MS}
        done = {**over, "extensions": {"hayhooks": {**facts, "ended": "completed"}}}
        lines.append({"record": "finish", "fields": done})
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (place / f"attempt-{attempt:04d}-0000000{attempt}.run.jsonl").write_text(text)


def _start(
    span: str, parent: str | None, kind: str, operation: str, name: str, path: str, at: int,
    **fields: Any,
) -> dict[str, Any]:  # fmt: skip
    told = {
        "id": span, "parent": parent, "kind": kind, "operation": operation, "name": name,
        "path": path, "visit": 1, "start_ns": at * _MS, **fields,
    }  # fmt: skip
    return {"record": "start", "span": told}


def _end(span: str, at: int) -> dict[str, Any]:
    return {"record": "end", "id": span, "end_ns": at * _MS, "status": "ok", "fields": {}}
