"""A price list of the user's own, in TOML or JSON. The guide says how one looks.

    name = "our contract"          # shown as the source of the prices
    date = "2026-11-01"            # of when they are
    currency = "EUR"               # USD where it is left out
    usd = 0.92                     # what a US dollar is worth, for prices from elsewhere
    only = false                   # true: no prices from elsewhere

    [prices."openai/gpt-4o-mini"]  # also "gpt-4o-mini", "ollama/*"
    input = 0.15                   # for a million tokens
    cached_input = 0.075
    output = 0.60
    batch = { input = 0.075, output = 0.30 }
    above = [{ input_tokens = 200000, input = 0.30, output = 1.20 }]

An entry may be a list of such tables, each with the date `from` which it holds.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cost.classes import CLASSES, tier_words
from inspector.cost.prices import NoQuote, Quote
from inspector.cost.rates import MILLION, PER, Rate
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from inspector.cost.prices import Asked
    from inspector.cost.rates import Rates

_LARGEST = 16 * 2**20
_FIELDS = frozenset({"name", "date", "currency", "usd", "only", "prices"})
_TIER_TABLES = ("batch", "tiers", "speeds")
_ENTRY_FIELDS = frozenset({*CLASSES, *_TIER_TABLES, "above", "from"})
_HINT = 'See "What it cost" in the guide, resources/guide/recording.md.'


class PriceListError(InspectorError):
    """A price list of the user's cannot be used."""

    def __init__(self, message: str, *, hint: str = _HINT) -> None:
        super().__init__(message, hint=hint)


@dataclass(frozen=True, slots=True)
class _Entry:
    """The prices of one model from a day on: the plain ones, and those of tiers."""

    since: date | None
    plain: Rates
    tiers: Mapping[tuple[str, str], Rates]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """The user's own prices."""

    source: str
    currency: str
    snapshot_date: str | None
    digest: str | None
    usd: Decimal | None
    only: bool
    entries: Mapping[str, tuple[_Entry, ...]]

    def find(self, asked: Asked, when: datetime) -> Quote | NoQuote:
        """Return the prices that the list has for a model at a moment.

        A name that is spelled out counts before a pattern, a longer pattern before a shorter.
        """
        for name in self._names_of(asked):
            held = [e for e in self.entries[name] if e.since is None or e.since <= when.date()]
            if not held:
                continue
            entry = held[-1]
            if not asked.context:
                return Quote(entry.plain, name)
            found = [entry.tiers.get(part) for part in asked.context.items()]
            if len(found) == 1 and found[0] is not None:
                return Quote({**entry.plain, **found[0]}, name)
            return NoQuote(f"{self.source} has no {tier_words(asked.context)} price for {name}")
        return NoQuote(f"{self.source} has no price for {asked.key}")

    def _names_of(self, asked: Asked) -> list[str]:
        names = [asked.key.lower(), (asked.llm or "unnamed").lower()]
        exact = [name for wanted in names for name in self.entries if name.lower() == wanted]
        patterns = [name for name in self.entries if any(sign in name for sign in "*?")]
        patterns.sort(key=len, reverse=True)
        fitting = (n for n in patterns if any(fnmatchcase(each, n.lower()) for each in names))
        return list(dict.fromkeys([*exact, *fitting]))


def read_price_list(path: str | Path) -> PriceList:
    """Read a list.

    Raises:
        PriceListError: It cannot be read, or an entry of it makes no sense.

    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        raise PriceListError(
            f"Cannot read the prices in {path.name}: {error.strerror}.", hint=""
        ) from error
    if len(data) > _LARGEST:
        raise PriceListError(f"{path.name} is too large for a price list.")
    return _list_of(_parsed(data, path), path.name, f"sha256:{sha256(data).hexdigest()}")


def _parsed(data: bytes, path: Path) -> Mapping[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        if path.suffix.lower() == ".toml":
            tree: Any = tomllib.loads(text, parse_float=Decimal)
        else:
            tree = json.loads(text, parse_float=Decimal)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise PriceListError(f"{path.name} is not a price list: {error}.") from error
    if not isinstance(tree, Mapping):
        raise PriceListError(f"{path.name} is not a price list: it has no table of prices.")
    return tree


def _list_of(tree: Mapping[str, Any], file: str, digest: str) -> PriceList:
    _refuse_others(tree, _FIELDS, file)
    prices = tree.get("prices")
    if not isinstance(prices, Mapping):
        raise PriceListError(f"{file} has no table `prices`.")
    currency = tree.get("currency", "USD")
    if not (isinstance(currency, str) and len(currency) == 3 and currency.isalpha()):
        raise PriceListError(f"{file}: `currency` has to be three letters, not {currency!r}.")
    currency = currency.upper()
    only = tree.get("only", False)
    if not isinstance(only, bool):
        raise PriceListError(f"{file}: `only` has to be true or false, not {only!r}.")
    usd = Decimal(1) if currency == "USD" else None
    if "usd" in tree:
        usd = _amount(tree["usd"], f"{file}: `usd`")
        if usd == 0:
            raise PriceListError(f"{file}: `usd` has to be more than 0.")
    name = tree.get("name", file)
    if not isinstance(name, str):
        raise PriceListError(f"{file}: `name` has to be text, not {name!r}.")
    dated = _day(tree["date"], f"{file}: `date`") if "date" in tree else None
    return PriceList(
        source=name,
        currency=currency,
        snapshot_date=None if dated is None else dated.isoformat(),
        digest=digest,
        usd=usd,
        only=only,
        entries={model: _entries(entry, f"{file}: {model}") for model, entry in prices.items()},
    )


def _entries(entry: Any, where: str) -> tuple[_Entry, ...]:
    listed = entry if isinstance(entry, list) else [entry]
    entries = [_entry(each, where) for each in listed]
    if not entries:
        raise PriceListError(f"{where} has no prices.")
    return tuple(sorted(entries, key=lambda each: each.since or date.min))


def _entry(tree: Any, where: str) -> _Entry:
    if not isinstance(tree, Mapping):
        raise PriceListError(f"{where} has to be a table of prices, not {tree!r}.")
    _refuse_others(tree, _ENTRY_FIELDS, where)
    plain = _rates(tree, where, tree.get("above", []))
    if not plain:
        raise PriceListError(f"{where} has no price.")
    tiers: dict[tuple[str, str], Rates] = {}
    for key, field in (("batch", "processing"), ("tiers", "service_tier"), ("speeds", "speed")):
        tables = {"batch": tree["batch"]} if key == "batch" and key in tree else tree.get(key, {})
        if not isinstance(tables, Mapping):
            raise PriceListError(f"{where}: `{key}` has to be a table, not {tables!r}.")
        for name, table in tables.items():
            below = f"{where}: {name}"
            if not isinstance(table, Mapping):
                raise PriceListError(f"{below} has to be a table of prices, not {table!r}.")
            _refuse_others(table, frozenset(CLASSES), below)
            tiers[field, name.lower()] = _rates(table, below, [])
    since = _day(tree["from"], f"{where}: `from`") if "from" in tree else None
    return _Entry(since, plain, tiers)


def _rates(tree: Mapping[str, Any], where: str, above: Any) -> Rates:
    steps = _steps(above, where)
    rates: dict[str, Rate] = {}
    for name in CLASSES:
        if name in tree:
            price = _amount(tree[name], f"{where}: the price `{name}`")
            higher = tuple((start, prices[name]) for start, prices in steps if name in prices)
            rates[name] = Rate(price, PER.get(name, MILLION), higher)
    return rates


def _steps(above: Any, where: str) -> list[tuple[int, dict[str, Decimal]]]:
    if not isinstance(above, list):
        raise PriceListError(f"{where}: `above` has to be a list of tables, not {above!r}.")
    steps: list[tuple[int, dict[str, Decimal]]] = []
    for each in above:
        start = each.get("input_tokens") if isinstance(each, Mapping) else None
        if type(start) is not int or start < 0:
            raise PriceListError(f"{where}: `above` needs a number of `input_tokens`.")
        _refuse_others(each, frozenset({*CLASSES, "input_tokens"}), f"{where}: above")
        steps.append(
            (start, {name: _amount(each[name], f"{where}: above: the price `{name}`")
                     for name in CLASSES if name in each})
        )  # fmt: skip
    return sorted(steps, key=lambda step: step[0])


def _amount(value: Any, where: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise PriceListError(f"{where} has to be a number, not {value!r}.")
    amount = Decimal(value)
    if not amount.is_finite() or amount < 0:
        raise PriceListError(f"{where} has to be a number that is not negative, not {value}.")
    if amount.adjusted() > 9 or int(amount.as_tuple().exponent) < -18:
        raise PriceListError(f"{where} is no price: {value}.")
    return amount


def _day(value: Any, where: str) -> date:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise PriceListError(
            f"{where} has to be a date such as 2026-11-01, not {value!r}."
        ) from error


def _refuse_others(tree: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    for name in tree:
        if name not in known:
            raise PriceListError(
                f"{where}: nothing is called {name!r}.",
                hint=f"There are: {', '.join(sorted(known))}.",
            )
