"""What can be said of a component that Haystack will not serialise.

`to_dict` refuses an agent for one tool that is a closure, and a generator for a key that is
given as a token. Its model, prompt and settings are plain values all the same, and the reason
why two runs differ. They are read where the instance keeps them under the names of its init
parameters; nothing of it is called but the `to_dict` of what it is made of.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from inspector.recording.topology import class_name

_DEEPEST = 8
_MOST_ITEMS = 1_000
_PLAIN = (str, int, float, bool, type(None))
_OF_A_TOOL = ("name", "description", "parameters", "inputs_from_state", "outputs_to_state",
              "outputs_to_string")  # fmt: skip


class _Unknown:
    """Stands for what nothing can be said of."""


_UNKNOWN = _Unknown()


def in_parts(instance: Any, depth: int = 0) -> dict[str, Any] | None:
    """Return a definition with the init parameters that can be told; None where none can."""
    kept = getattr(instance, "__dict__", None)
    if not isinstance(kept, dict):
        return None
    try:
        names = [*inspect.signature(type(instance).__init__).parameters][1:]
    except (TypeError, ValueError):
        return None
    found = {}
    for name in names:
        if name in kept and (told := _told(kept[name], depth + 1)) is not _UNKNOWN:
            found[name] = told
    return {"type": class_name(instance), "init_parameters": found} if found else None


def _told(value: Any, depth: int) -> Any:
    if depth > _DEEPEST:
        return _UNKNOWN
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (list, tuple)):
        return _items(value, depth)
    if isinstance(value, Mapping):
        return _members(value, depth)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if inspect.isroutine(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    return _made(value, depth)


def _items(value: list[Any] | tuple[Any, ...], depth: int) -> Any:
    if len(value) > _MOST_ITEMS:
        return _UNKNOWN
    told = [_told(item, depth + 1) for item in value]
    # With one item left out, the others would stand at places that are not theirs.
    return _UNKNOWN if any(each is _UNKNOWN for each in told) else told


def _members(value: Mapping[Any, Any], depth: int) -> Any:
    if len(value) > _MOST_ITEMS:
        return _UNKNOWN
    told = {str(key): _told(member, depth + 1) for key, member in value.items()}
    return {key: member for key, member in told.items() if member is not _UNKNOWN}


def _made(value: Any, depth: int) -> Any:
    """Return what an object says of itself, or what can be said of it."""
    if "Secret" in type(value).__name__:
        # One that is a token does not say what it is, and nobody else may.
        return _said(value) or _UNKNOWN
    if (said := _said(value)) is not None:
        return said
    kept = getattr(value, "__dict__", {})
    if isinstance(kept.get("name"), str) and "description" in kept:
        data = {name: _told(kept[name], depth + 1) for name in _OF_A_TOOL if name in kept}
        data = {name: each for name, each in data.items() if each is not _UNKNOWN}
        return {"type": class_name(value), "data": data}
    return in_parts(value, depth) or {"type": class_name(value)}


def _said(value: Any) -> Any:
    to_dict = getattr(value, "to_dict", None)
    if not callable(to_dict) or isinstance(value, type):
        return None
    try:
        found = to_dict()
    except Exception:  # noqa: BLE001 - an author's `to_dict` may do anything
        return None
    return found if isinstance(found, dict) else None
