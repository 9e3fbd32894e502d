"""Ending an agent whose budget is used up the way Haystack wants it: by a hook.

An agent asks for its hooks at each point of its loop. While it is recorded with a budget,
what it asks is a dictionary that has one hook more, right before a call of its LLM, and
only once the budget is used up. Everybody else finds in there what was in there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from inspector.recording.guest import complain
from inspector.recording.session import CURRENT
from inspector.recording.walk import instance_dict

if TYPE_CHECKING:
    from inspector.recording.spending import Spending

BEFORE_LLM = "before_llm"
EXIT_REASON = "budget_exceeded"
_HOOKS = "hooks"


class BudgetHook:
    """Ends the run of an agent at the boundary of a step."""

    def __init__(self, spending: Spending) -> None:
        self._spending = spending

    def run(self, state: Any) -> None:
        """Ask the agent to stop; where it is too old to be asked, its next call is refused."""
        try:
            state.set("stop_run", EXIT_REASON)
        except Exception as error:  # noqa: BLE001 - a guest never raises into its host
            complain("An agent cannot be asked to stop", error)
            return
        self._spending.stop()

    async def run_async(self, state: Any) -> None:
        """Do the same in an async run."""
        self.run(state)


class GuardedHooks(dict[Any, Any]):
    """The hooks of one agent, for as long as somebody records it with a budget."""

    __slots__ = ("before", "original")

    def __init__(self, original: dict[Any, Any]) -> None:
        super().__init__(original)
        self.original = original
        self.before = dict(original)

    def get(self, point: Any, default: Any = None) -> Any:
        """Return the hooks of a point; the one that ends the run where it has to end."""
        if point == BEFORE_LLM and (live := CURRENT.get()) is not None:
            spending = live.recording.spending
            if spending is not None and live.recording.replay is None and spending.is_over:
                return [BudgetHook(spending)]
        return super().get(point, default)

    def __reduce__(self) -> tuple[type, tuple[dict[Any, Any]]]:
        """Let a copy be a plain dictionary: nobody would ever take ours away from it."""
        return dict, (dict(self),)

    def __reduce_ex__(self, _protocol: Any) -> tuple[type, tuple[dict[Any, Any]]]:
        return self.__reduce__()

    def copy(self) -> dict[Any, Any]:
        return dict(self)

    def __copy__(self) -> Self | dict[Any, Any]:
        return dict(self)


def is_agent(instance: Any) -> bool:
    """Say whether this is an agent of Haystack, which asks for hooks at each step."""
    return any(
        base.__name__ == "Agent" and base.__module__ == "haystack.components.agents.agent"
        for base in type(instance).__mro__
    )


def guard(instance: Any) -> None:
    """Put the dictionary that can stop an agent in the place of its own; leave others alone."""
    if not is_agent(instance):
        return
    own = instance_dict(instance)
    hooks = None if own is None else own.get(_HOOKS)
    if own is not None and type(hooks) is dict:
        own[_HOOKS] = GuardedHooks(hooks)


def unguard(agent: Any) -> None:
    """Give an agent its own dictionary back, with what was put into ours meanwhile."""
    own = instance_dict(agent)
    hooks = None if own is None else own.get(_HOOKS)
    if own is None or type(hooks) is not GuardedHooks:
        return
    original, before = hooks.original, hooks.before
    for point in before.keys() - hooks.keys():
        original.pop(point, None)
    original.update((p, held) for p, held in hooks.items() if before.get(p) is not held)
    own[_HOOKS] = original
