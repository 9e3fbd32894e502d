"""A cost estimate as rows: what a pane, a command and a page show of it.

Groups unfold to their calls, calls to their multiplications. Nothing here says an amount
without its mark: `≈` for an estimate, `≥` for the least that it can have been.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from inspector.presentation.visible import one_line
from inspector.presentation.words import (
    UNKNOWN,
    elided,
    money_words,
    number_words,
    percent_words,
    plural,
    price_words,
    token_words,
)
from inspector.runfile.estimate import Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from decimal import Decimal

    from inspector.runfile.estimate import CallCost, CostEstimate, CostGroup, Multiplication

_LONGEST_LABEL = 160
GROUPINGS = ("component", "llm", "step", "tool")

_OUTSIDE = {"step": "outside of steps", "tool": "outside of tools", "component": "the run itself"}
_CLASS_WORDS = {
    "input": "input tokens",
    "cached_input": "input tokens from the cache",
    "cache_write": "tokens written to the cache",
    "cache_write_5m": "tokens written to the cache for 5 min",
    "cache_write_1h": "tokens written to the cache for 1 h",
    "audio_input": "audio tokens, input",
    "cached_audio": "audio tokens from the cache",
    "output": "output tokens",
    "reasoning": "reasoning tokens",
    "audio_output": "audio tokens, output",
    "embedding": "tokens embedded",
    "web_search": "web searches",
    "request": "requests",
}

_PER_WORDS = {1_000_000: "million", 1_000: "thousand"}


class CostRowKind(StrEnum):
    """What a row stands for."""

    GROUP = "group"
    CALL = "call"
    LINE = "line"


@dataclass(frozen=True, kw_only=True)
class CostRow:
    """One row. `children` are what it unfolds to, made when they are first asked for.

    The label of a call is its `place` and its `llm` in one.
    `share` is its part of the total, from 0 to 1; None where one of them is not known.
    `amount` is the figure behind `cost`, for sorting and for pictures, `tokens` all tokens
    that were reported, where they are asked for. `span_id` is where a click on it leads.
    """

    kind: CostRowKind
    label: str
    cost: str
    place: str = ""
    llm: str = ""
    calls: str = ""
    tokens: int | None = None
    tokens_words: str = ""
    share: float | None = None
    share_words: str = ""
    note: str = ""
    amount: Decimal | None = None
    span_id: str = ""
    unfolds: bool = False
    unfold: Callable[[], Sequence[CostRow]] = field(default=tuple, repr=False, compare=False)

    @cached_property
    def children(self) -> Sequence[CostRow]:
        """The rows below it."""
        return self.unfold()


class CostRows(Sequence[CostRow]):
    """Rows of calls, each made when it is first looked at: there may be very many."""

    def __init__(self, calls: Sequence[CallCost], make: Callable[[CallCost], CostRow]) -> None:
        self._calls = calls
        self._make = make
        self._made: dict[int, CostRow] = {}

    @property
    def span_ids(self) -> list[str]:
        """The span of each, without making its row."""
        return [call.span_id for call in self._calls]

    @property
    def unfolds(self) -> list[bool]:
        """Whether each has multiplications, without making its row."""
        return [bool(call.lines) for call in self._calls]

    def __len__(self) -> int:
        return len(self._calls)

    @overload
    def __getitem__(self, place: int) -> CostRow: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[CostRow]: ...

    def __getitem__(self, place: int | slice) -> CostRow | Sequence[CostRow]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        place = range(len(self))[place]
        if place not in self._made:
            self._made[place] = self._make(self._calls[place])
        return self._made[place]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostTable:
    """All rows of one grouping under one total: dearest first, but for steps."""

    by: str
    rows: tuple[CostRow, ...]
    total: str
    calls: str
    provenance: str
    gaps: str = ""
    """What the total lacks, in a sentence; empty where it lacks nothing."""
    has_calls: bool = True
    """Whether groups unfold to calls: what comes from a file knows only the sums by LLM."""


def cost_table(
    estimate: CostEstimate, by: str = "component", *, tokens: Mapping[str, int] | None = None
) -> CostTable:
    """Return an estimate as rows, by `component`, `llm`, `step` or `tool`.

    An estimate from a file has no calls, and is shown by LLM whatever is asked for. `tokens`
    are those of each call, by the id of its span, for who wants to see them beside it.
    """
    has_calls = bool(estimate.calls)
    by = by if has_calls else "llm"
    inside: dict[str, list[CallCost]] = {}
    for call in estimate.calls:
        inside.setdefault(getattr(call, by), []).append(call)
    total = estimate.total
    rows = [
        _group_row(group, by, estimate.currency, total, inside.get(group.key, ()), tokens or {})
        for group in estimate.by(by)
    ]
    if by != "step":
        # Dearest first; what has no price after that. Steps stay in the order of the run.
        rows.sort(key=lambda row: (row.amount is None, -(row.amount or 0), -(row.tokens or 0)))
    return CostTable(
        by=by,
        rows=tuple(rows),
        total=total_words(estimate),
        calls=plural(estimate.call_count, "call"),
        provenance=provenance_words(estimate),
        gaps=gaps_words(estimate),
        has_calls=has_calls,
    )


def total_words(estimate: CostEstimate) -> str:
    """Return the total with its mark; `no price` where nothing of it is known."""
    return money_words(estimate.total, estimate.currency, at_least=not estimate.complete)


def provenance_words(estimate: CostEstimate) -> str:
    """Say that it is an estimate, by whose prices, of when, and for which day."""
    source = one_line(estimate.pricing_source) or "an unnamed list"
    snapshot = estimate.pricing_snapshot_date
    # Where several lists count, each says of itself when it is.
    dated = f" of {one_line(snapshot)}" if snapshot and snapshot not in source else ""
    day = f", as they were on {one_line(estimate.as_of)}" if estimate.as_of else ""
    currency = one_line(estimate.currency)
    return f"An estimate in {currency}, by list prices: {source}{dated}{day}."


def gaps_words(estimate: CostEstimate) -> str:
    """Say what the total lacks and why; empty where it lacks nothing."""
    unknown = estimate.unknown_calls
    if not unknown:
        return ""
    reasons = [
        reason
        for group in estimate.llms
        if not group.complete
        for reason in group.reasons
        if reason
    ]
    told = "; ".join(dict.fromkeys(map(one_line, reasons)))
    count = f"The cost of {plural(unknown, 'call')} is not known"
    return f"{count}: {told}." if told else f"{count}."


def stored_words(stored: Mapping[str, Any] | None, shown: CostEstimate) -> str:
    """Say what the file itself gives as the cost, where that is not what is shown."""
    total = stored.get("total") if stored else None
    if stored is None or isinstance(total, bool) or not isinstance(total, int | float):
        return ""
    currency = stored.get("currency")
    told = money_words(
        total,
        one_line(currency) if isinstance(currency, str) else "USD",
        at_least=bool(stored.get("unknown_calls")),
    )
    if told == total_words(shown):
        return ""
    source, date = stored.get("pricing_source"), stored.get("pricing_snapshot_date")
    of = " of ".join(one_line(each) for each in (source, date) if isinstance(each, str) and each)
    return f"When it was recorded, it was estimated at {told}{f' ({of})' if of else ''}."


def multiplication_words(line: Multiplication, currency: str) -> str:
    """Return a multiplication as a person would write it: `4 000 × $0.15 / million`."""
    per = _PER_WORDS.get(line.per, number_words(line.per))
    return f"{number_words(line.count)} × {price_words(line.price, currency)} / {per}"


def class_words(what: str) -> str:
    """Return how a class of tokens is called; one that we do not know keeps its name."""
    return _CLASS_WORDS.get(what, one_line(what))


def _group_row(
    group: CostGroup, by: str, currency: str, total: Decimal | None,
    calls: Sequence[CallCost], tokens: Mapping[str, int],
) -> CostRow:  # fmt: skip
    def unfold() -> Sequence[CostRow]:
        if calls:
            return CostRows(calls, lambda call: _call_row(call, currency, total, tokens))
        return _line_rows(group.lines, currency, total)

    share = _share(group.amount, total)
    return CostRow(
        kind=CostRowKind.GROUP,
        label=elided(one_line(group.key), _LONGEST_LABEL) or _OUTSIDE.get(by, "unnamed"),
        cost=_cost_words(group.amount, group.counts.get, currency, complete=group.complete),
        calls=plural(group.calls, "call"),
        **_tokens_of(calls, tokens),
        share=share,
        share_words=_share_words(share),
        note="; ".join(map(one_line, group.reasons)),
        amount=group.amount,
        unfolds=bool(calls or group.lines),
        unfold=unfold,
    )


def _call_row(
    call: CallCost, currency: str, total: Decimal | None, tokens: Mapping[str, int]
) -> CostRow:
    share = _share(call.amount, total)
    place, llm = one_line(call.path) or call.span_id, one_line(call.llm)
    told = [f"{call.tier} prices" if call.tier and call.amount is not None else "", call.why]
    return CostRow(
        kind=CostRowKind.CALL,
        label=elided(f"{place} · {llm}", _LONGEST_LABEL),
        place=place,
        llm=llm,
        cost=_cost_words(
            call.amount,
            {call.standing: 1}.get,
            currency,
            complete=call.standing not in (Standing.PARTLY, Standing.UNKNOWN),
        ),
        **_tokens_of((call,), tokens),
        share=share,
        share_words=_share_words(share),
        note="; ".join(one_line(each) for each in told if each),
        amount=call.amount,
        span_id=call.span_id,
        unfolds=bool(call.lines),
        unfold=lambda: _line_rows(call.lines, currency, total),
    )


def _tokens_of(calls: Sequence[CallCost], tokens: Mapping[str, int]) -> dict[str, Any]:
    known = [tokens[call.span_id] for call in calls if call.span_id in tokens]
    if not known:
        return {"tokens_words": UNKNOWN if tokens and calls else ""}
    words = token_words(sum(known))
    # Calls that reported nothing used some all the same.
    at_least = "≥ " if len(known) < len(calls) else ""
    return {"tokens": sum(known), "tokens_words": f"{at_least}{words}"}


def _line_rows(
    lines: Iterable[Multiplication], currency: str, total: Decimal | None
) -> tuple[CostRow, ...]:
    rows = []
    for line in lines:
        share = _share(line.amount, total)
        rows.append(
            CostRow(
                kind=CostRowKind.LINE,
                label=f"{class_words(line.what)}: {multiplication_words(line, currency)}",
                cost=price_words(line.amount, currency),  # whoever unfolds it wants to check it
                share=share,
                share_words=_share_words(share),
                amount=line.amount,
            )
        )
    return tuple(rows)


def _cost_words(
    amount: Decimal | None, count_of: Callable[[Standing], int | None], currency: str, *,
    complete: bool,
) -> str:  # fmt: skip
    if amount is not None or not complete:
        return money_words(amount, currency, at_least=not complete)
    if count_of(Standing.LOCAL):
        return "local, no price"
    return "not paid" if count_of(Standing.ANSWERED) else "no price"


def _share(amount: Decimal | None, total: Decimal | None) -> float | None:
    if amount is None or not total:
        return None
    return float(amount / total)


def _share_words(share: float | None) -> str:
    return "" if share is None else percent_words(share, 1.0)
