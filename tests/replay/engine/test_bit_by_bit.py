"""`Pipeline.stream` and `Pipeline.run_async_generator`: recorded, and replayed bit by bit."""

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import pytest

import inspector
from inspector import Replayer, recording
from inspector.errors import InspectorError
from inspector.replay.api import ReplayDriftError, ReplayMode
from inspector.runfile.model import PipelineRun
from tests.helpers import agents, pipelines
from tests.replay.engine.conftest import Offline


@pytest.fixture
def enabled() -> Iterator[None]:
    inspector.enable()
    yield
    inspector.disable()


async def _streamed(handle: Any) -> list[Any]:
    return [chunk async for chunk in handle]


async def _recorded(case: pipelines.Case, offline: Offline) -> tuple[list[Any], Any, PipelineRun]:
    async with recording() as recorder:
        handle = case.target.stream(case.data)
        chunks = await _streamed(handle)
    (run,) = recorder.runs
    offline.from_now_on()
    return chunks, handle.result, run


async def test_a_stream_gives_the_same_chunks_the_same_result_and_a_report(
    offline: Offline,
) -> None:
    case = pipelines.rag(offline.server, stream=True)
    chunks, result, run = await _recorded(case, offline)
    assert run.mode == "stream"
    replayed = Replayer(case.target, run).stream()
    assert await _streamed(replayed) == chunks
    assert len(chunks) > 5
    assert replayed.result == result
    assert replayed.report.drifts == ()
    assert (replayed.run.mode, replayed.run.replay_of) == ("stream", run.id)
    (llm,) = (span for span in replayed.run.spans if span.path == "llm#1")
    assert len(llm.chunks or ()) == len(chunks)
    offline.assert_nothing_was_live()


async def test_what_ran_at_once_replays_as_a_stream_and_a_stream_at_once(
    offline: Offline,
) -> None:
    case = pipelines.rag(offline.server)
    result, run = await offline.record_async(case)
    replayed = Replayer(case.target, run).stream(case.data)
    text = "".join([chunk.content async for chunk in replayed])
    assert case.token in text
    assert replayed.result == result
    assert replayed.report.same

    streamed = pipelines.rag(offline.server, stream=True)
    offline.allow_key()
    _chunks, result, run = await _recorded(streamed, offline)
    assert Replayer(streamed.target, run).play(streamed.data) == result
    offline.assert_nothing_was_live()


async def test_only_the_chosen_components_are_streamed(offline: Offline) -> None:
    case = pipelines.parallel_branches(offline.server)
    chunks, _result, run = await _recorded(case, offline)
    replayed = Replayer(case.target, run).stream(streaming_components=["llm_1"])
    some = await _streamed(replayed)
    assert some
    assert {chunk.component_info.name for chunk in some} == {"llm_1"}
    assert some == [chunk for chunk in chunks if chunk.component_info.name == "llm_1"]
    with pytest.raises(ValueError, match="Unknown components"):
        Replayer(case.target, run).stream(streaming_components=["nobody"])


async def test_a_drift_is_raised_where_the_stream_is_read(offline: Offline) -> None:
    case = pipelines.rag(offline.server, stream=True)
    _chunks, _result, run = await _recorded(case, offline)
    other = {name: {"query": "something else"} for name in case.data}
    replayed = Replayer(case.target, run).stream(other)
    with pytest.raises(ReplayDriftError) as caught:
        await _streamed(replayed)
    assert caught.value.report.drifts
    assert replayed.report == caught.value.report
    offline.assert_nothing_was_live()


async def test_an_abandoned_stream_ends_the_replay(offline: Offline) -> None:
    case = pipelines.rag(offline.server, stream=True)
    _chunks, _result, run = await _recorded(case, offline)
    replayer = Replayer(case.target, run, pace="recorded")
    replayed = replayer.stream()
    reader = aiter(replayed)
    await anext(reader)
    await replayed.aclose()
    assert replayed.run.status == "canceled"
    assert replayer.play() is not None, "the pipeline can be replayed again"
    offline.assert_nothing_was_live()


async def test_enabled_pipelines_record_and_replay_streams(enabled: None, offline: Offline) -> None:
    case = pipelines.rag(offline.server, stream=True)
    handle = case.target.stream(case.data, record=True)
    chunks = await _streamed(handle)
    run = handle.run
    offline.from_now_on()
    assert (run.mode, run.status) == ("stream", "completed")
    assert len(next(span for span in run.spans if span.path == "llm#1").chunks or ()) == len(chunks)
    again = case.target.stream(case.data, replay=run, mode="strict")
    assert await _streamed(again) == chunks
    assert again.result == handle.result
    assert again.report.same
    assert await _streamed(case.target.stream(replay=run)) == chunks
    offline.assert_nothing_was_live()
    plain = case.target.stream(case.data)
    assert not hasattr(plain, "run"), "without our keywords it is Haystack's own"
    await plain.aclose()


async def test_partial_outputs_come_as_they_did(enabled: None, offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    names = {"retriever", "llm"}
    async with recording() as recorder:
        parts = [
            part
            async for part in case.target.run_async_generator(case.data, include_outputs_from=names)
        ]
    (run,) = recorder.runs
    offline.from_now_on()
    replayer = Replayer(case.target, run)
    again = [part async for part in replayer.partials(include_outputs_from=names)]
    assert again == parts
    assert replayer.result == parts[-1]
    assert replayer.report.drifts == ()
    enabled_parts = case.target.run_async_generator(
        case.data, include_outputs_from=names, replay=run
    )
    assert [part async for part in enabled_parts] == parts
    offline.assert_nothing_was_live()


async def test_between_two_partial_outputs_the_consumer_is_not_in_the_replay(
    offline: Offline,
) -> None:
    case = pipelines.rag(offline.server)
    _result, run = await offline.record_async(case)
    replayer = Replayer(case.target, run)
    host, port = offline.server.url.split("//")[1].split("/")[0].split(":")
    seen = 0
    async for _part in replayer.partials(include_outputs_from={"retriever"}):
        seen += 1
        socket.create_connection((host, int(port))).close()  # the consumer's own
    assert seen > 1
    assert replayer.report.same


async def test_partial_outputs_that_nobody_wants_any_more_end_the_replay(
    offline: Offline,
) -> None:
    case = pipelines.rag(offline.server)
    _result, run = await offline.record_async(case)
    replayer = Replayer(case.target, run)
    parts: Any = replayer.partials(include_outputs_from={"retriever"})
    await anext(parts)
    await parts.aclose()
    assert replayer.run.status == "canceled"
    drifting = replayer.partials({name: {"query": "other"} for name in case.data})
    with pytest.raises(ReplayDriftError):
        [part async for part in drifting]
    offline.assert_nothing_was_live()


async def test_a_stream_can_add_what_is_new_to_the_file(offline: Offline, tmp_path: Any) -> None:
    case = pipelines.rag(offline.server, stream=True)
    _chunks, _result, run = await _recorded(case, offline)
    file = tmp_path / "rag.run.json"
    run.save(file)
    offline.allow_key()
    other = {name: {"query": f"something else {case.token}"} for name in case.data}
    adding = Replayer(case.target, file, mode=ReplayMode.RECORD_NEW).stream(other)
    chunks = await _streamed(adding)
    offline.from_now_on()
    again = Replayer(case.target, file).stream(other)
    assert await _streamed(again) == chunks
    await _streamed(Replayer(case.target, file).stream(case.data))
    offline.assert_nothing_was_live()


def test_what_cannot_stream_says_so(offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)

    async def stream() -> None:
        Replayer(case.target, run).stream(case.data)

    with pytest.raises(InspectorError, match="no stream method"):
        asyncio.run(stream())
