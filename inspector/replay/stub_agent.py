"""A stranger's agent: Haystack's own loop, round a generator and tools that are stubs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from haystack.components.agents import Agent
from haystack.components.agents.state.state_utils import merge_lists, replace_values
from haystack.tools.agent_tool import agent_result_to_string

from inspector.replay.mode import ReplayError
from inspector.replay.stub_hooks import stub_hooks
from inspector.replay.stub_parts import StubGenerator, StubTool, named, no_function, type_of
from inspector.replay.stub_plan import mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.replay.stub_plan import Part
    from inspector.runfile.model import PipelineRun

_MOST_TOOLS = 500
_GENERATOR = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
_TOOL = "haystack.tools.tool.Tool"
_ANYTHING = {"type": "object", "properties": {}}
_PLAIN = (
    "system_prompt", "user_prompt", "required_variables", "exit_conditions", "max_agent_steps",
    "raise_on_tool_invocation_failure", "tool_concurrency_limit",
)  # fmt: skip


def stub_agent(part: Part, run: PipelineRun) -> Agent:
    """Build an agent that asks nobody and does nothing.

    Raises:
        ReplayError: It cannot be built from what was recorded.

    """
    parameters = {name: part.parameters[name] for name in _PLAIN if name in part.parameters}
    recorded = mapping(part.recorded, "agent")
    generator = mapping(recorded, "chat_generator").get("type")
    try:
        return Agent(
            chat_generator=named(StubGenerator, str(generator or _GENERATOR))(),
            tools=[_tool(spec) for spec in _specs(part, run)],
            state_schema=_state(mapping(part.parameters, "state_schema")),
            hooks=stub_hooks(part, run),  # type: ignore[arg-type]  # made while running
            **parameters,
        )
    except ReplayError:
        raise
    except Exception as error:
        raise ReplayError(f"The recorded agent cannot be put together: {error}.") from error


def _specs(part: Part, run: PipelineRun) -> list[dict[str, Any]]:
    """Return what is known of each tool: what the LLM was told of it comes first."""
    defined = {str(each.get("name")): each for each in _defined(part.parameters.get("tools"), 0)}
    listed = mapping(part.recorded, "agent").get("tools")
    specs: dict[str, dict[str, Any]] = {}
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            specs[entry["name"]] = dict(entry)
    told = _told(part, run)
    for name in list(specs) or [*told, *(each for each in defined if each not in told)]:
        known = {**defined.get(name, {}), **told.get(name, {})}
        specs[name] = {**known, **specs.get(name, {}), "name": name}
    if len(specs) > _MOST_TOOLS:
        raise ReplayError(f"The agent has more than {_MOST_TOOLS} tools.")
    return list(specs.values())


def _defined(tools: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Yield the data of tools in a definition, those in toolsets as well."""
    if isinstance(tools, dict):
        tools = [tools]
    for tool in tools if isinstance(tools, list) and depth < 4 else ():
        data = mapping(tool, "data")
        if isinstance(data.get("name"), str):
            yield {"type": tool.get("type"), **data}
        yield from _defined(data.get("tools"), depth + 1)


def _told(part: Part, run: PipelineRun) -> dict[str, Mapping[str, Any]]:
    """Return the tools that the agent's LLM was told of."""
    found: dict[str, Mapping[str, Any]] = {}
    start = f"{part.name}#" if part.name else ""
    for span in run.spans:
        if span.kind != "llm" or not span.path.startswith(start):
            continue
        tools = span.inputs.get("tools") if isinstance(span.inputs, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(tool.get("name"), str):
                found.setdefault(tool["name"], tool)
    return found


def _tool(spec: Mapping[str, Any]) -> StubTool:
    parameters = spec.get("parameters")
    type_name = spec.get("type")
    cls = named(StubTool, type_name if isinstance(type_name, str) else _TOOL)
    tool: StubTool = cls(
        name=str(spec["name"]),
        description=str(spec.get("description") or ""),
        parameters=dict(parameters) if isinstance(parameters, dict) else dict(_ANYTHING),
        function=no_function,
    )
    # Afterwards: they are checked against a function, and this one has no parameters.
    tool.inputs_from_state = _words(spec.get("inputs_from_state"))
    tool.outputs_to_state = _outputs(spec.get("outputs_to_state"))
    tool.outputs_to_string = _handled(spec.get("outputs_to_string")) or None
    return tool


def _words(tree: Any) -> dict[str, str] | None:
    if not isinstance(tree, dict):
        return None
    return {key: value for key, value in tree.items() if isinstance(value, str)} or None


_HANDLERS: dict[str, Callable[..., Any]] = {
    f"{function.__module__}.{function.__qualname__}": function
    for function in (agent_result_to_string, merge_lists, replace_values)
}
"""Functions that handle outputs, all of them Haystack's own; any other one is left out."""


def _handled(tree: Any) -> dict[str, Any]:
    """Return which part of an output is taken, and by which of the functions we know."""
    kept: dict[str, Any] = {}
    if isinstance(source := mapping({"it": tree}, "it").get("source"), str):
        kept["source"] = source
    handler = _HANDLERS.get(str(mapping({"it": tree}, "it").get("handler")))
    if handler is not None:
        kept["handler"] = handler
    return kept


def _outputs(tree: Any) -> dict[str, dict[str, Any]] | None:
    if not isinstance(tree, dict):
        return None
    return {key: _handled(value) for key, value in tree.items() if isinstance(value, dict)} or None


def _state(schema: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name, entry in schema.items():
        kept: dict[str, Any] = {"type": type_of(mapping(schema, name).get("type"))}
        handler = _HANDLERS.get(str(mapping(schema, name).get("handler")))
        if handler is not None:
            kept["handler"] = handler
        if isinstance(entry, dict):
            found[name] = kept
    return found
