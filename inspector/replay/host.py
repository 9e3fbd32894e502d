"""Replaying in another process: a worker is started, listened to, told what to do, and ended.

Whatever happens to the worker is an event or a `WorkerError` here. It may die, hang, print
or flood: what it prints goes to a file, whose end is kept as its last words.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

from inspector.replay.handover import (
    Pipes,
    appended_file,
    end_of,
    environment_for,
    has_ended,
)
from inspector.replay.interpreter import checked_interpreter, interpreter_for
from inspector.replay.last_words import death_words, last_line, readable, stillborn_words
from inspector.replay.mode import ReplayError
from inspector.replay.protocol import LONGEST_LINE, Job, ProtocolError, decode, encode, why_unsaid
from inspector.replay.results import Results

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from inspector.replay.limits import Limits

_TICK_S = 0.1
_TICKS_GONE = 10
_WAITING = 10_000
_MOST_PRINTED = 16 * 1024 * 1024
_LAST_WORDS = 4_096
_START_S = 120.0
_SILENT_S = 30.0
_STOP_S = 10.0


class WorkerError(ReplayError):
    """The worker did not do its job; `last_words` is what it printed in the end."""

    def __init__(self, message: str, *, hint: str = "", last_words: str = "") -> None:
        super().__init__(message, hint=hint)
        self.last_words = last_words


class Worker(Results):
    """One replay in another process.

    Use it as a context manager and go through `events()`, on one thread; commands may be
    given on any.

    Args:
        job: What to replay.
        python: The interpreter; by default the one of the target's project.
        directory: Where the target is looked for; the working directory unless given.
        limits: What the process may use, for what a stranger has written.
        start_s: How long it may take until the target is there.
        silent_s: After so long without a sign of life the worker is ended.
        stop_s: How long it may go on after it was told to stop.
        longest_s: How long it may take in all.
        environment: Variables that the worker has besides the user's own; under limits none.

    """

    module = "inspector.replay.worker"  # what runs over there
    work = "replay"  # what it does, for sentences

    def __init__(
        self, job: Job, *, python: str | Path | None = None, directory: Path | None = None,
        limits: Limits | None = None, start_s: float = _START_S, silent_s: float = _SILENT_S,
        stop_s: float = _STOP_S, longest_s: float | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self.job = job
        self.directory = (directory or Path.cwd()).absolute()
        self.python = (
            interpreter_for(job.target, self.directory)
            if python is None
            else checked_interpreter(python)
        )
        self.finished: dict[str, Any] | None = None
        self._limits = limits
        self._environment = dict(environment or {})
        self._start_s, self._silent_s, self._stop_s = start_s, silent_s, stop_s
        self._longest_s = longest_s or (limits.whole_s if limits else None)
        self._process: subprocess.Popen[bytes] | None = None
        self._pipes: Pipes | None = None
        self._printed: IO[bytes] | None = None
        self._events: queue.Queue[bytes | None] = queue.Queue(_WAITING)
        self._commands: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._began_at = self._heard_at = self._looked_at = 0.0
        self._started = False
        self._stopped_at: float | None = None
        self._tail = b""
        self._ticks_gone = 0
        self._closed = False

    # -- its life ------------------------------------------------------------------------

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    def _start(self) -> None:
        job = _line(self.job.to_dict())  # before there is anything that has to be ended
        pipes = self._pipes = Pipes()
        self._printed = appended_file()
        words = [*self._command(), *pipes.words]
        if self._limits is not None:
            words += ["--limits", self._limits.to_words()]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own interpreter
                words, cwd=self.directory,
                env=environment_for(self.python, self._limits, self._environment),
                stdin=subprocess.DEVNULL, stdout=self._printed, stderr=subprocess.STDOUT,
                **pipes.options,
            )  # fmt: skip
        except OSError as error:
            pipes.close_events()
            self.close()
            said = stillborn_words(self.python, self.directory, error)
            raise WorkerError(said.message, hint=said.hint) from error
        pipes.hand_over()
        self._began_at = self._heard_at = time.monotonic()
        for work in (self._read, self._write):
            threading.Thread(target=work, name="inspector-replay", daemon=True).start()
        self._commands.put(job)

    def _command(self) -> list[str]:
        if self._limits is None:
            return [str(self.python), "-m", self.module]
        # Isolated from the environment, and so told where we are.
        place = str(Path(__file__).parents[2])
        code = f"import sys, runpy; sys.path.append({place!r}); "
        code += f"runpy.run_module({self.module!r}, run_name='__main__', alter_sys=True)"
        return [str(self.python), "-I", "-c", code]

    def close(self) -> None:
        """End the worker, if it still lives, and everything that it has started."""
        if self._closed:
            return
        self._closed = True
        self._commands.put(None)
        self.kill()
        if self._process is not None:
            self._process.wait()
        if self._pipes is not None:
            self._pipes.close()
        with contextlib.suppress(queue.Empty):
            while True:  # the reader may be waiting for room
                self._events.get_nowait()
        if self._printed is not None:
            self._keep_last_words()
            self._printed.close()

    def kill(self) -> None:
        """End the worker at once, without asking, and what it has started."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        if sys.platform == "win32":
            process.kill()
        else:
            # It was not waited for yet, so nobody else can have its number.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    # -- what it says --------------------------------------------------------------------

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield what happens, up to and with `finished`; signs of life are left out.

        Raises:
            WorkerError: The worker died, hangs, or says what is no event.

        """
        while True:
            try:
                line = self._events.get(timeout=_TICK_S)
            except queue.Empty:
                self._look_after_it()
                if self._is_gone_and_silent():
                    raise self._died() from None
                continue
            self._ticks_gone = 0
            if line is None:
                raise self._died()
            event = self._understood(line)
            self._heard_at = time.monotonic()
            name = event.get("event")
            self._started = self._started or name == "started"
            self._look_after_it()
            if name == "alive":
                continue
            if name == "finished":
                self.finished = event
            yield event
            if name == "finished":
                return

    def _is_gone_and_silent(self) -> bool:
        """Say whether it has ended while a process of the target holds its pipe open."""
        assert self._process is not None
        if has_ended(self._process):
            self._ticks_gone += 1
        return self._ticks_gone > _TICKS_GONE

    def _read(self) -> None:
        assert self._pipes is not None
        pipe = self._pipes.events
        try:
            while line := pipe.readline(LONGEST_LINE + 1):
                self._put(line)
        finally:
            pipe.close()
            self._put(None)

    def _put(self, line: bytes | None) -> None:
        while not self._closed:
            try:
                self._events.put(line, timeout=_TICK_S)
            except queue.Full:
                continue
            return

    def _understood(self, line: bytes) -> dict[str, Any]:
        try:
            if len(line) > LONGEST_LINE:
                raise ProtocolError("The worker of the replay says more than can be read.")
            return decode(line)
        except ProtocolError as error:
            self.kill()
            raise WorkerError(str(error), last_words=self.last_words) from error

    def _look_after_it(self) -> None:
        """See to it that a worker that hangs does so for no longer than it may.

        Raises:
            WorkerError: It did.

        """
        now = time.monotonic()
        if now - self._looked_at < _TICK_S:
            return
        self._looked_at = now
        self._keep_last_words()
        whole = now - self._began_at
        if self._stopped_at is not None and now - self._stopped_at > self._stop_s:
            self._give_up("did not stop when it was told to")
        if not self._started and whole > self._start_s:
            self._give_up(f"had not found the target after {whole:.0f} seconds")
        if now - self._heard_at > self._silent_s:
            self._give_up(f"gave no sign of life for {self._silent_s:.0f} seconds")
        if self._longest_s is not None and whole > self._longest_s:
            self._give_up(f"took longer than the {self._longest_s:.0f} seconds it had")

    def _give_up(self, what: str) -> None:
        self.kill()
        raise WorkerError(
            f"The worker of the {self.work} {what}, and was ended.{last_line(self.last_words)}",
            last_words=self.last_words,
        )

    def _died(self) -> WorkerError:
        assert self._process is not None
        deadline = time.monotonic() + self._stop_s
        while not has_ended(self._process) and time.monotonic() < deadline:
            time.sleep(_TICK_S)
        self.kill()
        code = self._process.wait()
        self._keep_last_words()
        words = death_words(
            code, self.last_words, self.python, limited=self._limits is not None, work=self.work
        )
        return WorkerError(words.message, hint=words.hint, last_words=self.last_words)

    # -- what it prints ------------------------------------------------------------------

    @property
    def last_words(self) -> str:
        """The end of what the worker and the target printed."""
        if not self._closed:
            self._keep_last_words()
        return readable(self._tail)

    def _keep_last_words(self) -> None:
        """Keep the end of the file, and empty it before it fills the disk."""
        if self._printed is None or self._printed.closed:
            return
        with self._lock:
            descriptor = self._printed.fileno()
            size = os.fstat(descriptor).st_size
            if not size:
                return
            self._tail = end_of(self._printed, size, _LAST_WORDS)
            if size > _MOST_PRINTED:
                os.ftruncate(descriptor, 0)

    # -- what it is told -----------------------------------------------------------------

    def step(self, pause: int | None = None) -> None:
        """Let a held call go on, to the next place there is."""
        self._send({"do": "step", "pause": pause})

    def go_on(self, pause: int | None = None) -> None:
        """Let everything go on, or one call, to the next breakpoint."""
        self._send({"do": "continue", "pause": pause})

    def into(self, pause: int | None = None) -> None:
        """Pause at the next place inside, or after it."""
        self._send({"do": "into", "pause": pause})

    def over(self, pause: int | None = None) -> None:
        """Pause after this call, and at nothing inside of it."""
        self._send({"do": "over", "pause": pause})

    def out(self, pause: int | None = None) -> None:
        """Pause at the end of what this call is inside of."""
        self._send({"do": "out", "pause": pause})

    def pause(self) -> None:
        """Pause at the next place there is."""
        self._send({"do": "pause"})

    def stop(self) -> None:
        """Let nothing go on any further; what hangs all the same is ended."""
        self._stopped_at = time.monotonic()
        self._send({"do": "stop"})

    def set_value(
        self, value: Any, pause: int | None = None, *, merge: bool = False,
        without: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Let a held call go on with other inputs, or with another result.

        With `merge`, `value` holds only the parts that are others, by name; the rest stays as
        it lives, but for those of the names in `without`, which go.
        """
        more = {"merge": True, "without": list(without)} if merge else {}
        self._send({"do": "set value", "value": value, "pause": pause, **more})

    def reset_value(self, pause: int | None = None) -> None:
        """Let a held call go on with what it came with, whatever was set before."""
        self._send({"do": "reset value", "pause": pause})

    def set_breakpoint(self, **fields: Any) -> None:
        """Pause at places as `gate.Breakpoint` describes them."""
        self._send({"do": "set breakpoint", "breakpoint": fields})

    def remove_breakpoint(self, number: int | None = None, key: str = "") -> None:
        """Pause there no more; without a number and a key, at none of them."""
        self._send({"do": "remove breakpoint", "number": number, "key": key})

    def _send(self, message: Mapping[str, Any]) -> None:
        if self._pipes is None:
            raise ReplayError("The replay has not been started.")
        self._commands.put(_line(message))

    def _write(self) -> None:
        """Pass commands on; a worker that does not read them holds nobody up."""
        assert self._pipes is not None
        pipe = self._pipes.commands
        with contextlib.suppress(OSError, ValueError):  # the events tell that it is gone
            while (line := self._commands.get()) is not None:
                pipe.write(line)
                pipe.flush()


def _line(message: Mapping[str, Any]) -> bytes:
    """Return what is said to a worker.

    Raises:
        ReplayError: It cannot be said in JSON.

    """
    try:
        return encode(message)
    except TypeError as error:
        raise ReplayError(
            "This value cannot be passed on to the replay.", hint=why_unsaid(error)
        ) from error
