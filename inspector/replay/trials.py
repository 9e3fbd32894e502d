"""Trying many recordings out on one target, in a process of its own that is kept."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from inspector.replay.host import Worker, WorkerError
from inspector.replay.limits import Limits
from inspector.replay.mode import ReplayError
from inspector.replay.protocol import Job, Outcome
from inspector.runfile.load import load_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from inspector.runfile.model import PipelineRun

_TRY_S = 20.0
_MOST_DEATHS = 10
# They hold for the process, and so for many replays together.
_LIMITS = Limits(processor_s=1_800, file_mb=64, whole_s=7_200.0)


class Trial(NamedTuple):
    """How a recording replayed."""

    outcome: Outcome
    message: str = ""
    hint: str = ""
    run: PipelineRun | None = None
    """What each call was given, where it was replayed by the places of its calls."""

    @property
    def fits(self) -> bool:
        """Whether it replayed as it was recorded."""
        return self.outcome == Outcome.SAME


class TrialsStoppedError(ReplayError):
    """Nobody wants to know any more."""


class _TrialWorker(Worker):
    """A worker that is ended when one try takes too long."""

    module = "inspector.replay.trial_worker"
    deadline: float | None = None
    cancelled: Callable[[], bool] = staticmethod(lambda: False)

    def tell(self, number: int, *, loosely: bool) -> None:
        """Have it replay what stands in the file of its job now."""
        self._send({"do": "try", "number": number, "loosely": loosely})

    def _look_after_it(self) -> None:
        if self.cancelled():
            raise TrialsStoppedError("It was stopped.")
        if self.deadline is not None and time.monotonic() > self.deadline:
            self._give_up("took too long for one try")
        super()._look_after_it()


class Trials:
    """Replays recordings, STRICT or by the places of their calls. Use it as a context manager.

    The process is started when it is first needed, and anew when a recording has ended it.

    Args:
        target: `package.module:attribute` or a pipeline YAML; of a stranger's recordings
            nothing: each is replayed on stubs of its own, in a process that reaches nothing.
        directory: Where the target is looked for; the working directory unless given.
        asynchronous: Call `run_async`, not `run`.
        try_s: How long one replay may take.
        cancelled: Asked now and then whether anybody still wants to know.

    """

    def __init__(
        self, target: str = "", *, directory: Path | None = None, asynchronous: bool = False,
        try_s: float = _TRY_S, cancelled: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.is_stub = not target
        self._target = target
        self._directory = directory
        self._asynchronous = asynchronous
        self._try_s = try_s
        self._cancelled = cancelled
        self._folder = tempfile.TemporaryDirectory(prefix="inspector-")
        self._worker: _TrialWorker | None = None
        self._events: Iterator[dict[str, Any]] = iter(())
        self._number = self._deaths = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.end()
        self._folder.cleanup()

    def end(self) -> None:
        """End the process, if there is one; the next try starts another."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def attempt(self, recording: bytes, *, loosely: bool = False) -> Trial:
        """Replay a recording.

        Args:
            recording: The run file.
            loosely: By the places of its calls, and not STRICT; a trial that fits has a run.

        Raises:
            ReplayError: There is no process that could do it.
            TrialsStoppedError: `cancelled` said so; the process is ended.

        """
        worker = self._worker or self._started()
        source, output = Path(worker.job.run), Path(worker.job.output)
        source.write_bytes(recording)
        self._number += 1
        worker.deadline = time.monotonic() + self._try_s
        try:
            worker.tell(self._number, loosely=loosely)
            said = self._next("tried")
        except WorkerError as error:
            # What is left of a recording may be enough to hang what is made of it.
            self.end()
            self._deaths += 1
            if self._deaths > _MOST_DEATHS:
                raise
            return Trial(Outcome.COULD_NOT, str(error), error.hint)
        except BaseException:
            self.end()  # or its answer would be taken for that of the next
            raise
        worker.deadline = None
        error_said = said.get("error") or {}
        run = load_run(output.read_bytes()) if said.get("run") == str(output) else None
        return Trial(
            Outcome(said["outcome"]), str(error_said.get("message") or ""),
            str(error_said.get("hint") or ""), run,
        )  # fmt: skip

    def _started(self) -> _TrialWorker:
        folder = Path(os.path.realpath(self._folder.name))
        job = Job(
            target=self._target, stub=self.is_stub, asynchronous=self._asynchronous,
            run=str(folder / "tried.run.json"), output=str(folder / "replay.run.json"),
        )  # fmt: skip
        worker = _TrialWorker(
            job, python=sys.executable, directory=folder if self.is_stub else self._directory,
            limits=_LIMITS if self.is_stub else None,
        )  # fmt: skip
        worker.cancelled = self._cancelled
        worker.__enter__()
        self._worker, self._events = worker, worker.events()
        try:
            self._next("started")
        except BaseException:
            self.end()
            raise
        return worker

    def _next(self, name: str) -> dict[str, Any]:
        for event in self._events:
            if event.get("event") == name:
                return event
            if event.get("event") == "finished":
                error = event.get("error") or {}
                raise ReplayError(
                    str(error.get("message") or "The replay ended before it was done."),
                    hint=str(error.get("hint") or ""),
                )
        raise ReplayError("The replay ended before it was done.")
