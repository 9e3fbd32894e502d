"""Putting shells on one instance, and taking them off again without a trace."""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from inspector.recording.walk import What, instance_dict
from inspector.recording.wrappers import component, hook, strategy, tool
from inspector.recording.wrappers.shells import bound_shell_for, of_class, shell_for

if TYPE_CHECKING:
    from inspector.recording.wrappers.shells import Enter

MOST_CLASSES = 4_096

_METHODS: dict[What, tuple[str, ...]] = {
    What.COMPONENT: ("run", "run_async"),
    What.HOOK: ("run", "run_async"),
    What.STRATEGY: ("run", "run_async"),
    What.TOOL: ("invoke", "invoke_async"),
}
_ENTER: dict[What, Enter] = {
    What.COMPONENT: component.enter,
    What.HOOK: hook.enter,
    What.STRATEGY: strategy.enter,
    What.TOOL: tool.enter,
}
_ABSENT: Any = object()
_REDUCE = "__reduce_ex__"


class Refused(Exception):  # noqa: N818 - no failure, an answer
    """An instance cannot be wrapped; the message says why."""


class Installed:
    """The shells on one instance."""

    __slots__ = ("before", "instance", "shells")

    def __init__(self, instance: Any, what: What) -> None:
        """Put the shells there.

        Raises:
            Refused: The instance takes no attributes, or has none of the methods.

        """
        own = instance_dict(instance)
        if own is None:
            raise Refused("its class has slots and takes no further attributes")
        if (why := _refusal(type(instance))) is not None:
            raise Refused(why)
        self.instance = instance
        self.shells = _shells_for(instance, own, what)
        if not self.shells:
            raise Refused(f"it has no {_METHODS[what][0]} that could be wrapped")
        self.shells[_REDUCE] = types.MethodType(_reduce_without_shells, instance)
        self.before = {name: own.get(name, _ABSENT) for name in self.shells}
        own.update(self.shells)

    def remove(self) -> None:
        """Leave the instance as it was, but for what others have put there meanwhile."""
        own = instance_dict(self.instance)
        if own is None:
            return
        for name, shell in self.shells.items():
            if own.get(name) is not shell:
                continue
            before = self.before[name]
            if before is _ABSENT:
                del own[name]
            else:
                own[name] = before


_refusals: dict[type, str | None] = {}


def _refusal(cls: type) -> str | None:
    if cls not in _refusals:
        if len(_refusals) >= MOST_CLASSES:
            _refusals.clear()
        _refusals[cls] = _refusal_of(cls)
    return _refusals[cls]


def _refusal_of(cls: type) -> str | None:
    parameters = inspect.getattr_static(cls, "__dataclass_params__", None)
    if getattr(parameters, "frozen", False):
        return "its class is a frozen dataclass"
    if inspect.getattr_static(cls, "__pydantic_fields__", None) is not None:
        return "its class is a pydantic model, whose attributes are its data"
    if inspect.getattr_static(cls, "__copy__", None) is not None:
        # A copy made by its own code would call the methods of the original.
        return "its class makes copies of its own kind"
    return None


# Methods of other kinds than plain functions. Whatever else computes something on access,
# such as a property or a cached property, is not touched.
_OTHER_METHODS = (
    staticmethod, classmethod, functools.partialmethod, functools.singledispatchmethod,
    types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)  # fmt: skip


def _shells_for(instance: Any, own: dict[str, Any], what: What) -> dict[str, Any]:
    shells: dict[str, Any] = {}
    enter = _ENTER[what]
    for name in _METHODS[what]:
        if name in own:
            if callable(own[name]):
                shells[name] = bound_shell_for(own[name], name, instance, enter)
            continue
        # Not remembered from one time to the next: somebody may have patched the class.
        static = of_class(type(instance), name)
        if isinstance(static, types.FunctionType):
            shells[name] = types.MethodType(_shared_shell(static, name, what), instance)
        elif (
            isinstance(static, _OTHER_METHODS)
            or type(static).__name__ == "cython_function_or_method"
        ) and callable(bound := static.__get__(instance, type(instance))):
            shells[name] = bound_shell_for(bound, name, instance, enter)
    return shells


# One shell serves all instances of a class: making one costs more than a call.
_shared: dict[tuple[Any, What], Any] = {}


def _shared_shell(function: Any, name: str, what: What) -> Any:
    key = (function, what)
    shell = _shared.get(key)
    if shell is None:
        if len(_shared) >= MOST_CLASSES:
            _shared.clear()
        shell = _shared[key] = shell_for(function, name, _ENTER[what])
    return shell


INSTALLED: dict[int, Installed] = {}
"""What is wrapped now, by address. `attach` keeps it, under its lock."""


def _reduce_without_shells(self: Any, protocol: Any) -> Any:
    """Let `copy` and `pickle` see the instance as if nothing was on it."""
    of_class: Any = type(self).__reduce_ex__
    reduced = of_class(self, protocol)
    if not isinstance(reduced, tuple) or len(reduced) < 3:
        return reduced
    return (*reduced[:2], _without_shells(self, reduced[2]), *reduced[3:])


def _without_shells(instance: Any, state: Any) -> Any:
    if isinstance(state, tuple) and len(state) == 2 and isinstance(state[0], dict):
        return (_without_shells(instance, state[0]), state[1])
    installed = INSTALLED.get(id(instance))
    if not isinstance(state, dict) or installed is None or installed.instance is not instance:
        return state
    clean = dict(state)
    for name, shell in installed.shells.items():
        if clean.get(name) is shell:
            before = installed.before[name]
            if before is _ABSENT:
                del clean[name]
            else:
                clean[name] = before
    return clean
