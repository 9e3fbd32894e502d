"""The way from a wrapped method to the replay that answers it."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from inspector.recording.session import CURRENT, LiveSpan
from inspector.recording.wrappers.shells import SEAM
from inspector.replay.failure import ReplayDriftError
from inspector.replay.words import drift_of_stray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType

    from inspector.recording.wrappers.shells import Method
    from inspector.replay.session import ReplaySession

_lock = threading.Lock()
_armed: dict[int, int] = {}  # how many replays go on of what is at an address
_replays: dict[int, tuple[ReplaySession, set[int]]] = {}  # each with the addresses it replays


def arm(instances: Iterable[Any], replay: ReplaySession | None = None) -> None:
    """Let replays get in between these instances and their callers."""
    with _lock:
        for instance in instances:
            _armed[id(instance)] = _armed.get(id(instance), 0) + 1
        if replay is not None:
            _, addresses = _replays.setdefault(id(replay), (replay, set()))
            addresses.update(map(id, instances))
        SEAM.instead_of = _instead_of
        SEAM.straight_away = _straight_away


def disarm(instances: Iterable[Any], replay: ReplaySession | None = None) -> None:
    """Undo one `arm`."""
    with _lock:
        _replays.pop(id(replay), None)
        for instance in instances:
            left = _armed.get(id(instance), 0) - 1
            if left > 0:
                _armed[id(instance)] = left
            else:
                _armed.pop(id(instance), None)
        if not _armed:
            SEAM.instead_of = SEAM.straight_away = None


def _instead_of(instance: Any, method: Method, function: Callable[..., Any]) -> Callable[..., Any]:
    live = CURRENT.get()
    if live is None:
        if id(instance) in _armed:
            refuse_strays(instance)
        return function
    replay = live.recording.replay
    if replay is None:
        return function
    if live.claimed is not instance:
        # A pipeline or an agent, which leads to a span of its own.
        replay.refuse_after_failure()
        return function
    found: Callable[..., Any] = replay.instead_of(live, method, function)
    return found


def _straight_away(
    instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any] | None:
    live = CURRENT.get()
    replay = None if live is None else live.recording.replay
    if replay is None or replay.shortcuts is None:
        return None
    answer: tuple[Any] | None = replay.shortcuts.take(replay, live, instance, method, args, kwargs)
    return answer


def refuse_strays(instance: Any) -> None:
    """Refuse a call of which nobody can say whether it belongs to a replay.

    It has lost its context, while a replay of this very instance goes on: it may be the
    replay's, and would be a live call then. What a run of its own makes, or the main thread
    where nothing replays, is no replay's. The replays that it may belong to have failed:
    whoever made the call may swallow what is raised here.
    """
    replay = _on_the_stack()
    if replay is None and _is_no_replays():
        return
    with _lock:
        address = id(instance)
        those = [each for each, addresses in _replays.values() if address in addresses]
    message = (
        f"{type(instance).__name__} was called on a thread that lost its context while a replay "
        "of it goes on. The call is refused: it might have been the replay's, and gone out live."
    )
    hint = "Start such threads with contextvars.copy_context().run."
    error = ReplayDriftError(message, hint=hint)
    for each in those if replay is None else [replay]:
        each.drift(drift_of_stray(type(instance).__name__, message), stop=False)
        error = each.fail(message, hint)
    raise error


def _on_the_stack() -> ReplaySession | None:
    """Return the replay whose spans the calls on this stack hold, if any."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the documented way
    while frame is not None:
        here = frame.f_locals
        for name in _SPANS:
            span = here.get(name)
            if isinstance(span, LiveSpan):
                found: ReplaySession | None = span.recording.replay
                return found
        frame = frame.f_back
    return None


_SPANS = ("span", "parent_span")  # what Haystack calls them


def _is_no_replays() -> bool:
    from inspector.recording.wrappers.origins import runs_something_itself

    return threading.current_thread() is threading.main_thread() or runs_something_itself()
