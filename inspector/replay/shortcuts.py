"""Calls that are answered without being looked at again.

An answered call inside of a component is recorded like any other: a span, what it was given,
what it gave back. Once that was done for a recorded call, all of it is known, and a replay
that makes the same call at the same place with the same values needs a look-up and the
answer. It takes a note from which the span can be written, if somebody wants the run.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from inspector.recording.session import place_of_thread
from inspector.recording.walk import instance_dict
from inspector.recording.wrappers.inner import INNER, WRAPPER
from inspector.replay.answers import CALLBACK
from inspector.replay.arrival import may_vary
from inspector.replay.exact import exact, is_plain
from inspector.replay.memory import Again
from inspector.runfile.interned import Deferred

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Method
    from inspector.replay.answers import Answer
    from inspector.replay.memory import Known
    from inspector.replay.plans import Plan
    from inspector.replay.policy import Policy
    from inspector.replay.recorded import Entry, RecordedRun
    from inspector.replay.session import ReplaySession

_MOST = 100_000
_PASSING = ("id", "parent", "start_ns", "thread")
_SAID = frozenset({"channels", "llm", "outputs", "source", "usage"})


class Shortcut:
    """One call: what it has to be given, its answer, and its span but for when that was."""

    __slots__ = ("answer", "asked", "cls", "content", "entry", "fields", "span")

    def __init__(
        self, cls: type, content: bytes, entry: Entry, answer: Answer, asked: Known,
        span: dict[str, Any], fields: dict[str, Any],
    ) -> None:  # fmt: skip
        self.cls = cls
        self.content = content
        self.entry = entry
        self.answer = answer
        self.asked = asked
        self.span = span
        self.fields = fields

    def records(
        self, number: int, parent_id: str, times: tuple[int, int], thread: str | None
    ) -> tuple[tuple[Any, ...], ...]:
        """Return the records of the span, as a writer takes them."""
        began, ended = times
        name = f"s{number}"
        span = {"id": name, "parent": parent_id, **self.span, "start_ns": began}
        if thread is not None:
            span["thread"] = thread
        span["inputs"] = Again(self.asked)
        fields = {**self.fields, "outputs": self.answer.told("outputs")}
        if "usage" in fields:
            fields["usage"] = self.answer.told("usage")
        return ("start", span), ("end", name, ended, "ok", fields)


class Shortcuts:
    """The shortcuts of one recorded run under one policy. Any thread may ask."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, int], Shortcut] = {}

    def take(
        self, session: ReplaySession, live: LiveSpan, instance: Any, method: Method,
        args: tuple[Any, ...], kwargs: dict[str, Any],
    ) -> tuple[Any] | None:  # fmt: skip
        """Answer a call inside of `live`; None when it has to go the long way."""
        visits = live.visits
        cls = type(instance)
        segment = f"inner:{cls.__name__}"
        visit = 1 if visits is None else visits.get(segment, 0) + 1
        shortcut = self._known.get((live.scope, segment, visit))
        if shortcut is None or shortcut.cls is not cls or not _may_be_inside(session, live):
            return None
        if (instance_dict(instance) or {}).get(CALLBACK) is not None:
            return None
        began = perf_counter_ns()
        if exact(method.named(args, kwargs) if args else kwargs) != shortcut.content:
            return None
        result = shortcut.answer.make()
        return (result,) if _noted(session, live, segment, visit, shortcut, began) else None

    def learn_from(
        self, session: ReplaySession, live: LiveSpan, instance: Any, method: Method,
        args: tuple[Any, ...], kwargs: dict[str, Any], plan: Plan,
    ) -> None:  # fmt: skip
        """Make a shortcut of a call that is being answered, when it has ended."""
        answer = plan.answer
        if (
            live.operation != INNER
            or live.at_end is not None
            or answer is None
            or answer.error is not None
            or answer.changes is not None
            or answer.entry.path != live.path
            or may_vary(instance)
            or len(self._known) >= _MOST
        ):
            return
        named = method.named(args, kwargs)
        content = exact(named)
        if content is not None and named.get("tools") is None and is_plain(named):
            live.at_end = partial(self._learn, session, type(instance), content, answer)

    def _learn(
        self, session: ReplaySession, cls: type, content: bytes, answer: Answer, live: LiveSpan
    ) -> None:
        asked = session.asked(live)
        made = live.fields.get("outputs")
        parent = live.parent
        span = session.span_of(live)
        if (
            live.status != "ok"
            or parent is None
            or span is None
            or live.tags is not None
            or type(asked) is not Again
            or type(made) is not Deferred
            or made.tree != (answer.entry, "outputs")
            or not _SAID.issuperset(live.fields)
        ):
            return
        kept = {key: item for key, item in span.items() if key not in _PASSING}
        fields = {**live.fields, "channels": dict(live.channels or {}), "outputs": None}
        key = (parent.scope, live.segment, live.visit)
        self._known[key] = Shortcut(cls, content, answer.entry, answer, asked.known, kept, fields)


def _may_be_inside(session: ReplaySession, live: LiveSpan) -> bool:
    """Whether a call made in `live` is one inside of it, and nothing is out of the ordinary."""
    return (
        live.claimed is not None
        and live.head is None
        and not live.leaks
        and not live.recording.finished
        and session.goes_as_recorded
    )


def _noted(
    session: ReplaySession, live: LiveSpan, segment: str, visit: int, shortcut: Shortcut,
    began: int,
) -> bool:  # fmt: skip
    """Take note of an answered call; False when another thread was here first."""
    recording = live.recording
    zero = recording.zero_ns
    thread = place_of_thread(recording)
    with session.writer.lock:
        visits = live.visits
        if visits is None:
            visits = live.visits = {}
        if visits.get(segment, 0) + 1 != visit or not session.cassette.take(shortcut.entry):
            return False
        visits[segment] = visit
        recording.count += 1
        times = (began - zero, perf_counter_ns() - zero)
        session.writer.take(shortcut, recording.count, live.id or "", times, thread)
        session.ledger.answered += 1
    recording.channels.add(WRAPPER)
    return True


def shortcuts_of(calls: RecordedRun, policy: Policy) -> Shortcuts:
    """Return the shortcuts of a run for the replays that treat it in one way."""
    known: Shortcuts = calls.shortcuts.setdefault(policy, Shortcuts())
    return known
