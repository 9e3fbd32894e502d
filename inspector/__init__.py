"""Record, open, replay and compare Haystack pipeline and agent runs.

Everything is loaded when it is first used: `import inspector` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.cost.budget import Budget
    from inspector.diff.model import Comparison
    from inspector.errors import BudgetExceededError
    from inspector.importers.comparing import diff_runs
    from inspector.importers.opening import load_run, load_runs
    from inspector.recording.api import record_run, record_run_async, recording
    from inspector.recording.recorder import PipelineRecorder
    from inspector.redaction.report import RedactionReport
    from inspector.redaction.run import redact_run
    from inspector.redaction.settings import Redaction
    from inspector.replay.api import Replayer, replay_run, replay_run_async
    from inspector.replay.enable import disable, enable
    from inspector.replay.failure import ReplayDriftError
    from inspector.replay.mode import ReplayMode
    from inspector.runfile.drift import Drift, DriftReport
    from inspector.runfile.model import PipelineRun

_HOMES = {
    "Comparison": "inspector.diff.model",
    "Budget": "inspector.cost.budget",
    "BudgetExceededError": "inspector.errors",
    "DirectoryLimits": "inspector.recording.limits",
    "Drift": "inspector.runfile.drift",
    "DriftReport": "inspector.runfile.drift",
    "PipelineRecorder": "inspector.recording.recorder",
    "PipelineRun": "inspector.runfile.model",
    "Redaction": "inspector.redaction.settings",
    "RedactionReport": "inspector.redaction.report",
    "ReplayDriftError": "inspector.replay.failure",
    "ReplayMode": "inspector.replay.mode",
    "Replayer": "inspector.replay.api",
    "WriteLimits": "inspector.runfile.limits",
    "diff_runs": "inspector.importers.comparing",
    "disable": "inspector.replay.enable",
    "enable": "inspector.replay.enable",
    "load_run": "inspector.importers.opening",
    "load_runs": "inspector.importers.opening",
    "record_run": "inspector.recording.api",
    "record_run_async": "inspector.recording.api",
    "redact_run": "inspector.redaction.run",
    "replay_run": "inspector.replay.api",
    "replay_run_async": "inspector.replay.api",
}

__all__ = [
    "Budget",
    "BudgetExceededError",
    "Comparison",
    "DirectoryLimits",
    "Drift",
    "DriftReport",
    "PipelineRecorder",
    "PipelineRun",
    "Redaction",
    "RedactionReport",
    "ReplayDriftError",
    "ReplayMode",
    "Replayer",
    "WriteLimits",
    "diff_runs",
    "disable",
    "enable",
    "load_run",
    "load_runs",
    "record_run",
    "record_run_async",
    "recording",
    "redact_run",
    "replay_run",
    "replay_run_async",
]


def __getattr__(name: str) -> Any:
    if name == "recording":
        # The package of that name; it can be called.
        return import_module("inspector.recording")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
