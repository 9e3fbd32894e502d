"""Rendering a prompt template in another process, as often as it is edited."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from inspector.replay.handover import appended_file, end_of, environment_for
from inspector.replay.last_words import last_line, readable
from inspector.replay.limits import Limits
from inspector.replay.mode import ReplayError
from inspector.replay.preview_worker import LONGEST_REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import IO

_MODULE = "inspector.replay.preview_worker"
_TICK_S = 0.05
_START_S = 60.0
_RENDER_S = 3.0
_LIMITS = Limits(memory_mb=1_536, processor_s=120, file_mb=1)
_LAST_WORDS = 4_096
_LONGEST_ANSWER = 4 * 1024 * 1024
_MOST_ANSWERS = 4  # that wait: it gives one for each question, unless somebody else speaks for it


class RenderedText(NamedTuple):
    """One message that a template makes."""

    role: str
    text: str
    length: int  # of all of it; `text` may be its beginning only, or nothing


class Preview(NamedTuple):
    """What a template makes of the recorded values, or why it makes nothing."""

    texts: tuple[RenderedText, ...] = ()
    used: tuple[str, ...] = ()
    """The variables that the template asks for."""
    lost: tuple[str, ...] = ()
    """The values of which the recording holds too little to make them again."""
    error: str = ""
    line: int | None = None  # of the text in which it went wrong, from 1
    text: int | None = None  # its number
    more: int = 0  # messages that are left out at the end


class PreviewStoppedError(ReplayError):
    """Nobody wants to know any more."""


class Previewer:
    """Renders templates in a process of its own, which is started when it is first needed.

    It is used by one thread at a time; `close` may be called on any.

    Args:
        python: The interpreter, which needs Haystack and us.
        render_s: How long one template may take.
        limits: What the process may use.

    """

    def __init__(
        self, python: str | Path | None = None, *, render_s: float = _RENDER_S,
        limits: Limits = _LIMITS,
    ) -> None:  # fmt: skip
        self._python = Path(python or sys.executable)
        self._render_s = render_s
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes] = queue.Queue(_MOST_ANSWERS)
        self._errors: IO[bytes] | None = None
        self._closed = False

    def render(
        self, texts: Iterable[tuple[str, str]], values: Mapping[str, Any],
        cancelled: Callable[[], bool] = lambda: False,
    ) -> Preview:  # fmt: skip
        """Return what a template makes of values.

        Args:
            texts: Its texts, each with its role; "" where the template is one text.
            values: Value trees, by the names of the variables.
            cancelled: Asked now and then whether anybody still wants to know.

        Raises:
            ReplayError: There is no process that could do it, or the values are too large.
            PreviewStoppedError: `cancelled` said so; the process is ended.

        """
        if self._process is None:
            self._start(cancelled)
        if (process := self._process) is None or process.stdin is None:
            raise PreviewStoppedError("The preview was closed.")
        request = orjson.dumps({"texts": list(texts), "values": dict(values)}, default=str)
        if len(request) >= LONGEST_REQUEST:
            raise ReplayError("What was recorded here is too large for a preview.")
        try:
            process.stdin.write(request + b"\n")
            process.stdin.flush()
        except (OSError, ValueError):
            raise self._died() from None
        answer = self._next(self._render_s, cancelled)
        if answer is None:
            self.end()
            return Preview(
                error=f"The template takes longer than {self._render_s:g} seconds; it was stopped."
            )
        try:
            return _preview(answer)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise self._unreadable() from None

    def close(self) -> None:
        """End the process, if there is one, and start none any more."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """End the process; the next template starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        if self._errors is not None:
            self._errors.close()

    def _start(self, cancelled: Callable[[], bool]) -> None:
        if self._closed:
            raise PreviewStoppedError("The preview was closed.")
        place = str(Path(__file__).parents[2])
        code = f"import sys, runpy; sys.path.append({place!r}); "
        code += f"runpy.run_module({_MODULE!r}, run_name='__main__', alter_sys=True)"
        command = [str(self._python), "-I", "-c", code, "--limits", self._limits.to_words()]
        self._errors = appended_file()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the user's own interpreter
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors,
                env=environment_for(self._python, self._limits),
            )  # fmt: skip
        except OSError as error:
            self._errors.close()
            raise ReplayError(
                f"{self._python} cannot be started: {error.strerror}.",
                hint="Choose another interpreter.",
            ) from error
        self._answers = queue.Queue(_MOST_ANSWERS)
        threading.Thread(
            target=_read, args=(self._process, self._answers), name="inspector-preview",
            daemon=True,
        ).start()  # fmt: skip
        if self._next(_START_S, cancelled) is None:
            self.end()
            raise ReplayError(f"{self._python} took too long to start.")

    def _next(self, longest_s: float, cancelled: Callable[[], bool]) -> dict[str, Any] | None:
        """Return the next answer; None when it takes too long."""
        deadline = time.monotonic() + longest_s
        while time.monotonic() < deadline:
            if self._closed or cancelled():
                self.end()
                raise PreviewStoppedError("The preview was stopped.")
            with contextlib.suppress(queue.Empty):
                line = self._answers.get(timeout=_TICK_S)
                if not line:
                    raise self._died()
                try:
                    found = orjson.loads(line)
                except ValueError:
                    raise self._unreadable() from None
                return found if isinstance(found, dict) else {}
        return None

    def _unreadable(self) -> ReplayError:
        self.end()
        return ReplayError("The preview said what cannot be read, and was ended.")

    def _died(self) -> ReplayError:
        words = ""
        with contextlib.suppress(OSError, ValueError):  # closed meanwhile
            if self._errors is not None:
                size = self._errors.seek(0, 2)
                words = readable(end_of(self._errors, size, _LAST_WORDS))
        self.end()
        if "No module named 'haystack'" in words:
            return ReplayError(
                f"The preview needs Haystack, which is not installed for {self._python}.",
                hint="Choose the interpreter of the pipeline.",
            )
        return ReplayError(f"The preview ended before it was done.{last_line(words)}")


def _read(process: subprocess.Popen[bytes], answers: queue.Queue[bytes]) -> None:
    """Pass answers on; b"" is the end of them. Whoever floods waits, and says no long lines."""
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        while line := process.stdout.readline(_LONGEST_ANSWER):
            if not line.endswith(b"\n"):
                break
            if not _put(process, answers, line):
                return
    _put(process, answers, b"")


def _put(process: subprocess.Popen[bytes], answers: queue.Queue[bytes], line: bytes) -> bool:
    while True:
        try:
            answers.put(line, timeout=_TICK_S)
        except queue.Full:
            if process.returncode is not None:
                return False  # it was ended, and nobody listens any more
        else:
            return True


def _preview(answer: Mapping[str, Any]) -> Preview:
    line, text = answer.get("line"), answer.get("text")
    return Preview(
        texts=tuple(
            RenderedText(str(each["role"]), str(each["text"]), int(each["length"]))
            for each in answer.get("messages") or ()
        ),
        used=tuple(map(str, answer.get("used") or ())),
        lost=tuple(map(str, answer.get("lost") or ())),
        error=str(answer.get("error") or ""),
        line=line if isinstance(line, int) else None,
        text=text if isinstance(text, int) else None,
        more=int(answer.get("more") or 0),
    )
