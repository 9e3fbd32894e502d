"""Value trees of live values."""

from __future__ import annotations

from typing import Any

from inspector.runfile.interned import Interned

_MOST_ITEMS = 64
_ABSENT: Any = object()


def is_same(live: Any, recorded: Any) -> bool:
    """Say whether a live tree is a recorded one to the letter.

    Most calls of a replay are, and seeing that is quicker than working out a fingerprint.
    False says nothing: there may be too much to look at, or it may be told differently.
    """
    kind = type(live)
    if kind is not dict and kind is not list:
        while isinstance(live, Interned):
            live = live.build()
        kind = type(live)
    if kind is not type(recorded):
        return False
    if kind is dict:
        return len(live) == len(recorded) and _same_fields(live, recorded)
    if kind is list:
        if len(live) != len(recorded) or len(live) > _MOST_ITEMS:
            return False
        return all(map(is_same, live, recorded))
    return bool(live == recorded)


def _same_fields(live: dict[str, Any], recorded: dict[str, Any]) -> bool:
    for key, value in live.items():
        other = recorded.get(key, _ABSENT)
        if value is other:
            continue
        if type(value) is str:
            if value != other:
                return False
        elif not is_same(value, other):
            return False
    return True


def built(tree: Any) -> Any:
    """Return a tree whose outermost node is no node that a writer would keep once."""
    while isinstance(tree, Interned):
        tree = tree.build()
    return tree
