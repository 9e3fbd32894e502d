"""`recorded`: how a wrapper, one method of it, a runner, or a block is recorded."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

from inspector.hayhooks.recorder.attempt import RecordedAttempt
from inspector.hayhooks.recorder.options import options_for
from inspector.recording.guest import complain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.hayhooks.recorder.options import Options

_RUNNERS = ("run_durable", "run_durable_async")
_HAYHOOKS = "hayhooks."


def recorded(what: Any = None, folder: str | Path | None = None, **settings: Any) -> Any:
    """Record the attempts of durable executions, each in a segment of its own.

    A decorator for a wrapper's class, for its `run_durable` or `run_durable_async`, or for the
    runner of a `DurableDeployment`:

        @recorded(folder="/shared/runs")
        class PipelineWrapper(BasePipelineWrapper): ...

    Or a block in one of these, for `with` and `async with`:

        with recorded(context, folder="/shared/runs"): ...

    Args:
        what: A durable context, what is decorated, or nothing.
        folder: Where segments go, the same for all replicas; what RUN_INSPECTOR_HAYHOOKS_RUNS
            says unless given.
        settings: `live_spans=True` tells of spans over the stream of the execution (or how many
            times at most), `progress=False` reports no progress event; and of what
            `inspector.recording` takes: `redact`, `embeddings`, `limits`, `wrappers`,
            `compress`, `sink`, `stream`.

    Raises:
        RecordingError: A setting makes no sense. A block never raises it: it says so in the log,
            and records nothing.

    """
    if hasattr(what, "execution_id") and hasattr(what, "attempt"):
        return RecordedAttempt(what, _guarded_options(folder, settings))
    if what is None or not (inspect.isclass(what) or callable(what)):
        # `recorded("/shared/runs")` means the folder.
        options = options_for(what if folder is None else folder, **settings)
        return functools.partial(_decorated, options=options)
    return _decorated(what, options=options_for(folder, **settings))


def _guarded_options(folder: str | Path | None, settings: dict[str, Any]) -> Options | None:
    try:
        return options_for(folder, **settings)
    except Exception as error:  # noqa: BLE001 - an execution is running: it goes on
        complain("An attempt of a durable execution is not recorded", error)
        return None


def _decorated(what: Any, *, options: Options | None) -> Any:
    if options is None:
        return what
    if not inspect.isclass(what):
        return _recorded_function(what, options)
    for name in _RUNNERS:
        own = _own(what, name)
        if own is not None:
            setattr(what, name, _recorded_function(own, options))
    return what


def _own(wrapper: type, name: str) -> Any:
    """Return a method that a wrapper or a base of it defines, but not Hayhooks' own."""
    for base in wrapper.__mro__:
        if base.__module__.startswith(_HAYHOOKS):
            return None
        if inspect.isfunction(own := vars(base).get(name)):
            return own
    return None


def _recorded_function(function: Callable[..., Any], options: Options) -> Callable[..., Any]:
    """Return a function with the same signature, which Hayhooks looks at."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            attempt, request = _attempt_of(args, kwargs, options)
            async with attempt:
                attempt.took(request)
                result = await function(*args, **kwargs)
                attempt.gave(result)
                return result

        return run_async

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        attempt, request = _attempt_of(args, kwargs, options)
        with attempt:
            attempt.took(request)
            result = function(*args, **kwargs)
            attempt.gave(result)
            return result

    return run


def _attempt_of(
    args: tuple[Any, ...], kwargs: dict[str, Any], options: Options
) -> tuple[RecordedAttempt, Any]:
    """Find the context among what a runner is called with; the request comes after it."""
    given = [*args, *kwargs.values()]
    for place, each in enumerate(given):
        if hasattr(each, "execution_id") and hasattr(each, "attempt"):
            return RecordedAttempt(each, options), given[place + 1] if given[place + 1 :] else None
    return RecordedAttempt(None, None), None
