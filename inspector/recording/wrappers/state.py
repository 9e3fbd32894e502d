"""What a hook or a tool changed in an agent's state."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from inspector.recording.wrappers.inner import tell
from inspector.runfile.interned import Deferred, Interned

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan

MOST_COMPARED = 20_000

# Live things, which are told from each other by identity: encoding tools at every step of an
# agent would cost more than the step.
_LIVE = frozenset({"tools", "hook_context"})

_ABSENT: Any = object()


def is_state(value: Any) -> bool:
    """Say whether this is an agent's state."""
    module = sys.modules.get("haystack.components.agents.state.state")
    state = getattr(module, "State", None)
    return isinstance(state, type) and issubclass(type(value), state)


class StateBefore:
    """The state as it was, and who may change it."""

    __slots__ = ("_before", "_live", "_state")

    def __init__(self, live: LiveSpan, state: Any) -> None:
        self._live = live
        self._state = state
        self._before = self._taken()

    def note_changes(self) -> None:
        """Put the keys that changed since on the span."""
        after = self._taken()
        before = self._before
        changes: dict[str, Any] = {}
        for key in dict.fromkeys((*before, *after)):
            was, now = before.get(key, _ABSENT), after.get(key, _ABSENT)
            if was is _ABSENT or now is _ABSENT or not same(was, now):
                changes[key] = {
                    side: self._tree(tree)
                    for side, tree in (("before", was), ("after", now))
                    if tree is not _ABSENT
                }
        tell(self._live, "state_changes", changes)

    def _taken(self) -> dict[str, Any]:
        encode = self._live.recording.capture.at_once
        return {
            str(key): _Live(value) if key in _LIVE else encode(value)
            for key, value in list(self._state.data.items())
        }

    def _tree(self, taken: Any) -> Any:
        if isinstance(taken, _Live):
            return self._live.recording.capture.at_once(taken.value)
        return taken


class _Live:
    """A live value, and what is in it."""

    __slots__ = ("parts", "value")

    def __init__(self, value: Any) -> None:
        # A copy of the container: it may be changed in place, what is in it is not encoded.
        kind = type(value)
        self.value = kind(value) if kind in (list, dict) else value
        self.parts = list(value.values()) if kind is dict else value if kind is list else [value]
        if kind is list:
            self.parts = list(value)

    def same(self, other: _Live) -> bool:
        return len(self.parts) == len(other.parts) and all(
            one is another for one, another in zip(self.parts, other.parts, strict=True)
        )


def same(one: Any, other: Any) -> bool:
    """Say whether two trees, encoded at different times, hold the same."""
    return _Comparison().same(one, other)


class _Comparison:
    def __init__(self) -> None:
        self._left = MOST_COMPARED

    def same(self, one: Any, other: Any) -> bool:
        if one is other:
            return True
        self._left -= 1
        if self._left < 0:
            return False
        kind = type(one)
        if kind is not type(other):
            return False
        if kind is dict:
            return one.keys() == other.keys() and all(
                self.same(value, other[key]) for key, value in one.items()
            )
        if kind is list:
            return len(one) == len(other) and all(map(self.same, one, other))
        if isinstance(one, Deferred):
            return one.make is other.make and self.same(one.tree, other.tree)
        if isinstance(one, Interned):
            # The writer lets go of a tree that it has written.
            return None not in (one.tree, other.tree) and self.same(one.tree, other.tree)
        if isinstance(one, _Live):
            return one.same(other)
        return bool(one == other)
