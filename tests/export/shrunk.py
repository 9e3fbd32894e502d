"""Looks at runs that were cut."""

import json
import re
from typing import Any

_WORD = re.compile(r"[^\W\d_]{5,}")
_OWN = ("extensions", "not_recorded")


def new_words(before: bytes, after: bytes) -> set[str]:
    """Return the words of a cut run that the run did not hold, but for what it says of itself."""
    tree = json.loads(after)
    for name in _OWN:
        tree["run"].pop(name, None)
    for name in ("digest", "record_digests"):
        tree.pop(name)
    tree["values"] = list(tree["values"].values())
    return _words(tree) - _words(json.loads(before))


def _words(tree: Any) -> set[str]:
    """Return the words of all texts and names; what refers to values is a digest."""
    if isinstance(tree, dict):
        return {word for key, value in tree.items() if key != "$ref"
                for word in (*_WORD.findall(key), *_words(value))}  # fmt: skip
    if isinstance(tree, list):
        return {word for item in tree for word in _words(item)}
    return set(_WORD.findall(tree)) if isinstance(tree, str) else set()
