"""Conversations without the turns that were compared before.

Each turn of an agent is sent all turns before it: together they are longer than anybody can
wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from inspector.diff.glance import digest_in, loaded, tag_in

if TYPE_CHECKING:
    from inspector.diff.context import Context, SideView

_SOCKETS = ("messages", "prompt")


def without_history(context: Context, one: Any, other: Any, *, least: int = 0) -> bool:
    """Leave the turns that both sides' LLMs were sent before out of two spans' values.

    Args:
        context: The runs, and what LLMs were sent in them.
        one: The inputs or outputs of the left span, references as they stand; changed in place.
        other: Those of the right one.
        least: Only conversations with more messages than that lose what they begin with.

    Returns:
        Whether anything was left out.

    """
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return False
    found = False
    for socket in _SOCKETS:
        trees = [
            _continued(view, tree.get(socket))
            for view, tree in ((context.left, one), (context.right, other))
        ]
        before = [key_of(orjson.dumps(tree.get("after"))) for tree in trees]
        if (before[0], before[1]) not in context.prompts:
            continue
        if least and not all(
            _is_longer(view, tree, least)
            for view, tree in zip((context.left, context.right), trees, strict=True)
        ):
            continue
        one[socket], other[socket] = (tree.get("items") for tree in trees)
        found = True
    return found


def without_equal_history(context: Context, one: Any, other: Any) -> None:
    """Leave out what both sides' LLMs were sent before, where that says the same."""
    if not (isinstance(one, dict) and isinstance(other, dict)):
        return
    for socket in _SOCKETS:
        sent = one.get(socket), other.get(socket)
        if None in sent:
            continue
        if (key_of(orjson.dumps(sent[0])), key_of(orjson.dumps(sent[1]))) in context.equal_prompts:
            del one[socket], other[socket]
            continue
        trees = [
            _continued(view, tree)
            for view, tree in zip((context.left, context.right), sent, strict=True)
        ]
        before = [key_of(orjson.dumps(tree.get("after"))) for tree in trees]
        if (before[0], before[1]) in context.equal_prompts:
            one[socket], other[socket] = (tree.get("items") for tree in trees)


def key_of(raw: bytes) -> str:
    """Return what a conversation is known by: its digest, or itself."""
    return digest_in(raw) or raw.decode("utf-8", "replace")


def _continued(view: SideView, tree: Any) -> dict[str, Any]:
    """Return a list that goes on where another one ends; nothing for any other value."""
    text = view.glance.followed(msgspec.Raw(orjson.dumps(tree)))
    return loaded(text) if tag_in(text) == "list" else {}


def _is_longer(view: SideView, tree: Any, least: int) -> bool:
    """Whether a list has more items than that, with those that it continues."""
    left = least
    for _ in range(least):
        items = tree if isinstance(tree, list) else tree.get("items")
        left -= len(items) if isinstance(items, list) else 0
        following = tree.get("after") if isinstance(tree, dict) else None
        if left < 0 or following is None:
            break
        tree = loaded(view.glance.followed(msgspec.Raw(orjson.dumps(following))))
        if not isinstance(tree, (dict, list)):
            break
    return left < 0
