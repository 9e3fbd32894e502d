"""What a replay has done so far, and what it may still do."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inspector.replay.classes import Treatment
from inspector.replay.mode import ReplayMode
from inspector.replay.plans import Source
from inspector.replay.policy import TOLD
from inspector.replay.prices import price_of

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.replay.classes import Ruling
    from inspector.replay.live_from import LiveFrom
    from inspector.replay.mode import Terms
    from inspector.replay.plans import Plan


class Ledger:
    """Counts of one replay, its drifts, and its budget for live calls."""

    def __init__(self, terms: Terms, live_from: LiveFrom | None = None) -> None:
        self._terms = terms
        self._live_from = live_from
        self._lock = threading.Lock()
        self.drifts: list[Any] = []
        self.answered = 0
        self.executed = 0
        self.verified = 0
        self.live_calls = 0
        self.cost_usd: Decimal | None = Decimal(0)  # None once it is not known any more
        self.not_verified: list[str] = []

    def spend(self, ruling: Ruling) -> str | None:
        """Count a live call, or say in a sentence why it may not be made."""
        # At once: tools that are called in parallel must not all find the same money there.
        with self._lock:
            refusal = self._refusal(ruling)
            if refusal is None:
                self.live_calls += 1
        return refusal

    def _refusal(self, ruling: Ruling) -> str | None:
        terms = self._terms
        if not terms.may_run_live:
            return "Live calls are not allowed in this replay."
        if self._live_from is not None and (refusal := self._live_from.refusal()) is not None:
            return refusal
        if ruling.treatment is Treatment.NEVER_LIVE:
            if ruling.reason == TOLD:
                return "This replay was told never to run it live."
            return f"It is never run live in a replay: it {ruling.reason}."
        if ruling.treatment is Treatment.UNKNOWN and terms.mode is not ReplayMode.RECORD_NEW:
            return "Nobody said what it does, so it is not run."
        if terms.live_budget_usd is not None:
            if self.cost_usd is None:
                return "What the last live call cost is not known, so no other one is made."
            if self.cost_usd >= terms.live_budget_usd:
                return f"The budget of {terms.live_budget_usd} US dollars is spent."
        if terms.live_budget is not None and self.live_calls >= terms.live_budget:
            return f"The budget of {terms.live_budget} live calls is spent."
        return None

    def take_back(self, plan: Plan) -> None:
        """Undo the count of a call that is decided on anew before it was made."""
        with self._lock:
            if plan.source == Source.RECORDED:
                self.answered -= 1
            elif plan.is_live:
                self.live_calls -= 1

    def hint(self, ruling: Ruling) -> str:
        """Say what the caller could do about a refusal."""
        if not self._terms.may_run_live:
            return "Pass allow_live=True, or record the run again."
        if self._live_from is not None and self._live_from.refusal() is not None:
            return "Begin at that call, or record the run again."
        if ruling.treatment in (Treatment.NEVER_LIVE, Treatment.UNKNOWN):
            return "Say what to do with it in `treat`, or on its class."
        return "Raise live_budget, or record the run again."

    def note_price(self, live: LiveSpan, result: Any) -> Any:
        """Look at what a live call cost."""
        if self._terms.live_budget_usd is not None:
            price = price_of(live, result)
            with self._lock:
                known = price is not None and self.cost_usd is not None
                self.cost_usd = self.cost_usd + price if known else None  # type: ignore[operator]  # known says so
        return result
