"""What a process may use that replays what a stranger has written.

The worker imposes the limits on itself before it reads a byte of the file. They are three
walls, one behind the other: the system's limits on memory and time, a network of its own
that leads nowhere where the system grants it one, and an audit hook that refuses whatever
would reach out, start something, or use a file that is none of ours.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from inspector.replay.file_wall import FileWall
from inspector.replay.mode import ReplayError

if TYPE_CHECKING:
    from collections.abc import Callable

_REFUSED = frozenset(
    {
        "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
        "socket.gethostbyname", "socket.gethostbyaddr", "subprocess.Popen", "os.system",
        "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile",
        "os.kill", "os.killpg", "pty.spawn", "webbrowser.open", "urllib.Request",
        "ctypes.dlopen", "ctypes.dlsym",
    }
)  # fmt: skip
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_MEGABYTE = 1024 * 1024


class RefusedError(BaseException):
    """Something tried to reach out where nothing may. No component may catch it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a process may use."""

    memory_mb: int = 2_048
    processor_s: int = 60
    file_mb: int = 256
    whole_s: float = 120.0
    """How long it may take by the clock; the host sees to that."""

    def to_words(self) -> str:
        """Return the limits as one argument of a command."""
        return json.dumps(asdict(self))

    @classmethod
    def from_words(cls, words: str) -> Limits:
        """Read what `to_words` wrote."""
        try:
            return cls(**json.loads(words))
        except (ValueError, TypeError) as error:
            raise ReplayError(f"These are no limits: {words}.") from error

    def impose(self, load: Callable[[], None]) -> FileWall:
        """Live under these limits from now on; there is no way back.

        Returns what decides about files, to be told of those that the host has named.

        Args:
            load: Imports what is needed later. Libraries reach for the system while they are
                imported, which is refused afterwards.

        """
        _limit_resources(self)
        _leave_the_network()
        load()
        sys.dont_write_bytecode = True  # it would be refused each time
        wall = FileWall()

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            wall.look(event, arguments)
            _refuse(event, arguments)

        sys.addaudithook(hook)
        return wall


def _limit_resources(limits: Limits) -> None:
    if sys.platform == "win32":
        return  # the host's clock is what is left there
    import resource

    memory = limits.memory_mb * _MEGABYTE
    most = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_CPU: limits.processor_s,
        resource.RLIMIT_FSIZE: limits.file_mb * _MEGABYTE,
        resource.RLIMIT_CORE: 0,
    }
    for kind, value in most.items():
        _soft, hard = resource.getrlimit(kind)
        allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # Some systems know a limit and let nobody set it.
        with suppress(ValueError, OSError):
            # One second more for the hard limit: the soft one ends in a signal with a name.
            above = 1 if kind == resource.RLIMIT_CPU and allowed < value + 1 else 0
            resource.setrlimit(kind, (allowed, allowed + above if hard < 0 else allowed))


def _leave_the_network() -> None:
    """Move into a network of one's own, without any connection, where that is allowed."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).unshare(_CLONE_NEWUSER | _CLONE_NEWNET)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _REFUSED:
        what = repr(arguments[0])[:200] if arguments else ""
        sys.stderr.write(f"refused: {event} {what}\n")
        raise RefusedError(f"A replay of stubs reaches nothing outside: it tried {event} {what}.")
