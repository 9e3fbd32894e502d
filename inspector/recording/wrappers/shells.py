"""The thin functions that stand in front of a method, and let go of everything quickly.

A shell calls the very function it stands for with the very arguments it got, raises what
that raises, and adds one frame to its traceback. What is recorded is decided by `enter`,
which answers None when there is nothing to do after the call.
"""

from __future__ import annotations

import functools
import inspect
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from inspector.errors import BudgetExceededError
from inspector.recording.guest import complain
from inspector.recording.session import CURRENT

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from types import FrameType

    Enter = Callable[[Any, "Method", tuple[Any, ...], dict[str, Any]], "Call | None"]

# A thread that lost its context finds its way back through these: see `origins`.
OPEN: dict[int, Any] = {}
"""Calls in progress of instances that hold others, while one of them is recorded."""

UNRECORDED: dict[object, Any] = {}
"""The instances of such calls that began while none was recorded."""

HOLDING: dict[int, int] = {}
"""How many wrapped instances are inside of the one at an address."""

HELD_BY: dict[int, set[int]] = {}
"""At which addresses stands what holds the one at an address."""


class _Seam:
    """Where a replay gets in: it may put an answer in place of a method, call by call."""

    __slots__ = ("instead_of", "straight_away")

    instead_of: Callable[[Any, Method, Callable[..., Any]], Callable[..., Any]] | None
    # Gives the result of a call of which everything is known already, in a tuple.
    straight_away: (
        Callable[[Any, Method, tuple[Any, ...], dict[str, Any]], tuple[Any] | None] | None
    )


SEAM = _Seam()
SEAM.instead_of = SEAM.straight_away = None  # unless something replays

_SHELLS: set[int] = set()  # addresses of their code: hashing code itself takes a microsecond


class Method:
    """What is to be known of a method that a shell stands in front of."""

    __slots__ = ("is_async", "name", "parameters", "takes")

    def __init__(self, name: str, function: Any, *, skip: int = 0) -> None:
        self.name = name
        self.is_async = inspect.iscoroutinefunction(function)
        try:
            parameters = list(inspect.signature(function).parameters.values())[skip:]
        except (TypeError, ValueError):
            parameters = []
        self.takes = frozenset(
            each.name
            for each in parameters
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        )
        self.parameters = tuple(
            each.name
            for each in parameters
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        )

    def named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return what was passed, by name."""
        if not args:
            return dict(kwargs)
        named = dict(zip(self.parameters, args, strict=False))
        extra = args[len(self.parameters) :]
        return {**named, **({"args": extra} if extra else {}), **kwargs}


class Call:
    """One call that is being recorded: what it is called with, and what to do afterwards.

    Nothing in here raises, whatever happens.
    """

    __slots__ = ("args", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args = args
        self.kwargs = kwargs

    def returned(self, result: Any, /) -> None:
        """Take what the method gave back."""

    def failed(self, error: BaseException, /) -> None:
        """Take what the method raised."""

    def paused(self) -> None:
        """Leave the context: the method gave back a coroutine, to be awaited somewhere."""

    def resumed(self) -> None:
        """Enter the context of whoever awaits that coroutine."""


def shell_for(function: Callable[..., Any], name: str, enter: Enter) -> Callable[..., Any]:
    """Return the shell for a function of a class; it takes the instance first."""
    method = Method(name, function, skip=1)
    if method.is_async:
        return _shell_async(function, method, enter)
    return _shell_sync(function, method, enter)


def bound_shell_for(
    bound: Callable[..., Any], name: str, instance: Any, enter: Enter
) -> Callable[..., Any]:
    """Return the shell for what needs no instance: static methods, functions on an instance."""

    def with_instance(_instance: Any, /, *args: Any, **kwargs: Any) -> Any:
        return bound(*args, **kwargs)

    method = Method(name, bound)
    if method.is_async:

        async def with_instance_async(_instance: Any, /, *args: Any, **kwargs: Any) -> Any:
            return await bound(*args, **kwargs)

        inner_async = _shell_async(with_instance_async, method, enter, of_a_class=False)

        @functools.wraps(bound)
        async def shell_async(*args: Any, **kwargs: Any) -> Any:
            return await inner_async(instance, *args, **kwargs)

        return shell_async

    inner = _shell_sync(with_instance, method, enter, of_a_class=False)

    @functools.wraps(bound)
    def shell(*args: Any, **kwargs: Any) -> Any:
        return inner(instance, *args, **kwargs)

    return shell


def _shell_sync(  # noqa: C901 - everything in one frame of the host's stack
    original: Callable[..., Any], method: Method, enter: Enter, *, of_a_class: bool = True
) -> Callable[..., Any]:
    name = method.name

    @functools.wraps(original)
    def shell(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        function = original
        if of_a_class and getattr(type(self), name, None) is not original:
            function = _patched(type(self), name, original)
        if CURRENT.get() is None and not OPEN and SEAM.instead_of is None:
            if id(self) not in HOLDING:
                return function(self, *args, **kwargs)
            UNRECORDED[mark := object()] = self
            try:
                return function(self, *args, **kwargs)
            finally:
                del UNRECORDED[mark]
        if SEAM.straight_away is not None:
            known = SEAM.straight_away(self, method, args, kwargs)
            if known is not None:
                return known[0]
        try:
            call = enter(self, method, args, kwargs)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            _not_recorded(error)
            call = None
        act = function
        try:
            if SEAM.instead_of is not None:
                act = SEAM.instead_of(self, method, function)
            if call is None:
                return act(self, *args, **kwargs)
            result = act(self, *call.args, **call.kwargs)
        except BaseException as error:
            if call is not None:
                call.failed(error)
            raise
        if inspect.iscoroutine(result):
            call.paused()
            return _finish(call, result)
        call.returned(result)
        return result

    _SHELLS.add(id(cast("Any", shell).__code__))
    return shell


def _shell_async(
    original: Callable[..., Coroutine[Any, Any, Any]], method: Method, enter: Enter, *,
    of_a_class: bool = True,
) -> Callable[..., Coroutine[Any, Any, Any]]:  # fmt: skip
    name = method.name

    @functools.wraps(original)
    async def shell(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        function = original
        if of_a_class and getattr(type(self), name, None) is not original:
            function = _patched(type(self), name, original)
        if CURRENT.get() is None and not OPEN and SEAM.instead_of is None:
            if id(self) not in HOLDING:
                return await function(self, *args, **kwargs)
            UNRECORDED[mark := object()] = self
            try:
                return await function(self, *args, **kwargs)
            finally:
                del UNRECORDED[mark]
        if SEAM.straight_away is not None:
            known = SEAM.straight_away(self, method, args, kwargs)
            if known is not None:
                return known[0]
        try:
            call = enter(self, method, args, kwargs)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            _not_recorded(error)
            call = None
        act = function
        try:
            if SEAM.instead_of is not None:
                act = SEAM.instead_of(self, method, function)
            if call is None:
                return await act(self, *args, **kwargs)
            result = await act(self, *call.args, **call.kwargs)
        except BaseException as error:
            if call is not None:
                call.failed(error)
            raise
        call.returned(result)
        return result

    _SHELLS.add(id(cast("Any", shell).__code__))
    return shell


def _not_recorded(error: Exception) -> None:
    if isinstance(error, BudgetExceededError):
        raise error  # the host asked for it
    complain("A call was not recorded", error)


def of_class(cls: type, name: str) -> Any:
    """Return what a class or one of its bases keeps under a name, as it is kept there."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def _patched(cls: type, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """Return what now stands where the wrapped function stood in the class, to be called as it."""
    static = of_class(cls, name)
    if static is None or isinstance(static, FunctionType):
        return static or original

    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        bind = getattr(type(static), "__get__", None)
        bound = static if bind is None else bind(static, self, cls)
        return bound(*args, **kwargs)

    return call


async def _finish(call: Call, coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Await what an undeclared coroutine function made, for whoever was going to."""
    call.resumed()
    try:
        result = await coroutine
    except BaseException as error:
        call.failed(error)
        raise
    call.returned(result)
    return result


def is_shell_of(frame: FrameType, call: object) -> bool:
    """Say whether this is the frame of the shell that `call` goes through."""
    return id(frame.f_code) in _SHELLS and frame.f_locals.get("call") is call
