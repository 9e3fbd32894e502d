"""What it would cost to run live from one call on, by what those calls used when recorded."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from inspector.cost.estimating import estimate
from inspector.replay.manifest import row_at
from inspector.runfile.estimate import Standing

if TYPE_CHECKING:
    from inspector.cost.prices import Prices
    from inspector.runfile.model import PipelineRun


class LivePrice(NamedTuple):
    """An estimate: live answers may be longer, and lead to more calls or to fewer."""

    calls: int
    """Calls of models from there on, as they were recorded."""
    amount: Decimal | None
    """What those of a known price come to; None where none has one."""
    unpriced: int
    """Of how many nobody knows what they would cost."""
    currency: str = "USD"
    source: str = ""
    date: str = ""

    @property
    def at_least(self) -> bool:
        """Whether the amount leaves something out."""
        return bool(self.unpriced)


def price_from(run: PipelineRun, path: str, prices: Prices | None = None) -> LivePrice:
    """Estimate what running live from a call on would cost at the prices of today.

    Raises:
        ReplayError: There is no such call.

    """
    first = row_at(run, path)
    made = estimate(run, prices, as_of="today")
    there = [
        call for call in made.calls if (row := run.table.row_of(call.span_id)) is not None
        and row >= first
    ]  # fmt: skip
    known = [call.amount for call in there if call.amount is not None]
    free = sum(call.standing is Standing.LOCAL for call in there)
    # What an earlier replay answered was not paid then, and would be paid now.
    unpriced = sum(
        call.standing in (Standing.UNKNOWN, Standing.PARTLY, Standing.ANSWERED) for call in there
    )
    amount = sum(known, Decimal(0)) if known or free == len(there) else None
    return LivePrice(
        calls=len(there), amount=amount, unpriced=unpriced, currency=made.currency,
        source=made.pricing_source, date=made.pricing_snapshot_date or "",
    )  # fmt: skip
