"""Worker threads know which replay they work for.

Several of Haystack's components hand calls to a thread pool without their context. While a
replay goes on, what it gives to a pool or a thread takes the context along; what nobody
replays is passed on untouched.
"""

from __future__ import annotations

import functools
import threading
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import thread as pools
from contextvars import copy_context
from typing import Any

from inspector.recording.session import CURRENT

_POOLS_WORKER = getattr(pools, "_worker", None)
_lock = threading.Lock()
_users = 0
_originals: dict[type, tuple[str, Any]] = {}


def carry_context() -> None:
    """Let work carry its context into threads, until `let_go` was called as often."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            _put(ThreadPoolExecutor, "submit", _submit)
            _put(threading.Thread, "start", _start)


def let_go() -> None:
    """Undo it, when nothing replays any more. What came on top of us stays."""
    global _users
    with _lock:
        _users = max(0, _users - 1)
        if _users:
            return
        for owner, (name, ours) in list(_originals.items()):
            if owner.__dict__.get(name) is ours:
                setattr(owner, name, vars(ours)["__wrapped__"])
                del _originals[owner]


def _put(owner: type, name: str, wrap: Any) -> None:
    if owner not in _originals:
        ours = wrap(owner.__dict__[name])
        _originals[owner] = (name, ours)
        setattr(owner, name, ours)


def _replays() -> bool:
    live = CURRENT.get()
    return live is not None and live.recording.replay is not None


def _submit(original: Any) -> Any:
    @functools.wraps(original)
    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not _replays():
            return original(self, fn, *args, **kwargs)
        return original(self, copy_context().run, fn, *args, **kwargs)

    return submit


def _start(original: Any) -> Any:
    @functools.wraps(original)
    def start(self: Any) -> Any:
        # The threads of a pool outlive what they were started for: their work brings its own.
        if _replays() and getattr(self, "_target", None) is not _POOLS_WORKER:
            self.run = functools.partial(copy_context().run, self.run)
        return original(self)

    return start
