"""`warm_up` of what will be answered is not called: it wants keys, servers and downloads.

Put on the instances for as long as something replays them, and felt in replays only. What
runs live after all is warmed up right before.
"""

from __future__ import annotations

import threading
import types
from typing import TYPE_CHECKING, Any

from inspector.recording.session import CURRENT
from inspector.recording.walk import What, instance_dict, walk_values
from inspector.replay.classes import Treatment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

SPARED = frozenset({Treatment.ANSWER, Treatment.NEVER_LIVE, Treatment.UNKNOWN})

_lock = threading.Lock()
_put: dict[int, tuple[Any, dict[str, Any], int]] = {}


def spare(instances: Iterable[Any], by: Mapping[str, Callable[..., Any]] | None = None) -> None:
    """Stand in front of what warms these instances up, until `spare_no_more`.

    Args:
        instances: What is not to be warmed up.
        by: What stands there, and in front of which other methods, by their names.

    """
    by = _SHELLS if by is None else by
    with _lock:
        for instance in instances:
            known = _put.get(id(instance))
            if known is not None:
                _put[id(instance)] = (known[0], known[1], known[2] + 1)
                continue
            own = instance_dict(instance)
            if own is None:
                continue
            shells = {
                name: types.MethodType(shell, instance)
                for name, shell in by.items()
                if name not in own and callable(getattr(type(instance), name, None))
            }
            if shells:
                own.update(shells)
                _put[id(instance)] = (instance, shells, 1)


def spare_no_more(instances: Iterable[Any]) -> None:
    """Undo one `spare`."""
    with _lock:
        for instance in instances:
            known = _put.get(id(instance))
            if known is None:
                continue
            if known[2] > 1:
                _put[id(instance)] = (known[0], known[1], known[2] - 1)
                continue
            del _put[id(instance)]
            own = instance_dict(instance) or {}
            for name, shell in known[1].items():
                if own.get(name) is shell:
                    del own[name]


def _is_spared(instance: Any) -> bool:
    live = CURRENT.get()
    replay = None if live is None else live.recording.replay
    if replay is None:
        return False
    kind = _kind_of(instance)
    name = str(getattr(instance, "name", "") if kind == "tool" else "")
    name = name or str(getattr(instance, "__component_name__", "") or "")
    treatment = replay.policy.of(instance, kind, "", name).treatment
    return treatment in SPARED


_kinds: dict[type, str] = {}
_MOST_CLASSES = 4_096


def _kind_of(instance: Any) -> str:
    cls = type(instance)
    kind = _kinds.get(cls)
    if kind is None:
        if len(_kinds) >= _MOST_CLASSES:
            _kinds.clear()
        what = next((each.what for each in walk_values([instance])), What.COMPONENT)
        named = {What.TOOL: "tool", What.HOOK: "hook", What.STRATEGY: "hook"}
        kind = _kinds[cls] = named.get(what, "component")
    return kind


def _warm_up(self: Any, *args: Any, **kwargs: Any) -> Any:
    if _is_spared(self):
        return None
    return type(self).warm_up(self, *args, **kwargs)


async def _warm_up_async(self: Any, *args: Any, **kwargs: Any) -> Any:
    if _is_spared(self):
        return None
    return await type(self).warm_up_async(self, *args, **kwargs)


_SHELLS: dict[str, Callable[..., Any]] = {"warm_up": _warm_up, "warm_up_async": _warm_up_async}


def warm_up(instance: Any) -> None:
    """Warm up what is about to run live after all; its own checks make twice no harm."""
    method = getattr(type(instance), "warm_up", None)
    if callable(method):
        method(instance)


async def warm_up_on_loop(instance: Any) -> None:
    """Warm up what is about to run on this event loop, whose clients belong to the loop."""
    method = getattr(type(instance), "warm_up_async", None)
    if callable(method):
        await method(instance)
    else:
        warm_up(instance)
