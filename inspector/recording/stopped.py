"""Errors that are no failures: somebody stopped the run, and this is how."""

from __future__ import annotations

import asyncio

from inspector.errors import BudgetExceededError

_MOST_CAUSES = 20
_STOPPED = (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt)
# How Hayhooks ends an attempt that waits, is retried, was canceled, or is another worker's now.
_DURABLE_SIGNALS = frozenset({
    "_ExecutionSuspendedError", "_RetryRequestedError", "DurableExecutionCancelledError",
    "ExecutionLeaseLostError",
})  # fmt: skip


def was_stopped(error: BaseException) -> bool:
    """Say whether this is no failure: somebody stopped the run, a breakpoint or a budget did."""
    return (
        isinstance(error, _STOPPED)
        or is_breakpoint(error)
        or is_over_budget(error)
        or durable_signal(error) is not None
    )


def durable_signal(error: BaseException) -> BaseException | None:
    """Return what Hayhooks ended an attempt with, also where Haystack or a group wraps it."""
    seen: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if seen is None:
            break
        if any(kind.__name__ in _DURABLE_SIGNALS for kind in type(seen).__mro__):
            return seen
        if isinstance(seen, BaseExceptionGroup):
            inside = (durable_signal(each) for each in seen.exceptions[:_MOST_CAUSES])
            return next((each for each in inside if each is not None), None)
        seen = seen.__cause__
    return None


def is_breakpoint(error: BaseException) -> bool:
    """Say whether a breakpoint of Haystack stopped the run."""
    return any(kind.__name__ == "BreakpointException" for kind in type(error).__mro__)


def is_over_budget(error: BaseException) -> bool:
    """Say whether a budget ended this: Haystack raises an error of its own for ours."""
    seen: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if seen is None or isinstance(seen, BudgetExceededError):
            break
        seen = seen.__cause__
    return isinstance(seen, BudgetExceededError)
