"""A stranger's pipeline, agent or component, made of stubs and of what can do no harm.

Only for a process of its own that has imposed `Limits` on itself: templates and patterns
of a stranger still decide how long they take. `stub_plan` decides what is made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder, PromptBuilder
from haystack.components.converters import OutputAdapter
from haystack.components.joiners import (
    AnswerJoiner,
    BranchJoiner,
    DocumentJoiner,
    ListJoiner,
    StringJoiner,
)
from haystack.components.rankers import (
    LostInTheMiddleRanker,
    MetaFieldGroupingRanker,
    MetaFieldRanker,
)
from haystack.components.routers import ConditionalRouter
from haystack.dataclasses import ChatMessage

from inspector.replay.mode import ReplayError
from inspector.replay.policy import is_known, qualified
from inspector.replay.stub_agent import stub_agent
from inspector.replay.stub_parts import Stub, inputs_of, named, type_of
from inspector.replay.stub_plan import PURE, Part, StubPlan, mapping, plan_stub
from inspector.replay.stub_ticked import ticked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from inspector.runfile.model import PipelineRun

_CLASSES: dict[str, Callable[..., Any]] = {
    f"{cls.__module__}.{cls.__qualname__}": cls
    for cls in (
        AnswerBuilder, AnswerJoiner, BranchJoiner, ChatPromptBuilder, ConditionalRouter,
        DocumentJoiner, ListJoiner, LostInTheMiddleRanker, MetaFieldGroupingRanker,
        MetaFieldRanker, OutputAdapter, PromptBuilder, StringJoiner,
    )
}  # fmt: skip
_MOST_RUNS = 1_000


class StubTarget(NamedTuple):
    """What a run replays on, and what is to be done with its parts."""

    target: Any
    treat: dict[str | type, str]


def build_stub(run: PipelineRun, classes: Collection[str] | None = None) -> StubTarget:
    """Build what a recorded run replays on, with nothing of its owner's.

    Args:
        run: The run.
        classes: The classes that may really be made, as for `plan_stub`.

    Raises:
        ReplayError: The file does not say enough, or asks for too much.

    """
    plan = plan_stub(run, classes)
    made = {part.name: _made(part, run) for part in plan.parts}
    # What would hand its work to what is inside is answered as a whole: nothing is inside.
    retrievers = {span.name for span in run.spans if span.role == "retrieval"}
    treat: dict[str | type, str] = {
        # Nobody can look into a stranger's store: the report has to say so.
        name: "verify" if name in retrievers else "answer"
        for name, instance in made.items()
        if name and isinstance(instance, Stub)
    }
    treat.update(
        # Nobody said what it does, and somebody said that it may.
        (part.name, "execute")
        for part in plan.parts
        if part.how == "ticked" and part.name and not isinstance(made[part.name], Stub)
        and not is_known(part.type)
    )  # fmt: skip
    for instance in made.values():
        if isinstance(instance, Agent):
            treat.update((str(getattr(tool, "name", "")), "answer") for tool in instance.tools)
            # By their classes, so that what a recorded one had inside is a part of its answer.
            hooks = [hook for at_point in (instance.hooks or {}).values() for hook in at_point]
            treat.update((qualified(type(hook)), "answer") for hook in hooks)
    if plan.kind != "pipeline":
        return StubTarget(made[plan.parts[0].name], treat)
    return StubTarget(_pipeline(plan, made, run), treat)


def _pipeline(plan: StubPlan, made: Mapping[str, Any], run: PipelineRun) -> Pipeline:
    metadata = mapping(run.definition, "metadata")
    pipeline = Pipeline(
        metadata=dict(metadata) or {"name": plan.name},
        max_runs_per_component=_MOST_RUNS,
        connection_type_validation=False,
    )
    try:
        for name, instance in made.items():
            pipeline.add_component(name, instance)
        for sender, receiver in plan.connections:
            pipeline.connect(sender, receiver)
    except Exception as error:
        raise ReplayError(f"The recorded pipeline cannot be put together: {error}.") from error
    return pipeline


def _made(part: Part, run: PipelineRun) -> Any:
    if part.how == "agent":
        return stub_agent(part, run)
    if part.how in ("real", "ticked"):
        try:
            return _real(part) if part.how == "real" else ticked(part)
        except Exception:  # noqa: BLE001 - what cannot be made is answered, as the rest is
            return _stub(part, run)
    return _stub(part, run)


def _real(part: Part) -> Any:
    assert part.type in PURE
    parameters = dict(part.parameters)
    outputs = mapping(part.recorded, "outputs")
    if isinstance(template := parameters.get("template"), list):
        parameters["template"] = [_message(each) for each in template]
    if "type_" in parameters:
        parameters["type_"] = type_of(outputs.get("value"))
    if parameters.get("list_type_") is not None:
        parameters["list_type_"] = type_of(outputs.get("values"))
    if "output_type" in parameters:
        parameters["output_type"] = type_of(outputs.get("output"))
    if "routes" in parameters:
        parameters["routes"] = [_route(each, outputs) for each in parameters["routes"]]
    return _CLASSES[part.type](**parameters)


def _route(route: Any, outputs: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: route[name] for name in ("condition", "output", "output_name")}
    if isinstance(route.get("output_passthrough"), bool):
        kept["output_passthrough"] = route["output_passthrough"]
    names = kept["output_name"]
    if isinstance(names, list):
        kept["output_type"] = [type_of(outputs.get(name)) for name in names]
    else:
        kept["output_type"] = type_of(outputs.get(names))
    return kept


_FROM_ROLE = {
    "user": ChatMessage.from_user,
    "system": ChatMessage.from_system,
    "assistant": ChatMessage.from_assistant,
}


def _message(tree: Any) -> ChatMessage:
    """Return a message of a template, which is text and nothing else."""
    (part,) = tree["content"]
    return _FROM_ROLE[tree["role"]](part["text"])


def _stub(part: Part, run: PipelineRun) -> Stub:
    cls = named(Stub, part.type)
    outputs = {
        name: type_of(words) for name, words in mapping(part.recorded, "outputs").items()
    }  # fmt: skip
    stub: Stub = cls(inputs_of(part, run), outputs)
    return stub
