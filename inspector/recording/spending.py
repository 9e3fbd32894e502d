"""What a run has used up of its budget, counted while it runs, and the end of it.

All of it happens on the host's own threads: whether the next call may be made has to be
known before it is.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inspector.errors import BudgetExceededError, RecordingError
from inspector.recording.guest import complain, log
from inspector.recording.pricing import names_around
from inspector.recording.replies import MODEL_ROLES, usage_of

if TYPE_CHECKING:
    from inspector.cost.budget import Budget
    from inspector.cost.prices import Prices
    from inspector.recording.session import LiveSpan


class Terms:
    """A budget with the prices that it is counted in. Made before anything runs.

    Raises:
        RecordingError: A budget in money has no prices in US dollars to go by.

    """

    def __init__(self, budget: Budget) -> None:
        if not hasattr(budget, "action"):
            raise RecordingError(
                f"`budget` has to be a Budget, not {budget!r}.", hint="See help(inspector.Budget)."
            )
        self.budget = budget
        self.stops = budget.action == "stop"
        self.prices: Prices | None = None
        if budget.usd is None:
            return
        from inspector.cost.prices import load_prices, prices_are_known

        if budget.prices is None and not prices_are_known():
            raise RecordingError(
                "A budget in money needs prices, and none are installed.",
                hint="Install genai-prices, give the budget your own, or limit its tokens.",
            )
        self.prices = load_prices(budget.prices)
        if self.prices.currency != "USD":
            raise RecordingError(
                f"A budget in US dollars cannot go by prices in {self.prices.currency}.",
                hint="Give the budget a price list whose currency is USD.",
            )

    def refuse_without(self, *, wrappers: bool) -> None:
        """Refuse to stop what cannot be stopped.

        Raises:
            RecordingError: The budget is to stop runs of which only the tracing is seen.

        """
        if self.stops and not wrappers:
            raise RecordingError(
                "A budget cannot stop a run that is recorded through tracing alone.",
                hint='Leave `wrappers` on, or use Budget(..., action="warn").',
            )


class Spending:
    """What one run has used so far."""

    def __init__(self, terms: Terms, definition: Any) -> None:
        self._budget = terms.budget
        self._prices = terms.prices
        self._definition = definition if isinstance(definition, Mapping) else None
        self._lock = threading.Lock()
        self._calls = self._tokens = self._unknown = 0
        self._usd = Decimal(0)
        self._exceeded = ""  # the limit that was reached first
        self._last: LiveSpan | None = None  # the call that reached it
        self.stopped = False

    def note(self, live: LiveSpan) -> None:
        """Count a call that ended, once, and never raise."""
        try:
            if live.spent or live.recording.replay is not None:
                return
            above: LiveSpan | None = live
            while above is not None and not above.spent:
                above.spent = True  # whatever contains it hands on what it reported
                above = above.parent
            self._count(live)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("What a call used was not counted", error)

    def _count(self, live: LiveSpan) -> None:
        usage = None if live.used is None else usage_of(live.used, live.type)
        tokens = amount = None
        if usage is not None:
            tokens = usage.embedding_tokens if usage.total_tokens is None else usage.total_tokens
            amount = None if self._prices is None else self._price(live, usage)
        with self._lock:
            self._calls += 1
            self._tokens += tokens or 0
            self._usd += amount or 0
            if tokens is None or (amount is None and self._prices is not None):
                self._unknown += 1
            if self._exceeded or not (reached := self._reached()):
                return
            self._exceeded, self._last = reached, live
        if self._budget.action == "warn":
            log.warning("A run reached its budget: %s.", self._words(reached))

    def _price(self, live: LiveSpan, usage: Any) -> Decimal | None:
        from inspector.cost.asking import asked_for, configured_in
        from inspector.cost.call import cost_of_call
        from inspector.runfile.estimate import Standing

        assert self._prices is not None
        asked = asked_for(
            type_name=live.type,
            llm=live.fields.get("llm"),
            usage=usage,
            configured=configured_in(self._definition, names_around(live), live.type),
            kwargs={},
        )
        cost = cost_of_call(usage, asked, self._prices, datetime.now(UTC))
        return Decimal(0) if cost.standing is Standing.LOCAL else cost.amount

    def _reached(self) -> str:
        budget = self._budget
        if isinstance(budget.usd, Decimal) and self._usd >= budget.usd:
            return "usd"
        if budget.tokens is not None and self._tokens >= budget.tokens:
            return "tokens"
        if budget.calls is not None and self._calls >= budget.calls:
            return "calls"
        return ""

    @property
    def is_over(self) -> bool:
        """Whether no further call of a model may be made."""
        return self._budget.action == "stop" and bool(self._exceeded or self._reached())

    def stop(self) -> str:
        """Note that the run is being ended over it, and say why."""
        with self._lock:
            self.stopped = True
            self._exceeded = self._exceeded or self._reached()
        return self._words(self._exceeded)

    def before(self, live: LiveSpan, role: str) -> None:
        """Look at a call that is about to be made.

        Raises:
            BudgetExceededError: It is one of a model, and the budget is used up.

        """
        if role in MODEL_ROLES and live.recording.replay is None and self.is_over:
            raise BudgetExceededError(
                f"The run was stopped before its next call of a model: {self.stop()}.",
                hint="Raise the budget, or have the run use less.",
            )

    def _words(self, reached: str) -> str:
        if reached == "usd":
            return (
                f"an estimated {self._usd.normalize():f} of {self._budget.usd:f} US dollars "
                "are used up"
            )
        used = self._tokens if reached == "tokens" else self._calls
        return f"{used:,} of {getattr(self._budget, reached):,} {reached} are used up"

    def said(self) -> dict[str, Any]:
        """Return what the run header tells of it; on the writer's thread."""
        spent: dict[str, Any] = {"tokens": self._tokens, "calls": self._calls}
        if self._prices is not None:
            spent["usd"] = float(self._usd)
        if self._unknown:
            spent["unknown_calls"] = self._unknown
        tree: dict[str, Any] = {**self._budget.said(), "spent": spent}
        if self._exceeded:
            tree["exceeded"] = self._exceeded
            tree["stopped"] = self.stopped
            if self._last is not None and self._last.id is not None:
                tree["at"] = self._last.id
        return tree
