"""Whatever stands in a file, a comparison is made of what can be read, or refused in words."""

import json
import random
from typing import Any

import pytest

from inspector import diff_runs, load_run
from inspector.assets import asset
from inspector.errors import RunFileError

NAMES = ("agent-tools", "rag-answer", "untaken-branch", "validator-loop")
ODD: tuple[Any, ...] = (
    None, 5, "", "\ud800", True, [], [None], {}, {"$": "list"}, {"$": "document"},
    {"$ref": "nowhere"}, {"$ref": 5}, {"$": "list", "after": {"$ref": "x"}, "items": [1]},
    {"components": 5, "connections": True},
)  # fmt: skip


def places(tree: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)
    found = []
    for key, child in pairs:
        found.append((*path, key))
        if isinstance(child, (dict, list)):
            found += places(child, (*path, key))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_odd_values_in_odd_places_stop_no_comparison(name: str) -> None:
    draw = random.Random(name)
    text = asset(f"examples/{name}.run.json").read_text(encoding="utf-8")
    whole = load_run(text.encode())
    everywhere = [path for path in places(json.loads(text)) if len(path) > 1]
    for _ in range(25):
        tree = json.loads(text)
        path = draw.choice(everywhere)
        node = tree
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = draw.choice(ODD)
        try:
            damaged = load_run(json.dumps(tree).encode())
        except RunFileError:
            continue
        for left, right in ((whole, damaged), (damaged, whole)):
            comparison = diff_runs(left, right)
            assert json.dumps(comparison.to_dict())
            assert str(comparison)
