"""Tagged lists that are written as the continuation of another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def continued_items(node: Any, followed: Callable[[Any], Any]) -> list[Any]:
    """Return the items of a tagged list, those that it continues in front of its own.

    Args:
        node: The tagged list.
        followed: Returns what a node stands for.

    """
    parts: list[list[Any]] = []
    seen: set[int] = set()
    following = node
    while True:
        following = followed(following)
        if isinstance(following, list):
            parts.append(following)
            break
        # A damaged file may lead back to where it came from.
        if not isinstance(following, dict) or id(following) in seen:
            break
        seen.add(id(following))
        if isinstance(items := following.get("items"), list):
            parts.append(items)
        following = following.get("after")
    return [item for part in reversed(parts) for item in part]
