"""Streams are replayed chunk for chunk, to whoever listens now."""

import asyncio
import time
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage, StreamingChunk

from inspector import record_run, record_run_async
from inspector.replay.api import Replayer, replay_run
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import say
from tests.replay.engine.conftest import Offline


class Listener:
    """Keeps what it is told. Its callbacks are functions: Haystack copies methods with all."""

    def __init__(self) -> None:
        chunks: list[StreamingChunk] = []

        def hear(chunk: StreamingChunk) -> None:
            chunks.append(chunk)

        async def hear_async(chunk: StreamingChunk) -> None:
            chunks.append(chunk)

        self.chunks = chunks
        self.hear = hear
        self.hear_async = hear_async

    @property
    def text(self) -> str:
        return "".join(chunk.content for chunk in self.chunks)


def rag_data(case: pipelines.Case, callback: Any) -> dict[str, Any]:
    return {**case.data, "llm": {"streaming_callback": callback}}


def test_a_stream_is_replayed_chunk_for_chunk(offline: Offline) -> None:
    case = pipelines.rag(offline.server, stream=True)
    first, again = Listener(), Listener()
    result, run = record_run(case.target, rag_data(case, first.hear))
    offline.from_now_on()
    replayer = Replayer(case.target, run)
    assert replayer.play(rag_data(case, again.hear)) == result
    assert len(again.chunks) > 5
    assert again.chunks == first.chunks
    assert replayer.report.drifts == ()
    (llm,) = (span for span in replayer.run.spans if span.path == "llm#1")
    assert len(llm.chunks or ()) == len(first.chunks)
    offline.assert_nothing_was_live()


def test_an_async_callback_gets_the_same_chunks(offline: Offline) -> None:
    case = pipelines.rag(offline.server, stream=True)
    first, again = Listener(), Listener()

    async def both() -> None:
        result, run = await record_run_async(case.target, rag_data(case, first.hear_async))
        offline.from_now_on()
        replayer = Replayer(case.target, run)
        assert await replayer.play_async(rag_data(case, again.hear_async)) == result
        assert replayer.report.drifts == ()

    asyncio.run(both())
    assert len(again.chunks) > 5
    assert again.chunks == first.chunks
    offline.assert_nothing_was_live()


def test_an_agent_streams_tool_calls_and_results_again(offline: Offline) -> None:
    case = agents.three_tools(offline.server, stream=True)
    first, again = Listener(), Listener()
    result, run = record_run(case.target, {**case.data, "streaming_callback": first.hear})
    offline.from_now_on()
    data = {**case.data, "streaming_callback": again.hear}
    assert Replayer(case.target, run).play(data) == result
    assert sorted(map(repr, again.chunks)) == sorted(map(repr, first.chunks))
    assert any(chunk.tool_calls for chunk in again.chunks)
    assert any(chunk.tool_call_result for chunk in again.chunks)
    offline.assert_nothing_was_live()


def test_what_was_recorded_without_streaming_replays_to_a_caller_who_streams(
    offline: Offline,
) -> None:
    case = pipelines.rag(offline.server)
    result, run = offline.record(case)
    listener = Listener()
    assert replay_run(case.target, run, rag_data(case, listener.hear)) == result
    assert listener.text == result["answer_builder"]["answers"][0].data
    assert listener.chunks[-1].finish_reason == "stop"
    offline.assert_nothing_was_live()


def test_what_was_streamed_replays_to_a_caller_who_does_not(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    first = Listener()
    result, run = record_run(case.target, rag_data(case, first.hear))
    offline.from_now_on()
    assert replay_run(case.target, run, case.data) == result
    offline.assert_nothing_was_live()


@pytest.mark.parametrize("is_async", [False, True])
def test_at_the_recorded_pace_a_stream_takes_as_long_as_it_took(
    is_async: bool, offline: Offline
) -> None:
    offline.server.script = lambda _request: say(
        "one two three four", first_token_s=0.1, token_s=0.04
    )
    generator = pipelines.generator(offline.server, stream=True)
    data = {"messages": [ChatMessage.from_user("Count.")]}
    times: list[float] = []
    _result, run = record_run(
        generator, {**data, "streaming_callback": lambda _chunk: times.append(time.monotonic())}
    )
    took = times[-1] - times[0]

    def replayed(pace: str) -> float:
        again: list[float] = []
        asked = {**data, "streaming_callback": lambda _chunk: again.append(time.monotonic())}
        replayer = Replayer(generator, run, pace=pace)
        began = time.monotonic()
        if is_async:
            asyncio.run(replayer.play_async(asked))
        else:
            replayer.play(asked)
        assert len(again) == len(times)
        return again[-1] - began

    assert replayed("recorded") >= took
    assert replayed("at once") < took
