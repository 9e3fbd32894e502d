"""`enable()`: `pipeline.run(data, record=True)` gives the result and the recorded run.

Nothing happens until somebody asks for it; then `run` and `run_async` of Haystack's
Pipeline and Agent take one keyword more, and do what they always did without it.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import TYPE_CHECKING, Any

from inspector.recording.api import Session
from inspector.recording.targets import target_of

if TYPE_CHECKING:
    from collections.abc import Callable

_RECORD = "record"
_LATER = "replay"  # comes with the Replayer; an agent would take it for a piece of its state

_lock = threading.Lock()
_originals: dict[tuple[type, str], tuple[Callable[..., Any], Callable[..., Any]]] = {}
_enabled = False


def enable() -> None:
    """Let `Pipeline` and `Agent` take `record=True` in `run` and `run_async`."""
    global _enabled
    from haystack import Pipeline
    from haystack.components.agents import Agent

    with _lock:
        _enabled = True
        for owner in (Pipeline, Agent):
            _put(owner, "run", _recordable)
            _put(owner, "run_async", _recordable_async)


def disable() -> None:
    """Undo `enable`. A method that somebody wrapped after us stays, and only passes on."""
    global _enabled
    with _lock:
        _enabled = False
        for (owner, name), (original, ours) in list(_originals.items()):
            if owner.__dict__.get(name) is ours:
                setattr(owner, name, original)
                del _originals[owner, name]


def _put(owner: type, name: str, wrap: Callable[[Any], Callable[..., Any]]) -> None:
    if (owner, name) not in _originals:
        original = owner.__dict__[name]
        ours = wrap(original)
        _originals[owner, name] = (original, ours)
        setattr(owner, name, ours)


def _recordable(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _asked_to_record(self, kwargs):
            return original(self, *args, **kwargs)
        session = Session(target_of(self), args, kwargs, None, mode="sync")
        with session:
            result = original(self, *args, **kwargs)
            session.take(result)
        return result, session.run()

    return run


def _recordable_async(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def run_async(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not _asked_to_record(self, kwargs):
            return await original(self, *args, **kwargs)
        session = Session(target_of(self), args, kwargs, None, mode="async")
        with session:
            result = await original(self, *args, **kwargs)
            session.take(result)
        return result, await asyncio.to_thread(session.run)

    return run_async


def _asked_to_record(owner: Any, kwargs: dict[str, Any]) -> bool:
    """Take our keyword out of the others, unless the agent has an input of that name."""
    if not _enabled or not (_RECORD in kwargs or _LATER in kwargs):
        return False
    inputs = getattr(owner, "__haystack_input__", ())
    if _LATER in kwargs and _LATER not in inputs:
        kind = type(owner).__name__
        raise TypeError(f"{kind}.run() got an unexpected keyword argument {_LATER!r}")
    if _RECORD not in kwargs or _RECORD in inputs:
        return False
    return bool(kwargs.pop(_RECORD))
