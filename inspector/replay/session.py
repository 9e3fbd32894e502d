"""One replay: what happens to each call that is made in it.

The wrappers of the recording half ask here before they call what they stand in front of.
A failure of STRICT sticks: whatever the code of the pipeline makes of the exception, every
later call is refused, and the replay ends with it.
"""

from __future__ import annotations

import inspect
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.recording.replies import MODEL_ROLES
from inspector.replay.answers import Answer, answer_of, callback_of
from inspector.replay.arrival import as_recorded, may_vary
from inspector.replay.as_written import found
from inspector.replay.cassette import Cassette, Match, Miss
from inspector.replay.classes import RUNS, Treatment
from inspector.replay.failure import ReplayDriftError
from inspector.replay.gates import Passage, watch_of
from inspector.replay.guard import BLOCKED
from inspector.replay.held_writer import HeldCapture
from inspector.replay.ledger import Ledger
from inspector.replay.live_from import LiveFrom
from inspector.replay.memory import Again
from inspector.replay.mode import ReplayMode
from inspector.replay.plans import Plan, Source
from inspector.replay.policy import Policy, Ruling
from inspector.replay.revive import CannotReviveError
from inspector.replay.shortcuts import Shortcuts, shortcuts_of
from inspector.replay.twins import Twins, overridden
from inspector.replay.words import drift_of_match, drift_of_miss
from inspector.runfile.fingerprint import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.recording.session import LiveSpan, Recording
    from inspector.recording.walk import Found
    from inspector.recording.wrappers.shells import Method
    from inspector.replay.held_writer import HeldWriter
    from inspector.replay.mode import Terms
    from inspector.runfile.drift import Drift
    from inspector.runfile.model import PipelineRun


class ReplaySession:
    """What one replay knows and decides. Any thread of the replay may ask."""

    def __init__(self, run: PipelineRun, terms: Terms, policy: Policy | None = None) -> None:
        self.run = run
        self.terms = terms
        self.policy = policy or Policy(terms.treat)
        self.cassette = Cassette(run)
        # Somebody who looks on gets to see the trees themselves.
        watched = terms.gate is not None
        self.memory = None if watched else self.cassette.calls.memory
        self.shortcuts: Shortcuts | None = None
        if not (watched or terms.overrides or terms.live_from):
            self.shortcuts = shortcuts_of(self.cassette.calls, self.policy)
        self.live_from = LiveFrom(run, terms.live_from) if terms.live_from else None
        self.ledger = Ledger(terms, self.live_from)
        self.over = False
        self.failure: ReplayDriftError | None = None
        self.contained: list[LiveSpan] = []  # calls that hand their work to others
        self.tell: Any = None  # works report and run out, for a failure
        self._taken: set[str | None] = set()
        self.numbered = self.cassette.calls.numbered
        self._prints = Fingerprints(numbered=self.numbered)
        self.adopt: Callable[[Iterable[Found]], None] = lambda _found: None
        self.twins = Twins(self)
        self.stand_ins: Any = None  # for toolsets that would fetch their tools
        self._moved: dict[str, str] = {}  # live places, and the recorded ones they stand for
        self._lock = threading.Lock()
        self._watch = watch_of(terms.gate)
        self.writer: HeldWriter
        self._recording: Recording

    def opened(self, recording: Recording, writer: HeldWriter) -> None:
        """Take the recording that this replay is."""
        self._recording, self.writer = recording, writer
        assert isinstance(recording.capture, HeldCapture)
        self._capture = recording.capture

    # -- what the wrappers ask -----------------------------------------------------------

    def instead_of(
        self, live: LiveSpan, method: Method, function: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return what to call in place of a method, or the method itself."""
        if live.head is not None:
            live.open()  # its place is not known before
        if live.id in self._taken:
            return function  # `run_async` hands over to `run`
        self._taken.add(live.id)
        if method.is_async:
            return partial(self._call_async, live, method, function)
        return partial(self._call, live, method, function)

    def _call(
        self, live: LiveSpan, method: Method, function: Callable[..., Any], instance: Any, /,
        *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        if may_vary(instance):
            kwargs = as_recorded(self, live, instance, self.place(live), kwargs)
        plan = self._plan(live, instance, method, args, kwargs)
        passage = self._passage(live, plan)
        if passage is not None:
            kwargs = passage.before(kwargs)
            if passage.edited:
                plan = passage.plan = self._plan_again(plan, live, instance, method, args, kwargs)
        try:
            if plan.is_given:
                callback = callback_of(method, args, kwargs)
                if plan.answer is not None and callback is not None and plan.streams:
                    plan.answer.stream(callback, instance, paced=self.terms.pace == "recorded")
                result = self._given(plan, live, args, kwargs)
            else:
                result = self._run(plan, live, function, instance, args, kwargs)
        except Exception as error:
            if passage is None or self.failure is not None:
                raise
            return passage.after_error(error)
        return result if passage is None else passage.after(result)

    async def _call_async(
        self, live: LiveSpan, method: Method, function: Callable[..., Any], instance: Any, /,
        *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        if may_vary(instance):
            kwargs = as_recorded(self, live, instance, self.place(live), kwargs)
        plan = self._plan(live, instance, method, args, kwargs)
        passage = self._passage(live, plan)
        if passage is not None:
            kwargs = await passage.before_async(kwargs)
            if passage.edited:
                plan = passage.plan = self._plan_again(plan, live, instance, method, args, kwargs)
        try:
            if plan.is_given:
                callback = callback_of(method, args, kwargs)
                if plan.answer is not None and callback is not None and plan.streams:
                    paced = self.terms.pace == "recorded"
                    await plan.answer.stream_async(callback, instance, paced=paced)
                result = self._given(plan, live, args, kwargs)
            else:
                result = await self._run_async(plan, live, function, instance, args, kwargs)
        except Exception as error:
            if passage is None or self.failure is not None:
                raise
            return await passage.after_error_async(error)
        return result if passage is None else await passage.after_async(result)

    def _given(
        self, plan: Plan, live: LiveSpan, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        result = plan.value(args, kwargs)
        if plan.answer is not None and type(result) is dict:
            self.expect(live, result, plan.answer)
        return result

    def expect(self, live: LiveSpan, result: dict[str, Any], answer: Answer) -> None:
        """Note what a recorded answer says: it is in the recording, to be looked up."""
        self._capture.expect(result, answer.told("outputs"))
        live.usage_below = True  # nothing was used now; what was used then is said below
        if (usage := answer.told("usage")) is not None:
            live.fields["usage"] = usage
        if live.role in MODEL_ROLES and (model := answer.model(result, live.type)) is not None:
            live.reply_known = True
            if model:
                live.fields["llm"] = {**model}

    def _passage(self, live: LiveSpan, plan: Plan) -> Passage | None:
        return Passage(gate, live, plan) if (gate := self.terms.gate) is not None else None

    def _run(
        self, plan: Plan, live: LiveSpan, function: Callable[..., Any], instance: Any,
        args: tuple[Any, ...], kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        if not plan.is_live:
            result = (plan.function or function)(instance, *args, **kwargs)
        else:
            token = BLOCKED.set(None)
            try:
                plan.warm(instance)
                result = (plan.function or function)(instance, *args, **kwargs)
            finally:
                BLOCKED.reset(token)
        return result if plan.then is None else plan.then(live, result)

    async def _run_async(
        self, plan: Plan, live: LiveSpan, function: Callable[..., Any], instance: Any,
        args: tuple[Any, ...], kwargs: dict[str, Any],
    ) -> Any:  # fmt: skip
        function = plan.function_async or function
        if not plan.is_live:
            result = function(instance, *args, **kwargs)
            result = await result if inspect.isawaitable(result) else result
        else:
            token = BLOCKED.set(None)
            try:
                await plan.warm_async(instance)
                result = await function(instance, *args, **kwargs)
            finally:
                BLOCKED.reset(token)
        return result if plan.then is None else plan.then(live, result)

    # -- what to do with a call ----------------------------------------------------------

    def _plan(
        self, live: LiveSpan, instance: Any, method: Method, args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Plan:  # fmt: skip
        self.refuse_after_failure()
        ruling = self.policy.of(instance, live.kind, live.path, live.name)
        if (overrides := self.terms.overrides) is not None:
            changed = overridden(self, overrides, live, instance, ruling)
            if changed is not None:
                return changed
        if self.live_from and (plan := self.live_from.plan(self, live, ruling)) is not None:
            return plan
        treatment = ruling.treatment
        if treatment in RUNS:
            return self.running(live, treatment)
        if treatment is Treatment.VERIFY or treatment is Treatment.FILES:
            from inspector.replay.verify import verified

            return verified(self, live, instance, ruling, method.named(args, kwargs))
        plan = self.answered(live, instance, ruling)
        if self.shortcuts is not None:
            self.shortcuts.learn_from(self, live, instance, method, args, kwargs, plan)
        return plan

    def _plan_again(
        self, plan: Plan, live: LiveSpan, instance: Any, method: Method, args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Plan:  # fmt: skip
        """Decide anew on a call whose inputs were edited: they may have no recorded answer."""
        self.ask_instead(live, self._recording.capture.at_once(method.named(args, kwargs)))
        if plan.source == Source.EXECUTED:
            return plan
        self.ledger.take_back(plan)
        return self._plan(live, instance, method, args, kwargs)

    @property
    def goes_as_recorded(self) -> bool:
        """Whether nothing went wrong until now, and every place is the recorded one."""
        return self.failure is None and not self._moved and not self.over

    def refuse_after_failure(self) -> None:
        """Raise the failure of this replay again, if it has failed."""
        if self.failure is not None:
            raise self._failed(str(self.failure))

    def running(self, live: LiveSpan, treatment: Treatment) -> Plan:
        """Let a call run, and look at what came of it when it has ended."""
        self.ledger.executed += 1
        path = self.place(live)
        at_path = self.cassette.calls.by_path.get(path, ())
        if treatment is Treatment.CONTAIN:
            self.contained.append(live)
            self._settle_place(live, path)
        elif at_path:
            live.at_end = partial(self._check_output, path)
        live.fields["source"] = Source.EXECUTED
        return Plan(Source.EXECUTED)

    def place(self, live: LiveSpan) -> str:
        """Return the recorded path that a live call stands for."""
        path = live.path
        for mine, recorded in self._moved.items():
            if path.startswith(mine):
                return recorded + path[len(mine) :]
        return path

    def _settle_place(self, live: LiveSpan, path: str) -> None:
        """Find out which of several equal containers this one is, if they went on at once."""
        scope = path.rpartition("/")[0]
        family = self.cassette.calls.families.get((scope, live.name, live.kind), ())
        if len(family) < 2:
            self.cassette.use_place(path)
            return
        found = self._find(live, path)
        if isinstance(found, Miss):
            self.cassette.use_place(path)
        elif found.entry.path != path:
            # From the innermost outwards, or a moved container inside another would be missed.
            self._moved = {f"{live.path}/": f"{found.entry.path}/", **self._moved}

    def _find(self, live: LiveSpan, path: str) -> Match | Miss:
        same = self.cassette.find_same(path, live.kind, self.asked(live))
        if same is not None:
            return same
        return self.cassette.find(
            path, live.visit, self.print_of(self.asked(live)),
            name=live.name, parent_path=path.rpartition("/")[0], kind=live.kind,
        )  # fmt: skip

    def find(self, live: LiveSpan) -> Match | Miss:
        """Find the recorded call that a live one is."""
        return found(self, live, partial(self._find, live, self.place(live)))

    def asked(self, live: LiveSpan) -> Any:
        """Return what a live call was given, as a tree."""
        return self.writer.asked.get(live.id or "")

    def ask_instead(self, live: LiveSpan, tree: Any) -> None:
        """Take this for what a live call was given."""
        self.writer.asked[live.id or ""] = tree

    def answered(self, live: LiveSpan, instance: Any, ruling: Ruling) -> Plan:
        """Answer a call from the recording, or say what is to be done without an answer."""
        match = self.find(live)
        if isinstance(match, Miss):
            return self.unanswered(live, ruling, match)
        return self.answer(live, instance, ruling, match)

    def answer(self, live: LiveSpan, instance: Any, ruling: Ruling, match: Match) -> Plan:
        """Answer with a recorded call that was found."""
        entry = match.entry
        if match.out_of_order:
            self.drift(drift_of_match(live, entry), stop=True)
        try:
            if not entry.has_answer:
                raise CannotReviveError("The recording ended before this call did.")
            made: Answer = self.cassette.calls.work_out(
                entry, lambda each: answer_of(each, instance)
            )
        except CannotReviveError as error:
            drift = drift_of_miss(self, live, ruling, Miss("missing", entry), str(error))
            return self.without(live, ruling, drift)
        self.ledger.answered += 1
        live.fields["source"] = Source.RECORDED
        streams = bool(made.chunks) or "llm" in (live.kind, live.role)
        return Plan(Source.RECORDED, made, streams=streams)

    def unanswered(self, live: LiveSpan, ruling: Ruling, miss: Miss) -> Plan:
        """Say what is to be done with a call that was not recorded like this."""
        drift = drift_of_miss(self, live, ruling, miss)
        self.cassette.pass_by(self.place(live))
        return self.without(live, ruling, drift)

    def without(self, live: LiveSpan, ruling: Ruling, drift: Drift) -> Plan:
        self.drift(drift, stop=True)
        if (refusal := self.ledger.spend(ruling)) is not None:
            raise self.fail(f"{drift.message} {refusal}", self.ledger.hint(ruling))
        live.fields["source"] = Source.LIVE
        return Plan(Source.LIVE, then=self.ledger.note_price)

    # -- findings ------------------------------------------------------------------------

    def _check_output(self, path: str, live: LiveSpan) -> None:
        """Compare what a live, pure component made with what was recorded. Never stops."""
        from inspector.replay.outputs import compare_executed

        compare_executed(self, path, live)

    @property
    def lookup(self) -> Any:  # returns the recorded tree that a digest stands for
        return self.cassette.calls.lookup

    def recorded_part(self, tree: Any, name: str) -> Any:
        """Return one field of a recorded value, whose reference is followed."""
        tree = self.cassette.calls.followed(tree)
        return self.cassette.calls.followed(tree.get(name)) if isinstance(tree, dict) else None

    def print_of(self, tree: Any) -> str:
        """Return the fingerprint of a live tree."""
        return tree.known.fingerprint if type(tree) is Again else self._prints.of(tree)

    def drift(self, drift: Drift, *, stop: bool) -> None:
        """Take note of a drift; under STRICT, stop at it."""
        with self._lock:
            self.ledger.drifts.append(drift)
        if self._watch is not None:
            self._watch.drifted(drift)
        if stop and self.terms.mode is ReplayMode.STRICT and drift.grade != "note":
            raise self.fail(drift.message)

    def fail(self, message: str, hint: str = "") -> ReplayDriftError:
        """Make this replay fail for good; the caller raises what is returned."""
        error = self._failed(message, hint)
        if self.failure is None:
            self.failure = error
        return error

    def _failed(self, message: str, hint: str = "") -> ReplayDriftError:
        error = ReplayDriftError(message, hint=hint)
        if self.tell is not None:
            error.told_by(self.tell)
        return error

    def attempted(self, what: str, where: str) -> None:
        """Take note that something tried to leave the process."""
        from inspector.replay.words import drift_of_attempt

        drift = drift_of_attempt(what, where)
        self.drift(drift, stop=False)
        self.fail(drift.message)
