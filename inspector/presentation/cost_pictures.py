"""What the pictures of a cost estimate show: its course over the run, and the shares of it.

Where no price is known at all they show tokens instead, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from inspector.presentation.words import (
    duration_words,
    money_words,
    percent_words,
    plural,
    sentence,
    token_words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspector.presentation.cost_table import CostRow, CostTable
    from inspector.runfile.estimate import CostEstimate
    from inspector.runfile.model import PipelineRun

SLOTS = 60
_LEAST_SHARE = 0.02  # what is smaller is shown together
_MOST_SLICES = 8


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of the run: how high its bar stands, from 0 to 1, and what it says."""

    height: float
    words: str
    span_ids: tuple[str, ...]
    has_unknown: bool
    """Whether a call in it has no price, so that its bar is the least it can be."""


@dataclass(frozen=True, slots=True)
class CostInTime:
    """The course of the cost over the run, in slots of the same length."""

    slots: tuple[Slot, ...]
    top: str  # what a bar of full height stands for
    end: str  # how long the run took
    title: str
    told: str
    """All of it in a sentence or two, for those who do not see it."""

    def slot_of(self, span_id: str) -> int | None:
        """Return the slot that a call is in."""
        return next(
            (place for place, slot in enumerate(self.slots) if span_id in slot.span_ids), None
        )


@dataclass(frozen=True, slots=True)
class Slice:
    """One part of the whole. `key` is the label of the row it stands for; empty for the rest."""

    key: str
    label: str
    share: float
    words: str


@dataclass(frozen=True, slots=True)
class Shares:
    """The parts of the whole, largest first; steps as they came."""

    slices: tuple[Slice, ...]
    title: str
    told: str


def cost_in_time(run: PipelineRun, estimate: CostEstimate, tokens: Mapping[str, int]) -> CostInTime:
    """Return what was spent when. A call counts where it started."""
    in_money = _is_priced(estimate)
    length = max(1, run.duration_ns or run.table.end_of_run())
    amounts = [Decimal(0)] * SLOTS
    ids: list[list[str]] = [[] for _ in range(SLOTS)]
    unknown = [0] * SLOTS
    for call in estimate.calls:
        row = run.table.row_of(call.span_id)
        if row is None:
            continue
        place = min(SLOTS - 1, max(0, run.table.start_ns[row] * SLOTS // length))
        value = call.amount if in_money else tokens.get(call.span_id)
        ids[place].append(call.span_id)
        unknown[place] += value is None
        amounts[place] += value or 0
    top = max(amounts)

    def words(place: int) -> str:
        begin, end = (duration_words(length * each // SLOTS) for each in (place, place + 1))
        value = _value_words(amounts[place], estimate, in_money, unknown=bool(unknown[place]))
        return sentence([f"{begin} to {end}", value, plural(len(ids[place]), "call")])

    slots = tuple(
        Slot(
            height=float(amounts[place] / top) if top else 0.0,
            words=words(place) if ids[place] else "",
            span_ids=tuple(ids[place]),
            has_unknown=bool(unknown[place]),
        )
        for place in range(SLOTS)
    )
    title = "Estimated cost over time" if in_money else "Tokens over time (no price is known)"
    if in_money and any(unknown):
        title += "; dotted: with a call that has no price"
    return CostInTime(
        slots=slots,
        top=_value_words(top, estimate, in_money, unknown=False) if top else "",
        end=duration_words(length),
        title=title,
        told=_told_in_time(title, slots),
    )


def shares(table: CostTable) -> Shares:
    """Return the parts that the rows of a table have in the whole."""
    in_money = any(row.share for row in table.rows)
    parts = _money_parts(table.rows) if in_money else _token_parts(table.rows)
    largest = sorted(parts, key=lambda part: -part[2])[:_MOST_SLICES]
    shown = [part for part in largest if part[2] >= _LEAST_SHARE]
    rest = [part for part in parts if part not in shown]
    if table.by == "step":  # which comes in the order of the run
        shown = [part for part in parts if part in shown]
    slices = [
        Slice(key, key, share, f"{key} · {value} · {percent_words(share, 1.0)}")
        for key, value, share in shown
    ]
    if len(rest) == 1:
        ((key, value, share),) = rest
        slices.append(Slice(key, key, share, f"{key} · {value} · {percent_words(share, 1.0)}"))
    elif rest:
        share = sum(part[2] for part in rest)
        label = f"{len(rest)} more"
        slices.append(Slice("", label, share, f"{label} · {percent_words(share, 1.0)}"))
    whole = "the estimated cost" if in_money else "the tokens (no price is known)"
    title = f"Share of {whole} by {'LLM' if table.by == 'llm' else table.by}"
    told = "; ".join(each.words for each in slices)
    return Shares(tuple(slices), title, f"{title}: {told}." if told else f"{title}: nothing.")


def _money_parts(rows: Sequence[CostRow]) -> list[tuple[str, str, float]]:
    return [(row.label, row.cost, row.share) for row in rows if row.share]


def _token_parts(rows: Sequence[CostRow]) -> list[tuple[str, str, float]]:
    whole = sum(row.tokens or 0 for row in rows)
    return [
        (row.label, row.tokens_words, row.tokens / whole) for row in rows if row.tokens and whole
    ]


def _is_priced(estimate: CostEstimate) -> bool:
    return any(group.amount for group in estimate.llms)


def _value_words(amount: Decimal, estimate: CostEstimate, in_money: bool, *, unknown: bool) -> str:
    if in_money:
        return money_words(amount, estimate.currency, at_least=unknown)
    return f"{'≥ ' if unknown else ''}{token_words(int(amount))}"


def _told_in_time(title: str, slots: Sequence[Slot]) -> str:
    used = [slot for slot in slots if slot.span_ids]
    if not used:
        return f"{title}: no call."
    highest = max(used, key=lambda slot: slot.height)
    return f"{title}, in {plural(len(used), 'bar')}. The highest: {highest.words}."
