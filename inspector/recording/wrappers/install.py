"""Putting shells on one instance, and taking them off again without a trace."""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

from inspector.recording.walk import What, instance_dict
from inspector.recording.wrappers import component, hook, strategy, tool
from inspector.recording.wrappers.shells import bound_shell_for, shell_for

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
        plan = _plan_for(type(instance), what)
        if plan.refusal is not None:
            raise Refused(plan.refusal)
        self.instance = instance
        self.shells = _shells_for(instance, own, what, plan)
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


class _Plan:
    """What is to be done to the instances of one class. Reading a class is slow."""

    __slots__ = ("methods", "refusal")

    def __init__(self, cls: type, what: What) -> None:
        self.refusal = _refusal(cls)
        self.methods = tuple(
            (name, static, inspect.isfunction(static))
            for name in _METHODS[what]
            if _is_method(static := inspect.getattr_static(cls, name, None))
        )

    def still_holds(self, cls: type) -> bool:
        """Whether nobody has put other functions into the class, as mocks of tests do."""
        return all(
            getattr(cls, name, None) is static
            for name, static, is_function in self.methods
            if is_function
        )


def _refusal(cls: type) -> str | None:
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


def _is_method(static: Any) -> bool:
    return (
        inspect.isfunction(static)
        or isinstance(static, _OTHER_METHODS)
        or type(static).__name__ == "cython_function_or_method"
    )


_plans: dict[tuple[type, What], _Plan] = {}


def _plan_for(cls: type, what: What) -> _Plan:
    plan = _plans.get((cls, what))
    if plan is None or not plan.still_holds(cls):
        if len(_plans) >= MOST_CLASSES:
            _plans.clear()
        plan = _plans[cls, what] = _Plan(cls, what)
    return plan


def _shells_for(instance: Any, own: dict[str, Any], what: What, plan: _Plan) -> dict[str, Any]:
    shells: dict[str, Any] = {}
    for name, static, is_function in plan.methods:
        if name in own:
            continue
        if is_function:
            shells[name] = types.MethodType(_shared_shell(static, name, what), instance)
        elif callable(bound := static.__get__(instance, type(instance))):
            shells[name] = bound_shell_for(bound, name, instance, _ENTER[what])
    for name in _METHODS[what]:
        if callable(own.get(name)):
            shells[name] = bound_shell_for(own[name], name, instance, _ENTER[what])
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
