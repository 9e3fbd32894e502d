"""What a fork runs: a wrapper as Hayhooks loads it, a deployment, a pipeline or an agent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hayhooks.durable import DurableContext, DurableDeployment, RuntimeConfig

_MOST_FIELDS = 10


def deployment_for(
    target: str,
    said: dict[str, Any],
    config: RuntimeConfig,
    record: Callable[[Any], Any],
) -> DurableDeployment:
    """Return a deployment that nobody else knows, with the runner of a target.

    Args:
        target: As the command line names it.
        said: The execution: its `deployment`, `kind` and `input`.
        config: How it runs.
        record: Returns a runner that is recorded.

    Raises:
        InspectorError: The target cannot be loaded, or is of another kind.

    """
    from hayhooks.durable import DurableDeployment, MemoryExecutionStore, StoreConfig

    from inspector.hayhooks.a2a.stores import Stores

    made = _bare(target) or _served(target, Stores("memory"), said["deployment"])
    if made.kind.value != said["kind"]:
        raise InspectorError(
            f"The checkpoint is of a durable {said['kind']}, and {target} is a {made.kind.value}.",
            hint="Name what the execution ran.",
        )
    limits = StoreConfig(max_payload_bytes=sys.maxsize, max_stream_chunks=5_000)
    return DurableDeployment(
        made.name, made.revision, MemoryExecutionStore(made.name, config=limits),
        made.request_model, record(made.runner), kind=made.kind, result_model=made.result_model,
        resume_model=made.resume_model, adapter=made.adapter, config=config,
    )  # fmt: skip


def with_answer(deployment: DurableDeployment, checkpoint: dict[str, Any]) -> dict[str, Any]:
    """Return a checkpoint with its answer as a server would have put it there.

    Raises:
        InspectorError: A server would have refused the answer.

    """
    from pydantic import ValidationError

    if deployment.resume_model is None:
        return checkpoint
    try:
        answer = deployment.resume_model.model_validate(checkpoint["resume_input"])
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        fields = [f"{'.'.join(map(str, each['loc'])) or 'it'}: {each['msg']}" for each in found]
        raise InspectorError(
            "The target does not accept the answer.", hint="; ".join(fields[:_MOST_FIELDS])
        ) from error
    return {**checkpoint, "resume_input": answer.model_dump(mode="json")}


def _served(target: str, stores: Any, name: str) -> DurableDeployment:
    from inspector.hayhooks.a2a.targets import agents_at

    found = [agent.deployment for agent in agents_at(target, stores)]
    chosen = [each for each in found if each.name == name] or found
    if len(chosen) > 1:
        raise InspectorError(
            f"{target} holds several durable wrappers, and none is called {name}.",
            hint="Name the folder of one of them.",
        )
    return chosen[0]


def _bare(target: str) -> DurableDeployment | None:
    """Return a deployment of a pipeline or agent that stands in code, without a wrapper."""
    from hayhooks.durable import DurableDeployment, MemoryExecutionStore
    from hayhooks.durable.haystack import HaystackDurableAdapter
    from haystack import Pipeline
    from haystack.components.agents import Agent
    from pydantic import RootModel

    from inspector.recording.finding import found_target

    if ":" not in target:
        return None
    try:
        found = found_target(target)
    except InspectorError:
        return None  # such as a wrapper, which no recording knows
    if not isinstance(found, Pipeline | Agent):
        return None
    adapter = HaystackDurableAdapter(found)
    is_agent = isinstance(found, Agent)

    def run(context: DurableContext, _request: RootModel[Any]) -> Any:
        if is_agent:
            return _plain(context.run_agent(messages=[]))
        return _plain(context.run_pipeline({}))

    return DurableDeployment(
        "fork", "fork", MemoryExecutionStore("fork"), RootModel[Any], run, kind=adapter.kind,
        adapter=adapter,
    )  # fmt: skip


def _plain(outputs: Any) -> Any:
    """Return outputs as JSON: what Haystack's own encoding says of them."""
    from haystack.utils import _serialize_value_with_schema

    encoded: dict[str, Any] = _serialize_value_with_schema(outputs)
    return encoded
