"""Tools: the arguments they really ran with, and the error behind the text of a failure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from inspector.recording.operations import TOOL
from inspector.recording.walk import instance_dict
from inspector.recording.wrappers import origins
from inspector.recording.wrappers.inner import WRAPPER, Recorded, claim, open_inner, tell
from inspector.recording.wrappers.state import StateBefore, is_state

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan
    from inspector.recording.wrappers.shells import Call, Method


def enter(
    instance: Any, method: Method, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Call | None:
    """Begin to record a call of a tool."""
    live = origins.span_for(instance, kwargs)
    if live is None:
        return origins.nobodys(instance, method, args, kwargs)
    if live.claimed is instance:
        return None  # `invoke_async` hands over to `invoke`
    name = (instance_dict(instance) or {}).get("name")
    name = name if isinstance(name, str) else type(instance).__name__
    qualified = f"{type(instance).__module__}.{type(instance).__name__}"
    inner = None
    if live.operation == TOOL and live.claimed is None and live.name == name:
        claim(live, instance)
        tell(live, "type", qualified)
        # At once and not with the last record: what runs now may never come back.
        live.set("arguments", kwargs, channel=WRAPPER)
    else:
        live = inner = open_inner(
            live, instance, method.named(args, kwargs),
            kind="tool", name=name, role="tool", type=qualified,
        )  # fmt: skip
    state = next((value for value in kwargs.values() if is_state(value)), None)
    before = None if state is None else StateBefore(live, state)
    then = partial(_ended, live, before)
    return Recorded(instance, method, args, kwargs, span=live, inner=inner, then=then)


def _ended(
    live: LiveSpan, before: StateBefore | None, _result: Any, error: BaseException | None
) -> None:
    if before is not None:
        before.note_changes()
    if error is not None:
        # The agent may hide it in a message to the model, and never raise it.
        live.fail(error, channel=WRAPPER)
