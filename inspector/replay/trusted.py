"""Which modules a component may name when it is made anew: those that it is made of already.

Haystack makes nothing from a module that it was not told to trust. What the live target
consists of has been imported by its owner; whatever else stands in a changed parameter, such
as one that came out of a stranger's file, stays refused.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

_LONGEST = 200
_MOST = 10_000


def modules_in(told: Any) -> frozenset[str]:
    """Return the loaded modules that the serialised form of a live component names."""
    found: set[str] = set()
    todo, seen = [told], 0
    while todo and seen < _MOST:
        seen += 1
        node = todo.pop()
        if isinstance(node, dict):
            todo.extend(node.values())
        elif isinstance(node, list | tuple):
            todo.extend(node)
        elif isinstance(node, str) and "." in node and len(node) <= _LONGEST:
            found.update(_module_of(node))
    return frozenset(found)


def _module_of(words: str) -> Iterable[str]:
    parts = words.split(".")
    if not all(part.isidentifier() for part in parts):
        return
    for end in range(len(parts) - 1, 0, -1):
        if (module := ".".join(parts[:end])) in sys.modules:
            # A module of Python's own is no part of anybody's target.
            if parts[0] not in sys.stdlib_module_names:
                yield module
            return


def allowing(modules: Iterable[str]) -> AbstractContextManager[Any]:
    """Let Haystack make what comes from these modules, for as long as the context lasts."""
    try:
        # The public way lasts until the process ends, in a process that is not ours.
        from haystack.core.serialization_security import _deserialization_context
    except ImportError:
        return nullcontext()  # a Haystack from before there was such a list
    return _deserialization_context(allowed_modules=sorted(modules))
