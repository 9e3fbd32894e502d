"""Pausing before and after a call: what a gate is told, and what it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.plans import Plan


class Passage:
    """One call on its way through a gate."""

    __slots__ = ("gate", "live", "plan")

    def __init__(self, gate: Any, live: LiveSpan, plan: Plan) -> None:
        self.gate = gate
        self.live = live
        self.plan = plan

    def before(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return kwargs

    def after(self, result: Any) -> Any:
        return result

    async def before_async(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return kwargs

    async def after_async(self, result: Any) -> Any:
        return result
