"""The recorded pipeline against the live one: what was added, removed, retyped, reconnected."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from inspector.diff.leaves import differences
from inspector.runfile.drift import Drift, DriftKind, Grade

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEEPEST = 12
_LOADED_BY_HAYHOOKS = re.compile(r"^_hayhooks_registry\.p_[0-9a-f]+\.")
_NOTHING: Mapping[str, Any] = {}


def class_name(name: str) -> str:
    """Return the name of a class as its own code says it, wherever Hayhooks has loaded that.

    Hayhooks gives the module of a wrapper, and those beside it, names that are in its own process
    only: `_hayhooks_registry.p_616e73776572.pipeline_wrapper.Writer`.
    """
    return _LOADED_BY_HAYHOOKS.sub("", name)


def topology_drifts(
    recorded: Mapping[str, Any] | None, live: Mapping[str, Any] | None, *, partial: bool = False
) -> tuple[Drift, ...]:
    """Return how the live pipeline is built otherwise than the recorded one.

    Args:
        recorded: The `topology` of a run header; None where it was not recorded.
        live: The same of the pipeline that is to be replayed.
        partial: Whether the recording knows of those components only that ran.

    """
    if not recorded or not live:
        return ()
    return tuple(_compare(recorded, live, "", partial, 0))


def _compare(
    recorded: Mapping[str, Any], live: Mapping[str, Any], around: str, partial: bool, depth: int
) -> Iterator[Drift]:
    before, after = _mapping(recorded, "components"), _mapping(live, "components")
    for name, entry in before.items():
        path = f"{around}{name}#1"
        if name not in after:
            yield _drift(
                path, f"components.{name}", _kind(entry), None,
                f"The component {name!r} was removed from the pipeline.",
            )  # fmt: skip
            continue
        yield from _compare_component(entry, after[name], name, path, partial, depth)
    if not partial:
        for name, entry in after.items():
            if name not in before:
                yield _drift(
                    f"{around}{name}#1", f"components.{name}", None, _kind(entry),
                    f"The component {name!r} was added to the pipeline.",
                )  # fmt: skip
    yield from _compare_connections(recorded, live, around, partial)


def _compare_component(
    before: Any, after: Any, name: str, path: str, partial: bool, depth: int
) -> Iterator[Drift]:
    one, other = _kind(before), _kind(after)
    if one and other and one != other:
        yield _drift(
            path, f"components.{name}.type", one, other,
            f"The component {name!r} is another class than was recorded.",
        )  # fmt: skip
        return
    if depth < _DEEPEST:
        yield from _compare_inside(before, after, path, partial, depth)


def _compare_inside(
    before: Any, after: Any, path: str, partial: bool, depth: int
) -> Iterator[Drift]:
    inner, inner_now = _mapping(before, "topology"), _mapping(after, "topology")
    if inner and inner_now:
        yield from _compare(inner, inner_now, f"{path}/pipeline#1/", partial, depth + 1)
    agent, agent_now = _mapping(before, "agent"), _mapping(after, "agent")
    if agent and agent_now:
        yield from _compare_agents(agent, agent_now, path, partial, depth + 1)


def _compare_agents(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str, partial: bool, depth: int
) -> Iterator[Drift]:
    one, other = _kind(before.get("chat_generator")), _kind(after.get("chat_generator"))
    if one != other and one and other:
        yield _drift(
            path, "agent.chat_generator.type", one, other,
            "The agent's chat generator is another class than was recorded.",
        )  # fmt: skip
    tools, tools_now = _tools(before), _tools(after)
    for name, tool in tools.items():
        leaf = f"agent.tools[{name}]"
        if name not in tools_now:
            yield _drift(path, leaf, _kind(tool), None, f"The tool {name!r} was removed.")
        elif _kind(tool) != _kind(tools_now[name]):
            yield _drift(
                path, f"{leaf}.type", _kind(tool), _kind(tools_now[name]),
                f"The tool {name!r} is another class than was recorded.",
            )  # fmt: skip
        elif depth < _DEEPEST:
            yield from _compare_inside(tool, tools_now[name], f"{path}/tool:{name}", partial, depth)
    for name, tool in tools_now.items():
        if name not in tools:
            yield _drift(
                path, f"agent.tools[{name}]", None, _kind(tool), f"The tool {name!r} was added."
            )
    hooks, hooks_now = _mapping(before, "hooks"), _mapping(after, "hooks")
    for found in differences(dict(hooks), dict(hooks_now)):
        yield _drift(
            path, f"agent.hooks.{found.leaf}", found.recorded, found.live,
            "The agent's hooks are not those that were recorded.",
        )  # fmt: skip


def _compare_connections(
    recorded: Mapping[str, Any], live: Mapping[str, Any], around: str, partial: bool
) -> Iterator[Drift]:
    both = set(_mapping(recorded, "components")) & set(_mapping(live, "components"))
    before, after = _senders(recorded, both), _senders(live, both)
    receivers = before if partial else {**before, **after}
    for receiver in receivers:
        one, other = before.get(receiver, []), after.get(receiver, [])
        if partial:
            other = [sender for sender in other if sender in one]
        if one == other:
            continue
        path = f"{around}{receiver.partition('.')[0]}#1"
        then = ", ".join(one) or None
        now = ", ".join(after.get(receiver, [])) or None
        if then is None:
            words = f"{receiver!r} is connected to {now} now, and was not connected."
        elif now is None:
            words = f"{receiver!r} is no longer connected to {then}."
        else:
            words = f"{receiver!r} is connected to {now} now, and was connected to {then}."
        yield _drift(path, f"connections.{receiver}", then, now, words)


def _senders(topology: Mapping[str, Any], both: set[str]) -> dict[str, list[str]]:
    """Return who sends to each socket, as far as both ends are in both pipelines."""
    senders: dict[str, list[str]] = {}
    connections = topology.get("connections")
    for each in connections if isinstance(connections, list) else ():
        if not isinstance(each, dict):
            continue
        sender, receiver = str(each.get("sender", "")), str(each.get("receiver", ""))
        if sender.partition(".")[0] in both and receiver.partition(".")[0] in both:
            senders.setdefault(receiver, []).append(sender)
    return {receiver: sorted(found) for receiver, found in senders.items()}


def _drift(path: str, leaf: str, recorded: Any, live: Any, words: str) -> Drift:
    return Drift(
        kind=DriftKind.TOPOLOGY, path=path, visit=1, grade=Grade.MAJOR, leaf=leaf,
        recorded=recorded, live=live, candidate=path if recorded is not None else None,
        message=words,
    )  # fmt: skip


def _mapping(tree: Any, name: str) -> Mapping[str, Any]:
    found = tree.get(name) if isinstance(tree, dict) else None
    return found if isinstance(found, dict) else _NOTHING


def _kind(entry: Any) -> str:
    found = entry.get("type") if isinstance(entry, dict) else None
    return class_name(found) if isinstance(found, str) else ""


def _tools(agent: Mapping[str, Any]) -> dict[str, Any]:
    tools = agent.get("tools")
    found: dict[str, Any] = {}
    for number, tool in enumerate(tools if isinstance(tools, list) else ()):
        if isinstance(tool, dict):
            found[str(tool.get("name") or f"{_kind(tool).rpartition('.')[2]} {number}")] = tool
    return found
