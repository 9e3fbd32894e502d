"""The prices of one model, and what a call comes to at them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inspector.cost.classes import FALLS_BACK_TO, REQUEST, WEB_SEARCH
from inspector.runfile.estimate import EXACT, Multiplication

if TYPE_CHECKING:
    from decimal import Decimal

    from inspector.cost.classes import Billed

MILLION = 1_000_000
THOUSAND = 1_000


@dataclass(frozen=True, slots=True)
class Rate:
    """A price for `per` units, and what it is for calls with a longer prompt.

    `above` holds pairs of a number of input tokens and the price of a call that sends
    more than that, in rising order.
    """

    price: Decimal
    per: int = MILLION
    above: tuple[tuple[int, Decimal], ...] = ()

    def at(self, input_tokens: int) -> Decimal:
        """Return the price of a unit in a call that sends so many tokens."""
        price = self.price
        for start, higher in self.above:
            if input_tokens > start:
                price = higher
        return price

    def times(self, factor: Decimal) -> Rate:
        """Return the same rate in another currency."""
        above = tuple((start, EXACT.multiply(price, factor)) for start, price in self.above)
        return Rate(EXACT.multiply(self.price, factor), self.per, above)


Rates = Mapping[str, Rate]


def multiply(billed: Billed, rates: Rates) -> tuple[tuple[Multiplication, ...], tuple[str, ...]]:
    """Return the multiplications of a call, and the classes that nobody has a price for."""
    lines: list[Multiplication] = []
    without: list[str] = []
    for name, count in billed.counts.items():
        rate = _rate_for(name, rates)
        if rate is not None:
            if count:
                price = rate.at(billed.input_tokens)
                lines.append(Multiplication(name, count, price, rate.per))
        elif count and name != REQUEST:
            without.append(name)
    return tuple(lines), tuple(without)


def _rate_for(name: str, rates: Rates) -> Rate | None:
    seen = name
    while seen not in rates:
        if seen not in FALLS_BACK_TO:
            return None
        seen = FALLS_BACK_TO[seen]
    return rates[seen]


PER: dict[str, int] = {REQUEST: THOUSAND, WEB_SEARCH: THOUSAND}
"""How many units a price is for; a million where nothing else stands here."""
