"""A call that was answered before is answered at once, as long as it is the very same call."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.dataclasses import ChatMessage

from inspector import record_run, record_run_async
from inspector.replay.api import ReplayDriftError, Replayer, ReplayMode
from inspector.replay.recorded import recorded
from inspector.replay.shortcuts import shortcuts_of
from tests.helpers import pipelines
from tests.helpers.openai_script import say
from tests.replay.engine.conftest import Offline
from tests.replay.engine.test_run_of_a_replay import by_place

CONTAIN = {"asks": "contain"}


@component
class Asks:
    """Asks a generator several things, one after the other or all at once."""

    def __init__(self, generator: Any, at_once: bool = False) -> None:
        self.generator = generator
        self.at_once = at_once

    def _ask(self, topic: str) -> str:
        message = ChatMessage.from_user(topic, meta={"round": 1})
        return str(self.generator.run(messages=[message])["replies"][0].text)

    @component.output_types(texts=list[str])
    def run(self, topics: list[str]) -> dict[str, list[str]]:
        if not self.at_once:
            return {"texts": [self._ask(topic) for topic in topics]}
        barrier = threading.Barrier(len(topics))

        def ask(topic: str) -> str:
            barrier.wait(10)
            return self._ask(topic)

        with ThreadPoolExecutor(len(topics)) as pool:
            asked = [pool.submit(copy_context().run, ask, topic) for topic in topics]
            return {"texts": [each.result() for each in asked]}

    @component.output_types(texts=list[str])
    async def run_async(self, topics: list[str]) -> dict[str, list[str]]:
        asked = [[ChatMessage.from_user(topic, meta={"round": 1})] for topic in topics]
        replies = [await self.generator.run_async(messages=each) for each in asked]
        return {"texts": [reply["replies"][0].text for reply in replies]}


TOPICS = ["beds " * 100, "beds " * 100, "canes", "drains"]


def asking(offline: Offline, *, at_once: bool = False) -> Pipeline:
    offline.server.script = lambda request: say(f"About {request.text}, at length. " * 20)
    pipeline = Pipeline()
    pipeline.add_component("asks", Asks(pipelines.generator(offline.server), at_once))
    return pipeline


def data(topics: list[str]) -> dict[str, Any]:
    return {"asks": {"topics": topics}}


def recorded_asking(offline: Offline, **how: Any) -> tuple[Pipeline, Any, Replayer]:
    pipeline = asking(offline, **how)
    result, run = record_run(pipeline, data(TOPICS))
    offline.from_now_on()
    return pipeline, result, Replayer(pipeline, run, treat=CONTAIN)


def known(replayer: Replayer) -> int:
    """Return how many calls a replayer answers at once."""
    calls = recorded(replayer.recorded)
    return len(shortcuts_of(calls, replayer._policy))


def test_what_was_taken_at_once_is_in_the_run_as_if_it_had_gone_the_long_way(
    offline: Offline,
) -> None:
    _pipeline, result, replayer = recorded_asking(offline)
    assert replayer.play() == result
    long_way, report = replayer.run, replayer.report
    assert known(replayer) == len(TOPICS)
    for _ in range(3):
        assert replayer.play() == result
        assert replayer.report == report
        again = replayer.run
        assert [(span.id, span.path) for span in again.spans] == [
            (span.id, span.path) for span in long_way.spans
        ]
        assert by_place(again) == by_place(long_way)
        assert all(span.end_ns >= span.start_ns for span in again.spans)
        parents = {span.id: span.parent_id for span in long_way.spans}
        assert {span.id: span.parent_id for span in again.spans} == parents
    offline.assert_nothing_was_live()


def test_an_answer_is_made_anew_each_time(offline: Offline) -> None:
    _pipeline, _result, replayer = recorded_asking(offline)
    replayer.play()
    first = replayer.play()["asks"]["texts"]
    first.clear()
    assert len(replayer.play()["asks"]["texts"]) == len(TOPICS)


@pytest.mark.parametrize("place", range(len(TOPICS)))
def test_a_call_that_changed_is_a_drift_all_the_same(place: int, offline: Offline) -> None:
    _pipeline, result, replayer = recorded_asking(offline)
    for _ in range(2):
        assert replayer.play() == result
    topics = [*TOPICS]
    topics[place] = f"{topics[place]} and weeds"
    with pytest.raises(ReplayDriftError) as caught:
        replayer.play(data(topics))
    (drift,) = (each for each in caught.value.report.drifts if each.kind == "input")
    assert drift.path == f"asks#1/inner:OpenAIChatGenerator#{place + 1}"
    assert len(caught.value.run.spans) == 3 + place
    assert replayer.play() == result
    offline.assert_nothing_was_live()


def test_a_call_too_few_is_found_to_be_unused(offline: Offline) -> None:
    _pipeline, _result, replayer = recorded_asking(offline)
    replayer.play()
    with pytest.raises(ReplayDriftError) as caught:
        replayer.play(data(TOPICS[:-1]))
    assert "unused" in {str(drift.kind) for drift in caught.value.report.drifts}


def test_calls_in_another_order_keep_their_own_answers(offline: Offline) -> None:
    _pipeline, result, replayer = recorded_asking(offline)
    replayer.play()
    expected = dict(zip(TOPICS, result["asks"]["texts"], strict=True))
    turned = TOPICS[::-1]
    again = Replayer(_pipeline, replayer.recorded, treat=CONTAIN, mode=ReplayMode.DRIFT_OK)
    again.play()
    assert again.play(data(turned))["asks"]["texts"] == [expected[topic] for topic in turned]
    offline.assert_nothing_was_live()


def test_calls_at_once_on_many_threads_keep_their_own_answers(offline: Offline) -> None:
    _pipeline, result, replayer = recorded_asking(offline, at_once=True)
    for _ in range(10):
        assert replayer.play() == result
        assert replayer.report.answered == len(TOPICS)
        assert replayer.report.same
        spans = replayer.run.spans
        assert len({span.id for span in spans}) == len(spans) == 2 + len(TOPICS)
    offline.assert_nothing_was_live()


def test_twelve_replays_at_once_do_not_take_each_others_answers(offline: Offline) -> None:
    pipeline, result, replayer = recorded_asking(offline)
    barrier = threading.Barrier(12)

    def replay(_number: int) -> Any:
        mine = Replayer(pipeline, replayer.recorded, treat=CONTAIN)
        barrier.wait(10)
        played = [mine.play() for _ in range(5)]
        return played, mine.report.answered, len(mine.run.spans)

    with ThreadPoolExecutor(12) as pool:
        outcomes = list(pool.map(replay, range(12)))
    assert outcomes == [([result] * 5, len(TOPICS), 2 + len(TOPICS))] * 12
    offline.assert_nothing_was_live()


def test_async_calls_are_taken_at_once_too(offline: Offline) -> None:
    pipeline = asking(offline)
    result, run = asyncio.run(record_run_async(pipeline, data(TOPICS)))
    offline.from_now_on()
    replayer = Replayer(pipeline, run, treat=CONTAIN)
    for _ in range(3):
        assert asyncio.run(replayer.play_async()) == result
        assert known(replayer) == len(TOPICS)
        assert len(replayer.run.spans) == 2 + len(TOPICS)
    assert replayer.play() == result
    offline.assert_nothing_was_live()


def test_what_is_to_run_in_this_replay_is_not_answered(offline: Offline) -> None:
    pipeline, result, replayer = recorded_asking(offline)
    for _ in range(2):
        assert replayer.play() == result
    runs = Replayer(
        pipeline, replayer.recorded, treat={**CONTAIN, "OpenAIChatGenerator": "execute"}
    )
    offline.allow_key()
    with pytest.raises(ReplayDriftError, match="tried to reach"):
        runs.play()
    offline.assert_nothing_was_live()
