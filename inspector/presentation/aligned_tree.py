"""The tree of two runs as lines to be read from the top, what is the same folded away.

A span that changed keeps the spans around it, so that it is never out of its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector.presentation.compare_tree import NOBODY

if TYPE_CHECKING:
    from inspector.presentation.compare_tree import CompareTree

MOST = 300


class TreeLine(NamedTuple):
    """A node of the tree, or a stretch of nodes that are the same and are not shown."""

    depth: int
    node: int | None
    folded: int = 0  # how many nodes stand here; 0 for one that is shown


class AlignedLines(NamedTuple):
    """The lines, from the top."""

    lines: tuple[TreeLine, ...]
    left_out: int
    """How many nodes that differ, or hold some that do, are not shown for want of room."""


def aligned_lines(tree: CompareTree, most: int = MOST) -> AlignedLines:
    """Return the tree as lines.

    Args:
        tree: The tree of two runs.
        most: How many nodes to show.

    """
    lines: list[TreeLine] = []
    shown = left_out = 0
    # Not by recursion: agents that call agents are deeper than Python goes.
    waiting = [(node, 0) for node in reversed(tree.children(NOBODY))]
    while waiting:
        node, depth = waiting.pop()
        if not tree.changed[node]:
            _fold(lines, depth, _size(tree, node))
        elif shown >= most:
            left_out += 1
            waiting += [(below, depth + 1) for below in reversed(tree.children(node))]
        else:
            shown += 1
            lines.append(TreeLine(depth, node))
            waiting += [(below, depth + 1) for below in reversed(tree.children(node))]
    return AlignedLines(tuple(lines), left_out)


def _fold(lines: list[TreeLine], depth: int, count: int) -> None:
    if lines and (last := lines[-1]).node is None and last.depth <= depth:
        lines[-1] = last._replace(folded=last.folded + count)
    else:
        lines.append(TreeLine(depth, None, count))


def _size(tree: CompareTree, node: int) -> int:
    count = 0
    waiting = [node]
    while waiting:
        count += 1
        waiting += tree.children(waiting.pop())
    return count
