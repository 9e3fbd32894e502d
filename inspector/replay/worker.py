"""The process in which a target is replayed: `python -m inspector.replay.worker EVENTS COMMANDS`.

It runs in the environment of the target, says what happens on one pipe, and takes commands
from another. The two arguments are what the pipes are called here.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import threading
import traceback
from contextlib import nullcontext
from decimal import Decimal
from importlib.util import find_spec
from typing import IO, TYPE_CHECKING, Any, cast

from inspector.errors import InspectorError
from inspector.replay.gate import Breakpoint
from inspector.replay.mode import ReplayError, ReplayMode
from inspector.replay.protocol import LONGEST_LINE, VERSION, Job, Outcome, decode
from inspector.replay.step_gate import StepGate
from inspector.replay.telling import Mouth, Teller

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from inspector.replay.api import Replayer
    from inspector.replay.file_wall import FileWall
    from inspector.replay.overrides import Overrides
    from inspector.replay.policy import Treat

_GRACE_S = 5.0
_LONGEST_TRACEBACK = 20_000
_LIMITS = "--limits"


def main(argv: Sequence[str]) -> int:
    """Do the one job that the host asks for."""
    events, commands = opened_pipe(argv[0], "wb"), opened_pipe(argv[1], "rb")
    wall = imposed(argv)
    mouth = Mouth(events)
    mouth.say("hello", version=VERSION, pid=os.getpid(), python=platform.python_version())
    try:
        need_haystack()
        job = Job.from_dict(decode(commands.readline(LONGEST_LINE)))
        if wall is not None:
            wall.admit(job.run)
        with nullcontext() if wall is None else wall.scratch(job.output or job.run):
            ended = _Work(job, mouth, commands, wall).done()
    except InspectorError as error:
        ended = could_not(error)
    mouth.say("finished", left_out=mouth.left_out, **ended)
    mouth.close()
    return 0


def imposed(argv: Sequence[str]) -> FileWall | None:
    """Live under the limits of the command line from now on, where there are any."""
    if _LIMITS not in argv or find_spec("haystack") is None:
        return None
    from inspector.replay.limits import Limits

    return Limits.from_words(argv[argv.index(_LIMITS) + 1]).impose(_load)


def need_haystack() -> None:
    """Say in words that there is no Haystack.

    Raises:
        ReplayError: There is none.

    """
    if find_spec("haystack") is None:
        raise ReplayError(
            f"Replaying needs Haystack, which is not installed for {sys.executable}.",
            hint="Choose the Python of the pipeline's project.",
        )


def _load() -> None:
    """Import what a replay needs, which is ours and Haystack's, and may do what it likes."""
    import mimetypes

    import inspector.replay.api
    import inspector.replay.stub  # noqa: F401

    mimetypes.init()  # reads files of the system

    platform.platform()  # starts a program the first time, and remembers
    _ = platform.uname().processor


class _Work:
    """One replay, its gate and its commands."""

    def __init__(
        self, job: Job, mouth: Mouth, commands: IO[bytes], wall: FileWall | None = None
    ) -> None:
        self._job = job
        self._wall = wall
        self._mouth = mouth
        teller = Teller(mouth)
        self.gate = StepGate(
            teller.paused, watch=teller, at_first=job.pause_at_first,
            breakpoints=[_breakpoint(each) for each in job.breakpoints],
            on_gone=lambda pause: mouth.say("resumed", pauses=[pause.number]),
        )  # fmt: skip
        self._ear = threading.Thread(
            target=self._listen, args=(commands,), name="inspector-commands", daemon=True
        )

    def done(self) -> dict[str, Any]:
        """Replay, and return what there is to say at the end."""
        self._ear.start()
        try:
            replayer, data = self._replayer()
            run = replayer.recorded
            kind = str(run.kind)
            self._mouth.say("started", target=self._job.target, kind=kind, run=run.id)
            return self._ended(replayer, self._played(replayer, data))
        except InspectorError as error:
            return could_not(error)
        except BaseException as error:  # noqa: BLE001 - code of the target, at its import
            return {"outcome": Outcome.FAILED, "error": told(error)}

    def _replayer(self) -> tuple[Replayer, Any]:
        job = self._job
        target, data, treat = self._target()
        from inspector.replay.api import Replayer

        overrides = _overrides(job.overrides) if job.overrides else None
        usd = None if job.live_budget_usd is None else Decimal(job.live_budget_usd)
        replayer = Replayer(
            target, job.run, mode=job.mode, allow_live=job.allow_live,
            live_budget=job.live_budget, live_budget_usd=usd,
            verify_retrieval=job.verify_retrieval, pace=job.pace, overrides=overrides,
            treat={**cast("Treat", job.treat), **treat} or None, gate=self.gate,
            add_new=job.add_new, live_from=job.live_from,
        )  # fmt: skip
        return replayer, data

    def _target(self) -> tuple[Any, Any, Treat]:
        job = self._job
        if job.stub:
            from inspector.replay.stub import build_stub
            from inspector.runfile.load import load_run

            built = build_stub(load_run(job.run), job.classes)
            return built.target, None, built.treat
        from inspector.recording.finding import fitted, found_target

        target = found_target(job.target)
        return target, None if job.data is None else fitted(target, job.data), {}

    def _played(self, replayer: Replayer, data: Any) -> BaseException | None:
        try:
            if self._job.asynchronous:
                asyncio.run(replayer.play_async(data))
            else:
                replayer.play(data)
        except BaseException as error:  # noqa: BLE001 - told to the host, whatever it is
            return error
        return None

    def _ended(self, replayer: Replayer, error: BaseException | None) -> dict[str, Any]:
        from inspector.replay.failure import ReplayDriftError, StoppedError

        if isinstance(error, InspectorError):
            return could_not(error)
        said: dict[str, Any] = {"report": replayer.report.to_dict()}
        if self._job.output:
            with nullcontext() if self._wall is None else self._wall.writing(self._job.output):
                replayer.run.save(self._job.output)
            said["run"] = self._job.output
        if self._job.mode == ReplayMode.RECORD_NEW:
            said["news"] = replayer.news.to_dict()
        if error is not None:
            said["error"] = told(error)
        if isinstance(error, StoppedError):
            outcome = Outcome.STOPPED
        elif isinstance(error, ReplayDriftError):
            outcome = Outcome.DRIFT
        elif not as_recorded(replayer, error):
            outcome = Outcome.FAILED
        else:
            outcome = Outcome.SAME if replayer.report.same else Outcome.DRIFT
        return {"outcome": outcome, **said}

    # -- commands ------------------------------------------------------------------------

    def _listen(self, commands: IO[bytes]) -> None:
        while line := commands.readline(LONGEST_LINE):
            said: dict[str, Any] = {}
            try:
                said = decode(line)
                do = _COMMANDS.get(str(said.get("do")))
                if do is None:
                    raise ReplayError(f"A replay knows no command {said.get('do')!r}.")
                do(self, said)
            except InspectorError as error:
                self._refuse(said, str(error), error.hint)
            except Exception as error:  # noqa: BLE001 - else nobody would listen any more
                self._refuse(said, f"This could not be done ({type(error).__name__}).", "")
        # The host is gone. What is held would be held for ever, and what runs is of no use.
        self.gate.stop()
        timer = threading.Timer(_GRACE_S, os._exit, (3,))
        timer.daemon = True
        timer.start()

    def _refuse(self, said: dict[str, Any], message: str, hint: str) -> None:
        more = {name: said[name] for name in ("do", "pause") if name in said}
        self._mouth.say("refused", message=message, hint=hint, **more)

    def go(self, said: dict[str, Any]) -> None:
        before = {pause.number for pause in self.gate.held}
        self.gate.go(said["do"], _number(said, "pause"))
        gone = before - {pause.number for pause in self.gate.held}
        self._mouth.say("resumed", pauses=sorted(gone))

    def pause(self, _said: dict[str, Any]) -> None:
        self.gate.pause()

    def stop(self, _said: dict[str, Any]) -> None:
        self.gate.stop()

    def set_value(self, said: dict[str, Any]) -> None:
        number = _number(said, "pause")
        value = _revived(said.get("value"))
        if said.get("merge"):
            value = self._merged(value, said.get("without"), number)
        pause = self.gate.set_value(value, number)
        self._mouth.say("edited", pause=pause.number)

    def _merged(self, parts: Any, without: Any, number: int | None) -> Any:
        """Return the value of a held call with other parts, and the rest as it lives.

        What cannot be made again from a tree, such as a tool, thereby stays what it is.
        """
        held = next((p for p in self.gate.held if number in (None, p.number)), None)
        value = None if held is None else held.stop.values
        if not isinstance(value, dict) or not isinstance(parts, dict):
            raise ReplayError("Only a value with names can be changed in part.")
        gone = set(without) if isinstance(without, list) else set()
        return {key: each for key, each in {**value, **parts}.items() if key not in gone}

    def reset_value(self, said: dict[str, Any]) -> None:
        pause = self.gate.reset_value(_number(said, "pause"))
        self._mouth.say("reset", pause=pause.number)

    def set_breakpoint(self, said: dict[str, Any]) -> None:
        made = _breakpoint(said.get("breakpoint"))
        self._mouth.say("breakpoint", number=self.gate.add(made), key=made.key)

    def remove_breakpoint(self, said: dict[str, Any]) -> None:
        self.gate.remove(_number(said, "number"), str(said.get("key") or ""))


_COMMANDS: dict[str, Callable[[_Work, dict[str, Any]], None]] = {
    **dict.fromkeys(("step", "continue", "into", "over", "out"), _Work.go),
    "pause": _Work.pause,
    "stop": _Work.stop,
    "set value": _Work.set_value,
    "reset value": _Work.reset_value,
    "set breakpoint": _Work.set_breakpoint,
    "remove breakpoint": _Work.remove_breakpoint,
}


def _number(said: dict[str, Any], name: str) -> int | None:
    number = said.get(name)
    if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
        raise ReplayError(f"{name} is a number, not {number!r}.")
    return number


def _breakpoint(said: Any) -> Breakpoint:
    try:
        return Breakpoint(**said)
    except TypeError as error:
        raise ReplayError(
            f"This is no breakpoint: {said!r}.",
            hint="It has kinds, path, name, visit, phase, condition and key.",
        ) from error


def _overrides(said: Mapping[str, Any]) -> Overrides:
    from inspector.replay.overrides import Overrides

    try:
        return Overrides(**_revived(dict(said)))
    except TypeError as error:
        raise ReplayError(
            f"These changes to a replay make no sense: {', '.join(said)}.",
            hint="There are inputs, parameters and answers.",
        ) from error


def _revived(tree: Any) -> Any:
    from inspector.replay.revive import Reviver

    return Reviver().value(tree)


def as_recorded(replayer: Replayer, error: BaseException | None) -> bool:
    """Say whether a replay ended the way its recording did: with the same error, or none."""
    then = replayer.recorded.error
    if error is None or then is None:
        return error is None and then is None
    now = replayer.run.error
    return now is not None and (now.type, now.message) == (then.type, then.message)


def could_not(error: InspectorError) -> dict[str, Any]:
    """Return what there is to say of a replay that never began."""
    said = {"type": type(error).__name__, "message": str(error), "hint": error.hint}
    return {"outcome": Outcome.COULD_NOT, "error": said}


def told(error: BaseException) -> dict[str, Any]:
    """Return what the host is told of an error."""
    text = "".join(traceback.format_exception(error))
    first, seen = error, {id(error)}
    while (before := first.__cause__) is not None and id(before) not in seen:
        first = before
        seen.add(id(before))
    return {
        "type": _kind(error),
        "message": str(error),
        "hint": getattr(error, "hint", ""),
        "traceback": text[-_LONGEST_TRACEBACK:],
        "cause": None if first is error else {"type": _kind(first), "message": str(first)},
    }


def _kind(error: BaseException) -> str:
    return f"{type(error).__module__}.{type(error).__qualname__}"


def opened_pipe(word: str, mode: str) -> IO[bytes]:
    """Open a pipe that was handed over, and hand it over to nobody else."""
    if sys.platform == "win32":
        import msvcrt

        flags = os.O_RDONLY if mode == "rb" else os.O_WRONLY
        os.set_handle_inheritable(int(word), False)
        descriptor = msvcrt.open_osfhandle(int(word), flags | os.O_BINARY)
    else:
        descriptor = int(word)
        os.set_inheritable(descriptor, False)
    return os.fdopen(descriptor, mode)


if __name__ == "__main__":
    code = main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    # Threads that the target has left behind shall not keep the process.
    os._exit(code)
