"""Pausing before and after a call: what a gate is told, and what becomes of its verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.replay.agent_state import note_state, state_around
from inspector.replay.failure import StoppedError
from inspector.replay.gate import Stop
from inspector.replay.plans import Source

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.gate import Gate, Phase, Verdict, Watch
    from inspector.replay.plans import Plan


def watch_of(gate: Gate | None) -> Watch | None:
    """Return who is told what happens in a replay, if anybody."""
    return getattr(gate, "watch", None)


class Passage:
    """One call on its way through a gate."""

    __slots__ = ("edited", "gate", "live", "plan")

    def __init__(self, gate: Gate, live: LiveSpan, plan: Plan) -> None:
        self.gate = gate
        self.live = live
        self.plan = plan
        self.edited = False  # whether the inputs are others than they were

    def before(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        note_state(self.live)
        return self._inputs(self.gate.before(self._stop("before", kwargs)), kwargs)

    def after(self, result: Any) -> Any:
        return self._result(self.gate.after(self._stop("after", result)), result)

    async def before_async(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        note_state(self.live)
        return self._inputs(await self.gate.before_async(self._stop("before", kwargs)), kwargs)

    async def after_async(self, result: Any) -> Any:
        return self._result(await self.gate.after_async(self._stop("after", result)), result)

    def after_error(self, error: Exception) -> Any:
        """Return what counts in place of an exception, or raise it."""
        return self._instead_of(self.gate.after(self._stop("after", error)), error)

    async def after_error_async(self, error: Exception) -> Any:
        """Return what counts in place of an exception, or raise it."""
        return self._instead_of(await self.gate.after_async(self._stop("after", error)), error)

    def _instead_of(self, verdict: Verdict, error: Exception) -> Any:
        if verdict.action == "go_on":
            raise error
        return self._result(verdict, error)

    def _stop(self, phase: Phase, values: Any) -> Stop:
        live = self.live
        return Stop(
            phase=phase, path=live.path, visit=live.visit, kind=live.kind, name=live.name,
            span_id=live.id or "", values=values, source=self.plan.source,
            role=live.role, state=state_around(live),
        )  # fmt: skip

    def _inputs(self, verdict: Verdict, kwargs: dict[str, Any]) -> dict[str, Any]:
        _raise_when_stopped(verdict)
        if verdict.action != "replace":
            return kwargs
        self.edited = True
        self.live.fields["inputs_edited"] = True
        return {**kwargs, **verdict.value}

    def _result(self, verdict: Verdict, result: Any) -> Any:
        _raise_when_stopped(verdict)
        if verdict.action != "replace":
            return result
        self.live.fields["source"] = Source.EDITED
        return verdict.value


def _raise_when_stopped(verdict: Verdict) -> None:
    if verdict.action == "stop":
        raise StoppedError("The replay was stopped at a pause.")
