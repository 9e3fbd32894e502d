"""`pipeline.run(data, replay=run, mode=...)` after `enable()`."""

import asyncio
from collections.abc import Iterator

import pytest

import inspector
from inspector.replay.api import ReplayDriftError
from tests.helpers import agents, pipelines
from tests.replay.engine.conftest import Offline


@pytest.fixture
def enabled() -> Iterator[None]:
    inspector.enable()
    yield
    inspector.disable()


def test_a_pipeline_replays_when_it_is_run(enabled: None, offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    result, run = case.target.run(case.data, record=True)
    offline.from_now_on()
    assert case.target.run(case.data, replay=run) == result
    assert case.target.run(replay=run) == result
    again, replayed = case.target.run(case.data, replay=run, mode="strict", record=True)
    assert again == result
    assert replayed.replay_of == run.id
    assert asyncio.run(case.target.run_async(case.data, replay=run)) == result
    other = {name: {"query": "something else"} for name in case.data}
    with pytest.raises(ReplayDriftError):
        case.target.run(other, replay=run)
    offline.assert_nothing_was_live()


def test_an_agent_replays_when_it_is_run(enabled: None, offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    result, run = case.target.run(**case.data, record=True)
    offline.from_now_on()
    assert case.target.run(**case.data, replay=run) == result
    assert case.target.run(replay=run) == result
    assert asyncio.run(case.target.run_async(**case.data, replay=run)) == result
    offline.assert_nothing_was_live()
