"""The estimate that goes into the file, made on the writer's thread when a run ends.

The price library takes a while to load, so it is loaded by the first run that called a
model, and by none before; on the host's threads it never is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.recording.guest import complain
from inspector.runfile.interned import Interned

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan, Recording
    from inspector.runfile.usage import Usage

_ANSWERED = frozenset({"recorded", "edited"})


class Priced(NamedTuple):
    """What of a leaf call says what it cost."""

    type: str
    llm: Mapping[str, Any] | None
    usage: Usage | None
    names: tuple[str, ...]
    kwargs: Mapping[str, Any]
    start_ns: int
    answered: bool


def calls_model(live: LiveSpan) -> bool:
    """Say whether a span counts as a call even when it reported nothing."""
    return live.kind == "llm" or live.role == "llm"


def names_around(live: LiveSpan) -> tuple[str, ...]:
    """Return the components that a call happens in, itself among them, innermost first."""
    names = []
    above: LiveSpan | None = live
    while above is not None:
        if above.kind == "component":
            names.append(above.name)
        above = above.parent
    return tuple(names)


def take(live: LiveSpan, usage: Usage | None, fields: Mapping[str, Any]) -> None:
    """Keep a call that ended, unless it contains one that was kept."""
    if live.counted_below or (usage is None and not calls_model(live)):
        return
    above = live.parent
    while above is not None and not above.counted_below:
        above.counted_below = True
        above = above.parent
    live.recording.calls.append(
        Priced(
            live.type, fields.get("llm"), usage, names_around(live), live.asked or {},
            live.start_ns, fields.get("source") in _ANSWERED,
        )
    )  # fmt: skip


def asked_in(fields: Mapping[str, Any], recording: Recording) -> dict[str, str] | None:
    """Return what of a call's settings its price depends on."""
    inputs = fields.get("inputs")
    kwargs = inputs.get("generation_kwargs") if type(inputs) is dict else None
    if isinstance(kwargs, Interned):
        if kwargs in recording.tiers:
            return recording.tiers[kwargs]  # its tree is gone once it was written
        tree = kwargs.tree
    else:
        tree = kwargs
    tier = tree.get("service_tier") if type(tree) is dict else None
    if type(tier) is not str:
        return None
    asked = {"service_tier": tier}
    if isinstance(kwargs, Interned):
        recording.tiers[kwargs] = asked
    return asked


def estimate_of(calls: list[Priced], definition: Any, started_at: Any) -> dict[str, Any] | None:
    """Return the `cost_estimate` of a run; None where it asked no model, or nobody can tell."""
    if all(call.answered for call in calls):
        return None  # nothing was paid: a replay need not wait for prices
    try:
        return _estimate(calls, definition if isinstance(definition, Mapping) else None, started_at)
    except Exception as error:  # noqa: BLE001 - a guest never raises into its host
        complain("What a run cost was not estimated", error)
        return None


def _estimate(
    calls: list[Priced], definition: Mapping[str, Any] | None, started_at: Any
) -> dict[str, Any] | None:
    from inspector.cost.asking import asked_for, configured_in
    from inspector.cost.call import cost_of_answer, cost_of_call
    from inspector.cost.estimating import collected, parsed_moment
    from inspector.cost.prices import load_prices, prices_are_known

    started = parsed_moment(started_at)
    if started is None or not prices_are_known():
        return None
    prices = load_prices()
    costs = []
    settings: dict[tuple[str, tuple[str, ...]], Mapping[str, Any]] = {}
    for call in calls:
        place = (call.type, call.names)
        if place not in settings:
            settings[place] = configured_in(definition, call.names, call.type)
        asked = asked_for(
            type_name=call.type, llm=call.llm, usage=call.usage, kwargs=call.kwargs,
            configured=settings[place],
        )  # fmt: skip
        when = started + timedelta(microseconds=call.start_ns // 1000)
        answered = call.answered
        cost = cost_of_answer(asked) if answered else cost_of_call(call.usage, asked, prices, when)
        costs.append(cost)
    return collected(costs, prices, started).to_dict()
