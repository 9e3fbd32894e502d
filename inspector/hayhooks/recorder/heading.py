"""The header of a run that was made of attempts: what they have in common, and each by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.hayhooks.recorder.joining import run_status
from inspector.hayhooks.recorder.layout import SCHEMA
from inspector.importers.building import run_id
from inspector.runfile.durable import EXTENSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.hayhooks.recorder.joining import Joined
    from inspector.hayhooks.recorder.pieces import Segment

_FROM_FIRST = (
    "mode", "started_at", "utc_offset_s", "topology", "definition", "definition_errors",
    "environment", "redacted",
)  # fmt: skip
_FACTS: tuple[tuple[str, type], ...] = (
    ("deployment", str), ("revision", str), ("kind", str), ("created_at_ms", int),
)  # fmt: skip


def header_of(
    folder: str, said: Mapping[str, Any], segments: Sequence[Segment], made: Joined
) -> dict[str, Any]:
    """Return the header of the run, apart from its kind and name.

    Args:
        folder: What the folder of the segments is called, which is the execution's id as a rule.
        said: What the manifest says.
        segments: The attempts.
        made: The spans that became of them.

    """
    last = segments[-1]
    execution = str(said.get("execution") or _first(segments, "execution") or folder)
    known = next(
        (each for each in (said.get("run"), _first(segments, "run")) if isinstance(each, str)), None
    )
    header: dict[str, Any] = {"id": known or run_id(execution, None)}
    for field in _FROM_FIRST:
        for segment in segments:
            if field in segment.run.header:
                header[field] = segment.run.header[field]
                break
    header["status"] = run_status(last)
    header["duration_ns"] = made.end_ns
    for field in ("inputs", "outputs", "error"):
        if field in made.root:
            header[field] = made.root[field]
    if run_status(last) != "completed":
        header.pop("outputs", None)
    header["recorder"] = _recorder(segments)
    if notes := _not_recorded(segments):
        header["not_recorded"] = notes
    if taken := _redaction(segments):
        header["redaction"] = taken
    own: dict[str, Any] = {"schema": SCHEMA, "execution": execution}
    for field, kind in _FACTS:
        for value in (said.get(field), _first(segments, field)):
            if isinstance(value, kind):
                own.setdefault(field, value)
    own |= {
        "attempts": made.attempts, "checkpoints": made.checkpoints, "repeats": made.repeats,
    }  # fmt: skip
    header["extensions"] = {EXTENSION: own}
    return header


def _first(segments: Sequence[Segment], field: str) -> Any:
    return next((each.facts[field] for each in segments if field in each.facts), None)


def _recorder(segments: Sequence[Segment]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    channels: set[str] = set()
    for segment in segments:
        said = segment.run.header.get("recorder")
        if isinstance(said, dict):
            told = {**said, **told}
            channels.update(each for each in said.get("channels", ()) if isinstance(each, str))
    return {**told, "channels": sorted(channels)} if told else {}


def _not_recorded(segments: Sequence[Segment]) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = []
    for segment in segments:
        for each in segment.run.not_recorded:
            if isinstance(each, dict) and {**each, "attempt": segment.attempt} not in notes:
                notes.append({**each, "attempt": segment.attempt})
    return notes


def _redaction(segments: Sequence[Segment]) -> list[dict[str, Any]]:
    """Return what was taken out of all segments, by rule; the places have other paths there."""
    counts: dict[str, int] = {}
    for segment in segments:
        said = segment.run.header.get("redaction")
        for each in said if isinstance(said, list) else ():
            if isinstance(each, dict) and isinstance(rule := each.get("rule"), str):
                count = each.get("count")
                counts[rule] = counts.get(rule, 0) + (count if type(count) is int else 0)
    return [{"rule": rule, "count": count} for rule, count in counts.items()]
