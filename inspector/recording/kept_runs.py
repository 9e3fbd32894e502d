"""The runs that a recorder made: where each of them is, for as long as it is remembered."""

from __future__ import annotations

import threading
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

from inspector.errors import RecordingError
from inspector.recording.guest import complain

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.runfile.finished import FinishedRun
    from inspector.runfile.journal import RunWriter
    from inspector.runfile.model import PipelineRun

_MOST_RUNS = 1000
_MOST_BYTES = 256 * 2**20


class RecordedRun:
    """One run, as one recorder keeps it."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer: RunWriter | None = writer
        self._finished: FinishedRun | None = None
        self._told = False

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the run is where it belongs; False when that took too long."""
        writer = self._writer
        if writer is None:
            return True
        if not writer.wait(timeout_s):
            return False
        self.settle()
        return True

    def settle(self) -> bool:
        """Let go of the writer, which holds more than anybody needs, if it is done."""
        writer = self._writer
        if writer is None:
            return True
        finished = writer.finished
        if finished is None:
            return False
        if not self._told:
            self._finished = finished
        self._writer = None
        return True

    def keep(self, finished: FinishedRun | None) -> None:
        """Keep this instead of what the writer made: a copy elsewhere, or nothing."""
        self._finished = finished
        self._told = True

    @property
    def path(self) -> Path | None:
        """Where it is on disk."""
        return None if self._finished is None else self._finished.path

    @property
    def held_bytes(self) -> int:
        """How much of it is in memory."""
        finished = self._finished
        return 0 if finished is None or finished.data is None else len(finished.data)

    @property
    def is_kept(self) -> bool:
        """Whether it is anywhere."""
        finished = self._finished
        return finished is not None and (finished.path is not None or finished.data is not None)

    def load(self) -> PipelineRun:
        """Open it.

        Raises:
            RecordingError: It was not kept.
            RunFileError: Its file cannot be read any more.

        """
        if self._finished is None:
            raise RecordingError("The run was not kept.")
        return self._finished.load()


class KeptRuns:
    """The last runs of a recorder, in the order in which they ended."""

    def __init__(self) -> None:
        self._runs: deque[RecordedRun] = deque()
        self._held_bytes = 0  # by those that have let go of their writer
        self._settled = 0  # so many of the oldest have
        self._lock = threading.Lock()

    def add(self, run: RecordedRun) -> None:
        """Remember a run that ended, and forget the oldest when they get much."""
        with self._lock:
            self._runs.append(run)
            while self._settled < len(self._runs) and self._runs[self._settled].settle():
                self._held_bytes += self._runs[self._settled].held_bytes
                self._settled += 1
            while len(self._runs) > _MOST_RUNS or self._held_bytes > _MOST_BYTES:
                oldest = self._runs.popleft()
                if self._settled:
                    self._settled -= 1
                    self._held_bytes -= oldest.held_bytes

    def wait(self, timeout_s: float | None) -> bool:
        """Wait until all of them are where they belong; False when time is over."""
        deadline = None if timeout_s is None else monotonic() + timeout_s
        for run in self._now():
            left = None if deadline is None else max(0.0, deadline - monotonic())
            if not run.wait(left):
                return False
        return True

    def load(self) -> tuple[PipelineRun, ...]:
        """Open all that were kept and can still be read."""
        return tuple(opened for run in self._now() if (opened := _opened(run)) is not None)

    def paths(self) -> tuple[Path, ...]:
        """Return where they are on disk, but for those that somebody has removed since."""
        paths = (run.path for run in self._now())
        return tuple(path for path in paths if path is not None and path.exists())

    def _now(self) -> tuple[RecordedRun, ...]:
        with self._lock:
            return tuple(self._runs)


def _opened(run: RecordedRun) -> PipelineRun | None:
    if not run.is_kept or (run.path is not None and not run.path.exists()):
        return None  # a limit of its directory may have removed it
    try:
        return run.load()
    except Exception as error:  # noqa: BLE001 - one lost file must not hide the others
        complain("A run could not be read back", error)
        return None
