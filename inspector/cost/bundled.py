"""The prices that come with the price library: the only module that knows it.

They are those of the installed package. The library can download newer ones; nothing
here ever asks it to, and what somebody else in this process downloaded is not used.
"""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, date, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import genai_prices.data
from genai_prices.data_snapshot import DataSnapshot
from genai_prices.data_units import unit_data
from genai_prices.types import ModelPrice, StartDateConstraint, TieredPrices

from inspector.assets import asset
from inspector.cost import classes
from inspector.cost.classes import tier_words
from inspector.cost.prices import NoQuote, Quote
from inspector.cost.rates import Rate
from inspector.runfile.estimate import Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from genai_prices.types import ModelInfo, Provider

    from inspector.cost.prices import Asked
    from inspector.cost.rates import Rates

PACKAGE = "genai-prices"
_MOST_KEPT = 2_000

_CLASSES = {
    "input_mtok": classes.INPUT,
    "cache_read_mtok": classes.CACHED_INPUT,
    "cache_write_mtok": classes.CACHE_WRITE,
    "cache_write_5m_mtok": classes.CACHE_WRITE_5M,
    "cache_write_1h_mtok": classes.CACHE_WRITE_1H,
    "input_audio_mtok": classes.AUDIO_INPUT,
    "cache_audio_read_mtok": classes.CACHED_AUDIO,
    "output_mtok": classes.OUTPUT,
    "output_reasoning_mtok": classes.REASONING,
    "output_audio_mtok": classes.AUDIO_OUTPUT,
    "web_searches_kcount": classes.WEB_SEARCH,
    "requests_kcount": classes.REQUEST,
}

_PER: dict[str, int] = {unit["price_key"]: unit["per"] for unit in unit_data.values()}


class BundledPrices:
    """The data of the installed package, at the date at which it was published."""

    currency = "USD"

    def __init__(self) -> None:
        providers = genai_prices.data.providers
        self._snapshot = DataSnapshot(providers=providers, from_auto_update=False)
        installed = version(PACKAGE)
        self.source = f"{PACKAGE} {installed}"
        self.digest = _digest()
        self.snapshot_date: str | None = _released(installed, self.digest)
        if self.snapshot_date is None:
            # Not one that we know. It is at least as new as the newest price in it.
            newest = max(_dates(providers), default=None)
            self.snapshot_date = newest.isoformat() if newest else None
            self.source += " (date taken from its newest price)"
        self._providers = {provider.id: provider for provider in providers}

        self._found: dict[object, Quote | NoQuote] = {}

    def find(self, asked: Asked, when: datetime) -> Quote | NoQuote:
        """Return the prices of a model at a moment."""
        # Prices change by the minute at most, and a run asks for the same few all the time.
        minute = when.replace(second=0, microsecond=0)
        key = (asked.provider, asked.llm, *asked.context.items(), asked.here, minute)
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            found = self._found[key] = self._find(asked, when)
        return found

    def _find(self, asked: Asked, when: datetime) -> Quote | NoQuote:
        if asked.llm is None:
            return NoQuote("which model answered was not recorded")
        place = self._place(asked)
        if place is None:
            if asked.runs_here:
                return NoQuote(asked.here, Standing.LOCAL)
            return NoQuote(f"{self.source} has no price for {asked.key}")
        provider, found = place
        matched = f"{provider.id}/{found.id}"
        own = any(found is each for each in provider.models)
        if asked.context and not (own and _is_known(found, asked.context, when)):
            words = tier_words(asked.context)
            return NoQuote(f"{self.source} has no {words} price for {asked.key} at that time")
        rates = _rates(found.get_prices(when, asked.context or None))
        if classes.INPUT not in rates and classes.OUTPUT not in rates:
            return NoQuote(f"{self.source} lists no price per token for {matched}")
        return Quote(rates, matched)

    def _place(self, asked: Asked) -> tuple[Provider, ModelInfo] | None:
        if asked.runs_here and asked.provider not in _PROXIED:
            return None
        provider = None
        if asked.provider is not None:
            # By its very name: the library also takes what only resembles one.
            provider = self._providers.get(asked.provider)
            if provider is None:
                return None
        try:
            return self._snapshot.find_provider_model(asked.llm or "", provider, None, None)
        except LookupError:
            return None


# Whose models a server of one's own may pass calls on to; any other name means that it
# answers itself.
_PROXIED = frozenset({"openai", "anthropic", "azure", "mistral", "cohere", "google"})


def _is_known(found: ModelInfo, context: Mapping[str, str], when: datetime) -> bool:
    """Say whether each part of a context has prices; the library takes plain ones otherwise."""
    return all(
        any(
            variant.when == {key: value}
            and (variant.constraint is None or variant.constraint.active(when))
            for variant in found.price_variants or ()
        )
        for key, value in context.items()
    )


def _rates(prices: ModelPrice) -> Rates:
    rates: dict[str, Rate] = {}
    for key, name in _CLASSES.items():
        price = getattr(prices, key)
        if price is None:
            continue
        per = _PER[key]
        if isinstance(price, TieredPrices):
            above = tuple((tier.start, tier.price) for tier in price.tiers)
            rates[name] = Rate(price.base, per, above)
        else:
            rates[name] = Rate(price, per)
    return rates


def _digest() -> str | None:
    """Return what tells this data from any other; None in a program that is one file."""
    with suppress(OSError):
        data = Path(genai_prices.data.__file__).read_bytes()
        return f"sha256:{sha256(data).hexdigest()}"
    return None


def _released(installed: str, digest: str | None) -> str | None:
    """Return when this very data was published, from our own list of it."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        known = json.loads(asset("prices/known.json").read_text(encoding="utf-8"))
        entry = known[PACKAGE][installed]
        if digest in (entry["data"], None):
            return str(entry["released"])
    return None


def _dates(providers: list[Provider]) -> Iterator[date]:
    """Yield since when prices hold, of those that hold today."""
    today = datetime.now(UTC).date()
    for provider in providers:
        for found in provider.models:
            for each in found.prices if isinstance(found.prices, list) else ():
                limit = each.constraint
                if isinstance(limit, StartDateConstraint) and limit.start_date <= today:
                    yield limit.start_date


def window_of(llm: str, provider: str | None) -> int | None:
    """Return how many tokens a model can read, or None where the library does not say."""
    providers = genai_prices.data.providers
    named = next((each for each in providers if each.id == provider), None)
    if provider is not None and named is None:
        return None
    snapshot = DataSnapshot(providers=providers, from_auto_update=False)
    try:
        return snapshot.find_provider_model(llm, named, None, None)[1].context_window
    except LookupError:
        return None
