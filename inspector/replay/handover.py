"""What a worker is given by its host: two pipes, and an environment."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from pathlib import Path

    from inspector.replay.limits import Limits

_OF_ANOTHER_PYTHON = ("PYTHONHOME", "__PYVENV_LAUNCHER__")
_NEEDED = ("SYSTEMROOT", "WINDIR") if sys.platform == "win32" else ()


class Pipes:
    """One pipe for events and one for commands. Nothing else of the host is handed over."""

    def __init__(self) -> None:
        events_read, self._events_write = os.pipe()
        self._commands_read, commands_write = os.pipe()
        self.events = os.fdopen(events_read, "rb")
        self.commands = os.fdopen(commands_write, "wb")
        theirs = (self._events_write, self._commands_read)
        self.words: list[str]
        """What the pipes are called on the other side."""
        self.options: dict[str, Any]
        """What `Popen` has to know."""
        if sys.platform == "win32":
            import msvcrt
            import subprocess

            handles = [msvcrt.get_osfhandle(each) for each in theirs]
            for handle in handles:
                os.set_handle_inheritable(handle, True)
            self.words = [str(handle) for handle in handles]
            startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles})
            self.options = {"startupinfo": startup}
        else:
            self.words = [str(each) for each in theirs]
            # A session of its own, so that what it starts can be ended with it.
            self.options = {"pass_fds": theirs, "start_new_session": True}

    def hand_over(self) -> None:
        """Let go of the ends that are the worker's now: they tell when it ends."""
        for descriptor in (self._events_write, self._commands_read):
            os.close(descriptor)
        self._events_write = self._commands_read = -1

    def close(self) -> None:
        """Let go of everything but the events: closing what is being read would block."""
        for descriptor in (self._events_write, self._commands_read):
            if descriptor >= 0:
                os.close(descriptor)
        self._events_write = self._commands_read = -1
        with contextlib.suppress(OSError):
            self.commands.close()

    def close_events(self) -> None:
        """Let go of the other side of the events, which otherwise is whoever's reads them."""
        self.events.close()


def environment_for(
    python: Path, limits: Limits | None, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the environment of a worker.

    The user's own and what is `given` besides, with Haystack's telemetry off. Under limits it
    is empty: what a stranger has written may name any variable.
    """
    ours = {"HAYSTACK_TELEMETRY_ENABLED": "False", "PYTHONUNBUFFERED": "1", "PYTHONUTF8": "1"}
    if limits is not None:
        return {name: os.environ[name] for name in _NEEDED if name in os.environ} | ours
    theirs = dict(os.environ)
    if os.path.abspath(sys.executable) != str(python):  # noqa: PTH100 - links are not followed
        for name in _OF_ANOTHER_PYTHON:
            theirs.pop(name, None)
    return theirs | dict(given or {}) | ours


def appended_file() -> IO[bytes]:
    """Return a file for what is printed, which may be emptied while it is written to."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the worker
    if sys.platform != "win32":
        import fcntl

        # Whoever writes, writes at the end: else a hole would be left where it was emptied.
        flags = fcntl.fcntl(file, fcntl.F_GETFL)
        fcntl.fcntl(file, fcntl.F_SETFL, flags | os.O_APPEND)
    return file


def end_of(file: IO[bytes], size: int, length: int) -> bytes:
    """Return the end of a file that somebody else is writing to."""
    start = max(0, size - length)
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), length, start)
    position = file.tell()
    file.seek(start)
    end = file.read(length)
    file.seek(position)
    return end


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Say whether a process has ended, without giving its number free."""
    if process.returncode is not None:
        return True
    if sys.platform == "win32":
        return process.poll() is not None
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    try:
        return os.waitid(os.P_PID, process.pid, options) is not None
    except ChildProcessError:  # somebody else has waited for it
        return True
