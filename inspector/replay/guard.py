"""Nothing leaves the process during a replay: the net below everything that is answered.

Python tells an audit hook of each connection, name look-up and process before it happens.
The hook stays for the life of the process, and does nothing where no replay goes on. What
is written in C and calls the system itself does not pass here; what is answered from the
recording never gets as far as this.
"""

from __future__ import annotations

import sys
import traceback
from contextvars import ContextVar
from typing import Any, Protocol

from inspector.replay.failure import BlockedError

_EVENTS = {
    "socket.connect": "a connection to {}",
    "socket.sendto": "a datagram to {}",
    "socket.sendmsg": "a message to {}",
    "socket.getaddrinfo": "the address of {}",
    "socket.gethostbyname": "the address of {}",
    "socket.gethostbyaddr": "the name of {}",
    "subprocess.Popen": "a process, {}",
    "os.system": "a command, {}",
    "os.exec": "a program, {}",
    "os.posix_spawn": "a program, {}",
    "os.spawn": "a program, {}",
    "os.fork": "a process of its own",
    "os.forkpty": "a process of its own",
}
_MOST_FRAMES = 30
_OURS = ("/inspector/replay/", "/inspector/recording/")


class Guarded(Protocol):
    """Who is told of an attempt."""

    over: bool

    def attempted(self, what: str, where: str) -> None:
        """Take note of an attempt that is being stopped."""


# Set in the contexts in which nothing may leave the process.
BLOCKED: ContextVar[Guarded | None] = ContextVar("inspector_replay_blocked", default=None)
_installed = False


def install() -> None:
    """Put the hook where it stays; once a process."""
    global _installed
    if not _installed:
        _installed = True
        sys.addaudithook(_hook)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if event not in _EVENTS:
        return
    if is_blocked():
        refuse(_EVENTS[event].format(_target(event, arguments)))


def is_blocked() -> bool:
    """Say whether nothing may leave the process here and now."""
    guarded = BLOCKED.get()
    return guarded is not None and not guarded.over


def refuse(what: str) -> None:
    """Take note of an attempt to reach something, and stop it.

    Raises:
        BlockedError: Always, where something is blocked.

    """
    guarded = BLOCKED.get()
    if guarded is not None:
        guarded.attempted(what, _where())
        raise BlockedError(f"A replay reaches nothing outside: it tried {what}.")


def _target(event: str, arguments: tuple[Any, ...]) -> str:
    if event.startswith("socket.") and arguments:
        address = arguments[1] if event.split(".")[1] in _WITH_SOCKET else arguments[0]
        if isinstance(address, tuple):
            return ":".join(str(part) for part in address[:2])
        return str(address)[:200]
    return repr(arguments[0])[:200] if arguments else ""


_WITH_SOCKET = frozenset({"connect", "sendto", "sendmsg"})


def _where() -> str:
    frames = traceback.extract_stack(sys._getframe(2))  # noqa: SLF001 - the documented way
    kept = [frame for frame in frames if not any(part in frame.filename for part in _OURS)]
    return "".join(traceback.format_list(kept[-_MOST_FRAMES:]))


class QuietTelemetry:
    """Stands before Haystack's telemetry while something replays, and silences replays only."""

    def __init__(self, behind: Any) -> None:
        self.behind = behind

    def __bool__(self) -> bool:
        # What it would tell is gathered first, and for that it goes through toolsets, which
        # may connect to their servers.
        return BLOCKED.get() is None and bool(self.behind)

    def send_event(self, *args: Any, **kwargs: Any) -> Any:
        if BLOCKED.get() is None:
            return self.behind.send_event(*args, **kwargs)
        return None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def quiet_telemetry() -> None:
    """Let Haystack's telemetry say nothing of replays."""
    module = sys.modules.get("haystack.telemetry._telemetry")
    behind = getattr(module, "telemetry", None)
    if module is not None and behind is not None and not isinstance(behind, QuietTelemetry):
        module.telemetry = QuietTelemetry(behind)  # type: ignore[attr-defined]  # an untyped module
