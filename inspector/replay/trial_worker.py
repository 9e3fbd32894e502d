"""The process that tries recordings out: `python -m inspector.replay.trial_worker EVENTS COMMANDS`.

It is a replay's worker that stays: it takes one job, as `worker` does, and then any number of
recordings to replay on what the job names, one after the other. So Haystack is loaded once. Of
a stranger's recordings each has stubs of its own, under the limits of a replay of stubs.

| Event | Says |
|---|---|
| `started` | the target was found |
| `tried` | a recording was replayed: `number`, `outcome`, `error`, `run` |
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from typing import IO, TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.replay.protocol import LONGEST_LINE, VERSION, Job, Outcome, decode
from inspector.replay.telling import Mouth
from inspector.replay.worker import (
    as_recorded,
    could_not,
    imposed,
    need_haystack,
    opened_pipe,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.replay.api import Replayer
    from inspector.replay.file_wall import FileWall
    from inspector.replay.policy import Treat

_GRACE_S = 5.0
_NO_ERROR = {"type": "", "message": "", "hint": ""}


def main(argv: Sequence[str]) -> int:
    """Try recordings out until there are none."""
    events, commands = opened_pipe(argv[0], "wb"), opened_pipe(argv[1], "rb")
    wall = imposed(argv)
    mouth = Mouth(events)
    mouth.say("hello", version=VERSION, pid=os.getpid())
    try:
        need_haystack()
        trials = _Trials(Job.from_dict(decode(commands.readline(LONGEST_LINE))), wall)
        mouth.say("started")
        _serve(trials, commands, mouth)
        ended: dict[str, Any] = {}
    except InspectorError as error:
        ended = could_not(error)
    except BaseException as error:  # noqa: BLE001 - code of the target, at its import
        ended = {"outcome": Outcome.FAILED, "error": told(error)}
    mouth.say("finished", **ended)
    mouth.close()
    return 0


def _serve(trials: _Trials, commands: IO[bytes], mouth: Mouth) -> None:
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    ear = threading.Thread(
        target=_listen, args=(commands, lines), name="inspector-commands", daemon=True
    )
    ear.start()
    while line := lines.get():
        said = decode(line)
        if said.get("do") != "try":
            return
        mouth.say("tried", number=said.get("number"), **trials.tried(loosely=bool(said["loosely"])))


def _listen(commands: IO[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    while line := commands.readline(LONGEST_LINE):
        lines.put(line)
    lines.put(b"")
    # The host is gone, and what hangs now would hang for ever.
    time.sleep(_GRACE_S)
    os._exit(3)


class _Trials:
    """What recordings are replayed on."""

    def __init__(self, job: Job, wall: FileWall | None) -> None:
        self._job = job
        self._wall = wall
        if wall is not None:
            wall.admit(job.run)
        self._target: Any = None
        if not job.stub:
            from inspector.recording.finding import found_target

            self._target = found_target(job.target)

    def tried(self, *, loosely: bool) -> dict[str, Any]:
        """Replay what stands in the file of the job now, and return what there is to say."""
        try:
            with self._scratch():
                replayer = self._replayer(loosely=loosely)
                error = self._played(replayer)
                if isinstance(error, InspectorError):
                    return could_not(error)
                return self._ended(replayer, error, loosely=loosely)
        except InspectorError as error:
            return could_not(error)
        except Exception as error:  # noqa: BLE001 - a recording of which too much was cut away
            return {"outcome": Outcome.COULD_NOT, "error": told(error)}

    def _scratch(self) -> AbstractContextManager[None]:
        return nullcontext() if self._wall is None else self._wall.scratch(self._job.output)

    def _replayer(self, *, loosely: bool) -> Replayer:
        from inspector.replay.api import Replayer
        from inspector.replay.by_place import PlaceReplayer
        from inspector.runfile.load import load_run

        job = self._job
        run = load_run(job.run, use_cache=False)
        target: Any = self._target
        treat: dict[str | type, str] = {}
        if job.stub:
            from inspector.replay.stub import build_stub

            built = build_stub(run, job.classes)
            target, treat = built.target, built.treat
        given: Treat | None = {**treat} or None
        if loosely:
            return PlaceReplayer(target, run, mode="drift_ok", treat=given)
        return Replayer(target, run, treat=given)

    def _played(self, replayer: Replayer) -> BaseException | None:
        try:
            if self._job.asynchronous:
                asyncio.run(replayer.play_async())
            else:
                replayer.play()
        except BaseException as error:  # noqa: BLE001 - told to the host, whatever it is
            return error
        return None

    def _ended(
        self, replayer: Replayer, error: BaseException | None, *, loosely: bool
    ) -> dict[str, Any]:
        from inspector.replay.failure import ReplayDriftError

        said: dict[str, Any] = {"error": _NO_ERROR if error is None else told(error)}
        if isinstance(error, ReplayDriftError):
            return {"outcome": Outcome.DRIFT, **said}
        if not as_recorded(replayer, error):
            return {"outcome": Outcome.FAILED, **said}
        if loosely:
            output = self._job.output
            with nullcontext() if self._wall is None else self._wall.writing(output):
                replayer.run.save(output)
            return {"outcome": Outcome.SAME, "run": output, **said}
        return {"outcome": Outcome.SAME if replayer.report.same else Outcome.DRIFT, **said}


if __name__ == "__main__":
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # Threads that the target has left behind shall not keep the process.
    os._exit(code)
