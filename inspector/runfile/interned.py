"""Parts of a value tree that the writer turns into JSON once, however often they stand in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import orjson


NODES: set[type] = set()
"""The classes of nodes, to tell them by their exact class."""


class Interned:
    """A node that may stand in many trees of one run.

    The writer turns it into JSON and hashes it when it first meets it, lets go of its
    tree, and from then on writes the reference. Nobody may change the tree after it
    was put in here.
    """

    __slots__ = ("after", "apart", "ref", "tree")

    def __init_subclass__(cls) -> None:
        NODES.add(cls)

    def __init__(self, tree: Any, after: Interned | None = None, *, apart: bool = False) -> None:
        self.tree = tree
        self.apart = apart  # a value of its own, however short: others continue it
        # The list that this one continues. The writer stores such chains front to back:
        # they grow as long as a conversation, and recursion would not reach their start.
        self.after = after
        self.ref: orjson.Fragment | None = None

    def build(self) -> Any:
        """Return the tree; on the writer's thread only."""
        return self.tree


NODES.add(Interned)


class Deferred(Interned):
    """A node whose tree is worked out on the writer's thread.

    For what cannot change any more and is slow to turn into JSON: bytes, packed
    arrays, tracebacks. `make` must not raise on purpose, and must not call into
    objects of the host.
    """

    __slots__ = ("make",)

    def __init__(self, make: Callable[[Any], Any], material: Any) -> None:
        super().__init__(material)
        self.make = make

    def build(self) -> Any:
        """Return the tree; on the writer's thread only."""
        return self.make(self.tree)
