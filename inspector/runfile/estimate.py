"""What a run is estimated to have cost, and the multiplications that say so.

An amount that is not known is `None`, never 0; a sum over something unknown is the least
that it can have been, and `complete` is then False.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

# Adding up must not round: a sum and the sum of its parts are the same number.
EXACT = Context(prec=60)
_MOST = 10**15
_LONGEST_PRICE = 80
_MOST_PLACES = 30
ZERO = Decimal(0)


class Standing(StrEnum):
    """What is known of the price of one call."""

    PRICED = "priced"
    PARTLY = "partly priced"  # some of its figures or prices are unknown
    UNKNOWN = "unknown"  # no usage was reported, or nobody knows the price
    LOCAL = "local"  # it ran on a machine of one's own: there is no price
    ANSWERED = "answered"  # by a recording: nothing was asked of anybody


_NOT_KNOWN = frozenset({Standing.PARTLY, Standing.UNKNOWN})
_HAVE_AMOUNTS = frozenset({Standing.PRICED, Standing.PARTLY})


@dataclass(frozen=True, slots=True)
class Multiplication:
    """So many units of one class, at a price for `per` of them.

    `amount` is count times price, not rounded.
    """

    what: str
    count: int
    price: Decimal
    per: int = 1_000_000
    amount: Decimal = field(init=False, compare=False)

    def __post_init__(self) -> None:
        product = EXACT.multiply(Decimal(self.count), self.price)
        object.__setattr__(self, "amount", EXACT.divide(product, Decimal(self.per)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCost:
    """One call of a model, and what it is estimated to have cost.

    `component`, `step` and `tool` say in what it happened; they are empty where it
    happened in none. `why` is a sentence for everything that is not plainly priced.
    `amount` is what is known of the cost; None where nothing is, or where there is no price.
    """

    llm: str
    standing: Standing
    lines: tuple[Multiplication, ...] = ()
    why: str = ""
    matched: str = ""
    tier: str = ""
    span_id: str = ""
    path: str = ""
    component: str = ""
    step: str = ""
    tool: str = ""
    amount: Decimal | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        known = self.standing in _HAVE_AMOUNTS
        object.__setattr__(self, "amount", amount_of(self.lines) if known else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostGroup:
    """Several calls together: those of one LLM, component, step or tool.

    `amount` is what is known of the cost; None where no call of it has a price.
    """

    key: str
    lines: tuple[Multiplication, ...] = ()
    calls: int = 0
    counts: Mapping[Standing, int] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    matched: str = ""
    amount: Decimal | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        known = any(self.counts.get(standing) for standing in _HAVE_AMOUNTS)
        object.__setattr__(self, "amount", amount_of(self.lines) if known else None)

    @property
    def unknown_calls(self) -> int:
        """How many calls cost an amount that is not, or not wholly, known."""
        return sum(self.counts.get(standing, 0) for standing in _NOT_KNOWN)

    @property
    def complete(self) -> bool:
        """Whether the amount is all of it, not only the least it can have been."""
        return not self.unknown_calls


class Tally:
    """Adds calls up, without keeping them."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._counts: dict[Standing, int] = {}
        self._lines: dict[tuple[str, Decimal, int], int] = {}
        self._reasons: dict[str, None] = {}
        self._matched: dict[str, None] = {}

    def add(self, call: CallCost) -> None:
        """Take one more call."""
        self._counts[call.standing] = self._counts.get(call.standing, 0) + 1
        for line in call.lines:
            place = (line.what, line.price, line.per)
            self._lines[place] = self._lines.get(place, 0) + line.count
        if call.why:
            self._reasons[call.why] = None
        if call.matched:
            self._matched[call.matched] = None

    def group(self) -> CostGroup:
        """Return what was added so far."""
        lines = (
            Multiplication(what, count, price, per)
            for (what, price, per), count in self._lines.items()
        )
        return CostGroup(
            key=self._key,
            lines=tuple(lines),
            calls=sum(self._counts.values()),
            counts=dict(self._counts),
            reasons=tuple(self._reasons),
            matched=", ".join(self._matched),
        )


def grouped(calls: Iterable[tuple[str, CallCost]]) -> tuple[CostGroup, ...]:
    """Add calls up by their keys, which stay in order of appearance."""
    tallies: dict[str, Tally] = {}
    for key, call in calls:
        if key not in tallies:
            tallies[key] = Tally(key)
        tallies[key].add(call)
    return tuple(tally.group() for tally in tallies.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class CostEstimate:
    """What a run is estimated to have cost, by whose prices, and how that was worked out.

    `calls` is empty in an estimate that comes from a file, which keeps the groups by LLM.
    `as_of` is the day, or the moment, whose prices were taken.
    """

    llms: tuple[CostGroup, ...]
    calls: tuple[CallCost, ...] = ()
    currency: str = "USD"
    pricing_source: str = ""
    pricing_snapshot_date: str | None = None
    pricing_digest: str | None = None
    as_of: str | None = None

    @property
    def total(self) -> Decimal | None:
        """The known amounts together; None where something is unknown and nothing is known."""
        known = [group.amount for group in self.llms if group.amount is not None]
        if not known and not self.complete:
            return None
        return _added(known)

    @property
    def complete(self) -> bool:
        """Whether the total is all of it, not only the least it can have been."""
        return all(group.complete for group in self.llms)

    @property
    def call_count(self) -> int:
        return sum(group.calls for group in self.llms)

    @property
    def unknown_calls(self) -> int:
        return sum(group.unknown_calls for group in self.llms)

    def by(self, what: str) -> tuple[CostGroup, ...]:
        """Return the calls by `llm`, `component`, `step` or `tool`; each is in one group.

        An estimate from a file knows its LLMs only, and has no groups of another kind.
        """
        if what == "llm":
            return self.llms
        return grouped((getattr(call, what), call) for call in self.calls)

    def to_dict(self) -> dict[str, Any]:
        """Return what stands in a run file under `cost_estimate` (see FORMAT.md)."""
        total = self.total
        tree: dict[str, Any] = {group.key: _number(group.amount) for group in self.llms}
        tree["total"] = _number(total)
        if self.currency == "USD":
            tree["total_usd"] = tree["total"]
        tree["currency"] = self.currency
        tree["pricing_source"] = self.pricing_source
        tree["pricing_snapshot_date"] = self.pricing_snapshot_date
        if self.pricing_digest is not None:
            tree["pricing_digest"] = self.pricing_digest
        if self.as_of is not None:
            tree["as_of"] = self.as_of
        tree["calls"] = self.call_count
        tree["unknown_calls"] = self.unknown_calls
        tree["llms"] = [_group_tree(group) for group in self.llms]
        return tree

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> CostEstimate | None:
        """Return the estimate that stands in a file; None where it has no multiplications."""
        entries = tree.get("llms")
        if not isinstance(entries, list):
            return None
        groups = tuple(_group_in(entry) for entry in entries if isinstance(entry, Mapping))
        return cls(
            llms=groups,
            currency=_word(tree, "currency") or "USD",
            pricing_source=_word(tree, "pricing_source") or "",
            pricing_snapshot_date=_word(tree, "pricing_snapshot_date"),
            pricing_digest=_word(tree, "pricing_digest"),
            as_of=_word(tree, "as_of"),
        )


def amount_of(lines: Iterable[Multiplication]) -> Decimal:
    """Return what multiplications come to."""
    return _added(line.amount for line in lines)


def _added(amounts: Iterable[Decimal]) -> Decimal:
    total = ZERO
    for amount in amounts:
        total = EXACT.add(total, amount)
    return total


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)


def _group_tree(group: CostGroup) -> dict[str, Any]:
    amount = group.amount
    tree: dict[str, Any] = {
        "llm": group.key,
        "amount": None if amount is None else _digits(amount),
        "calls": group.calls,
        "standings": {str(standing): count for standing, count in group.counts.items()},
        "multiplications": [
            {
                "what": line.what,
                "count": line.count,
                "price": _digits(line.price),
                "per": line.per,
                "amount": _digits(line.amount),
            }
            for line in group.lines
        ],
    }
    if group.matched:
        tree["matched"] = group.matched
    if group.reasons:
        tree["why"] = list(group.reasons)
    return tree


def _digits(amount: Decimal) -> str:
    """Spell an amount without an exponent and without zeros at its end."""
    digits = f"{amount:f}"
    return digits.rstrip("0").rstrip(".") if "." in digits else digits


def _group_in(tree: Mapping[str, Any]) -> CostGroup:
    standings = tree.get("standings")
    counts = {
        Standing(word): count
        for word, count in (standings.items() if isinstance(standings, Mapping) else ())
        if word in set(Standing) and type(count) is int and count >= 0
    }
    listed = tree.get("multiplications")
    lines = [_line_in(each) for each in (listed if isinstance(listed, list) else ())]
    why = tree.get("why")
    return CostGroup(
        key=_word(tree, "llm") or "",
        lines=tuple(line for line in lines if line is not None),
        calls=sum(counts.values()),
        counts=counts,
        reasons=tuple(each for each in why if isinstance(each, str))
        if isinstance(why, list)
        else (),
        matched=_word(tree, "matched") or "",
    )


def _line_in(tree: Any) -> Multiplication | None:
    if not isinstance(tree, Mapping):
        return None
    count, per = tree.get("count"), tree.get("per")
    if type(count) is not int or type(per) is not int:
        return None
    if not (0 <= count <= _MOST and 1 <= per <= _MOST):
        return None
    digits = _word(tree, "price") or ""
    if len(digits) > _LONGEST_PRICE:
        return None
    try:
        price = Decimal(digits)
    except InvalidOperation:
        return None
    if not price.is_finite() or price < 0 or abs(price.adjusted()) > _MOST_PLACES:
        return None
    return Multiplication(_word(tree, "what") or "", count, price, per)


def _word(tree: Mapping[str, Any], key: str) -> str | None:
    value = tree.get(key)
    return value if isinstance(value, str) else None
