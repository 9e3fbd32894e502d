"""Hooks of a stranger's agent: they change again what was recorded, and run nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from haystack.components.agents.state import State  # noqa: TC002 - Haystack reads annotations
from haystack.hooks.from_function import FunctionHook
from haystack.hooks.protocol import VALID_HOOK_POINTS

from inspector.recording.operations import HOOK
from inspector.replay.mode import ReplayError
from inspector.replay.stub_parts import NotAnsweredError, named
from inspector.replay.stub_plan import FUNCTION_HOOK, hooks_of

if TYPE_CHECKING:
    from inspector.replay.stub_plan import Part
    from inspector.runfile.model import PipelineRun

_MOST_HOOKS = 100
_PLACE = re.compile(r"(#\d+/)?(agent#\d+/)?(step\d+/)?hook:[^/]*")
_LONGEST = 200


class StubHook:
    """A hook that does nothing."""

    __haystack_side_effecting__ = True

    def run(self, state: State) -> None:  # noqa: ARG002 - what Haystack calls it with
        """Refuse: a stub is answered, and never runs."""
        raise NotAnsweredError("This hook is a stub, which does nothing by itself.")

    def to_dict(self) -> dict[str, Any]:
        """Say what it is called."""
        kind = type(self)
        return {"type": f"{kind.__module__}.{kind.__name__}", "init_parameters": {}}


class StubFunctionHook(FunctionHook):
    """A hook made of a function, without that function."""

    __haystack_side_effecting__ = True

    def to_dict(self) -> dict[str, Any]:
        """Say what it is called."""
        return {"type": FUNCTION_HOOK, "init_parameters": {}}


def stub_hooks(part: Part, run: PipelineRun) -> dict[str, list[Any]]:
    """Return what stands for the hooks of a recorded agent, by the points where they ran.

    Raises:
        ReplayError: There are too many, or one of them has no name.

    """
    found: dict[str, list[Any]] = {}
    for point, kinds in hooks_of(part.recorded).items():
        if point not in VALID_HOOK_POINTS:
            raise ReplayError(f"{point[:80]!r} is no place where an agent has hooks.")
        names = _names(part, run, point)
        found[point] = [_stub(kind, names) for kind in kinds]
    if sum(map(len, found.values())) > _MOST_HOOKS:
        raise ReplayError(f"The agent has more than {_MOST_HOOKS} hooks.")
    return found


def _stub(kind: str, names: list[str]) -> Any:
    if kind != FUNCTION_HOOK:
        return named(StubHook, kind)()
    # Haystack calls such a hook by the name of its function, and so does its place.
    hook: Any = named(StubFunctionHook, kind)(function=_function(names.pop(0) if names else "hook"))
    return hook


def _function(name: str) -> Any:
    def nothing(state: State) -> None:  # noqa: ARG001 - hooks take the state
        raise NotAnsweredError("This hook is a stub, which does nothing by itself.")

    nothing.__module__ = "recorded"
    nothing.__name__ = nothing.__qualname__ = name
    return nothing


def _names(part: Part, run: PipelineRun, point: str) -> list[str]:
    """Return the names of the function hooks of a point, in their order, from the first time."""
    names: list[str] = []
    parent: str | None = None
    for span in run.spans:
        if span.operation != HOOK or span.type != FUNCTION_HOOK:
            continue
        place = span.path.removeprefix(part.name)
        if not span.path.startswith(part.name) or not _PLACE.fullmatch(place):
            continue  # of an agent inside of this one
        if span.tags.get("haystack.agent.hook.point") != point:
            continue
        if parent is not None and span.parent_id != parent:
            break
        parent = span.parent_id
        names.append(span.name[:_LONGEST])
    return names
