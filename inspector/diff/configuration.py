"""What is set up in another way: components, parameters, connections, packages, machines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.diff.model import ConfigurationChange
from inspector.diff.prompting import change_words
from inspector.diff.said import article, value_words
from inspector.diff.text import text_diff
from inspector.diff.values import value_changes
from inspector.runfile.drift import bounded_pair

if TYPE_CHECKING:
    from inspector.diff.model import ValueChange
    from inspector.diff.noise import NoiseRules
    from inspector.runfile.model import PipelineRun

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Who listens to a stream does not change what is said.
_CALLBACKS = ("streaming_callback",)
_ENVIRONMENT = ("python", "platform", "tz", "hash_seed", "recorder")
_RUN_SETTINGS = ("haystack.pipeline.max_runs_per_component", "haystack.agent.max_steps")
_MOST_LEAVES = 200
# Between the names that somebody gave stand those of Haystack's serialisation.
_BETWEEN = re.compile(r"\.init_parameters\b|^pipeline\.components\.|\.data\b(?=\.)")
_WORDS = 60


def configuration_changes(
    left: PipelineRun, right: PipelineRun, noise: NoiseRules
) -> tuple[ConfigurationChange, ...]:
    """Return everything that is set up in another way, as recorded."""
    components = tuple(_components(left, right, noise))
    steps = any(change.leaf.endswith("max_agent_steps") for change in components)
    return (
        *components,
        *_connections(left, right),
        # What an agent was built with is told already.
        *(
            change
            for change in _settings(left, right)
            if not (steps and change.leaf == "max_steps")
        ),
        *_packages(left, right),
        *_environment(left, right),
    )


def _components(
    left: PipelineRun, right: PipelineRun, noise: NoiseRules
) -> Iterator[ConfigurationChange]:
    before, after = _defined(left), _defined(right)
    if not before or not after:
        return
    renamed = _renamed(before, after)
    for old, new in renamed.items():
        sentence = f"{old} is now called {new}"
        yield ConfigurationChange("component", new, "", old, new, sentence)
    for name in dict.fromkeys((*before, *after)):
        one, other = before.get(name), after.get(renamed.get(name, name))
        if name in renamed.values() and one is None:
            continue
        kind = str((other or one or {}).get("type", "")).rpartition(".")[2]
        if one is None:
            assert other is not None
            sentence = f"{name} ({kind}) was added" if kind else f"{name} was added"
            yield ConfigurationChange("component", name, "", None, other.get("type"), sentence)
        elif other is None:
            sentence = f"{name} ({kind}) was taken out" if kind else f"{name} was taken out"
            yield ConfigurationChange("component", name, "", one.get("type"), None, sentence)
        else:
            yield from _component(name, one, other, noise)


def _component(
    name: str, one: Mapping[str, Any], other: Mapping[str, Any], noise: NoiseRules
) -> Iterator[ConfigurationChange]:
    was, now = str(one.get("type", "")), str(other.get("type", ""))
    if was != now:
        yield ConfigurationChange("component", name, "type", was, now, class_words(name, was, now))
    before, after = one.get("init_parameters"), other.get("init_parameters")
    if before is None or after is None or before == after:
        return
    changes, _ = value_changes(before, after, noise.under(name), most=_MOST_LEAVES)
    swapped = [""] if was != now else []
    swapped += [change.leaf.removesuffix("type") + "init_parameters." for change in changes
                if change.leaf.endswith(".type") and change.kind == "changed"]  # fmt: skip
    for change in changes:
        # Another class has other parameters: that it has them was said with its name.
        if change.kind in ("added", "removed") and change.leaf.startswith(tuple(swapped)):
            continue
        # Only the user's own rules and callbacks are noise in a definition: an id that is
        # written down there is one that somebody chose, unless it is made up at each start.
        made_up = _is_made_up(change.left) and _is_made_up(change.right)
        if change.noise is not None or made_up or change.leaf.endswith(_CALLBACKS):
            continue
        yield ConfigurationChange(
            "parameter", name, change.leaf, change.left, change.right,
            f"{name}: {_change_words(change)}",
        )  # fmt: skip


def _change_words(change: ValueChange) -> str:
    part = change.leaf.removesuffix(".type")
    if part != change.leaf and isinstance(change.left, str) and isinstance(change.right, str):
        return class_words(part, change.left, change.right)
    return parameter_words(change.leaf, change.left, change.right)


def class_words(name: str, left: str, right: str) -> str:
    """Return `llm is a Cohere instead of an OpenAI`, from qualified names of classes."""
    one, other = (f"{article(each)} {each}" for each in
                  (qualified.rpartition(".")[2] for qualified in (left, right)))  # fmt: skip
    return f"{name} is {other} instead of {one}"


def parameter_words(leaf: str, left: Any, right: Any) -> str:
    """Return `top_k 5 → 3`, and of long texts what changed in them."""
    leaf = _BETWEEN.sub("", leaf)
    if isinstance(left, str) and isinstance(right, str) and max(len(left), len(right)) > _WORDS:
        text = text_diff(left, right)
        return f"{leaf} changed, {change_words(text)}"
    return f"{leaf} {_words(left)} → {_words(right)}"


def _words(value: Any) -> str:
    return "none" if value is None else value_words(value, _WORDS)


def _is_made_up(value: Any) -> bool:
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


def _defined(run: PipelineRun) -> dict[str, Mapping[str, Any]]:
    """Return the components that a run's definition, or else its topology, names."""
    definition = run.definition
    if isinstance(definition, Mapping):
        components = definition.get("components")
        if isinstance(components, Mapping):
            return {name: each for name, each in components.items() if isinstance(each, Mapping)}
        if "type" in definition:
            return {run.name or "the agent": definition}
    components = (run.topology or {}).get("components")
    if not isinstance(components, Mapping):
        return {}
    return {name: {"type": each.get("type")} for name, each in components.items()
            if isinstance(each, Mapping)}  # fmt: skip


def _renamed(
    before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Return which components only changed their names: same type, same parameters, one each."""
    gone = [name for name in before if name not in after]
    new = [name for name in after if name not in before]
    found = {}
    for old in gone:
        alike = [name for name in new if after[name] == before[old]]
        twins = [name for name in gone if before[name] == before[old]]
        if len(alike) == 1 and len(twins) == 1:
            found[old] = alike[0]
    return found


def _connections(left: PipelineRun, right: PipelineRun) -> Iterator[ConfigurationChange]:
    before, after = _wires(left), _wires(right)
    if before is None or after is None:
        return
    for sender, receiver in [wire for wire in before if wire not in after]:
        words = f"{sender} → {receiver}"
        yield ConfigurationChange(
            "connection", receiver, "", words, None, f"{words} is no longer connected"
        )
    for sender, receiver in [wire for wire in after if wire not in before]:
        words = f"{sender} → {receiver}"
        yield ConfigurationChange(
            "connection", receiver, "", None, words, f"{words} is newly connected"
        )


def _wires(run: PipelineRun) -> list[tuple[str, str]] | None:
    for holder in (run.definition, run.topology):
        wires = holder.get("connections") if isinstance(holder, Mapping) else None
        if isinstance(wires, list):
            return [
                (str(wire.get("sender")), str(wire.get("receiver")))
                for wire in wires
                if isinstance(wire, Mapping)
            ]
    return None


def _settings(left: PipelineRun, right: PipelineRun) -> Iterator[ConfigurationChange]:
    one, other = (run.roots[0].tags if run.roots else {} for run in (left, right))
    for name in _RUN_SETTINGS:
        was, now = one.get(name), other.get(name)
        if was is not None and now is not None and was != now:
            leaf = name.rpartition(".")[2]
            sentence = parameter_words(leaf, was, now)
            yield ConfigurationChange("parameter", "", leaf, was, now, sentence)


def _packages(left: PipelineRun, right: PipelineRun) -> Iterator[ConfigurationChange]:
    one, other = (_mapping(run.environment, "packages") for run in (left, right))
    if one is None or other is None:
        return
    for name in sorted({*one, *other}):
        was, now = one.get(name), other.get(name)
        if was == now:
            continue
        sentence = f"{name} {was or 'missing'} → {now or 'missing'}"
        yield ConfigurationChange("package", name, "", was, now, sentence)


def _environment(left: PipelineRun, right: PipelineRun) -> Iterator[ConfigurationChange]:
    one, other = left.environment, right.environment
    if one is None or other is None:
        return
    for name in _ENVIRONMENT:
        was, now = one.get(name), other.get(name)
        if was is None or now is None or was == now:
            continue
        was, now = bounded_pair(was, now)
        yield ConfigurationChange(
            "environment", name, name, was, now, f"{name} {_words(was)} → {_words(now)}"
        )


def _mapping(node: Mapping[str, Any] | None, name: str) -> Mapping[str, Any] | None:
    found = node.get(name) if node is not None else None
    return found if isinstance(found, Mapping) else None
