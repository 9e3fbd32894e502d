"""Two texts that are both JSON, such as a tool's result or a structured reply, leaf by leaf.

The only module that knows deepdiff. It is given what is pruned already: two short texts of
which it is known that they differ. On whole runs it would take seconds and drown what counts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from inspector.diff.leaves import inside

LONGEST = 100_000
_MOST_NODES = 5_000
_DEEPEST = 60
_OPENERS = ("{", "[")
_KINDS = {
    "values_changed": "changed",
    "type_changes": "type",
    "dictionary_item_added": "added",
    "iterable_item_added": "added",
    "dictionary_item_removed": "removed",
    "iterable_item_removed": "removed",
}
_TURNED = {"added": "removed", "removed": "added"}


class JsonChange(NamedTuple):
    """One leaf inside two texts of JSON that differs."""

    leaf: str
    kind: str  # as of a `ValueChange`
    left: Any
    right: Any


def json_changes(left: str, right: str, leaf: str) -> list[JsonChange] | None:
    """Return how two texts of JSON differ inside.

    Empty where they say the same in another spelling (spaces, order of keys). None where one
    of them is no JSON object or list, or too much of it.
    """
    # In one order, whichever side is which: pairing items of lists is not symmetric.
    turned = right < left
    one, other = (_parsed(text) for text in ((right, left) if turned else (left, right)))
    if one is None or other is None or type(one) is not type(other):
        return None
    found = _differences(one, other, leaf)
    if found is None or not turned:
        return found
    return [
        JsonChange(each.leaf, _TURNED.get(each.kind, each.kind), each.right, each.left)
        for each in found
    ]


def _differences(one: Any, other: Any, leaf: str) -> list[JsonChange] | None:
    from deepdiff import DeepDiff

    tree = DeepDiff(one, other, view="tree", threshold_to_diff_deeper=0)
    found = []
    for report, levels in tree.items():
        if (kind := _KINDS.get(report)) is None:
            return None
        for level in levels:
            where = leaf
            for key in level.path(output_format="list"):
                where = inside(where, key)
            sides = (None if kind == "added" else level.t1, None if kind == "removed" else level.t2)
            found.append(JsonChange(where, kind, *sides))
    found.sort(key=lambda change: change.leaf)
    return found


def _parsed(text: str) -> Any:
    if len(text) > LONGEST or not text.lstrip()[:1].startswith(_OPENERS):
        return None
    try:
        tree = orjson.loads(text)
    except (ValueError, RecursionError):
        return None
    return tree if _is_small(tree) else None


def _is_small(tree: Any) -> bool:
    """Whether a tree has few enough nodes, and few enough levels."""
    level, nodes = [tree], 0
    for _ in range(_DEEPEST):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        below = [node for nodes_of_one in inner for node in nodes_of_one]
        nodes += len(below)
        level = [node for node in below if isinstance(node, (dict, list))]
        if not level or nodes > _MOST_NODES:
            return nodes <= _MOST_NODES
    return False
