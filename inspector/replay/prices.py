"""What a live call cost, where somebody knows the price."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from inspector.recording.replies import told_by, usage_of
from inspector.runfile.estimate import Standing

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan


def price_of(live: LiveSpan, result: Any) -> Decimal | None:
    """Return what a live call is estimated to cost in US dollars; None when nobody knows."""
    told = told_by(result, live.type)
    if told is None:
        # No reply of a model: a tool, a store. Whatever that costs, it is not told in tokens.
        return Decimal(0)
    from inspector.cost.asking import asked_for
    from inspector.cost.call import cost_of_call
    from inspector.cost.prices import load_prices

    llm, raws = told
    usage = usage_of([dict(raw) for raw in raws], live.type)
    asked = asked_for(type_name=live.type, llm=llm, usage=usage, configured={}, kwargs={})
    cost = cost_of_call(usage, asked, load_prices(), datetime.now(UTC))
    if cost.standing is Standing.LOCAL:
        return Decimal(0)
    return cost.amount if cost.standing is Standing.PRICED else None
