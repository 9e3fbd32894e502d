"""One call and its price."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.cost.classes import billed, tier_words
from inspector.cost.prices import NoQuote
from inspector.cost.rates import multiply
from inspector.runfile.estimate import CallCost, Multiplication, Standing

if TYPE_CHECKING:
    from datetime import datetime

    from inspector.cost.prices import Asked, Prices
    from inspector.runfile.usage import Usage


def cost_of_answer(asked: Asked) -> CallCost:
    """Return what a call comes to that a replay answered from its recording."""
    why = "it was answered from a recording: nothing was paid"
    return CallCost(llm=asked.key, standing=Standing.ANSWERED, why=why)


def cost_of_call(usage: Usage | None, asked: Asked, prices: Prices, when: datetime) -> CallCost:
    """Return what one call comes to, or why that is not known. It does not say where it was."""
    standing, why, matched, key = Standing.UNKNOWN, "", "", asked.key
    lines: tuple[Multiplication, ...] = ()
    quote = prices.find(asked, when)
    if isinstance(quote, NoQuote) and quote.standing is Standing.LOCAL:
        # Whatever it used: no figure of it could make a price.
        standing, why = Standing.LOCAL, quote.why
    elif usage is None or not usage.known:
        why = "what it used was not reported"
    elif isinstance(quote, NoQuote):
        why = quote.why
    else:
        bill = billed(usage)
        lines, without = multiply(bill, quote.rates)
        matched = quote.matched
        if asked.provider is None and "/" in matched:
            key = f"{matched.partition('/')[0]}/{asked.llm}"
        missing = f"there is no price for {', '.join(without)}" if without else ""
        why = "; ".join(filter(None, (bill.doubt, missing)))
        standing = Standing.PRICED
        if why:
            standing = Standing.PARTLY if lines else Standing.UNKNOWN
    return CallCost(
        llm=key,
        standing=standing,
        lines=lines,
        why=why,
        matched=matched,
        tier=tier_words(asked.context),
    )
