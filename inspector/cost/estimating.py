"""The estimate of a whole run: each call of a model once, where it was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from inspector.cost.asking import asked_for, configured_in
from inspector.cost.call import cost_of_answer, cost_of_call
from inspector.cost.prices import load_prices
from inspector.errors import InspectorError, RunFileError
from inspector.runfile.estimate import CallCost, CostEstimate, grouped
from inspector.runfile.kinds import SpanKind
from inspector.runfile.table import NO_PARENT
from inspector.runfile.totals import leaf_calls
from inspector.runfile.usage import recorded_usage
from inspector.runfile.value import REF

if TYPE_CHECKING:
    from inspector.cost.prices import Prices
    from inspector.runfile.model import PipelineRun

# Spans that a replay answered from its recording: nobody was asked, and nothing was paid.
_ANSWERED = frozenset({"recorded", "edited"})


class _Call(msgspec.Struct):
    """What of a span's record says what it cost. The rest is not decoded."""

    type: str = ""
    path: str = ""
    source: str = ""
    llm: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    inputs: msgspec.Raw = msgspec.Raw()


class _Placed(msgspec.Struct):
    path: str = ""


class _Inputs(msgspec.Struct):
    generation_kwargs: dict[str, Any] | None = None


_CALL = msgspec.json.Decoder(_Call)
_PLACED = msgspec.json.Decoder(_Placed)
_INPUTS = msgspec.json.Decoder(_Inputs)
_UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, RunFileError)


def estimate(
    run: PipelineRun, prices: Prices | str | Path | None = None, *,
    as_of: str | date | datetime | None = None, answers_priced: bool = False,
) -> CostEstimate:  # fmt: skip
    """Estimate what a run cost.

    Args:
        run: Any run, whatever its file says about its cost.
        prices: A price list, or the file that holds one; otherwise the bundled prices.
        as_of: Whose day's prices to take: `"run"` for the day on which the run was made,
            which is also what None means, `"today"`, or a date.
        answers_priced: Whether a call that a replay answered from its recording comes to what
            it would cost to ask, by its usage; otherwise nothing was paid for it.

    Raises:
        InspectorError: The price list or `as_of` makes no sense.

    """
    listed = load_prices(prices) if prices is None or isinstance(prices, str | Path) else prices
    when = _moment(run, as_of)
    moving = as_of in (None, "run")
    calls = _Calls(run, listed, when, moving=moving, answers_priced=answers_priced).costs()
    return collected(calls, listed, when)


def estimate_in_total(run: PipelineRun, *, answers_priced: bool = False) -> CostEstimate:
    """Estimate what a run cost by the bundled prices of its day; no call says where it was.

    For those who compare many calls: to look up where each was made is a good part of the work.
    `answers_priced` is as for `estimate`.
    """
    prices, when = load_prices(None), _moment(run, None)
    calls = _Calls(run, prices, when, moving=True, answers_priced=answers_priced)
    return collected(calls.costs(placed=False), prices, when)


def collected(calls: Iterable[CallCost], prices: Prices, when: datetime) -> CostEstimate:
    """Return the estimate that calls make together, at these prices of that day."""
    kept = tuple(calls)
    return CostEstimate(
        llms=grouped((call.llm, call) for call in kept),
        calls=kept,
        currency=prices.currency,
        pricing_source=prices.source,
        pricing_snapshot_date=prices.snapshot_date,
        pricing_digest=prices.digest,
        as_of=f"{when:%Y-%m-%d}",
    )


def _moment(run: PipelineRun, as_of: str | date | datetime | None) -> datetime:
    if as_of is None or as_of == "run":
        started = parsed_moment(run.started_at)
        # A run that does not say when it was cannot have prices of its day.
        return started or datetime.now(UTC)
    if as_of == "today":
        return datetime.now(UTC)
    if isinstance(as_of, datetime):
        return as_of if as_of.tzinfo is not None else as_of.replace(tzinfo=UTC)
    if isinstance(as_of, date):
        return datetime.combine(as_of, time(12), UTC)
    try:
        return datetime.combine(date.fromisoformat(as_of), time(12), UTC)
    except ValueError as error:
        raise InspectorError(
            f"{as_of!r} is no day whose prices could be taken.",
            hint='Say "run", "today", or a date such as 2026-11-01.',
        ) from error


def parsed_moment(text: str | None) -> datetime | None:
    """Return when a run started, in UTC; None where its header does not say."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


class _Place(NamedTuple):
    """Where a call happened: in which components, innermost first, in which step and tool."""

    names: tuple[str, ...]
    step: str
    tool: str


class _Calls:
    """Walks the leaf calls of one run."""

    def __init__(
        self, run: PipelineRun, prices: Prices, when: datetime, *, moving: bool,
        answers_priced: bool,
    ) -> None:  # fmt: skip
        self._run = run
        self._prices = prices
        self._when = when
        self._moving = moving  # some prices depend on the time of the day
        self._free = frozenset() if answers_priced else _ANSWERED
        definition = run.header.get("definition")
        self._definition = run.definition if isinstance(definition, Mapping) else None
        self._configured: dict[tuple[str, tuple[str, ...]], Mapping[str, Any]] = {}

    def costs(self, *, placed: bool = True) -> list[CallCost]:
        return [self._cost(row, placed=placed) for row in leaf_calls(self._run)]

    def _cost(self, row: int, *, placed: bool) -> CallCost:
        try:
            call = _CALL.decode(self._run.record_text(row))
        except _UNREADABLE:
            call = self._mended(row)
        if REF in (call.usage or ()) or REF in (call.llm or ()):
            # Kept once, as a replay has them from its recording.
            call.usage, call.llm = (self._resolved(each) for each in (call.usage, call.llm))
        place = self._place(row, exactly=placed)
        usage = None if call.usage is None else recorded_usage(call.usage)
        asked = asked_for(
            type_name=call.type,
            llm=call.llm,
            usage=usage,
            configured=self._of_component(call.type, place.names),
            kwargs=_kwargs(call.inputs),
        )
        if call.source in self._free:
            cost = cost_of_answer(asked)
        else:
            when = self._when
            if self._moving:
                when += timedelta(microseconds=self._run.table.start_ns[row] // 1000)
            cost = cost_of_call(usage, asked, self._prices, when)
        if not placed:
            return cost
        return replace(
            cost,
            span_id=self._run.table.id(row),
            path=call.path,
            component=" / ".join(reversed(place.names)) or self._run.name,
            step=place.step,
            tool=place.tool,
        )

    def _resolved(self, tree: dict[str, Any] | None) -> dict[str, Any] | None:
        found = None if tree is None else self._run.resolve(tree)
        return found if isinstance(found, dict) else None

    def _mended(self, row: int) -> _Call:
        """Read a record whose fields are not all what they should be, one by one."""
        span = self._run.spans[row]
        usage, llm, source = span.raw.get("usage"), span.llm, span.raw.get("source")
        return _Call(
            type=span.type,
            path=span.path,
            source=source if isinstance(source, str) else "",
            llm=dict(llm) if isinstance(llm, Mapping) else None,
            usage=usage if isinstance(usage, dict) else None,
        )

    def _place(self, row: int, *, exactly: bool) -> _Place:
        table = self._run.table
        names: list[str] = []
        step = tool = ""
        while row != NO_PARENT:
            kind = table.kind_of(row)
            if kind == SpanKind.COMPONENT:
                names.append(table.name(row))
            elif kind == SpanKind.STEP and exactly and not step:
                step = self._path(row) or table.name(row)
            elif kind == SpanKind.TOOL and not tool:
                tool = table.name(row)
            row = table.parent_row[row]
        return _Place(tuple(names), step, tool)

    def _path(self, row: int) -> str:
        try:
            return _PLACED.decode(self._run.record_text(row)).path
        except _UNREADABLE:
            return self._run.spans[row].path

    def _of_component(self, type_name: str, names: tuple[str, ...]) -> Mapping[str, Any]:
        key = (type_name, names)
        if key not in self._configured:
            self._configured[key] = configured_in(self._definition, names, type_name)
        return self._configured[key]


def _kwargs(inputs: msgspec.Raw) -> Mapping[str, Any]:
    if not len(inputs):
        return {}
    try:
        return _INPUTS.decode(inputs).generation_kwargs or {}
    except _UNREADABLE:
        return {}
