"""Listening to a stream on its way to the callback that the caller gave.

A callback is never put where there was none: it would turn streaming on.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from inspector.recording.walk import instance_dict

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Method

CALLBACK = "streaming_callback"
_ORIGINAL = "__inspector_original__"

# Whoever wraps a callback of ours may copy its attributes, but not its code.
_TEES: set[CodeType] = set()

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


def listen(
    live: LiveSpan, instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Arguments | None:
    """Return the arguments with our callback around the one that is going to be called.

    Returns None when nothing is going to be streamed.
    """
    if CALLBACK not in method.takes and CALLBACK not in kwargs:
        return None
    place = None
    if CALLBACK in kwargs:
        callback = kwargs[CALLBACK]
    elif CALLBACK in method.parameters[: len(args)]:
        place = method.parameters.index(CALLBACK)
        callback = args[place]
    else:
        callback = None
    if callback is None:
        # One given when the component was made would be called; the call's own goes first.
        callback = (instance_dict(instance) or {}).get(CALLBACK)
        as_async = method.is_async
    else:
        as_async = inspect.iscoroutinefunction(callback)
    if not callable(callback):
        return None
    if inspect.isfunction(callback) and callback.__code__ in _TEES:
        # Who is closest to the source records a chunk; the tee of what is around it does not.
        callback = vars(callback)[_ORIGINAL]
    around = _tee_async(live, callback) if as_async else _tee(live, callback)
    if place is not None:
        return (*args[:place], around, *args[place + 1 :]), kwargs
    return args, {**kwargs, CALLBACK: around}


def _tee(live: LiveSpan, callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def tee(chunk: Any) -> Any:
        if live.end_ns is None:
            live.chunk(chunk)
        # A callback object may well give back something to be awaited.
        return callback(chunk)

    return _dressed(tee, callback)


def _tee_async(live: LiveSpan, callback: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def tee(chunk: Any) -> Any:
        if live.end_ns is None:
            live.chunk(chunk)
        result = callback(chunk)
        return await result if inspect.isawaitable(result) else result

    return _dressed(tee, callback)


def _dressed(tee: Callable[[Any], Any], callback: Any) -> Callable[[Any], Any]:
    """Give the tee the name of the callback: it may be shown, or stored by name."""
    _TEES.add(tee.__code__)
    if inspect.isfunction(callback):
        functools.update_wrapper(tee, callback)
    else:
        kind = type(callback)
        tee.__name__, tee.__qualname__ = kind.__name__, kind.__qualname__
        tee.__module__ = kind.__module__
    setattr(tee, _ORIGINAL, callback)
    return tee
