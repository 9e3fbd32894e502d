"""What each of Haystack's spans and tags means for us. The names are Haystack's; no import of it.

`OPENERS` makes a span of an operation, `TAGS` takes a tag that is set on it later. Both
run on the host's thread inside the tracer's guard, so they may fail, but must be quick.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, TypeAlias

from inspector.recording.assembly import PipelineFacts, given_to
from inspector.recording.paths import short_name
from inspector.recording.replies import MODEL_ROLES, note_reply
from inspector.recording.retrieval import asked_of, note_retrieval
from inspector.recording.toolcalls import ToolCalls, gets_state
from inspector.recording.topology import class_name
from inspector.runfile.roles import is_haystacks, role_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.recording.session import LiveSpan, Recording

PIPELINE = "haystack.pipeline.run"
COMPONENT = "haystack.component.run"
AGENT = "haystack.agent.run"
STEP = "haystack.agent.step"
LLM = "haystack.agent.step.llm"
TOOL = "haystack.agent.step.tool"
HOOK = "haystack.agent.hook"
CONFIRM = "haystack.agent.hook.human_in_the_loop.strategy"
CHAT_GENERATOR = "haystack.chat_generator.run"

# What can be a run of its own. A span of the user's own around two pipelines is not one run.
ROOTS = {PIPELINE: "pipeline", AGENT: "agent", CHAT_GENERATOR: "component"}

Tags: TypeAlias = Mapping[str, Any]


_SAID_ELSEWHERE = {"haystack.pipeline.input_data", "haystack.pipeline.execution_mode"}

# -- opening -----------------------------------------------------------------------------


def _open_pipeline(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    metadata = tags.get("haystack.pipeline.metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    live = recording.prepare(
        "pipeline", PIPELINE, name if isinstance(name, str) else "pipeline",
        parent, "pipeline", "pipeline",
    )  # fmt: skip
    fill_pipeline(live, tags)
    live.open()
    if recording.on_inner_run is not None and parent is not None:
        recording.on_inner_run(PIPELINE, tags)
    return live


def fill_pipeline(live: LiveSpan, tags: Tags) -> None:
    """Put what Haystack says of a pipeline's run on its span, opened or not."""
    data = tags.get("haystack.pipeline.input_data")
    live.facts = PipelineFacts(data)
    live.leaks = live.peculiar = tags.get("haystack.pipeline.execution_mode") == "async"
    live.set("inputs", data)
    others = {key: value for key, value in tags.items() if value and key not in _SAID_ELSEWHERE}
    if not all(type(value) is int for value in others.values()):
        at_once = live.recording.capture.at_once
        others = {key: at_once(value) for key, value in others.items()}
    live.tags = others


def _open_component(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    name = tags["haystack.component.name"]
    qualified = tags.get("haystack.component.fully_qualified_type") or tags.get(
        "haystack.component.type", ""
    )
    role = role_of(
        qualified,
        tags.get("haystack.component.input_spec", ()),
        tags.get("haystack.component.output_spec", ()),
    )
    live = recording.span_class(
        recording, "component", COMPONENT, name, parent, name, role, qualified
    )
    live.facts = tags
    if not is_haystacks(qualified):
        live.unsure = True
    if recording.target is None and parent is not None and type(parent.facts) is PipelineFacts:
        parent.facts.seen.setdefault(name, tags)
    return live


def _open_agent(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    name = parent.name if parent is not None and parent.kind == "component" else "agent"
    live = recording.prepare("agent", AGENT, name, parent, "agent", "agent")
    fill_agent(live, tags)
    if recording.on_inner_run is not None and parent is not None:
        recording.on_inner_run(AGENT, tags)
    return live


def _is_trusted(agent: LiveSpan | None) -> bool:
    """Say whether an agent's LLM is known to leave the messages that it gets alone."""
    instance = agent and (agent.parent or agent).recording.instance_of(agent.parent or agent)
    generator = getattr(instance, "chat_generator", None)
    return generator is not None and is_haystacks(class_name(generator))


def fill_agent(live: LiveSpan, tags: Tags) -> None:
    """Put what Haystack says of an agent on its span, opened or not."""
    at_once = live.recording.capture.at_once
    live.tags = {key: at_once(value) for key, value in tags.items()}


def _open_step(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    number = tags.get("haystack.agent.step")
    number = number if type(number) is int else 0
    live = recording.prepare("step", STEP, f"step {number}", parent, f"step{number}", "agent")
    live.counted = False
    live.calls = ToolCalls()
    if live.head is not None:
        live.head["step"] = number
    live.open()
    return live


def _open_llm(recording: Recording, parent: LiveSpan | None, _tags: Tags) -> LiveSpan:
    live = recording.prepare("llm", LLM, "llm", parent, "llm", "llm")
    live.counted = False
    live.unsure = parent is None or not _is_trusted(parent.parent)
    return live


def _open_tool(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    name = str(tags.get("haystack.tool.name", "tool"))
    # Its place in the path follows from its arguments, which come next.
    live = recording.prepare("tool", TOOL, name, parent, f"tool:{name}", "tool")
    live.counted = False
    return live


def _open_hook(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    point = str(tags.get("haystack.agent.hook.point", "hook"))
    name = short_name(str(tags.get("haystack.agent.hook.name", "hook")))
    qualified = str(tags.get("haystack.agent.hook.type", ""))
    segment = f"hook:{point}:{name}"
    live = recording.prepare("hook", HOOK, name, parent, segment, "hook", qualified)
    live.unsure = True  # it gets the agent's live state
    _tag(live, "haystack.agent.hook.point", point)
    live.open()
    return live


def _open_confirmation(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    name = str(tags.get("haystack.tool.name", "tool"))
    qualified = str(tags.get("haystack.agent.hook.human_in_the_loop.strategy.type", ""))
    live = recording.prepare("hook", CONFIRM, name, parent, f"confirm:{name}", "hook", qualified)
    call_id = tags.get("haystack.tool.call.id")
    live.facts = [call_id, None]
    if call_id is not None and live.head is not None:
        live.head["tool_call"] = {"id": str(call_id)}
    return live


def _open_chat_generator(recording: Recording, parent: LiveSpan | None, tags: Tags) -> LiveSpan:
    name = str(tags.get("haystack.component.name", "chat_generator"))
    # Only the short name of the class, until a wrapper knows better.
    qualified = str(tags.get("haystack.component.type", ""))
    return recording.prepare("llm", CHAT_GENERATOR, name, parent, name, "llm", qualified)


def open_other(
    recording: Recording, parent: LiveSpan | None, operation: str, tags: Tags
) -> LiveSpan:
    """Open a span that Haystack does not make itself, such as one of the user's own."""
    live = recording.prepare("other", operation, short_name(operation), parent, operation, "other")
    for key, value in tags.items():
        _tag(live, key, value)
    live.open()
    return live


OPENERS: dict[str, Callable[[Recording, LiveSpan | None, Tags], LiveSpan]] = {
    PIPELINE: _open_pipeline,
    COMPONENT: _open_component,
    AGENT: _open_agent,
    STEP: _open_step,
    LLM: _open_llm,
    TOOL: _open_tool,
    HOOK: _open_hook,
    CONFIRM: _open_confirmation,
    CHAT_GENERATOR: _open_chat_generator,
}

# -- what is said later ------------------------------------------------------------------


def _tag(live: LiveSpan, key: str, value: Any) -> None:
    if live.tags is None:
        live.tags = {}
    live.tags[key] = live.recording.capture.at_once(value)


def _component_inputs(live: LiveSpan, inputs: Any) -> None:
    """Take the inputs by reference: Haystack hands copies of them to the component."""
    head = live.head
    if live.kind != "component" or head is None:
        _inputs(live, inputs)
        return
    head["inputs"] = live.recording.capture.memo(inputs)
    live.given = given_to(inputs, live.facts.get("haystack.component.input_spec") or {})
    if live.role == "retrieval":
        asked = live.fields["retrieval"] = asked_of(live, inputs)
        if embedder := _embedder_of(live, inputs):
            asked["embedder"] = embedder
    live.open()


def _component_outputs(live: LiveSpan, outputs: Any) -> None:
    """Take the outputs at once: their owner and their receivers may change them later."""
    live.stopped_ns = perf_counter_ns() - live.recording.zero_ns
    if live.unsure:
        live.recording.capture.dirty(likely=False)
    live.fields["outputs"] = live.recording.capture.at_once(outputs)
    if not isinstance(outputs, dict):
        return
    if live.kind == "component":
        live.result = [*map(id, outputs.values())]
    if live.role in MODEL_ROLES:
        note_reply(live, outputs)
        if live.kind == "component" and "llm" in live.fields:
            _remember_model(live, live.fields["llm"])
    elif live.role == "retrieval":
        note_retrieval(live, outputs)


def _remember_model(live: LiveSpan, llm: dict[str, str]) -> None:
    facts = None if live.parent is None else live.parent.facts
    if type(facts) is PipelineFacts and "name" in llm:
        facts.models[live.name] = llm["name"]


def _embedder_of(live: LiveSpan, inputs: Mapping[str, Any]) -> str | None:
    """Name the model that made the embedding which a retriever looks for."""
    facts = None if live.parent is None else live.parent.facts
    spec = live.facts.get("haystack.component.input_spec", {}).get("query_embedding")
    if "query_embedding" not in inputs or not spec or type(facts) is not PipelineFacts:
        return None
    sender = next(iter(spec["senders"]), None)
    return facts.models.get(sender, sender) if sender is not None else None


def _outputs(live: LiveSpan, outputs: Any) -> None:
    live.stopped_ns = perf_counter_ns() - live.recording.zero_ns
    if live.unsure:
        live.recording.capture.dirty()
    live.fields["outputs"] = live.recording.capture.at_once(outputs)


def _inputs(live: LiveSpan, inputs: Any) -> None:
    live.set("inputs", inputs)
    live.open()


def _llm_inputs(live: LiveSpan, inputs: Any) -> None:
    if live.parent is not None and live.parent.calls is not None and isinstance(inputs, dict):
        live.parent.calls.tools = inputs.get("tools")
    _inputs(live, inputs)


def _llm_outputs(live: LiveSpan, outputs: Any) -> None:
    _component_outputs(live, outputs)
    if live.parent is not None and live.parent.calls is not None:
        live.parent.calls.add_reply(outputs)


def _tool_inputs(live: LiveSpan, arguments: Any) -> None:
    step = live.parent
    if live.head is not None and step is not None and step.calls is not None:
        index, call_id = step.calls.take(live.name, arguments)
        live.segment = f"tool:{live.name}[{index}]"
        call: dict[str, Any] = {"index": index}
        if call_id:
            call["id"] = call_id
        live.head["tool_call"] = call
        live.unsure = gets_state(step.calls.tools, live.name)
    _inputs(live, arguments)


def _tool_failed(live: LiveSpan, failed: Any) -> None:
    if failed:
        live.status = "failed"


def _tool_outputs(live: LiveSpan, outputs: Any) -> None:
    _outputs(live, outputs)
    if not isinstance(outputs, dict) or outputs.keys() != {"error"}:
        return
    # A failing tool ends in this text. Haystack says so while it handles the exception.
    error = sys.exception()
    if error is not None and outputs["error"] == str(error):
        live.fail(error)
    elif live.status == "failed" and "error" not in live.fields:
        kind = "haystack.tools.errors.ToolInvocationError"
        live.fields["error"] = {"type": kind, "message": str(outputs["error"])}


def _confirmation_inputs(live: LiveSpan, inputs: Any) -> None:
    if isinstance(inputs, dict):
        live.facts[1] = inputs.get("tool_params")
    _inputs(live, inputs)


def _confirmation_outputs(live: LiveSpan, outputs: Any) -> None:
    _outputs(live, outputs)
    step = live.parent
    while step is not None and step.calls is None:
        step = step.parent
    if step is not None and step.calls is not None and isinstance(outputs, dict):
        call_id, before = live.facts
        step.calls.replace(live.name, call_id, before, outputs.get("final_tool_params"))


def _ignored(_live: LiveSpan, _value: Any) -> None:
    """Leave out what stands elsewhere: we count visits, and count failed ones too."""


TAGS: dict[str, Callable[[LiveSpan, Any], None]] = {
    "haystack.component.input": _component_inputs,
    "haystack.component.output": _component_outputs,
    "haystack.component.visits": _ignored,
    "haystack.pipeline.output_data": _outputs,
    "haystack.agent.input": _inputs,
    "haystack.agent.output": _outputs,
    "haystack.agent.step.llm.input": _llm_inputs,
    "haystack.agent.step.llm.output": _llm_outputs,
    "haystack.agent.step.tool.input": _tool_inputs,
    "haystack.agent.step.tool.output": _tool_outputs,
    "haystack.tool.error": _tool_failed,
    "haystack.agent.hook.human_in_the_loop.strategy.input": _confirmation_inputs,
    "haystack.agent.hook.human_in_the_loop.strategy.output": _confirmation_outputs,
}


def take_tag(key: str, live: LiveSpan, value: Any) -> None:
    """Record a tag that has no field of its own, whoever set it."""
    _tag(live, key, value)
