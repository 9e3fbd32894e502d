"""How much a YAML file stands for, found out before anybody unfolds it.

A few lines of aliases of aliases stand for more values than there is memory. YAML keeps
each of them once; what walks through the loaded file meets every one of them.
"""

from __future__ import annotations

from typing import Any

MOST_VALUES = 1_000_000


def unfolded_size(text: str) -> int | None:
    """Return how many values a YAML text stands for, at most `MOST_VALUES + 1`.

    None is endless: something is inside of itself.

    Raises:
        yaml.YAMLError: It is no YAML.

    """
    import yaml

    root = yaml.compose(text, Loader=yaml.SafeLoader)
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    waiting: list[tuple[Any, bool]] = [] if root is None else [(root, False)]
    while waiting:
        node, is_done = waiting.pop()
        key = id(node)
        inside = _inside(node)
        if is_done:
            open_nodes.discard(key)
            whole = 1 + sum(sizes[id(each)] for each in inside)
            sizes[key] = min(whole, MOST_VALUES + 1)
        elif key in open_nodes:
            return None
        elif key not in sizes:
            open_nodes.add(key)
            waiting.append((node, True))
            waiting.extend((each, False) for each in inside)
    return 0 if root is None else sizes[id(root)]


def _inside(node: Any) -> list[Any]:
    value = node.value
    if not isinstance(value, list):
        return []
    return [part for each in value for part in (each if isinstance(each, tuple) else (each,))]
