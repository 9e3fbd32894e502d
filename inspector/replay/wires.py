"""What is open already: sockets that were connected before a replay, and new processes.

The audit hook of `guard` is told of new connections. A connection that was made before, and
a process that `multiprocessing` starts by itself, it is not told of.
"""

from __future__ import annotations

import functools
import socket
import ssl
import threading
from multiprocessing.process import BaseProcess
from typing import Any

from inspector.replay import guard

_NETWORK = frozenset({socket.AF_INET, socket.AF_INET6})
_WATCHED: tuple[tuple[type, str], ...] = (
    (socket.socket, "send"),
    (socket.socket, "sendall"),
    (ssl.SSLSocket, "send"),
    (ssl.SSLSocket, "sendall"),
    (BaseProcess, "start"),
)
_ABSENT: Any = object()
_lock = threading.Lock()
_users = 0
_before: dict[tuple[type, str], tuple[Any, Any]] = {}
_made: dict[tuple[type, str], tuple[Any, Any]] = {}  # what stood there, and what we put before it


def watch() -> None:
    """Look at what is sent over open connections, until `let_go` was called as often."""
    global _users
    with _lock:
        _users += 1
        if _users > 1:
            return
        for owner, name in _WATCHED:
            before = owner.__dict__.get(name, _ABSENT)
            there = getattr(owner, name)
            known = _made.get((owner, name))
            if known is None or known[0] is not there:  # somebody else may stand there now
                make = _start if name == "start" else _send
                known = _made[owner, name] = (there, make(there))
            ours = known[1]
            _before[owner, name] = (before, ours)
            setattr(owner, name, ours)


def let_go() -> None:
    """Undo it, when nothing replays any more. What came on top of us stays."""
    global _users
    with _lock:
        _users = max(0, _users - 1)
        if _users:
            return
        for (owner, name), (before, ours) in _before.items():
            if owner.__dict__.get(name) is not ours:
                continue
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
        _before.clear()


def _send(original: Any) -> Any:
    @functools.wraps(original)
    def send(self: Any, *args: Any, **kwargs: Any) -> Any:
        # What a process tells itself through a pair of sockets stays in it.
        if guard.is_blocked() and self.family in _NETWORK:
            guard.refuse(f"an open connection to {_other_end(self)}")
        return original(self, *args, **kwargs)

    return send


def _start(original: Any) -> Any:
    @functools.wraps(original)
    def start(self: Any) -> Any:
        if guard.is_blocked():
            guard.refuse("a process of its own")
        return original(self)

    return start


def _other_end(wire: socket.socket) -> str:
    try:
        address = wire.getpeername()
    except OSError:
        return "somebody"
    return ":".join(str(part) for part in address[:2])
