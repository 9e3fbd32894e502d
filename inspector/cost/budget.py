"""How much a run may cost."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from inspector.errors import RecordingError

if TYPE_CHECKING:
    from pathlib import Path

ACTIONS = ("stop", "warn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one run may use up, and what happens when it has.

    Each run has all of it to itself. What is counted are the calls of models that the run
    makes, as they report their usage; one that is going on is never broken off, so a run
    ends up above its budget by what the last call used.

    Args:
        usd: US dollars, by the estimate. Calls whose price nobody knows do not count, and
            the run says how many those were.
        tokens: Tokens sent and produced.
        calls: Calls of models.
        action: `"stop"` ends the run before its next call: an agent through its hooks, with
            `exit_reason` "budget_exceeded", anything else with a `BudgetExceededError`.
            `"warn"` logs a warning, and lets it go on.
        prices: A price list of your own, whose currency is USD (see the guide).

    Raises:
        RecordingError: One of these makes no sense.

    """

    usd: Decimal | float | str | None = None
    tokens: int | None = None
    calls: int | None = None
    action: str = "stop"
    prices: str | Path | None = None

    def __post_init__(self) -> None:
        if self.usd is not None:
            object.__setattr__(self, "usd", _dollars(self.usd))
        for name in ("tokens", "calls"):
            limit = getattr(self, name)
            if limit is not None and (type(limit) is not int or limit < 0):
                raise RecordingError(
                    f"`{name}` of a budget has to be a whole number that is not negative, "
                    f"not {limit!r}."
                )
        if self.usd is None and self.tokens is None and self.calls is None:
            raise RecordingError(
                "A budget has to limit something.",
                hint="Say Budget(usd=0.05) or tokens= or calls=.",
            )
        if self.action not in ACTIONS:
            raise RecordingError(
                f"A budget cannot {self.action!r}.", hint='Use action="stop" or action="warn".'
            )

    def said(self) -> dict[str, Any]:
        """Return what the run header tells of it."""
        limits: dict[str, Any] = {}
        if isinstance(self.usd, Decimal):
            limits["usd"] = float(self.usd)
        for name in ("tokens", "calls"):
            if (limit := getattr(self, name)) is not None:
                limits[name] = limit
        return {**limits, "action": self.action}


def _dollars(value: Any) -> Decimal:
    try:
        # As a person writes it: 0.05, not the nearest binary fraction.
        amount = None if isinstance(value, bool) else Decimal(str(value))
    except InvalidOperation:
        amount = None
    if amount is None or not amount.is_finite() or amount < 0:
        raise RecordingError(
            f"`usd` of a budget has to be a number that is not negative, not {value!r}."
        )
    return amount
