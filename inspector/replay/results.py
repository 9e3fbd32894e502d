"""What a worker has left behind: the replay as a run, and what is new in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.replay.mode import ReplayError

if TYPE_CHECKING:
    from inspector.replay.extend import News
    from inspector.replay.protocol import Job
    from inspector.runfile.model import PipelineRun


class Results:
    """What can be asked of a worker that has finished."""

    job: Job
    finished: dict[str, Any] | None
    """The last event, once the replay has ended."""

    def run(self) -> PipelineRun:
        """Return the replay as a run, once it has finished.

        Raises:
            ReplayError: The worker has not kept any.

        """
        from inspector.runfile.load import load_run

        kept = (self.finished or {}).get("run")
        if not isinstance(kept, str) or kept != self.job.output:
            raise ReplayError("This replay was not kept as a run.")
        return load_run(kept)

    def news(self) -> News:
        """Return what a RECORD_NEW replay would add to its recording, or has added."""
        from inspector.replay.extend import News

        told = (self.finished or {}).get("news")
        return News.from_dict(told if isinstance(told, dict) else {})

    def add_new(self) -> PipelineRun:
        """Add what is new to the recording, without the worker and without running anything.

        Returns the recording with it. Adding it again adds nothing.

        Raises:
            ReplayError: The worker has not kept the replay as a run.
            RunFileError: The recording cannot be read or written; it is as it was.

        """
        from inspector.replay.extend import extend
        from inspector.replay.policy import Policy

        treat: dict[str | type, str] = {}
        treat.update(self.job.treat)
        return extend(Path(self.job.run), self.run(), Policy(treat))
