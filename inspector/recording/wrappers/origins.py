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
from threading import get_ident
from typing import TYPE_CHECKING, Any

from inspector.recording.session import CURRENT
from inspector.recording.walk import instance_dict
from inspector.recording.whereabouts import innermost
from inspector.recording.wrappers.shells import (
    HELD_BY,
    HOLDING,
    OPEN,
    UNRECORDED,
    Call,
    is_shell_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Method

MOST_FRAMES = 500
MOST_ELEMENTS = 1_000
_WORKER = getattr(pools, "_worker", None)
_WORKER_CODE = getattr(_WORKER, "__code__", None)
_POOL_MODULES = frozenset({"concurrent.futures.thread", "concurrent.futures._base"})

# A value that may be the same object in unrelated calls proves nothing.
_SHARED_VALUES = (str, bytes, int, float, complex, type(None), type)
_CONTAINERS = frozenset({dict, list, set})


class HeldCall(Call):
    """A call in progress of an instance that holds others. Nobody records this one."""

    __slots__ = ("instance", "proven", "span", "task", "thread")

    def __init__(
        self, instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        super().__init__(args, kwargs)
        self.instance = instance
        self.span: LiveSpan | None = None
        self.open(method)

    def open(self, method: Method) -> None:
        """Let threads that lost their context find this call."""
        self.proven: list[Any] | None = None  # pools and threads that work for this call alone
        self.thread = get_ident()
        self.task: Any = _current_task() if method.is_async else None
        OPEN[id(self)] = self

    def returned(self, _result: Any, /) -> None:
        OPEN.pop(id(self), None)

    def failed(self, _error: BaseException, /) -> None:
        OPEN.pop(id(self), None)


def nobodys(
    instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> HeldCall | None:
    """Keep a call in view that nobody records: another one of its instance may be recorded."""
    return HeldCall(instance, method, args, kwargs) if id(instance) in HOLDING else None


def _frames_inside(call: HeldCall) -> Iterator[FrameType]:
    """Yield the frames inside of a call, innermost first, wherever it stands now."""
    frame = sys._current_frames().get(call.thread)  # noqa: SLF001 - the documented way
    inside: list[FrameType] = []
    while frame is not None and len(inside) < MOST_FRAMES:
        if is_shell_of(frame, call):
            yield from inside
            return
        inside.append(frame)
        frame = frame.f_back
    # It does not run now, it waits: its frames hang on the task.
    awaited: Any = None if call.task is None else call.task.get_coro()
    reached = False
    for _ in range(MOST_FRAMES):
        waiting: FrameType | None = getattr(awaited, "cr_frame", None)
        if waiting is None:
            return
        if reached:
            yield waiting
        reached = reached or is_shell_of(waiting, call)
        awaited = awaited.cr_await


def span_for(instance: Any, given: Any) -> LiveSpan | None:
    """Return the span that a call made here and now belongs to, if that is being recorded.

    Args:
        instance: What is called.
        given: What it is called with.

    """
    return find(instance, given) if CURRENT.get() is None else innermost()


def find(instance: Any, given: Any) -> LiveSpan | None:
    """Return the span of the call that this thread, which knows of none, calls `instance` for."""
    held_by = HELD_BY.get(id(instance))
    if not held_by or not OPEN:
        return None
    calls = [call for call in list(OPEN.values()) if id(call.instance) in held_by]
    here = get_ident()
    if all(call.span is None for call in calls) or any(
        call.span is None and call.thread == here for call in calls
    ):
        return None
    call = _by_handle(calls) or _by_input(calls, given)
    if call is None and _handle() is not None and not runs_something_itself():
        _leave_out(calls, instance)
    return None if call is None else call.span


def of_this_thread() -> LiveSpan | None:
    """Return the span of the call that started this thread, if that can be proved."""
    call = _by_handle(list(OPEN.values()))
    return None if call is None else call.span


def _by_handle(calls: list[HeldCall]) -> HeldCall | None:
    """Return the call that holds this thread, or the pool that it belongs to."""
    handle = _handle() if calls else None
    if handle is None:
        return None
    for call in reversed(calls):
        if call.proven is not None and _among(call.proven, handle):
            return call
    found = _innermost([call for call in calls if _holds(call, handle)])
    if found is not None:
        if any(_has_global(call, handle) for call in calls):
            return None
        found.proven = [*(found.proven or ()), handle]
        return found
    # A pool that lives as long as the instance serves all of its calls.
    owning = [
        call for call in calls if _among((instance_dict(call.instance) or {}).values(), handle)
    ]
    busy = list(UNRECORDED.values())
    if any(each is call.instance for call in owning for each in busy):
        return None
    return _innermost(owning)


def _innermost(calls: list[HeldCall]) -> HeldCall | None:
    """Return the last of calls inside of each other; None when they are not.

    Two stacks cannot both be meant, and which of them is cannot be told.
    """
    stacks = {(call.thread, id(call.task)) for call in calls}
    return calls[-1] if len(stacks) == 1 else None


def _holds(call: HeldCall, handle: Any) -> bool:
    for frame in _frames_inside(call):
        # That a pool stands in its own methods says nothing of whose work it does there.
        if frame.f_globals.get("__name__") not in _POOL_MODULES and _among(
            frame.f_locals.values(), handle
        ):
            return True
    return False


def _has_global(call: HeldCall, handle: Any) -> bool:
    """Say whether a pool is one of the program's, which any call may use."""
    modules = {id(frame.f_globals): frame.f_globals for frame in _frames_inside(call)}
    return any(value is handle for names in modules.values() for value in list(names.values()))


def _handle() -> Any:
    """Return what whoever gave this thread its work must hold: its pool, or the thread itself."""
    thread = threading.current_thread()
    if thread is threading.main_thread():
        return None
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the documented way
    while frame is not None and frame.f_code is not _WORKER_CODE:
        frame = frame.f_back
    reference = None if frame is None else frame.f_locals.get("executor_reference")
    return reference() if callable(reference) else thread


def _among(values: Iterable[Any], handle: Any) -> bool:
    for value in list(values):
        if value is handle:
            return True
        kind = type(value)
        if kind in _CONTAINERS or kind is tuple:
            parts = list(value.values()) if kind is dict else list(value)
            if any(part is handle for part in parts[:MOST_ELEMENTS]):
                return True
    return False


def _by_input(calls: list[HeldCall], given: Any) -> HeldCall | None:
    """Return the only call that was given one of these very objects."""
    seen = {id(value) for value in _objects_in(given)}
    return _innermost(
        [
            call
            for call in calls
            if any(id(part) in seen for part in _objects_in((call.args, call.kwargs)))
        ]
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


_RUNS = frozenset({"Pipeline.run", "Pipeline.run_async_generator", "Agent.run", "Agent.run_async"})


def runs_something_itself() -> bool:
    """Say whether this thread is in a run of its own, which nobody records."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the documented way
    while frame is not None:
        if frame.f_code.co_qualname in _RUNS:
            return True
        frame = frame.f_back
    return False


def _leave_out(calls: list[HeldCall], instance: Any) -> None:
    name = type(instance).__name__
    for call in calls:
        if call.span is not None:
            why = "they came from a thread that could not be traced to one of the calls going on"
            call.span.recording.leave_out(f"calls of {name} inside of {call.span.name}", why)


def _current_task() -> Any:
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
