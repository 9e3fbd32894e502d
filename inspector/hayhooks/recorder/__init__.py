"""Recording durable executions of Hayhooks, and making one run of all their attempts.

In a wrapper, one line:

    from inspector.hayhooks.recorder import recorded

    @recorded(folder="/shared/runs")
    class PipelineWrapper(BasePipelineWrapper):
        ...

Each attempt writes a *segment* of its own: `FOLDER/EXECUTION/attempt-0001-….run.jsonl`, a journal
that is there however the worker ends. `stitch` makes one run of the segments. Only what runs in
the wrapper needs Haystack and Hayhooks; stitching needs neither.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.hayhooks.recorder.attempt import RecordedAttempt, recording_of
    from inspector.hayhooks.recorder.stitch import executions_in, stitched
    from inspector.hayhooks.recorder.wrapping import recorded

__all__ = ["RecordedAttempt", "executions_in", "recorded", "recording_of", "stitched"]

_HOMES = {
    "RecordedAttempt": "attempt", "recording_of": "attempt", "recorded": "wrapping",
    "executions_in": "stitch", "stitched": "stitch",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
