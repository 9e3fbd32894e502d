"""Toolsets that fetch their tools from a server do not fetch them in a replay."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.agents.state.state_utils import merge_lists
from haystack.dataclasses import ChatMessage
from haystack.tools import SearchableToolset, Toolset

from inspector.replay.api import ReplayDriftError, ReplayMode
from inspector.runfile.load import load_run
from tests.helpers.openai_script import Call, Reply, Request, call, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case, generator, new_token
from tests.helpers.tools import look_up
from tests.helpers.toolsets import IteratedToolset, PlaceholderToolset, RemoteToolset
from tests.replay.engine.conftest import Offline

Opened = Callable[[RemoteToolset], RemoteToolset]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Closes the servers that a test had started."""
    kept: list[RemoteToolset] = []

    def keep(toolset: RemoteToolset) -> RemoteToolset:
        kept.append(toolset)
        return toolset

    yield keep
    for toolset in kept:
        toolset.close()


def gardener(server: OpenAIServer, tools: Any, *, token: str, piped: bool = False) -> Case:
    def script(request: Request) -> Reply:
        turns = (
            call(Call("count_beds", {"house": token}), Call("look_up", {"topic": token})),
            call(Call("read_sensor", {"sensor": token})),
            say(f"Counted for {token}."),
        )
        return turns[request.turn]

    server.script = script
    schema = {"seen": {"type": list, "handler": merge_lists}}
    agent = Agent(chat_generator=generator(server), tools=tools, state_schema=schema)
    messages = [ChatMessage.from_user(f"Count for {token}.")]
    if not piped:
        return Case(agent, token, lambda: {"messages": list(messages)}, token)
    pipeline = Pipeline(metadata={"name": "garden"})
    pipeline.add_component("gardener", agent)
    return Case(pipeline, token, lambda: {"gardener": {"messages": list(messages)}}, token)


KINDS = [RemoteToolset, IteratedToolset, PlaceholderToolset]


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_is_not_started_and_the_agent_gets_the_recorded_tools(
    kind: type[RemoteToolset], piped: bool, is_async: bool, offline: Offline, opened: Opened
) -> None:
    token = new_token()
    then = opened(kind())
    result, run = offline.record(
        gardener(offline.server, [look_up, then], token=token, piped=piped)
    )
    assert then.started == 1
    now = opened(kind())
    case = gardener(offline.server, [look_up, now], token=token, piped=piped)
    replayer = offline.replayer(case, run)
    played = asyncio.run(replayer.play_async()) if is_async else replayer.play()
    assert played == result
    assert now.started == now.asked == 0
    assert replayer.report.same
    (note,) = replayer.report.drifts
    assert note.leaf == "agent.tools"
    assert note.path == ("gardener#1" if piped else "")
    assert note.recorded == ["count_beds", "read_sensor"]
    assert "not asked for its tools" in note.message
    offline.assert_nothing_was_live()


def test_what_the_tools_put_into_the_state_is_put_there_again(
    offline: Offline, opened: Opened
) -> None:
    token = new_token()
    wired = {"seen": {"source": "said", "handler": merge_lists}}
    case = gardener(offline.server, [look_up, opened(RemoteToolset(wired))], token=token)
    result, run = offline.record(case)
    assert len(result["seen"]) == 2
    now = opened(RemoteToolset(wired))
    case = gardener(offline.server, [look_up, now], token=token)
    assert offline.replayer(case, run).play() == result
    assert now.started == 0


def test_a_toolset_that_has_its_tools_already_keeps_them(offline: Offline, opened: Opened) -> None:
    token = new_token()
    toolset = opened(RemoteToolset())
    case = gardener(offline.server, [look_up, toolset], token=token)
    result, run = offline.record(case)
    asked = toolset.asked
    replayer = offline.replayer(case, run)
    assert replayer.play() == result
    assert replayer.report.drifts == ()
    assert (toolset.started, toolset.asked) == (1, asked)
    assert "warm_up" not in vars(toolset)
    assert "spawn" not in vars(toolset)


def test_after_a_replay_the_toolset_fetches_its_tools_as_ever(
    offline: Offline, opened: Opened
) -> None:
    token = new_token()
    case = gardener(offline.server, opened(RemoteToolset()), token=token)
    _result, run = offline.record(case)
    now = opened(RemoteToolset())
    case = gardener(offline.server, now, token=token)
    offline.replayer(case, run).play()
    assert now.tools == []
    now.warm_up()
    assert [tool.name for tool in now.tools] == ["count_beds", "read_sensor"]


def test_tools_chosen_by_name_are_chosen_from_the_recorded_ones(
    offline: Offline, opened: Opened
) -> None:
    token = new_token()
    then, now = opened(RemoteToolset()), opened(RemoteToolset())
    names = ["count_beds", "look_up", "read_sensor"]

    def case(toolset: Toolset) -> Case:
        made = gardener(offline.server, [look_up, toolset], token=token)
        return Case(made.target, token, lambda: {**made.data, "tools": names}, token)

    result, run = offline.record(case(then))
    # Of tools chosen by name, the recording keeps no toolset: they are simply the agent's.
    replayer = offline.replayer(case(now), run)
    assert replayer.play() == result
    assert now.started == 0
    assert replayer.report.same


def test_a_recorded_tool_that_is_asked_something_new_runs_live_where_that_is_allowed(
    offline: Offline, opened: Opened
) -> None:
    token = new_token()
    then, now = opened(RemoteToolset()), opened(RemoteToolset())
    _result, run = offline.record(gardener(offline.server, then, token=token))
    other = gardener(offline.server, now, token=token)
    data = {"messages": [ChatMessage.from_user("Count something else.")]}
    strict = offline.replayer(other, run)
    with pytest.raises(ReplayDriftError):
        strict.play(data)
    assert now.started == 0

    def script(request: Request) -> Reply:
        if request.turn:
            return say("Counted.")
        return call(Call("count_beds", {"house": "another"}))

    offline.server.script = script
    offline.allow_key()
    replayer = offline.replayer(other, run, mode=ReplayMode.DRIFT_OK, allow_live=True)
    played = replayer.play(data)
    assert played["last_message"].text == "Counted."
    assert (now.started, now.asked) == (1, 1)
    (told,) = [m for m in played["messages"] if m.tool_call_results]
    assert "count_beds of ['another']" in str(told.tool_call_results[0].result)


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_that_searches_its_tools_finds_the_recorded_ones(
    is_async: bool, offline: Offline, opened: Opened
) -> None:
    token = new_token()

    def script(request: Request) -> Reply:
        turns = (
            call(Call("search_tools", {"tool_keywords": "beds house", "k": 1})),
            call(Call("count_beds", {"house": token})),
            say(f"Counted for {token}."),
        )
        return turns[request.turn]

    def case(toolset: RemoteToolset) -> Case:
        offline.server.script = script
        tools = SearchableToolset(catalog=[look_up, toolset], search_threshold=2)
        agent = Agent(chat_generator=generator(offline.server), tools=tools)
        return Case(
            agent, token, lambda: {"messages": [ChatMessage.from_user(f"Count {token}.")]}, token
        )

    then, now = opened(RemoteToolset()), opened(RemoteToolset())
    result, run = offline.record(case(then))
    assert [span.name for span in run.spans if span.kind == "tool"] == [
        "search_tools", "count_beds",
    ]  # fmt: skip
    replayer = offline.replayer(case(now), run)
    played = asyncio.run(replayer.play_async()) if is_async else replayer.play()
    assert played == result
    assert now.started == 0
    assert replayer.report.same
    assert replayer.run.spans[1].status == "ok"
    offline.assert_nothing_was_live()


def test_a_searched_catalog_that_is_there_already_is_searched_live(
    offline: Offline, opened: Opened
) -> None:
    token = new_token()

    def script(request: Request) -> Reply:
        turns = (
            call(Call("search_tools", {"tool_keywords": "manual topic"})),
            call(Call("look_up", {"topic": token})),
            say(f"Looked up {token}."),
        )
        return turns[request.turn]

    offline.server.script = script
    tools = SearchableToolset(catalog=[look_up, opened(RemoteToolset())], search_threshold=2)
    agent = Agent(chat_generator=generator(offline.server), tools=tools)
    case = Case(agent, token, lambda: {"messages": [ChatMessage.from_user(token)]}, token)
    result, run = offline.record(case)
    replayer = offline.replayer(case, run)
    assert replayer.play() == result
    assert replayer.report.drifts == ()
    search = next(span for span in replayer.run.spans if span.name == "search_tools")
    assert search.raw["source"] == "executed"
    offline.assert_nothing_was_live()


def test_the_recorded_tools_are_read_from_a_saved_file_too(
    offline: Offline, opened: Opened, tmp_path: Path
) -> None:
    token = new_token()
    result, run = offline.record(
        gardener(offline.server, [look_up, opened(RemoteToolset())], token=token)
    )
    file = tmp_path / "garden.run.json"
    run.save(file)
    now = opened(RemoteToolset())
    case = gardener(offline.server, [look_up, now], token=token)
    assert offline.replayer(case, load_run(file)).play() == result
    assert now.started == 0
