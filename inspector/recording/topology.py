"""How a pipeline is built: its components, their sockets, and what is connected to what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.recording.environment import package_of, version_of
from inspector.recording.guest import complain
from inspector.runfile.roles import role_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_DURABLE = "hayhooks.durable.haystack"
_DEEPEST = 8  # pipelines inside pipelines


def topology_of(pipeline: Any, *, depth: int = 0) -> dict[str, Any]:
    """Return the components and connections of a live pipeline."""
    graph = pipeline.graph
    components = {}
    for name, node in graph.nodes.items():
        instance = node["instance"]
        try:
            entry = _described(instance, node["input_sockets"], node["output_sockets"])
            _add_inside(entry, instance, depth)
        except Exception as error:  # noqa: BLE001 - one odd component must not lose the rest
            complain(f"The component {name!r} could not be described", error)
            entry = {"type": class_name(instance)}
        components[name] = entry
    connections = [
        {"sender": f"{sender}.{edge['from_socket'].name}",
         "receiver": f"{receiver}.{edge['to_socket'].name}"}
        for sender, receiver, edge in graph.edges(data=True)
    ]  # fmt: skip
    return {"components": components, "connections": connections}


def described_alone(name: str, instance: Any) -> dict[str, Any]:
    """Return the topology of a component that is run without a pipeline."""
    inputs, outputs = sockets_of(instance, "input"), sockets_of(instance, "output")
    entry = _described(instance, inputs, outputs)
    _add_inside(entry, instance, 0)
    return {"components": {name: entry}, "connections": []}


def topology_of_seen(seen: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the tracing tags of the components that ran tell of their pipeline."""
    components: dict[str, Any] = {}
    connections = []
    for name, tags in seen.items():
        qualified = tags.get("haystack.component.fully_qualified_type", "")
        inputs = tags.get("haystack.component.input_spec") or {}
        outputs = tags.get("haystack.component.output_spec") or {}
        components[name] = {
            **_origin(qualified),
            "role": role_of(qualified, inputs, outputs),
            "inputs": {socket: str(spec["type"]) for socket, spec in inputs.items()},
            "outputs": {socket: str(spec["type"]) for socket, spec in outputs.items()},
        }
        for socket, spec in inputs.items():
            for sender in spec["senders"]:
                sent = seen.get(sender, {}).get("haystack.component.output_spec") or {}
                for output, receiving in sent.items():
                    if name in receiving["receivers"]:
                        connections.append(
                            {"sender": f"{sender}.{output}", "receiver": f"{name}.{socket}"}
                        )
    return {"components": components, "connections": connections}


def class_name(instance: Any) -> str:
    """Return the qualified name of an instance's class, as Haystack spells it."""
    kind = type(instance)
    return f"{kind.__module__}.{kind.__name__}"


def sockets_of(component: Any, direction: str) -> dict[str, Any]:
    """Return the sockets of a component by name; `direction` is `input` or `output`."""
    sockets = getattr(component, f"__haystack_{direction}__", None)
    if sockets is None:
        return {}
    return {name: socket for name, socket in vars(sockets).items() if not name.startswith("_")}


def _described(
    instance: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> dict[str, Any]:
    qualified = class_name(instance)
    return {
        **_origin(qualified),
        "role": role_of(qualified, inputs, outputs),
        "inputs": {name: _type_name(socket.type) for name, socket in inputs.items()},
        "outputs": {name: _type_name(socket.type) for name, socket in outputs.items()},
    }


def _origin(qualified: str) -> dict[str, Any]:
    origin = {"type": qualified}
    package = package_of(qualified.rpartition(".")[0])
    if package is not None:
        origin["package"] = package
        if version := version_of(package):
            origin["version"] = version
    return origin


def _add_inside(entry: dict[str, Any], instance: Any, depth: int) -> None:
    if depth >= _DEEPEST:
        return
    inner = getattr(instance, "pipeline", None)
    if inner is not None and hasattr(inner, "graph"):
        entry["topology"] = topology_of(inner, depth=depth + 1)
        if entry["role"] == "other":
            entry["role"] = "pipeline"
    if entry["role"] == "agent" or hasattr(instance, "max_agent_steps"):
        entry["agent"] = agent_of(instance, depth=depth + 1)


def agent_of(agent: Any, *, depth: int = 0) -> dict[str, Any]:
    """Return what an agent is made of: its LLM, its tools and its hooks."""
    inside: dict[str, Any] = {}
    generator = getattr(agent, "chat_generator", None)
    if generator is not None:
        inside["chat_generator"] = _origin(class_name(generator))
    tools = [_tool(tool, depth) for tool in _tools_of(getattr(agent, "tools", None))]
    if tools:
        inside["tools"] = tools
    hooks = getattr(agent, "hooks", None)
    if isinstance(hooks, dict):
        kinds = {str(point): _hooks(at_point) for point, at_point in hooks.items()}
        if kinds := {point: found for point, found in kinds.items() if found}:
            inside["hooks"] = kinds
    if (most := getattr(agent, "max_agent_steps", None)) is not None:
        inside["max_agent_steps"] = most
    return inside


def _hooks(at_point: Iterable[Any]) -> list[str]:
    """Return the classes of an agent's own hooks: Hayhooks hangs in others to save checkpoints."""
    return [
        class_name(hook)
        for hook in at_point
        if getattr(getattr(hook, "function", None), "__module__", "") != _DURABLE
    ]


def _tools_of(tools: Any) -> list[Any]:
    """Return tools and toolsets as configured. A toolset is not iterated: it may connect."""
    if tools is None:
        return []
    return list(tools) if isinstance(tools, (list, tuple)) else [tools]


def _tool(tool: Any, depth: int) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": class_name(tool)}
    for field in ("name", "description"):
        if isinstance(word := getattr(tool, field, None), str):
            entry[field] = word
    inner = getattr(tool, "pipeline", None)
    if depth < _DEEPEST and inner is not None and hasattr(inner, "graph"):
        entry["topology"] = topology_of(inner, depth=depth + 1)
    agent = getattr(tool, "agent", None)
    if depth < _DEEPEST and agent is not None and hasattr(agent, "chat_generator"):
        entry["agent"] = agent_of(agent, depth=depth + 1)
    return entry


def _type_name(kind: Any) -> str:
    return kind.__name__ if type(kind) is type else str(kind)
