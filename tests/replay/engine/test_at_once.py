"""Many calls and many replays at once keep their own answers."""

import asyncio
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack.tools.from_function import tool

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import Call, call, say
from tests.replay.engine.conftest import Offline

_NUMBERS = itertools.count(1)


@tool
def draw(deck: Annotated[str, "Which deck"]) -> str:
    """Draw a card: another one each time."""
    return f"{deck} card {next(_NUMBERS)}"


def test_identical_parallel_calls_keep_their_own_answers(offline: Offline) -> None:
    offline.server.script = lambda request: (
        say(" and ".join(map(str, request.tool_results)))
        if request.turn
        else call(*[Call("draw", {"deck": "red"})] * 3)
    )
    agent = Agent(chat_generator=pipelines.generator(offline.server), tools=[draw])
    result, run = record_run(agent, {"messages": [ChatMessage.from_user("Draw three.")]})
    offline.from_now_on()
    before = next(_NUMBERS)
    for _ in range(5):
        replayer = Replayer(agent, run)
        assert replayer.play() == result
        assert replayer.report.drifts == ()
    assert next(_NUMBERS) == before + 1, "no card was drawn"
    offline.assert_nothing_was_live()


@component
class Crowd:
    """Asks a generator the same kind of thing on several threads, in any order."""

    def __init__(self, generator: Any, order: list[int]) -> None:
        self.generator = generator
        self.order = order

    @component.output_types(texts=list[str])
    def run(self, topic: str) -> dict[str, list[str]]:
        turns = [threading.Event() for _ in self.order]
        turns[0].set()

        def ask(number: int) -> str:
            place = self.order.index(number)
            turns[place].wait(10)
            reply = self.generator.run([ChatMessage.from_user(f"{topic} {number}")])["replies"][0]
            if place + 1 < len(turns):
                turns[place + 1].set()
            return str(reply.text)

        with ThreadPoolExecutor(max_workers=len(self.order)) as pool:
            return {"texts": list(pool.map(ask, sorted(self.order)))}


def crowd(offline: Offline, order: list[int]) -> tuple[Pipeline, Crowd]:
    offline.server.script = lambda request: say(f"About {request.text}")
    asking = Crowd(pipelines.generator(offline.server), order)
    pipeline = Pipeline()
    pipeline.add_component("crowd", asking)
    return pipeline, asking


def test_calls_that_come_in_another_order_keep_their_own_answers(offline: Offline) -> None:
    pipeline, asking = crowd(offline, [0, 1, 2, 3])
    result, run = record_run(pipeline, {"crowd": {"topic": "beds"}})
    offline.from_now_on()
    for order in ([3, 2, 1, 0], [1, 3, 0, 2]):
        asking.order = order
        replayer = Replayer(pipeline, run, treat={"crowd": "contain"})
        assert replayer.play() == result
        assert replayer.report.drifts == ()
        assert replayer.report.answered == 4
    offline.assert_nothing_was_live()


def test_worker_threads_make_no_live_calls(offline: Offline) -> None:
    pipeline, _asking = crowd(offline, [0, 1, 2])
    _result, run = record_run(pipeline, {"crowd": {"topic": "beds"}})
    offline.from_now_on()
    replayer = Replayer(pipeline, run, treat={"crowd": "contain"})
    with pytest.raises(ReplayDriftError):
        replayer.play({"crowd": {"topic": "other beds"}})
    offline.assert_nothing_was_live()


def test_twelve_replays_at_once_on_one_pipeline(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    recordings = []
    for number in range(3):
        query = f"When does the Brackenfold controller water? {number}"
        data = {name: {"query": query} for name in case.data}
        recordings.append(record_run(case.target, data))
    offline.from_now_on()
    barrier = threading.Barrier(12)

    def replay(number: int) -> tuple[Any, Any, Replayer]:
        result, run = recordings[number % 3]
        replayer = Replayer(case.target, run)
        barrier.wait(10)
        return replayer.play(), result, replayer

    with ThreadPoolExecutor(max_workers=12) as pool:
        outcomes = list(pool.map(replay, range(12)))
    for played, result, replayer in outcomes:
        assert played == result
        assert replayer.report.drifts == ()
    offline.assert_nothing_was_live()


def test_twelve_async_replays_at_once_on_one_agent(offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    result, run = offline.record(case)

    async def all_at_once() -> list[Any]:
        replayers = [Replayer(case.target, run) for _ in range(12)]
        played = await asyncio.gather(*(each.play_async() for each in replayers))
        assert all(each.report.drifts == () for each in replayers)
        return list(played)

    assert asyncio.run(all_at_once()) == [result] * 12
    offline.assert_nothing_was_live()


def test_a_live_run_beside_a_replay_stays_live(offline: Offline, monkeypatch: Any) -> None:
    case = pipelines.rag(offline.server)
    result, run = offline.record(case)
    monkeypatch.setenv("OPENAI_API_KEY", offline.server.key)
    barrier = threading.Barrier(2)

    def live() -> Any:
        barrier.wait(10)
        return case.target.run(case.data)

    def replay() -> Any:
        barrier.wait(10)
        return replay_run(case.target, run)

    with ThreadPoolExecutor(max_workers=2) as pool:
        ran, replayed = pool.submit(live), pool.submit(replay)
        assert replayed.result() == result
        assert ran.result()["answer_builder"]["answers"][0].data
    assert offline.server.count() == offline.asked + 1
