"""What a hook or a tool changed in an agent's state, changed again without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.wrappers.state import is_state
from inspector.replay.revive import CannotReviveError, Reviver

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.replay.recorded import Entry

    Changes = dict[str, Callable[[], Any] | None]

# Live things of the agent, which a recording only names.
_LIVE = frozenset({"tools", "hook_context"})


def changes_of(entry: Entry) -> Changes | None:
    """Return how to make each changed value of the state; None for one that was removed.

    Raises:
        CannotReviveError: A value was not kept whole.

    """
    recorded = entry.span.state_changes
    if not recorded:
        return None
    reviver = Reviver(embedding=entry.owner.embedding)
    made: Changes = {}
    for key, change in recorded.items():
        if key in _LIVE:
            raise CannotReviveError(f"It changed {key!r} of the agent's state, which is not kept.")
        if isinstance(change, dict):
            made[key] = reviver.maker(change["after"]) if "after" in change else None
    return made


def change_again(changes: Changes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Make the changes in the state that a call was given."""
    state = next((value for value in (*args, *kwargs.values()) if is_state(value)), None)
    if state is None:
        return
    for key, make in changes.items():
        if make is None:
            state.data.pop(key, None)
        else:
            # As it was afterwards: what merges values did so then.
            state.data[key] = make()
