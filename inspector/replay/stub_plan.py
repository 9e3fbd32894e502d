"""What would be built to replay a stranger's run: decided from the file alone, and listed.

A definition names classes, and Haystack's own loader would make what it names, which can
start commands and send secrets before anything runs. Here nothing is looked up by a name
that stands in a file. What depends on its inputs only is made from an exact list, with
parameters of which each one is listed, too; everything else is a stub that can do nothing
but be answered from the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.replay.classes import Treatment
from inspector.replay.definition_facts import names_in
from inspector.replay.mode import ReplayError
from inspector.replay.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Collection

    from inspector.runfile.model import PipelineRun

_C = "haystack.components."

PURE: dict[str, frozenset[str]] = {
    _C + "builders.answer_builder.AnswerBuilder": frozenset(
        {
            "pattern", "reference_pattern", "last_message_only",
            "return_only_referenced_documents", "expand_reference_ranges",
        }
    ),
    _C + "builders.chat_prompt_builder.ChatPromptBuilder": frozenset(
        {"template", "required_variables", "variables"}
    ),
    _C + "builders.prompt_builder.PromptBuilder": frozenset(
        {"template", "required_variables", "variables"}
    ),
    _C + "converters.output_adapter.OutputAdapter": frozenset({"template", "output_type"}),
    _C + "joiners.answer_joiner.AnswerJoiner": frozenset({"join_mode", "top_k", "sort_by_score"}),
    _C + "joiners.branch.BranchJoiner": frozenset({"type_"}),
    _C + "joiners.document_joiner.DocumentJoiner": frozenset(
        {"join_mode", "weights", "top_k", "sort_by_score"}
    ),
    _C + "joiners.list_joiner.ListJoiner": frozenset({"list_type_"}),
    _C + "joiners.string_joiner.StringJoiner": frozenset(),
    _C + "rankers.lost_in_the_middle.LostInTheMiddleRanker": frozenset(
        {"word_count_threshold", "top_k"}
    ),
    _C + "rankers.meta_field.MetaFieldRanker": frozenset(
        {
            "meta_field", "weight", "top_k", "ranking_mode", "sort_order", "missing_meta",
            "meta_value_type",
        }
    ),
    _C + "rankers.meta_field_grouping_ranker.MetaFieldGroupingRanker": frozenset(
        {"group_by", "subgroup_by", "sort_docs_by"}
    ),
    _C + "routers.conditional_router.ConditionalRouter": frozenset(
        {"routes", "optional_variables", "validate_output_type"}
    ),
}  # fmt: skip
"""The classes that are really made, and the parameters that they are made with.

No other parameter of theirs is passed on: `unsafe` and `custom_filters` run code.
"""

AGENT = _C + "agents.agent.Agent"
OFFERED = frozenset({*PURE, AGENT})
"""The classes that are ticked unless somebody says otherwise: an agent is made of stubs."""

HARMLESS: tuple[Any, ...] = (None, False, {}, [])
"""Values of other parameters that change nothing."""

FUNCTION_HOOK = "haystack.hooks.from_function.FunctionHook"
_SCALARS = (str, int, float, bool, type(None))
_MOST_COMPONENTS = 500
_MOST_SOCKETS = 200
_MOST_CONNECTIONS = 5_000
_MOST_NODES = 200_000
_MOST_TEXT = 8_000_000
_DEEPEST = 60


@dataclass(frozen=True, slots=True)
class Part:
    """One component of what would be built."""

    name: str
    type: str
    how: str
    """`real`, `agent`, `stub`, or `ticked`: made as the file says, since somebody allowed it."""
    why: str = ""
    recorded: Mapping[str, Any] = field(default_factory=dict)
    """Its entry in the topology."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    """What its parameters name, where it could be made: each of these has to be ticked, too."""


@dataclass(frozen=True, slots=True)
class StubPlan:
    """What would be built for a run."""

    kind: str
    name: str
    parts: tuple[Part, ...]
    connections: tuple[tuple[str, str], ...]

    def lines(self) -> list[str]:
        """Return the list for a person, a line a component."""
        return [
            f"{part.how}: {part.name or part.type.rpartition('.')[2]} ({part.type})"
            + (f", {part.why}" if part.why else "")
            for part in self.parts
        ]


def plan_stub(run: PipelineRun, classes: Collection[str] | None = None) -> StubPlan:
    """Decide what would be built to replay a run without anything of its owner's.

    Args:
        run: The run.
        classes: The classes that may be made; those that can do no harm unless given. A class
            of any other kind is made only with all that its parameters name, and never one
            that a replay would not run.

    Raises:
        ReplayError: The file does not say enough, or asks for too much.

    """
    topology, definition = run.topology, run.definition
    check_size(topology, "topology")
    check_size(definition, "definition")
    if run.kind == "pipeline":
        recorded = mapping(topology, "components")
        if not recorded:
            raise ReplayError("The run does not say what its pipeline was made of.")
        if len(recorded) > _MOST_COMPONENTS:
            raise ReplayError(f"The pipeline has more than {_MOST_COMPONENTS} components.")
        defined = mapping(definition, "components")
        parts = [
            _part(name, entry, mapping(defined, name), classes)
            for name, entry in recorded.items()
        ]  # fmt: skip
        return StubPlan(run.kind, run.name, tuple(parts), _connections(topology, set(recorded)))
    # Of what runs by itself, the topology and the definition are its own entries.
    entry = dict(topology or {})
    only = mapping(entry, "components")
    if len(only) == 1:
        entry = dict(next(iter(only.values())))
    if not isinstance(entry.get("type"), str):
        entry["type"] = mapping(definition, "").get("type") or (definition or {}).get("type") or ""
    if run.kind == "agent" and not entry.get("type"):
        entry["type"] = AGENT
    only_part = _part("", entry, dict(definition or {}), classes)
    return StubPlan(run.kind, run.name, (only_part,), ())


def _part(
    name: str, entry: Any, defined: Mapping[str, Any], classes: Collection[str] | None
) -> Part:
    if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
        raise ReplayError(f"The run does not say what {name or 'it'} was.")
    for side in ("inputs", "outputs"):
        if len(mapping(entry, side)) > _MOST_SOCKETS:
            raise ReplayError(f"{name} has more than {_MOST_SOCKETS} {side}.")
    type_name = entry["type"]
    parameters = mapping(defined, "init_parameters")
    same = defined.get("type") == type_name
    if type_name == AGENT and (classes is None or AGENT in classes or not name):
        return Part(name, type_name, "agent", _inside(entry), entry, parameters)
    allowed = PURE.get(type_name)
    if allowed is None:
        return _ticked(name, entry, defined if same else {}, classes or ())
    if classes is not None and type_name not in classes:
        return Part(name, type_name, "stub", "it was not ticked", entry)
    if not same:
        return Part(name, type_name, "stub", "its definition was not recorded", entry)
    others = [
        each
        for each, value in parameters.items()
        if each not in allowed and value not in HARMLESS
    ]  # fmt: skip
    if others:
        return Part(name, type_name, "stub", f"{others[0]} is not passed on", entry)
    kept = {each: value for each, value in parameters.items() if each in allowed}
    return Part(name, type_name, "real", "", entry, kept)


def _ticked(
    name: str, entry: Mapping[str, Any], defined: Mapping[str, Any], classes: Collection[str]
) -> Part:
    """Return a component that is made with what stands in the file, where that is allowed."""
    type_name = entry["type"]
    if type_name == AGENT or not may_be_ticked(type_name):
        return Part(name, type_name, "stub", "", entry)
    if not defined:
        why = "its definition was not recorded" if type_name in classes else ""
        return Part(name, type_name, "stub", why, entry)
    parameters = mapping(defined, "init_parameters")
    needs = tuple(sorted(names_in(parameters)))
    missing = [each for each in needs if each not in classes]
    if type_name not in classes or missing:
        why = f"it needs {missing[0]}, which was not ticked" if type_name in classes else ""
        return Part(name, type_name, "stub", why, entry, needs=needs)
    return Part(name, type_name, "ticked", "as the file says", entry, parameters, needs)


def may_be_ticked(type_name: str) -> bool:
    """Say whether a component of this class may be made from a file at all.

    Those whose answers count, such as models, are never made; nor are those that hold others.
    """
    ruling = Policy().of_recorded("component", "", type_name, "", "")
    return ruling.treatment in (Treatment.EXECUTE, Treatment.UNKNOWN)


def _inside(entry: Mapping[str, Any]) -> str:
    """Say what of an agent is a stub."""
    hooks = [kind.rpartition(".")[2] for kinds in hooks_of(entry).values() for kind in kinds]
    if not hooks:
        return "its LLM and its tools are stubs"
    listed = ", ".join(dict.fromkeys(hooks))
    return f"its LLM, its tools and its hooks are stubs; {listed} change again what was recorded"


def hooks_of(entry: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the classes of an agent's hooks, by the points where they ran."""
    return {
        point: [kind for kind in kinds if isinstance(kind, str)]
        for point, kinds in mapping(mapping(entry, "agent"), "hooks").items()
        if isinstance(kinds, list)
    }


def _connections(topology: Any, names: set[str]) -> tuple[tuple[str, str], ...]:
    kept = [
        (sender, receiver)
        for sender, receiver in connections_of(topology)
        if sender.partition(".")[0] in names and receiver.partition(".")[0] in names
    ]
    if len(kept) > _MOST_CONNECTIONS:
        raise ReplayError("The pipeline has too many connections.")
    return tuple(kept)


def connections_of(topology: Any) -> list[tuple[str, str]]:
    """Return the recorded connections as pairs of sender and receiver.

    Raises:
        ReplayError: One of them is none.

    """
    found = topology.get("connections") if isinstance(topology, Mapping) else None
    pairs = []
    for each in found if isinstance(found, list) else ():
        sender, receiver = (
            each.get(side) if isinstance(each, dict) else None for side in ("sender", "receiver")
        )
        if not isinstance(sender, str) or not isinstance(receiver, str):
            raise ReplayError("A connection of the pipeline cannot be read.")
        pairs.append((sender, receiver))
    return pairs


def mapping(tree: Any, name: str) -> Mapping[str, Any]:
    """Return a mapping inside another one; an empty one when there is none."""
    found = tree.get(name) if isinstance(tree, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def check_size(tree: Any, what: str) -> None:
    """Refuse what would take long before anything is done with it.

    Raises:
        ReplayError: It is nested too deeply, or too big, or no JSON.

    """
    nodes = text = 0
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    while waiting:
        item, depth = waiting.pop()
        nodes += 1
        if isinstance(item, str):
            text += len(item)
        elif isinstance(item, Mapping):
            text += sum(len(str(key)) for key in item)
            waiting.extend((each, depth + 1) for each in item.values())
        elif isinstance(item, list):
            waiting.extend((each, depth + 1) for each in item)
        elif not isinstance(item, _SCALARS):
            raise ReplayError(f"The {what} in the file is no JSON.")
        if depth > _DEEPEST:
            raise ReplayError(f"The {what} in the file is nested too deeply.")
        if nodes + len(waiting) > _MOST_NODES or text > _MOST_TEXT:
            raise ReplayError(f"The {what} in the file is too big to be built from.")
