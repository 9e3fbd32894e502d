"""What belongs to the encoding of one value, and the few words all encoders share."""

from __future__ import annotations

from typing import Any

from inspector.runfile.interned import Interned
from inspector.runfile.value import TAG

DEEPEST = 150
"""Levels of JSON; readers show 200, of which the record around a value takes a few."""

SHARED_FROM = 8
"""A container of so many leaves is worth remembering, should it come again."""

MOST_NODES = 2_000_000
"""Elements that one value may have before the rest is left out."""

REPR_CHARS = 500


class Walk(dict[int, tuple[Any, Any]]):
    """The containers met on the way through one value, by identity.

    An entry holds the container, so that its identity is not given away meanwhile, and
    its tree, or None while we are still inside it.
    """

    __slots__ = ("nodes",)

    nodes: int

    def has_room(self, size: int) -> bool:
        """Count a large container; False when the value has become too large."""
        self.nodes = getattr(self, "nodes", 0) + size
        return self.nodes <= MOST_NODES


def type_name(kind: type) -> str:
    """Return the qualified name of a class without running any code of it."""
    try:
        name = _QUALNAME(kind)
        module = _MODULE(kind)
    except Exception:  # noqa: BLE001 - a metaclass may have taken these away
        return "object"
    if type(name) is not str:
        return "object"
    return f"{module}.{name}" if type(module) is str and module != "builtins" else name


# Read from `type` itself: a metaclass can lie about, or raise from, what an attribute access
# on the class finds.
_QUALNAME = type.__dict__["__qualname__"].__get__
_MODULE = type.__dict__["__module__"].__get__
_MRO = type.__dict__["__mro__"].__get__


def mro_of(kind: type) -> tuple[type, ...]:
    """Return the classes a class derives from, itself first."""
    order: tuple[type, ...] = _MRO(kind)
    return order


def truncated(kind: str, size: int, why: str, head: str | None = None) -> dict[str, Any]:
    """Return the stub for what was left out because of a limit."""
    stub: dict[str, Any] = {TAG: "truncated", "type": kind, "size": size}
    if head is not None:
        stub["head"] = head
    stub["why"] = why
    return stub


def opaque(kind: str, text: str = "", why: str = "") -> dict[str, Any]:
    """Return the stub for what cannot be encoded."""
    stub = {TAG: "opaque", "type": kind, "repr": text}
    if why:
        stub["why"] = why
    return stub


def too_deep(kind: str, size: int) -> dict[str, Any]:
    """Return the stub for a container that is nested too deeply."""
    return truncated(kind, size, f"nested more than {DEEPEST} levels deep")


def again(value: Any, known: tuple[Any, Any], walk: Walk) -> Any:
    """Return the tree of a container that was met before on this walk.

    From the second time on it is kept once and referred to: a few lists, each holding
    the next one twice, would otherwise fill any disk.
    """
    tree = known[1]
    if tree is None:
        return opaque(type_name(type(value)), "...", "it contains itself")
    if not isinstance(tree, Interned):
        tree = Interned(tree)
        walk[id(value)] = (value, tree)
    return tree
