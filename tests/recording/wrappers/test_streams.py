"""Streams: every chunk with its time, and the callback called as if we were not there."""

import asyncio
import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import FallbackChatGenerator, MockChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk

from inspector.recording.api import record_run, record_run_async, recording
from inspector.runfile.model import PipelineRun, Span
from tests.helpers import pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at
from tests.recording.wrappers.parts import (
    alone,
    asks_for,
    call,
    double_tool,
    ignore,
    ignore_async,
    paths,
    recorded,
    told,
    tries,
    user,
)  # fmt: skip

pytestmark = pytest.mark.haystack
WORDS = "one two three four"


def content(span: Span) -> list[str]:
    return [chunk.value["content"] for chunk in span.chunks or ()]


def streamed(run: PipelineRun) -> list[str]:
    """Return the paths of the spans that have chunks."""
    return [span.path for span in run.spans if span.chunks]


def in_order(span: Span) -> bool:
    times = [chunk.at_ns for chunk in span.chunks or ()]
    assert span.end_ns is not None
    return times == sorted(times) and span.start_ns <= times[0] <= times[-1] <= span.end_ns


@pytest.mark.parametrize("given", ["at_init", "at_run_time"])
def test_the_chunks_of_a_generator_in_a_pipeline(given: str) -> None:
    heard: list[StreamingChunk] = []
    init = {"streaming_callback": heard.append} if given == "at_init" else {}
    data: dict[str, Any] = {"messages": user()}
    if given == "at_run_time":
        data["streaming_callback"] = heard.append
    llm = MockChatGenerator(WORDS, **init)  # type: ignore[arg-type]
    run = recorded(alone("llm", llm), {"llm": data})

    span = at(run, "llm#1")
    assert content(span) == [chunk.content for chunk in heard] == ["one ", "two ", "three ", "four"]
    assert in_order(span)
    first = (span.chunks or [])[0].value
    assert first["component"]["type"].endswith("MockChatGenerator")
    assert first["component"]["name"] == "llm"


def test_without_a_callback_nothing_is_streamed_and_nothing_is_passed() -> None:
    passed: list[dict[str, Any]] = []

    @component
    class Watched:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], **kwargs: Any) -> dict[str, Any]:
            passed.append(kwargs)
            return {"replies": messages}

    @component
    class Streaming:
        def __init__(self) -> None:
            self.streaming_callback: Any = None

        @component.output_types(replies=list[ChatMessage])
        def run(
            self, messages: list[ChatMessage], streaming_callback: Any = None
        ) -> dict[str, Any]:
            passed.append({"streaming_callback": streaming_callback})
            return {"replies": messages}

    pipeline = Pipeline()
    pipeline.add_component("watched", Watched())
    pipeline.add_component("streaming", Streaming())
    data = {name: {"messages": user()} for name in ("watched", "streaming")}
    run = recorded(pipeline, data)
    assert passed == [{}, {"streaming_callback": None}] or passed == [
        {"streaming_callback": None},
        {},
    ]
    assert streamed(run) == []


def test_a_pipelines_stream_delivers_and_records_the_same_chunks() -> None:
    async def stream() -> tuple[list[str], PipelineRun]:
        pipeline = alone("llm", MockChatGenerator(WORDS))
        async with recording() as recorder:
            handle = pipeline.stream({"llm": {"messages": user()}})
            chunks = [chunk.content async for chunk in handle]
            assert handle.result["llm"]["replies"][0].text == WORDS
        (run,) = recorder.runs
        return chunks, run

    chunks, run = asyncio.run(stream())
    assert content(at(run, "llm#1")) == chunks
    assert run.mode == "stream"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("callback", [ignore, ignore_async])
@pytest.mark.parametrize("given", ["at_init", "at_run_time"])
def test_async_runs_take_callbacks_of_both_kinds(
    callback: Callable[[StreamingChunk], Any], given: str, caplog: pytest.LogCaptureFixture
) -> None:
    init: dict[str, Any] = {"streaming_callback": callback} if given == "at_init" else {}
    data: dict[str, Any] = {"messages": user()}
    if given == "at_run_time":
        data["streaming_callback"] = callback

    async def warned(record: bool) -> list[str]:
        pipeline = alone("llm", MockChatGenerator(WORDS, **init))
        caplog.clear()
        if record:
            _, run = await record_run_async(pipeline, {"llm": dict(data)})
            assert content(at(run, "llm#1")) == ["one ", "two ", "three ", "four"]
        else:
            await pipeline.run_async({"llm": dict(data)})
        return [entry.getMessage() for entry in caplog.records if "callback" in entry.getMessage()]

    before = asyncio.run(warned(record=False))
    assert asyncio.run(warned(record=True)) == before


def test_a_callback_object_that_gives_back_something_to_await_is_awaited() -> None:
    heard: list[str] = []

    class Socket:
        async def send(self, chunk: StreamingChunk) -> None:
            heard.append(chunk.content)

        def __call__(self, chunk: StreamingChunk) -> Any:
            return self.send(chunk)

    async def record() -> PipelineRun:
        data = {"messages": user(), "streaming_callback": Socket()}
        _, run = await record_run_async(MockChatGenerator(WORDS), data)
        return run

    run = asyncio.run(record())
    assert content(run.roots[0]) == heard == ["one ", "two ", "three ", "four"]


def test_a_callback_passed_by_position_is_heard() -> None:
    heard: list[str] = []

    @component
    class Caller:
        def __init__(self) -> None:
            self.generator = MockChatGenerator(WORDS)

        @component.output_types(text=str)
        def run(self, text: str) -> dict[str, Any]:
            said = self.generator.run(user(text), lambda chunk: heard.append(chunk.content))
            return {"text": said["replies"][0].text}

    run = recorded(alone("caller", Caller()), {"caller": {"text": "x"}})
    assert content(at(run, "caller#1/inner:MockChatGenerator#1")) == heard
    assert len(heard) == 4


def test_the_error_of_a_callback_is_the_callers_own() -> None:
    def burst(chunk: StreamingChunk) -> None:
        raise OSError(f"gone after {chunk.content}")

    llm = MockChatGenerator(WORDS)
    with pytest.raises(OSError, match="gone after one"), recording() as recorder:
        record_run(llm, {"messages": user(), "streaming_callback": burst}, recorder=recorder)
    (run,) = recorder.runs
    assert content(run.roots[0]) == ["one "]
    assert run.roots[0].status == "failed"


def test_what_a_callback_is_called_and_takes_stays_visible_to_the_component() -> None:
    seen: list[Any] = []

    @component
    class Curious:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback: Any) -> dict[str, Any]:
            seen.append(streaming_callback)
            return {"replies": messages}

    recorded(Curious(), {"messages": user(), "streaming_callback": ignore})
    (callback,) = seen
    assert (callback.__name__, callback.__module__) == (ignore.__name__, ignore.__module__)
    assert inspect.signature(callback) == inspect.signature(ignore)


def test_the_one_nearest_to_the_source_records_a_chunk() -> None:
    heard: list[StreamingChunk] = []
    both = FallbackChatGenerator([MockChatGenerator(WORDS)])
    data = {"messages": user(), "streaming_callback": heard.append}
    run = recorded(alone("llm", both), {"llm": data})
    (only,) = tries(run, "llm#1")
    assert streamed(run) == [only.path]
    assert len(heard) == 4


def test_what_a_component_makes_of_a_stream_is_another_stream() -> None:
    @component
    class Shouting:
        def __init__(self) -> None:
            self.generator = MockChatGenerator(WORDS)

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback: Any) -> dict[str, Any]:
            @functools.wraps(streaming_callback)
            def shout(chunk: StreamingChunk) -> None:
                streaming_callback(StreamingChunk(chunk.content.upper()))

            return self.generator.run(messages, streaming_callback=shout)

    heard: list[StreamingChunk] = []
    data = {"messages": user(), "streaming_callback": heard.append}
    run = recorded(alone("llm", Shouting()), {"llm": data})
    assert [chunk.content for chunk in heard] == ["ONE ", "TWO ", "THREE ", "FOUR"]
    assert content(at(run, "llm#1")) == ["ONE ", "TWO ", "THREE ", "FOUR"]
    assert content(at(run, "llm#1/inner:MockChatGenerator#1")) == ["one ", "two ", "three ", "four"]


@pytest.mark.parametrize("given", ["at_init", "at_run_time"])
def test_the_results_of_tools_that_an_agent_streams_are_its_own_chunks(given: str) -> None:
    heard: list[StreamingChunk] = []
    init: dict[str, Any] = {"streaming_callback": heard.append} if given == "at_init" else {}
    model = asks_for(call("double", number=4), then=WORDS)
    agent = Agent(chat_generator=model, tools=[double_tool()], **init)
    data: dict[str, Any] = {"messages": user()}
    if given == "at_run_time":
        data["streaming_callback"] = heard.append
    run = recorded(alone("agent", agent), {"agent": data})

    assert content(at(run, "agent#1/step1/llm")) == ["one ", "two ", "three ", "four"]
    (asked,) = told(at(run, "agent#1/step0/llm").chunks)
    assert asked.value["tool_calls"][0]["name"] == "double"
    result, end = told(at(run, "agent#1").chunks)
    assert result.value["tool_call_result"]["result"] == "8"
    assert end.value["finish_reason"] == "tool_call_results"
    chunks = [chunk for path in streamed(run) for chunk in at(run, path).chunks or ()]
    assert len(chunks) == len(heard)


def test_usage_is_merged_over_all_chunks_when_the_reply_has_none() -> None:
    @component
    class Piecemeal:
        """Tells what went in with the first chunk and what came out with the last."""

        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback: Any) -> dict[str, Any]:
            pieces: list[Any] = [
                {"input_tokens": 25, "output_tokens": 1},
                None,
                {"output_tokens": 15},
            ]
            for usage in pieces:
                streaming_callback(StreamingChunk("x", meta={"usage": usage}))
            return {"replies": [ChatMessage.from_assistant("xxx")]}

    run = recorded(
        alone("llm", Piecemeal()), {"llm": {"messages": user(), "streaming_callback": ignore}}
    )
    usage = at(run, "llm#1").usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (25, 15)
    assert usage.raw == {"input_tokens": 25, "output_tokens": 15}


def test_a_stream_of_the_real_generator_is_recorded_as_the_server_sent_it(
    openai_server: OpenAIServer,
) -> None:
    case = pipelines.rag(openai_server, stream=True)
    run = recorded(case.target, case.data)
    (exchange,) = openai_server.log
    sent = [
        choice["delta"].get("content") or ""
        for chunk in exchange.chunks
        for choice in chunk["choices"]
    ]
    span = at(run, "llm#1")
    assert "".join(content(span)) == "".join(sent)
    assert len(span.chunks or ()) == len(exchange.chunks)
    assert span.usage is not None
    assert exchange.usage is not None
    assert span.usage.total_tokens == exchange.usage["total_tokens"]


def test_streams_that_run_side_by_side_keep_apart(openai_server: OpenAIServer) -> None:
    case = pipelines.parallel_branches(openai_server, branches=3)

    async def record() -> PipelineRun:
        _, run = await record_run_async(case.target, case.data)
        return run

    run = asyncio.run(record())
    for number in range(3):
        answer = "".join(content(at(run, f"llm_{number}#1")))
        assert answer == f"Answering Branch {number}: {case.token}"


def test_a_chunk_that_comes_after_the_span_ended_is_passed_on_alone() -> None:
    kept: list[Any] = []

    @component
    class Keeps:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], streaming_callback: Any) -> dict[str, Any]:
            kept.append(streaming_callback)
            return {"replies": messages}

    heard: list[Any] = []
    run = recorded(Keeps(), {"messages": user(), "streaming_callback": heard.append})
    kept[0]("late")
    assert heard == ["late"]
    assert paths(run) == [""]
    assert not run.roots[0].chunks
