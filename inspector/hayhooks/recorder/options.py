"""How attempts are recorded, and where they go."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.errors import RecordingError
from inspector.hayhooks.recorder.live import MOST_EVENTS
from inspector.recording.guest import complain
from inspector.recording.recorder import PipelineRecorder

if TYPE_CHECKING:
    from inspector.recording.kept_runs import RecordedRun

FOLDER_VARIABLE = "RUN_INSPECTOR_HAYHOOKS_RUNS"
_TAKEN = frozenset({"compress", "embeddings", "limits", "redact", "sink", "stream", "wrappers"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Options:
    """What a wrapper was told of its recording.

    Args:
        folder: Where the folders of executions go; the same for all replicas.
        recorder: Records the attempts.
        progress: Whether an execution says by a progress event that it is recorded.
        live_spans: How many events of spans an attempt sends over its stream; 0 for none.

    """

    folder: Path
    recorder: PipelineRecorder
    progress: bool
    live_spans: int


def options_for(
    folder: str | Path | None, *, progress: bool = True, live_spans: bool | int = False,
    **settings: Any,
) -> Options | None:  # fmt: skip
    """Return the options; None where nobody says where recordings go, which is said in the log.

    Raises:
        RecordingError: One of the settings makes no sense for attempts.

    """
    if unknown := sorted(settings.keys() - _TAKEN):
        raise RecordingError(
            f"Attempts of durable executions are not recorded with {unknown[0]!r}.",
            hint=f"What they take beside it is {', '.join(sorted(_TAKEN))}.",
        )
    folder = folder or os.environ.get(FOLDER_VARIABLE) or None
    if folder is None:
        complain(
            "Durable executions are not recorded",
            f"nobody says where: pass folder=..., or set {FOLDER_VARIABLE}",
        )
        return None
    place = Path(folder).expanduser().absolute()
    most = MOST_EVENTS if live_spans is True else int(live_spans)
    return Options(
        folder=place,
        recorder=_Forgetful(place, **settings),
        progress=progress,
        live_spans=max(0, most),
    )


class _Forgetful(PipelineRecorder):
    """Remembers no runs: a server runs for months, and nobody asks it for them."""

    def _remember(self, run: RecordedRun) -> None:
        """Let go of a run that is in its file, or lost."""
