"""Going on from the checkpoint of an execution, here, in a process of our own.

The execution itself stays where and what it is: a copy of its input and checkpoint is put into a
store that is forgotten afterwards, and Hayhooks' own runtime takes it up there. So what was done
before the checkpoint is not done again, and what comes after it is, live: models are called and
tools run. Every attempt is recorded.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.recorder.stitch import executions_in, stitched
from inspector.replay.host import Worker
from inspector.replay.protocol import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from inspector.hayhooks.stored import Stored
    from inspector.runfile.model import PipelineRun

NO_ANSWER: Any = object()
ENDS = frozenset({"completed", "failed", "canceled", "waiting"})


class ForkWorker(Worker):
    """The process that goes on from a checkpoint."""

    module = "inspector.hayhooks.fork_worker"
    work = "fork"


@dataclass(frozen=True, slots=True)
class Forked:
    """What came of a fork.

    Args:
        status: completed, failed, canceled, or waiting: for an answer that nobody gave.
        run: What was done from the checkpoint on.
        waiting: What it waits for.
        error: What it failed with.

    """

    status: str
    run: PipelineRun
    waiting: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None


def fork(
    stored: Stored,
    target: str,
    *,
    answer: Any = NO_ANSWER,
    python: str | Path | None = None,
    directory: Path | None = None,
    said: Callable[[str], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Forked:
    """Go on from a checkpoint, and return what came of it.

    Args:
        stored: The execution, as its store has it.
        target: What runs it: a folder with the wrapper, a folder of such folders, or
            `module:attribute` of a wrapper, a `DurableDeployment`, a `Pipeline` or an `Agent`.
        answer: What it is resumed with, where it waits for something.
        python: The interpreter of the target; this one unless given.
        directory: Where a module is looked for; the working directory unless given.
        said: Called with what the execution reports.
        cancelled: Asked about ten times a second whether to stop.

    Raises:
        InspectorError: There is no checkpoint, or the target cannot be loaded.
        WorkerError: The process died.

    """
    if stored.checkpoint is None:
        raise InspectorError(
            "This execution has no checkpoint to go on from.",
            hint="A pipeline makes one where checkpoint_at says, an agent after each step.",
        )
    row = stored.execution.row
    folder = Path(tempfile.mkdtemp(prefix="run-inspector-fork-"))
    try:
        envelope = dict(stored.checkpoint)
        if answer is not NO_ANSWER:
            envelope["resume_input"] = answer
        data = {
            "deployment": row.deployment, "kind": row.kind, "execution": row.id,
            "input": stored.input, "checkpoint": envelope, "answered": answer is not NO_ANSWER,
        }  # fmt: skip
        document = folder / "checkpoint.json"
        document.write_text(json.dumps(data))
        segments = folder / "segments"
        segments.mkdir()
        job = Job(target=target, run=str(document), output=str(segments))
        ended = _worked(job, python or sys.executable, directory, said, cancelled)
        return Forked(
            status=str(ended["status"]),
            # Decoded before its folder goes: a stitched run is held in memory.
            run=_run_in(segments),
            waiting=ended.get("waiting"),
            error=ended.get("error"),
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _worked(
    job: Job,
    python: str | Path,
    directory: Path | None,
    said: Callable[[str], None] | None,
    cancelled: Callable[[], bool] | None,
) -> dict[str, Any]:
    with ForkWorker(job, python=python, directory=directory) as worker:
        for event in worker.events():
            if cancelled is not None and cancelled():
                raise InspectorError("The fork was stopped.", hint="What it had done is done.")
            if event["event"] == "reported" and said is not None:
                said(str(event.get("message", "")))
        ended = worker.finished or {}
    if ended.get("status") not in ENDS:
        error = ended.get("error") or {}
        raise InspectorError(
            str(error.get("message") or "The fork could not be done."),
            hint=str(error.get("hint") or ""),
        )
    return ended


def _run_in(segments: Path) -> PipelineRun:
    found = executions_in(segments)
    if not found:
        raise InspectorError(
            "Nothing was recorded of the fork.", hint="The target ended before it ran anything."
        )
    return stitched(found[0].folder)
