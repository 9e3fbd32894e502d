"""A recorder is a guest: hostile values and broken encoders are not the host's problem."""

import gc
import logging
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from haystack import Document, Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

from inspector.recording import guest, operations, session
from inspector.recording.api import record_run
from inspector.recording.recorder import PipelineRecorder
from tests.recording.drawing import at, drawn, through_tracing_alone, undented

pytestmark = pytest.mark.haystack


class Hostile:
    """Raises from whatever is asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"hands off: {name}")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no eq")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


@component
class Give:
    """Returns what it was made with."""

    def __init__(self, value: Any) -> None:
        self.value = value

    @component.output_types(value=Any)
    def run(self, start: Any = None) -> dict[str, Any]:
        return {"value": self.value}


@component
class Take:
    @component.output_types(kind=str)
    def run(self, value: Any) -> dict[str, str]:
        return {"kind": type(value).__name__}


def give_and_take(value: Any) -> Pipeline:
    pipeline = Pipeline(metadata={"name": "guest"})
    pipeline.add_component("give", Give(value))
    pipeline.add_component("take", Take())
    pipeline.connect("give.value", "take.value")
    return pipeline


def endless() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


def cycle() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    "value",
    [endless(), threading.Lock(), "\ud800", float("nan"), 2**70, {1: {2}}, object()],
    ids=["generator", "lock", "surrogate", "nan", "big", "keys", "object"],
)
def test_any_value_gets_through_and_the_run_is_whole(value: Any) -> None:
    result, run = record_run(
        give_and_take(value), {"give": {"start": 1}}, recorder=through_tracing_alone()
    )

    assert result == {"take": {"kind": type(value).__name__}}
    assert drawn(run) == undented("""
        guest pipeline ok
          give#1 other ok
          take#1 other ok
        """)
    assert at(run, "give#1").has("outputs")
    assert run.problems == ()


def test_a_value_that_contains_itself_is_recorded_once() -> None:
    pipeline = Pipeline()
    pipeline.add_component("give", Give(cycle()))  # Haystack could not pass it on
    _, run = record_run(pipeline, {"give": {"start": 1}}, recorder=through_tracing_alone())
    assert at(run, "give#1").outputs["value"][0]["$"] == "opaque"


def test_a_generator_among_the_values_is_not_consumed() -> None:
    numbers = endless()
    record_run(give_and_take(numbers), {"give": {"start": 1}}, recorder=through_tracing_alone())
    assert next(numbers) == 0


def test_an_object_that_raises_from_everything_is_recorded_as_opaque() -> None:
    pipeline = Pipeline()
    pipeline.add_component("give", Give(Hostile()))
    result, run = record_run(pipeline, {"give": {"start": 1}}, recorder=through_tracing_alone())

    assert type(result["give"]["value"]) is Hostile
    assert at(run, "give#1").outputs["value"]["$"] == "opaque"


def test_a_value_that_changes_after_its_span_is_recorded_as_it_was() -> None:
    shared: list[Any] = ["before"]

    @component
    class Change:
        @component.output_types(value=list)
        def run(self, value: list[Any]) -> dict[str, Any]:
            shared.append("after")
            return {"value": value}

    pipeline = Pipeline()
    pipeline.add_component("give", Give(shared))
    pipeline.add_component("change", Change())
    pipeline.connect("give.value", "change.value")
    _, run = record_run(pipeline, {"give": {"start": 1}}, recorder=through_tracing_alone())

    assert at(run, "give#1").outputs == {"value": ["before"]}


def test_a_message_that_a_component_of_the_user_changes_later_is_told_apart() -> None:
    message = ChatMessage.from_user("hello", meta={"n": 0})

    @component
    class Again:
        @component.output_types(messages=list[ChatMessage])
        def run(self, value: Any = None, more: Any = None) -> dict[str, Any]:
            message.meta["n"] += 1
            return {"messages": [message]}

    pipeline = Pipeline()
    pipeline.add_component("one", Again())
    pipeline.add_component("two", Again())
    pipeline.connect("one.messages", "two.more")
    _, run = record_run(pipeline, {"one": {"value": 1}}, recorder=through_tracing_alone())

    assert at(run, "one#1").outputs["messages"][0]["meta"] == {"n": 1}
    assert at(run, "two#1").outputs["messages"][0]["meta"] == {"n": 2}


def test_the_callers_data_stays_as_haystack_leaves_it() -> None:
    documents = [Document(content="x", meta={"k": [1]})]
    data = {"give": {"start": documents}}
    alone = {"give": {"start": list(documents)}}
    give_and_take(1).run(alone)
    record_run(give_and_take(1), data, recorder=through_tracing_alone())

    assert data == alone
    assert data["give"].keys() == {"start"}
    assert documents[0].meta == {"k": [1]}


def test_inputs_are_what_haystack_would_pass_without_us() -> None:
    seen: list[dict[str, Any]] = []

    @component
    class Look:
        @component.output_types(value=int)
        def run(self, value: int, more: int = 7, callback: Any = None) -> dict[str, int]:
            seen.append({"value": value, "more": more, "callback": callback})
            return {"value": value}

    pipeline = Pipeline()
    pipeline.add_component("look", Look())
    pipeline.run({"look": {"value": 1}})
    record_run(pipeline, {"look": {"value": 1}})
    assert seen[0] == seen[1]


@pytest.mark.parametrize("broken", ["memo", "at_once"])
def test_an_encoder_that_raises_costs_only_its_value(
    monkeypatch: pytest.MonkeyPatch, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    from inspector.recording.capture import Capture

    def fail(_self: Capture, _value: Any) -> Any:
        raise MemoryError("no more")

    monkeypatch.setattr(Capture, broken, fail)
    monkeypatch.setattr(guest, "_SAID", set())
    with caplog.at_level(logging.WARNING, "inspector.recording"):
        result, run = record_run(
            give_and_take(5), {"give": {"start": 1}}, recorder=through_tracing_alone()
        )

    assert result == {"take": {"kind": "int"}}
    assert [span.name for span in run.spans] == ["guest", "give", "take"]
    assert run.status == "completed"
    missing = at(run, "give#1").not_recorded
    assert "MemoryError: no more" in missing.values()
    said = [record.message for record in caplog.records]
    assert len(said) == len(set(said))


def test_a_tracer_of_ours_that_breaks_does_not_break_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_args: Any) -> Any:
        raise RuntimeError("bug")

    monkeypatch.setitem(operations.OPENERS, operations.COMPONENT, fail)
    result, run = record_run(
        give_and_take(5), {"give": {"start": 1}}, recorder=through_tracing_alone()
    )
    assert result == {"take": {"kind": "int"}}
    assert run.status == "completed"


def test_a_recording_that_cannot_begin_does_not_stop_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_args: Any, **_kwargs: Any) -> Any:
        raise RuntimeError("bug")

    monkeypatch.setattr("inspector.recording.recorder.begin_recording", fail)
    result, run = record_run(give_and_take(5), {"give": {"start": 1}})
    assert result == {"take": {"kind": "int"}}
    assert run.status == "incomplete"
    with PipelineRecorder(wrappers=False) as recorder:
        assert give_and_take(5).run({"give": {"start": 1}}) == result
    assert recorder.runs == ()


def test_nothing_of_the_host_is_kept_alive_by_a_run_that_is_over() -> None:
    class Big:
        pass

    big = Big()
    gone = weakref.ref(big)
    pipeline = give_and_take(big)
    record_run(pipeline, {"give": {"start": 1}}, recorder=through_tracing_alone())
    pipeline_gone = weakref.ref(pipeline)
    del big, pipeline
    gc.collect()
    assert gone() is None
    assert pipeline_gone() is None


def test_a_run_leaves_nothing_for_the_garbage_collector() -> None:
    pipeline = give_and_take(5)
    with through_tracing_alone() as recorder:
        pipeline.run({"give": {"start": 1}})
        recorder.wait()
        gc.collect()
        collecting = gc.isenabled()
        gc.disable()
        try:
            for _ in range(5):
                pipeline.run({"give": {"start": 1}})
            recorder.wait()
            assert gc.collect() == 0
        finally:
            if collecting:
                gc.enable()


def test_after_a_run_nothing_is_current() -> None:
    record_run(give_and_take(5), {"give": {"start": 1}})
    assert session.CURRENT.get() is None


def test_an_agent_with_a_generator_of_the_user_is_looked_at_closely() -> None:
    @component
    class Rewriting:
        def __init__(self, generator: MockChatGenerator) -> None:
            self.generator = generator

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
            for message in messages:
                message.meta["turns"] = message.meta.get("turns", 0) + 1
            return self.generator.run(messages)

    from haystack.dataclasses import ToolCall
    from haystack.tools import Tool

    tool = Tool(name="t", description="d", parameters={"type": "object"}, function=lambda: "ok")
    call = ChatMessage.from_assistant(tool_calls=[ToolCall(tool_name="t", arguments={})])
    rewriting = Rewriting(MockChatGenerator([call, call, "done"]))
    agent = Agent(chat_generator=rewriting, tools=[tool])
    _, run = record_run(
        agent, {"messages": [ChatMessage.from_user("hi")]}, recorder=through_tracing_alone()
    )

    def turns(step: int) -> int:
        return at(run, f"step{step}/llm").inputs["messages"][0]["meta"].get("turns", 0)

    assert [turns(step) for step in range(3)] == [0, 1, 2]
