"""What was recorded replays STRICT: the same result, no live call, no key, no finding."""

import asyncio

import pytest

from inspector.replay.api import Replayer
from tests.helpers import agents, pipelines
from tests.replay.engine.conftest import Made, Offline

CASES: dict[str, Made] = {
    "rag": pipelines.rag,
    "rag, streamed": lambda server: pipelines.rag(server, stream=True),
    "parallel branches": pipelines.parallel_branches,
    "many queries in threads": pipelines.multi_query,
    "loop": pipelines.validator_loop,
    "router": pipelines.router,
    "rankers and embedders": pipelines.hybrid_embedding,
    "fallback": pipelines.fallback,
    "super component": pipelines.super_component,
    "agent with parallel tools": agents.three_tools,
    "agent, streamed": lambda server: agents.three_tools(server, stream=True),
    "agent in a pipeline": lambda server: agents.three_tools(server, in_pipeline=True),
    "agent of many steps": lambda server: agents.many_steps(server, steps=4),
    "pipeline as a tool": agents.pipeline_as_tool,
    "two agents as tools": agents.agent_as_tool,
    "a hook that changes the state": agents.with_hook,
}


def assert_clean(replayer: Replayer, offline: Offline) -> None:
    assert replayer.report.drifts == ()
    assert replayer.report.same
    assert replayer.report.live_calls == 0
    assert replayer.report.answered > 0
    offline.assert_nothing_was_live()


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_recorded_run_replays(make: Made, offline: Offline) -> None:
    case = make(offline.server)
    result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    assert replayer.play() == result
    assert_clean(replayer, offline)


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_a_sync_recording_replays_under_async(make: Made, offline: Offline) -> None:
    case = make(offline.server)
    result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    assert asyncio.run(replayer.play_async()) == result
    assert_clean(replayer, offline)


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_an_async_recording_replays_either_way(make: Made, offline: Offline) -> None:
    case = make(offline.server)
    result, run = asyncio.run(offline.record_async(case))
    replayer = offline.replayer(case, run)
    assert asyncio.run(replayer.play_async()) == result
    assert_clean(replayer, offline)
    assert replayer.play() == result
    assert_clean(replayer, offline)


def test_the_replay_is_a_run_with_the_same_paths_and_says_where_each_answer_came_from(
    offline: Offline,
) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    replayer.play()
    again = replayer.run
    assert again.replay_of == run.id
    assert sorted(span.path for span in again.spans) == sorted(span.path for span in run.spans)
    sources = {span.kind: span.raw.get("source") for span in again.spans}
    assert sources["llm"] == "recorded"
    assert sources["tool"] == "recorded"


def test_a_caller_may_pass_the_data_again(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    result, run = offline.record(case)
    assert offline.replayer(case, run).play(case.data) == result
    offline.assert_nothing_was_live()


def test_a_replay_leaves_the_instances_as_they_were(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    instances = [case.target.get_component(name) for name in ("retriever", "llm")]
    before = [dict(vars(instance)) for instance in instances]
    offline.replayer(case, run).play()
    assert [dict(vars(instance)) for instance in instances] == before
