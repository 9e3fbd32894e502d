"""How strict a replay is, and what it may do."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from inspector.cost.prices import prices_are_known
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.redaction.project import Redact
    from inspector.replay.gate import Gate
    from inspector.replay.overrides import Overrides
    from inspector.replay.policy import Treat


class ReplayMode(StrEnum):
    """What a replay does with a call that was not recorded as it is made now."""

    STRICT = "strict"  # stop at the first one
    DRIFT_OK = "drift_ok"  # run it live, where that is allowed, and list it
    RECORD_NEW = "record_new"  # run it live, and add it to the recording


class ReplayError(InspectorError):
    """A replay could not be done the way the caller asked."""


def mode_of(word: ReplayMode | str) -> ReplayMode:
    """Return the mode that a word names.

    Raises:
        ReplayError: None is called so.

    """
    try:
        return ReplayMode(word)
    except ValueError:
        modes = ", ".join(ReplayMode)
        raise ReplayError(f"A replay has no mode {word!r}.", hint=f"Use {modes}.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What the caller of a replay said."""

    mode: ReplayMode = ReplayMode.STRICT
    allow_live: bool = False
    live_budget: int | None = None
    live_budget_usd: Decimal | None = None
    verify_retrieval: bool = False
    pace: str = "at once"
    overrides: Overrides | None = None
    treat: Treat | None = None
    gate: Gate | None = None
    add_new: bool = True
    redact: Redact = None
    live_from: str = ""
    run_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mode", mode_of(self.mode))
        if self.live_from and (self.mode is ReplayMode.STRICT or not self.may_run_live):
            raise ReplayError(
                f"Nothing can run live from {self.live_from} on in a replay that allows nothing.",
                hint='Pass mode="drift_ok" and allow_live=True.',
            )
        for name in ("live_budget", "live_budget_usd"):
            budget = getattr(self, name)
            kinds = int if name == "live_budget" else (int, float, Decimal)
            if budget is None or (
                isinstance(budget, kinds) and not isinstance(budget, bool) and budget >= 0
            ):
                continue
            raise ReplayError(
                f"A {name} of {budget!r} makes no sense.",
                hint="It is a number from 0 upwards, or None for no limit.",
            )
        if self.live_budget_usd is not None and not prices_are_known():
            raise ReplayError(
                "A budget in money needs prices, and none are installed.",
                hint="Install genai-prices, or limit the number of calls with live_budget.",
            )
        if self.pace not in ("at once", "recorded"):
            raise ReplayError(
                f"A replay has no pace {self.pace!r}.", hint='Use "at once" or "recorded".'
            )

    @property
    def may_run_live(self) -> bool:
        """Whether anything may run live: recording what is new cannot do without."""
        return self.allow_live or self.mode is ReplayMode.RECORD_NEW
