"""What a hook or a tool changed in an agent's state."""

from __future__ import annotations

import sys
from operator import is_
from typing import TYPE_CHECKING, Any

from inspector.recording.wrappers.inner import tell
from inspector.runfile.interned import Deferred, Interned

if TYPE_CHECKING:
    from inspector.recording.session import LiveSpan

MOST_COMPARED = 20_000

# Live things, which are told from each other by identity: encoding tools at every step of an
# agent would cost more than the step.
_LIVE = frozenset({"tools", "hook_context"})

_UNCHANGING = frozenset({str, int, float, bool, type(None), bytes})
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
        self._live.recording.capture.dirty()  # whoever had the state may have changed any message
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
        taken = {}
        for key, value in list(self._state.data.items()):
            if type(value) in _UNCHANGING:
                taken[str(key)] = _Kept(value)
            elif key in _LIVE:
                taken[str(key)] = _Kept(value, _parts(value))
            else:
                taken[str(key)] = encode(value)
        return taken

    def _tree(self, taken: Any) -> Any:
        if isinstance(taken, _Kept):
            return self._live.recording.capture.at_once(taken.value)
        return taken


class _Kept:
    """A value that is encoded only if it has to be: one that cannot change, or a live one."""

    __slots__ = ("parts", "value")

    def __init__(self, value: Any, parts: list[Any] | None = None) -> None:
        # Of a container a copy, which may be changed in place; what is in it is told apart
        # by identity.
        kind = type(value)
        self.value = kind(value) if parts is not None and kind in (list, dict) else value
        self.parts = parts

    def same(self, other: _Kept) -> bool:
        if self.parts is None or other.parts is None:
            same_kind = type(self.value) is type(other.value)
            return self.value is other.value or (same_kind and bool(self.value == other.value))
        return len(self.parts) == len(other.parts) and all(map(is_, self.parts, other.parts))


def _parts(value: Any) -> list[Any]:
    kind = type(value)
    if kind is dict:
        return [*value, *value.values()]
    return list(value) if kind is list else [value]


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
        if isinstance(one, _Kept):
            return one.same(other)
        return bool(one == other)
