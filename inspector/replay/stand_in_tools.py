"""Tools built from what a recording says of them, for a replay that must not fetch the real ones.

They are answered as any tool is. Should one run live after all, because the caller of the
replay allows it, its toolset is warmed up, and the real tool runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haystack.components.agents.state.state_utils import merge_lists, replace_values
from haystack.tools.agent_tool import agent_result_to_string
from haystack.tools.tool import Tool

from inspector.recording.walk import instance_dict
from inspector.replay.mode import ReplayError
from inspector.replay.warmth import warm_up, warm_up_on_loop
from inspector.runfile.value import to_python

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_ANYTHING = {"type": "object", "properties": {}}
_DEEPEST = 5
_MOST = 2_000


class StandIn(Tool):
    """A tool of a toolset that was not fetched."""

    sources: tuple[Any, ...] = ()

    def warm_up(self) -> None:
        """Have the real tool fetched."""
        for toolset in self.sources:
            warm_up(toolset)

    async def warm_up_async(self) -> None:
        """Have the real tool fetched, on this event loop."""
        for toolset in self.sources:
            await warm_up_on_loop(toolset)

    def invoke(self, **kwargs: Any) -> Any:
        """Run the real tool."""
        return self._real().invoke(**kwargs)

    async def invoke_async(self, **kwargs: Any) -> Any:
        """Run the real tool on the event loop."""
        return await self._real().invoke_async(**kwargs)

    def _real(self) -> Tool:
        for toolset in self.sources:
            for tool in (instance_dict(toolset) or {}).get("tools") or ():
                if isinstance(tool, Tool) and tool.name == self.name:
                    return tool
        names = ", ".join(type(toolset).__name__ for toolset in self.sources)
        raise ReplayError(
            f"{names} has no tool {self.name!r} any more, so it cannot run live.",
            hint="Replay without live calls, or record the agent anew.",
        )


def is_tool_tree(tree: Any) -> bool:
    """Say whether this is what a recording keeps of a tool."""
    return isinstance(tree, dict) and tree.get("$") == "tool" and isinstance(tree.get("name"), str)


def _no_function(**_arguments: Any) -> None:
    """Stand where a tool has its function."""


def stand_in(tree: Mapping[str, Any], wires: Mapping[str, Any], sources: tuple[Any, ...]) -> Tool:
    """Build a tool from what was recorded of it.

    Args:
        tree: Its name, description, parameters and class.
        wires: How it gets at the agent's state, and what becomes of its result.
        sources: The toolsets that the real one would come from.

    """
    cls: Any = StandIn
    if isinstance(kind := tree.get("class"), str):
        # A name and nothing more: what the model is told of the class has to be the same.
        module, _, name = kind.rpartition(".")
        cls = type(name, (StandIn,), {"__module__": module or "builtins", "__qualname__": name})
    else:
        cls = type("Tool", (StandIn,), {"__module__": Tool.__module__, "__qualname__": "Tool"})
    parameters = to_python(tree.get("parameters"))
    tool: StandIn = cls(
        name=tree["name"], description=str(tree.get("description") or ""),
        parameters=parameters if isinstance(parameters, dict) else dict(_ANYTHING),
        function=_no_function,
    )  # fmt: skip
    tool.sources = sources
    functions = {**_HANDLERS, **{_name(each): each for each in _functions(sources)}}
    # Afterwards: they are checked against the function, and this one has no parameters.
    tool.inputs_from_state = to_python(wires.get("inputs_from_state")) or None
    tool.outputs_to_state = _wired(wires.get("outputs_to_state"), functions) or None
    tool.outputs_to_string = _wired(wires.get("outputs_to_string"), functions) or None
    return tool


def _wired(tree: Any, functions: Mapping[str, Callable[..., Any]]) -> Any:
    """Return wiring with its handlers: functions that are here already, by their names."""
    if not isinstance(tree, dict):
        return to_python(tree)
    if tree.get("$") == "callable":
        return functions.get(str(tree.get("name")))
    made = {key: _wired(value, functions) for key, value in tree.items()}
    return {key: value for key, value in made.items() if value is not None}


def _functions(things: Any) -> Iterator[Any]:
    """Yield the functions that live toolsets hold in their own settings."""
    todo = [(thing, 0) for thing in things]
    count = 0
    while todo and (count := count + 1) < _MOST:
        thing, depth = todo.pop()
        if callable(thing) and hasattr(thing, "__qualname__"):
            yield thing
        elif depth < _DEEPEST:
            inside: Any = (
                thing if isinstance(thing, (dict, list, tuple)) else instance_dict(thing)
            )  # fmt: skip
            values = inside.values() if isinstance(inside, dict) else inside
            if not depth or isinstance(thing, (dict, list, tuple)):
                todo.extend((each, depth + 1) for each in values or ())


def _name(function: Any) -> str:
    return f"{function.__module__}.{function.__qualname__}"


_HANDLERS: dict[str, Callable[..., Any]] = {
    _name(function): function for function in (agent_result_to_string, merge_lists, replace_values)
}
