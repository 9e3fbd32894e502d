"""Worker threads know which replay they work for.

Several of Haystack's components hand calls to a thread pool without their context. While a
replay goes on, what it gives to a pool or a thread takes the context along; what nobody
replays is passed on untouched.

An event loop runs what only knows sync in a pool of few threads, which everything on the
loop shares. A call that may be held at a gate gets a thread of its own instead: held calls
would use the pool up, and whatever else of the program needs it would stand still.
"""

from __future__ import annotations

import functools
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import thread as pools
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from inspector.recording.session import CURRENT

if TYPE_CHECKING:
    from collections.abc import Callable

_POOLS_WORKER = getattr(pools, "_worker", None)
_OF_A_LOOP = "asyncio"  # how an event loop names the threads of its own pool
_lock = threading.Lock()
_users = 0
_originals: dict[type, tuple[str, Any]] = {}
_made: dict[type, tuple[Any, Any]] = {}  # what stood there, and what we put in front of it


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
        original = owner.__dict__[name]
        known = _made.get(owner)
        if known is None or known[0] is not original:  # somebody else may stand there now
            known = _made[owner] = (original, wrap(original))
        _originals[owner] = (name, known[1])
        setattr(owner, name, known[1])


def _replays() -> bool:
    live = CURRENT.get()
    return live is not None and live.recording.replay is not None


def _submit(original: Any) -> Any:
    @functools.wraps(original)
    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        live = CURRENT.get()
        replay = None if live is None else live.recording.replay
        if replay is None:
            return original(self, fn, *args, **kwargs)
        name = getattr(self, "_thread_name_prefix", "")
        if replay.terms.gate is not None and name == _OF_A_LOOP:
            return _in_a_thread_of_its_own(functools.partial(fn, *args, **kwargs))
        return original(self, copy_context().run, fn, *args, **kwargs)

    return submit


def _in_a_thread_of_its_own(work: Callable[[], Any]) -> Future[Any]:
    future: Future[Any] = Future()
    context = copy_context()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            result = context.run(work)
        except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
            future.set_exception(error)
        else:
            future.set_result(result)

    # Daemonic: what is held when the program ends must not keep it.
    threading.Thread(target=run, name="inspector-held", daemon=True).start()
    return future


def _start(original: Any) -> Any:
    @functools.wraps(original)
    def start(self: Any) -> Any:
        # The threads of a pool outlive what they were started for: their work brings its own.
        if _replays() and getattr(self, "_target", None) is not _POOLS_WORKER:
            self.run = functools.partial(copy_context().run, self.run)
        return original(self)

    return start
