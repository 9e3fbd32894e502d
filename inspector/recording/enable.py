"""`enable()`: `pipeline.run(data, record=True)` gives the result and the recorded run.

Nothing happens until somebody asks for it; then `run` and `run_async` of Haystack's
Pipeline and Agent take one keyword more, and do what they always did without it. A stream
gives its run when it is at its end.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from typing import TYPE_CHECKING, Any, Protocol

from inspector.recording.api import Session
from inspector.recording.targets import target_of
from inspector.redaction.project import redaction_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.redaction.project import Redact

_RECORD = "record"
_REPLAY = "replay"

_lock = threading.Lock()
_originals: dict[tuple[type, str], tuple[Callable[..., Any], Callable[..., Any]]] = {}
_enabled = False
_replays: type[Replays] | None = None
_redact: Redact = None


class Replays(Protocol):
    """Runs a pipeline or an agent that was asked to replay something."""

    @staticmethod
    def run(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> Any:
        """Replay; the keyword is still in `kwargs`."""

    @staticmethod
    async def run_async(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> Any:
        """Replay in an async method."""

    @staticmethod
    def stream(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], original: Any, /) -> Any:
        """Replay a stream; `original` is the method of the class."""

    @staticmethod
    def partials(owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], /) -> Any:
        """Replay a generator of partial outputs."""


def enable(replays: type[Replays] | None = None, redact: Redact = None) -> None:
    """Let `Pipeline` and `Agent` take `record=True` in `run` and `run_async`.

    Args:
        replays: Does what `replay=` asks for; without it, that keyword is refused.
        redact: What is taken out of what is recorded so; see `PipelineRecorder`.

    Raises:
        RedactionError: `redact` makes no sense.

    """
    global _enabled, _redact, _replays
    if redact is not None:
        redaction_of(redact)
    _redact = redact
    from haystack import Pipeline
    from haystack.components.agents import Agent

    with _lock:
        _enabled = True
        _replays = replays
        for owner in (Pipeline, Agent):
            _put(owner, "run", _recordable)
            _put(owner, "run_async", _recordable_async)
        _put(Pipeline, "stream", _recordable_stream)
        _put(Pipeline, "run_async_generator", _replayable_generator)


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
    if (owner, name) not in _originals and name in owner.__dict__:
        original = owner.__dict__[name]
        ours = wrap(original)
        _originals[owner, name] = (original, ours)
        setattr(owner, name, ours)


def _recordable(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (replays := _asked_to_replay(self, kwargs)) is not None:
            return replays.run(self, args, kwargs)
        if not _asked_to_record(self, kwargs):
            return original(self, *args, **kwargs)
        session = Session(target_of(self), args, kwargs, None, mode="sync", redact=_redact)
        with session:
            result = original(self, *args, **kwargs)
            session.take(result)
        return result, session.run()

    return run


def _recordable_async(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    async def run_async(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (replays := _asked_to_replay(self, kwargs)) is not None:
            return await replays.run_async(self, args, kwargs)
        if not _asked_to_record(self, kwargs):
            return await original(self, *args, **kwargs)
        session = Session(target_of(self), args, kwargs, None, mode="async", redact=_redact)
        with session:
            result = await original(self, *args, **kwargs)
            session.take(result)
        return result, await asyncio.to_thread(session.run)

    return run_async


def _recordable_stream(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def stream(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (replays := _asked_to_replay(self, kwargs)) is not None:
            return replays.stream(self, args, kwargs, original)
        if not _asked_to_record(self, kwargs):
            return original(self, *args, **kwargs)
        from inspector.recording.streams import record_stream

        data = args[0] if args else kwargs.pop("data", None)
        return record_stream(self, data, kwargs, original, redact=_redact)

    return stream


def _replayable_generator(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def run_async_generator(self: Any, *args: Any, **kwargs: Any) -> Any:
        if (replays := _asked_to_replay(self, kwargs)) is not None:
            return replays.partials(self, args, kwargs)
        return original(self, *args, **kwargs)

    return run_async_generator


def _inputs(owner: Any) -> Any:
    return getattr(owner, "__haystack_input__", ())


def _asked_to_replay(owner: Any, kwargs: dict[str, Any]) -> type[Replays] | None:
    """Return who replays, when that is asked for."""
    if not _enabled or _REPLAY not in kwargs or _REPLAY in _inputs(owner):
        return None
    if _replays is None:
        # An agent would take it for a piece of its state.
        kind = type(owner).__name__
        raise TypeError(f"{kind}.run() got an unexpected keyword argument {_REPLAY!r}")
    return _replays


def _asked_to_record(owner: Any, kwargs: dict[str, Any]) -> bool:
    """Take our keyword out of the others, unless the agent has an input of that name."""
    if not _enabled or _RECORD not in kwargs or _RECORD in _inputs(owner):
        return False
    return bool(kwargs.pop(_RECORD))
