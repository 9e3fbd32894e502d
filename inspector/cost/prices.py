"""Whose prices count: the user's own list, then those that came with the program."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Protocol

from inspector.runfile.estimate import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal
    from pathlib import Path

    from inspector.cost.rates import Rates


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The model whose price is asked for.

    `provider` is who answers, as price lists call it; None where nobody can tell. Where
    `runs_here` holds, it answers on a machine of the user's own, which `here` puts in words.
    """

    provider: str | None
    llm: str | None
    context: Mapping[str, str] = field(default_factory=dict)
    runs_here: bool = False
    here: str = ""

    @property
    def key(self) -> str:
        """The `provider/model` under which the call is added up."""
        return f"{self.provider or 'unknown'}/{self.llm or 'unnamed'}"


@dataclass(frozen=True, slots=True)
class Quote:
    """The prices of a model, and the entry of the list that they stand in."""

    rates: Rates
    matched: str


@dataclass(frozen=True, slots=True)
class NoQuote:
    """There are none, and why."""

    why: str
    standing: Standing = Standing.UNKNOWN


class Prices(Protocol):
    """A price list."""

    @property
    def source(self) -> str:
        """What it is called, with its version."""
        ...

    @property
    def snapshot_date(self) -> str | None:
        """Of when it is, as `2026-11-10`."""
        ...

    @property
    def digest(self) -> str | None:
        """What tells this very list from any other."""
        ...

    @property
    def currency(self) -> str: ...

    def find(self, asked: Asked, when: datetime) -> Quote | NoQuote:
        """Return the prices of a model at a moment."""
        ...


class NoPrices:
    """Stands where no price list is installed."""

    source = "no price list"
    snapshot_date: str | None = None
    digest: str | None = None
    currency = "USD"

    def find(self, asked: Asked, when: datetime) -> Quote | NoQuote:  # noqa: ARG002 - nothing is known
        """Know nothing."""
        return NoQuote("no price list is installed")


class OwnFirst:
    """A list of the user's, and the bundled prices for what does not stand in it."""

    def __init__(self, own: Prices, others: Prices, factor: Decimal | None) -> None:
        self._own = own
        self._others = others
        self._factor = factor
        self.currency = own.currency
        self.source = f"{_dated(own)}, then {_dated(others)}"
        self.snapshot_date = own.snapshot_date or others.snapshot_date
        self.digest = own.digest

    def find(self, asked: Asked, when: datetime) -> Quote | NoQuote:
        """Return the user's own price, else the bundled one in the user's currency."""
        found = self._own.find(asked, when)
        if isinstance(found, Quote):
            return found
        other = self._others.find(asked, when)
        if isinstance(other, NoQuote) or self._factor == 1:
            return other
        if self._factor is None:
            return NoQuote(
                f"it is not in {self._own.source}, which does not say what a US dollar is worth"
            )
        factor = self._factor
        return Quote(
            {name: rate.times(factor) for name, rate in other.rates.items()}, other.matched
        )


def _dated(prices: Prices) -> str:
    return prices.source + (f" of {prices.snapshot_date}" if prices.snapshot_date else "")


def load_prices(path: str | Path | None = None, *, only: bool = False) -> Prices:
    """Return the bundled prices, with the user's own list in front where `path` names one.

    With `only`, nothing from elsewhere counts for what is not in that list.

    Raises:
        PriceListError: The list cannot be read, or an entry of it makes no sense.

    """
    if path is None:
        return _bundled()
    from inspector.cost.price_list import read_price_list

    own = read_price_list(path)
    return own if own.only or only else OwnFirst(own, _bundled(), own.usd)


def prices_are_known() -> bool:
    """Say whether there are any prices at all in this environment."""
    return not isinstance(_bundled(), NoPrices)


@cache
def _bundled() -> Prices:
    try:
        from inspector.cost.bundled import BundledPrices

        return BundledPrices()
    except ImportError:
        return NoPrices()
