"""Where a span belongs: in which run, and inside which other span.

Normally the span that is current in this thread or task is the parent. Three things
make it less simple: `run_async_generator` leaves its own span current in the code of
its consumer, between two of its outputs; a thread may have started without the context
of whoever started it; and what outlives its run cannot be part of it any more.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.recording.operations import COMPONENT, ROOTS
from inspector.recording.session import CURRENT, NOBODYS

if TYPE_CHECKING:
    from types import FrameType

    from inspector.recording.session import LiveSpan, Recording


class Place(NamedTuple):
    """Where a new span belongs; `adopted` is the span that already stands for it."""

    recording: Recording
    parent: LiveSpan | None = None
    adopted: LiveSpan | None = None
    inferred: bool = False


def place_of(operation: str, tags: dict[str, Any], parent: LiveSpan | None) -> Place | None:
    """Return where this operation's span belongs, or None when nobody records it.

    For the peculiar cases only: a parent that is neither finished, nor leaks, nor is
    waiting for the span it stands for, is simply the parent.
    """
    if parent is None:
        return _without_context(operation, tags)
    if parent is NOBODYS:
        return None
    if parent.leaks and operation != COMPONENT:
        parent = outside(parent)
    if parent is not None:
        recording = parent.recording
        if not recording.finished:
            expected = recording.expects
            if (
                expected is not None
                and parent is recording.root
                and expected.is_it(operation, tags)
            ):
                recording.expects = None
                parent.peculiar = parent.leaks
                expected.fill(recording, parent, tags)
                return Place(recording, None, parent)
            return Place(recording, parent)
    return _own_run(operation, tags, late=parent is not None)


def outside(live: LiveSpan) -> LiveSpan | None:
    """Return the nearest span around one that is current in code that is not inside it."""
    above: LiveSpan | None = live
    while above is not None and above.leaks:
        above = above.parent
    return above


def innermost() -> LiveSpan | None:
    """Return the span that a call made here and now belongs to, if that is being recorded."""
    live = CURRENT.get()
    if live is not None and live.leaks:
        live = outside(live)
    return None if live is None or live.recording.finished else live


def _own_run(operation: str, tags: dict[str, Any], *, late: bool = False) -> Place | None:
    kind = ROOTS.get(operation)
    if kind is None:
        return None
    from inspector.recording.recorder import recording_for_root

    recording = recording_for_root(kind, operation, tags)
    if recording is None:
        return None
    if recording is NOBODYS.recording:
        return Place(recording, None, NOBODYS)
    if late:
        recording.leave_out("what started this run", "it had ended before this run began")
    return Place(recording)


def _without_context(operation: str, tags: dict[str, Any]) -> Place | None:
    from inspector.recording.recorder import SCOPE, unfinished_recordings

    going_on = unfinished_recordings()
    if not going_on or SCOPE.get():
        return _own_run(operation, tags)
    known = _told_by_wrappers()
    if known is not None and not known.recording.finished:
        return Place(known.recording, known, inferred=True)
    candidates = _started_by(sys._getframe(3), going_on)  # noqa: SLF001 - the documented way
    if len(candidates) == 1:
        parent = candidates[0]
        return Place(parent.recording, parent, inferred=True)
    place = _own_run(operation, tags)
    if candidates:
        why = f"{len(candidates)} visits of {candidates[0].type} were going on in other threads"
        if place is not None:
            place.recording.leave_out("what started this run", why)
        for candidate in candidates:
            candidate.recording.leave_out(f"{operation} on a thread without context", why)
    return place


def _told_by_wrappers() -> LiveSpan | None:
    """Return the span whose wrapped call provably started this thread."""
    origins = sys.modules.get("inspector.recording.wrappers.origins")
    return None if origins is None else origins.of_this_thread()


def _started_by(frame: FrameType | None, going_on: list[Recording]) -> list[LiveSpan]:
    """Return the open component whose code runs in this thread, found on its call stack.

    Haystack's own multi-query retrievers hand their calls to a thread pool without
    the context, and so may anybody's component. Its method is still on the stack.
    Several are returned when the same class is at work several times.
    """
    open_by_type: dict[str, list[LiveSpan]] = {}
    for recording in going_on:
        for live in tuple(recording.open_spans):
            if live.kind == "component":
                open_by_type.setdefault(live.type, []).append(live)
    found: list[LiveSpan] = []
    while frame is not None and open_by_type:
        code = frame.f_code
        if "self" in code.co_varnames or "self" in code.co_freevars:
            owner = frame.f_locals.get("self")
            kind = type(owner)
            named = open_by_type.get(f"{kind.__module__}.{kind.__name__}")
            if named and (here := [live for live in named if _may_be(live, owner)]):
                found = here  # the outermost one started the thread; go on to it
        frame = frame.f_back
    return found


def _may_be(live: LiveSpan, owner: object) -> bool:
    instance = live.recording.instance_of(live)
    return instance is None or instance is owner
