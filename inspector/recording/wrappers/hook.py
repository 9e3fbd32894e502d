"""Hooks of an agent: what they changed in its state."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.recording.operations import HOOK
from inspector.recording.wrappers import origins
from inspector.recording.wrappers.inner import Recorded, claim, open_inner
from inspector.recording.wrappers.state import StateBefore, is_state

if TYPE_CHECKING:
    from inspector.recording.wrappers.shells import Call, Method


def enter(
    instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call | None:
    """Begin to record a call of a hook."""
    live = origins.span_for(instance, (args, kwargs))
    if live is None:
        return origins.nobodys(instance, method, args, kwargs)
    if live.claimed is instance:
        return None  # `run_async` hands over to `run`
    cls = type(instance)
    qualified = f"{cls.__module__}.{cls.__name__}"
    inner = None
    if live.operation == HOOK and live.claimed is None and live.type == qualified:
        claim(live, instance)
    else:
        # What it is given is the agent's whole state, which the changes tell better.
        live = inner = open_inner(
            live, instance, {}, kind="hook", name=cls.__name__, role="hook", type=qualified
        )
    state = next((value for value in (*args, *kwargs.values()) if is_state(value)), None)
    then = None
    if state is not None:
        then = partial(_ended, StateBefore(live, state))
    return Recorded(instance, method, args, kwargs, span=live, inner=inner, then=then)


def _ended(before: StateBefore, _result: Any, _error: BaseException | None) -> None:
    # What a hook changed before it failed, it did change.
    before.note_changes()
