"""Confirmation strategies: what a person was asked, and what they decided."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.recording.operations import CONFIRM
from inspector.recording.wrappers import origins
from inspector.recording.wrappers.inner import Recorded, claim, open_inner
from inspector.recording.wrappers.shells import HOLDING

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Call, Method

# Sockets, queues and the like, which belong to the request and say nothing of the decision.
_LIVE = "confirmation_strategy_context"


def enter(
    instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call | None:
    """Begin to record a call of a confirmation strategy."""
    live = origins.span_for(instance, (args, kwargs))
    if live is None:
        return origins.nobodys(instance, method, args, kwargs)
    if live.claimed is instance:
        return None  # `run_async` hands over to `run`
    cls = type(instance)
    qualified = f"{cls.__module__}.{cls.__name__}"
    if live.operation == CONFIRM and live.claimed is None and live.type == qualified:
        # Haystack's own span tells the question and the decision.
        claim(live, instance)
        holds = id(instance) in HOLDING
        return Recorded(instance, method, args, kwargs, span=live) if holds else None
    asked = {key: value for key, value in method.named(args, kwargs).items() if key != _LIVE}
    inner = open_inner(
        live, instance, asked, kind="hook", name=cls.__name__, role="hook", type=qualified
    )
    then = partial(_decided, inner, asked)
    return Recorded(instance, method, args, kwargs, span=inner, inner=inner, then=then)


def _decided(
    live: LiveSpan, asked: dict[str, Any], decision: Any, _error: BaseException | None
) -> None:
    """Expect the tool to run with what was decided, and not with what was asked for."""
    step = live.parent
    while step is not None and step.calls is None:
        step = step.parent
    final = getattr(decision, "final_tool_params", None)
    if step is not None and step.calls is not None and final is not None:
        name, call_id = str(asked.get("tool_name")), asked.get("tool_call_id")
        step.calls.replace(name, call_id, asked.get("tool_params"), final)
