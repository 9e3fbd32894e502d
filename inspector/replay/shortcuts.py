"""Calls that are answered without being looked at again.

An answered call inside of a component is recorded like any other: a span, what it was given,
what it gave back. Once that was done for a recorded call, all of it is known, and a replay
that makes the same call at the same place with the same values needs a look-up and the
answer. It takes a note from which the span can be written, if somebody wants the run.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.recording import assembly
from inspector.recording.operations import COMPONENT, LLM, TOOL
from inspector.recording.session import place_of_thread
from inspector.recording.walk import instance_dict
from inspector.recording.wrappers.inner import INNER, WRAPPER
from inspector.recording.wrappers.install import INSTALLED
from inspector.replay.answers import CALLBACK
from inspector.replay.arrival import may_vary
from inspector.replay.exact import exact, is_plain
from inspector.replay.memory import Again
from inspector.replay.plans import Source
from inspector.runfile.interned import Deferred

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Method
    from inspector.replay.answers import Answer
    from inspector.replay.memory import Known
    from inspector.replay.plans import Plan
    from inspector.replay.policy import Policy
    from inspector.replay.recorded import RecordedRun
    from inspector.replay.session import ReplaySession

_MOST = 100_000
_SAID = frozenset({"arguments", "channels", "llm", "outputs", "source", "type", "usage"})
_OPERATIONS = frozenset({COMPONENT, INNER, LLM, TOOL})


class Shortcut:
    """One call: what it has to be given, its answer, and what its span says of it."""

    __slots__ = (
        "answer", "asked", "channels", "cls", "content", "entry", "kind", "llm", "name",
        "operation", "role", "segment", "type",
    )  # fmt: skip

    def __init__(
        self, live: LiveSpan, cls: type, content: bytes, answer: Answer, asked: Known
    ) -> None:
        self.cls = cls
        self.content = content
        self.answer = answer
        self.entry = answer.entry
        self.asked = asked
        self.channels = dict(live.channels or {})  # as they are at its end
        self.kind = live.kind
        self.operation = live.operation
        self.name = live.name
        self.segment = live.segment
        self.role = live.role
        self.type = live.type
        self.llm: dict[str, str] | None = live.fields.get("llm")

    def fields(self) -> dict[str, Any]:
        """Return what goes with the last record of a span of its own."""
        fields: dict[str, Any] = {
            "source": Source.RECORDED,
            "outputs": self.answer.told("outputs"),
            "channels": self.channels,
        }
        if self.llm is not None:
            fields["llm"] = self.llm
        if (usage := self.answer.told("usage")) is not None:
            fields["usage"] = usage
        return fields


class Noted(NamedTuple):
    """That a call was answered, and when."""

    shortcut: Shortcut
    parent: LiveSpan
    number: int
    visit: int
    began_ns: int
    ended_ns: int
    thread: str | None


def written(record: tuple[Any, ...]) -> None:
    """Make the records of such a call: `(records, written, noted)`."""
    records, _, noted = record
    shortcut, parent = noted.shortcut, noted.parent
    live = parent.recording.prepare(
        shortcut.kind, INNER, shortcut.name, parent, shortcut.segment, shortcut.role,
        shortcut.type,
    )  # fmt: skip
    live.id = f"s{noted.number}"
    place = f"{shortcut.segment}#{noted.visit}"
    live.path = live.scope = f"{parent.scope}/{place}" if parent.scope else place
    live.visit = noted.visit
    live.start_ns, live.end_ns = noted.began_ns, noted.ended_ns
    head = {"inputs": Again(shortcut.asked), "channels": {"inputs": WRAPPER}}
    assembly.start((records, assembly.start, live, head, noted.thread))
    assembly.end((records, assembly.end, live, shortcut.fields()))


class Shortcuts:
    """The shortcuts of one recorded run under one policy. Any thread may ask."""

    def __init__(self) -> None:
        self._inside: dict[tuple[str, str, int], Shortcut] = {}  # by scope, segment and visit
        self._at: dict[str, Shortcut] = {}  # by path

    def __len__(self) -> int:
        return len(self._inside) + len(self._at)

    def take(
        self, session: ReplaySession, live: LiveSpan, instance: Any, method: Method,
        args: tuple[Any, ...], kwargs: dict[str, Any],
    ) -> tuple[Any] | None:  # fmt: skip
        """Answer a call made in `live`; None when it has to go the long way."""
        if live.head is not None or live.recording.finished or not session.goes_as_recorded:
            return None
        if live.claimed is None:
            return self._take_span(session, live, instance, method, args, kwargs)
        visits = live.visits
        cls = type(instance)
        segment = f"inner:{cls.__name__}"
        visit = 1 if visits is None else visits.get(segment, 0) + 1
        shortcut = self._inside.get((live.scope, segment, visit))
        if (
            shortcut is None
            or shortcut.cls is not cls
            or live.claimed is instance
            or live.leaks
            or _streams(instance)
        ):
            return None
        began = perf_counter_ns()
        if exact(method.named(args, kwargs) if args else kwargs) != shortcut.content:
            return None
        result = shortcut.answer.make()
        return (result,) if _noted(session, live, visit, shortcut, began) else None

    def _take_span(
        self, session: ReplaySession, live: LiveSpan, instance: Any, method: Method,
        args: tuple[Any, ...], kwargs: dict[str, Any],
    ) -> tuple[Any] | None:  # fmt: skip
        """Answer the call that Haystack opened this span for."""
        shortcut = self._at.get(live.path)
        if (
            shortcut is None
            or shortcut.cls is not type(instance)
            or shortcut.operation != live.operation
            or shortcut.name != live.name
            or _streams(instance)
        ):
            return None
        named = method.named(args, kwargs) if args else kwargs
        if live.operation == TOOL:
            if exact(named) != shortcut.content:
                return None
        else:
            asked = session.asked(live)
            if type(asked) is not Again or asked.known is not shortcut.asked:
                return None
        if not _are_wrapped(named.get("tools")) or not session.cassette.take(shortcut.entry):
            return None
        live.claimed = instance
        live.recording.channels.add(WRAPPER)
        live.channels = shortcut.channels or None
        fields = live.fields
        if live.operation == TOOL:
            fields["arguments"] = Again(shortcut.asked)
        if "type" in shortcut.channels:
            live.type = fields["type"] = shortcut.type
        fields["source"] = Source.RECORDED
        session.ledger.answered += 1
        result = shortcut.answer.make()
        if type(result) is dict:
            session.expect(live, result, shortcut.answer)
        return (result,)

    def learn_from(
        self, session: ReplaySession, live: LiveSpan, instance: Any, method: Method,
        args: tuple[Any, ...], kwargs: dict[str, Any], plan: Plan,
    ) -> None:  # fmt: skip
        """Make a shortcut of a call that is being answered, when it has ended."""
        answer = plan.answer
        if (
            live.operation not in _OPERATIONS
            or live.at_end is not None
            or answer is None
            or answer.error is not None
            or answer.changes is not None
            or answer.entry.path != live.path
            or may_vary(instance)
            or len(self) >= _MOST
        ):
            return
        named = method.named(args, kwargs)
        if live.operation == INNER and named.get("tools") is not None:
            return  # they have to be wrapped
        content = exact(named)
        if content is not None and is_plain(named):
            live.at_end = partial(self._learn, session, type(instance), content, answer)

    def _learn(
        self, session: ReplaySession, cls: type, content: bytes, answer: Answer, live: LiveSpan
    ) -> None:
        asked = session.asked(live)
        if live.status != "ok" or type(asked) is not Again or not _SAID.issuperset(live.fields):
            return
        shortcut = Shortcut(live, cls, content, answer, asked.known)
        if live.operation != INNER:
            self._at[live.path] = shortcut
            return
        made = live.fields.get("outputs")
        if (
            live.parent is not None
            and live.tags is None
            and type(made) is Deferred
            and made.tree == (answer.entry, "outputs")
        ):
            self._inside[live.parent.scope, live.segment, live.visit] = shortcut


def _streams(instance: Any) -> bool:
    return (instance_dict(instance) or {}).get(CALLBACK) is not None


def _are_wrapped(tools: Any) -> bool:
    """Say whether nothing is among the tools that a call brings which has to be wrapped."""
    return tools is None or (type(tools) is list and all(id(tool) in INSTALLED for tool in tools))


def _noted(
    session: ReplaySession, live: LiveSpan, visit: int, shortcut: Shortcut, began: int
) -> bool:
    """Take note of a call inside of `live`; False when another thread was here first."""
    recording = live.recording
    zero = recording.zero_ns
    thread = place_of_thread(recording)
    segment = shortcut.segment
    with session.writer.lock:
        visits = live.visits
        if visits is None:
            visits = live.visits = {}
        if visits.get(segment, 0) + 1 != visit or not session.cassette.take(shortcut.entry):
            return False
        visits[segment] = visit
        recording.count = number = recording.count + 1
        ended = perf_counter_ns() - zero
        noted = Noted(shortcut, live, number, visit, began - zero, ended, thread)
        session.writer.do(written, noted)
        session.ledger.answered += 1
    recording.channels.add(WRAPPER)
    return True


def shortcuts_of(calls: RecordedRun, policy: Policy) -> Shortcuts:
    """Return the shortcuts of a run for the replays that treat it in one way."""
    known: Shortcuts = calls.shortcuts.setdefault(policy, Shortcuts())
    return known
