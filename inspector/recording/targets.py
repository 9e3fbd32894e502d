"""What can be run and recorded, and how each is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import RecordingError
from inspector.recording.operations import AGENT, PIPELINE, fill_agent, fill_pipeline
from inspector.recording.session import Expected
from inspector.recording.topology import class_name, sockets_of
from inspector.runfile.roles import role_of

if TYPE_CHECKING:
    from types import FrameType

    from inspector.recording.session import LiveSpan, Recording

_OURS = "inspector.recording."
_FRAMES = 12  # between our tracer and the method that opened the span

_METADATA = "haystack.pipeline.metadata"
_EXIT_CONDITIONS = "haystack.agent.exit_conditions"


class Target(NamedTuple):
    """Something with a run, and what a run of it is called."""

    kind: str
    name: str
    type: str
    role: str
    instance: Any


def target_of(instance: Any) -> Target:
    """Describe what is to be run.

    Raises:
        RecordingError: It has no `run`.

    """
    qualified = class_name(instance)
    short = qualified.rpartition(".")[2]
    if is_pipeline(instance):
        metadata = getattr(instance, "metadata", None)
        name = metadata.get("name") if isinstance(metadata, dict) else None
        name = name if isinstance(name, str) and name else short
        return Target("pipeline", name, qualified, "pipeline", instance)
    if is_agent(instance):
        return Target("agent", short, qualified, "agent", instance)
    if not callable(getattr(instance, "run", None)):
        raise RecordingError(
            f"A {short} cannot be run, so it cannot be recorded.",
            hint="Pass a Pipeline, an Agent, or any component with a run method.",
        )
    role = role_of(qualified, sockets_of(instance, "input"), sockets_of(instance, "output"))
    if role == "other" and is_pipeline(getattr(instance, "pipeline", None)):
        role = "pipeline"
    return Target("component", short, qualified, role, instance)


def is_pipeline(instance: Any) -> bool:
    """Say whether this is a Haystack pipeline."""
    return hasattr(instance, "graph") and hasattr(instance, "add_component")


def is_agent(instance: Any) -> bool:
    """Say whether this is a Haystack agent, which opens a span of its own."""
    return hasattr(instance, "chat_generator") and hasattr(instance, "max_agent_steps")


def expected_span(target: Target) -> Expected | None:
    """Return the span of Haystack that the root of this target's run stands for."""
    if target.kind == "pipeline":
        return Expected(PIPELINE, _METADATA, target.instance.metadata, _fill_pipeline)
    if target.kind == "agent":
        marker = getattr(target.instance, "exit_conditions", None)
        return Expected(AGENT, _EXIT_CONDITIONS, marker, _fill_agent)
    return None


def _fill_pipeline(recording: Recording, root: LiveSpan, tags: dict[str, Any]) -> None:
    fill_pipeline(root, tags)
    recording.mode = mode_of(PIPELINE, tags, recording.mode)


def _fill_agent(_recording: Recording, root: LiveSpan, tags: dict[str, Any]) -> None:
    fill_agent(root, tags)


def mode_of(operation: str, tags: dict[str, Any], otherwise: str = "sync") -> str:
    """Return `sync`, `async` or `stream`."""
    if operation != PIPELINE:
        return otherwise
    if tags.get("haystack.pipeline.execution_mode") != "async":
        return "sync"
    # `Pipeline.stream` runs the pipeline asynchronously, with callbacks of its own.
    data = tags.get("haystack.pipeline.input_data")
    for inputs in data.values() if isinstance(data, dict) else ():
        callback = inputs.get("streaming_callback") if isinstance(inputs, dict) else None
        if getattr(callback, "__qualname__", "").startswith("Pipeline.stream."):
            return "stream"
    return "async"


class Found(NamedTuple):
    """The object whose method opened a root span, as found on the call stack."""

    instance: Any
    is_async: bool
    snapshot: Any


def find_caller(frame: FrameType | None, operation: str, tags: dict[str, Any]) -> Found | None:
    """Find the pipeline or agent behind a root span. A tag is the very object it holds."""
    if operation == PIPELINE:
        tag, attribute = _METADATA, "metadata"
    elif operation == AGENT:
        tag, attribute = _EXIT_CONDITIONS, "exit_conditions"
    else:
        return None
    marker = tags.get(tag)
    for _ in range(_FRAMES):
        if frame is None:
            return None
        code = frame.f_code
        names = code.co_varnames
        if (
            names
            and names[0] == "self"
            and not code.co_name.startswith("_")
            and not frame.f_globals.get("__name__", "").startswith(_OURS)
        ):
            local = frame.f_locals
            owner = local.get("self")
            if marker is not None and getattr(owner, attribute, None) is marker:
                return Found(owner, "async" in code.co_name, local.get("pipeline_snapshot"))
        frame = frame.f_back
    return None
