"""Which call a thread works for, when it was started without the context of that call.

Haystack's sync multi-query retrievers hand their work to a thread pool, and context
variables do not cross into one. What the program did can still be proved: the pool (or
the thread) is held by a frame of exactly one call. That is looked at only here, in the
rare case; nothing of the host is patched for it. What cannot be proved is not guessed:
it is left out, and the run says so.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import thread as pools
from typing import TYPE_CHECKING, Any

from inspector.recording.walk import instance_dict
from inspector.recording.wrappers.shells import HELD_BY, HOLDING, OPEN, is_shell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

    from inspector.recording.session import LiveSpan

MOST_FRAMES = 500
MOST_ELEMENTS = 1_000
_WORKER = getattr(pools, "_worker", None)
_WORKER_CODE = getattr(_WORKER, "__code__", None)

# A value that may be the same object in unrelated calls proves nothing.
_SHARED_VALUES = (str, bytes, int, float, complex, type(None), type)
_CONTAINERS = frozenset({dict, list, set})


class OpenCall:
    """A call in progress of an instance that holds others."""

    __slots__ = ("frame", "given", "instance", "span", "task", "thread")

    def __init__(
        self, instance: Any, span: LiveSpan | None, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.instance = instance
        self.span = span  # None while nobody records this call
        self.given = (args, kwargs)
        self.thread = threading.get_ident()
        self.task = _current_task()
        self.frame = _shell_frame()
        OPEN[id(self)] = self

    def close(self) -> None:
        """Forget the call. A frame that is kept would keep all its variables."""
        OPEN.pop(id(self), None)
        self.frame = None
        self.task = None

    def frames(self) -> Iterator[FrameType]:
        """Yield the frames inside of this call, innermost first, wherever it stands now."""
        frame = sys._current_frames().get(self.thread)  # noqa: SLF001 - the documented way
        inside: list[FrameType] = []
        while frame is not None and len(inside) < MOST_FRAMES:
            if frame is self.frame:
                yield from inside
                return
            inside.append(frame)
            frame = frame.f_back
        yield from self._frames_of_task()

    def _frames_of_task(self) -> Iterator[FrameType]:
        awaited: Any = None if self.task is None else self.task.get_coro()
        reached = False
        for _ in range(MOST_FRAMES):
            frame = getattr(awaited, "cr_frame", None)
            if frame is None:
                return
            if reached:
                yield frame
            reached = reached or frame is self.frame
            awaited = awaited.cr_await


def hold(
    instance: Any, span: LiveSpan | None, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> OpenCall | None:
    """Open the call of an instance, if there are others inside of it that it may call."""
    return OpenCall(instance, span, args, kwargs) if id(instance) in HOLDING else None


def find(instance: Any, given: Any = ()) -> LiveSpan | None:
    """Return the span of the call that this thread calls `instance` for, if it is recorded.

    Args:
        instance: What is called.
        given: What it is called with.

    """
    calls = _calls()
    if all(call.span is None for call in calls):
        return None
    call = _by_handle(calls)
    if call is None:
        held_by: set[int] = HELD_BY.get(id(instance), set())
        calls = [call for call in calls if id(call.instance) in held_by]
        call = _by_input(calls, given)
        if call is None:
            _leave_out(calls, instance)
    return None if call is None else call.span


def of_this_thread() -> LiveSpan | None:
    """Return the span of the call that started this thread, if that can be proved."""
    call = _by_handle(_calls())
    return None if call is None else call.span


def _calls() -> list[OpenCall]:
    return [call for call in tuple(OPEN.values()) if call.frame is not None]


def _by_handle(calls: list[OpenCall]) -> OpenCall | None:
    """Return the call that holds this thread, or the pool that it belongs to."""
    handles = _handles() if calls else ()
    inside: list[OpenCall] = []
    owned: list[OpenCall] = []
    for call in calls:
        if _among((instance_dict(call.instance) or {}).values(), handles):
            owned.append(call)  # a pool that lives as long as the instance
        elif any(_among(frame.f_locals.values(), handles) for frame in call.frames()):
            inside.append(call)
    return _innermost(inside) or _innermost(owned)


def _innermost(calls: list[OpenCall]) -> OpenCall | None:
    """Return the last of calls inside of each other; None when they are not.

    Two stacks cannot both be meant, and which of them is cannot be told.
    """
    stacks = {(call.thread, id(call.task)) for call in calls}
    return calls[-1] if len(stacks) == 1 else None


def _handles() -> tuple[Any, ...]:
    """Return what whoever started this thread must hold: the thread itself, or its pool."""
    thread = threading.current_thread()
    if thread is threading.main_thread():
        return ()
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the documented way
    while frame is not None and frame.f_code is not _WORKER_CODE:
        frame = frame.f_back
    reference = None if frame is None else frame.f_locals.get("executor_reference")
    pool = reference() if callable(reference) else None
    return (thread,) if pool is None else (thread, pool)


def _among(values: Iterable[Any], handles: tuple[Any, ...]) -> bool:
    for value in list(values):
        kind = type(value)
        if kind in _CONTAINERS:
            parts = list(value.values()) if kind is dict else list(value)
            if any(part is handle for part in parts[:MOST_ELEMENTS] for handle in handles):
                return True
        elif any(value is handle for handle in handles):
            return True
    return False


def _by_input(calls: list[OpenCall], given: Any) -> OpenCall | None:
    """Return the only call that was given one of these very objects."""
    seen = {id(value) for value in _objects_in(given)}
    return _innermost(
        [call for call in calls if any(id(part) in seen for part in _objects_in(call.given))]
    )


def _objects_in(given: Any, depth: int = 4) -> Iterator[Any]:
    """Yield the objects in a call's arguments that cannot by chance be those of another."""
    kind = type(given)
    if kind in _CONTAINERS or kind is tuple:
        if depth:
            for part in list(given.values() if kind is dict else given)[:MOST_ELEMENTS]:
                yield from _objects_in(part, depth - 1)
    elif not isinstance(given, _SHARED_VALUES):
        yield given


def _leave_out(calls: list[OpenCall], instance: Any) -> None:
    name = type(instance).__name__
    for call in calls:
        if call.span is not None:
            why = "they came from a thread that could not be traced to one of the calls going on"
            call.span.recording.leave_out(f"calls of {name} in {call.span.path}", why)


def _current_task() -> Any:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


def _shell_frame() -> FrameType | None:
    """Return the frame of the shell that opens a call: the end of what is inside of it."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the documented way
    while frame is not None and not is_shell(frame.f_code):
        frame = frame.f_back
    return frame
