"""Value trees of live values."""

from __future__ import annotations

from typing import Any

from inspector.runfile.interned import Interned


def built(tree: Any) -> Any:
    """Return a tree whose outermost node is no node that a writer would keep once."""
    while isinstance(tree, Interned):
        tree = tree.build()
    return tree
