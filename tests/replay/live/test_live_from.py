"""Re-running live from one call on: what is before it is answered, what follows is asked."""

from decimal import Decimal

import pytest
from haystack.dataclasses import ChatMessage

from inspector import record_run
from inspector.replay.api import ReplayDriftError, Replayer
from inspector.replay.mode import ReplayError
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case
from tests.helpers.tools import DIARY


def sources(replayer: Replayer) -> dict[str, str]:
    return {
        span.path: str(span.raw["source"])
        for span in replayer.run.spans
        if span.raw.get("source") and span.kind in ("llm", "tool", "component")
    }


def live(case: Case, run: object, path: str, **more: object) -> Replayer:
    options = {"mode": "drift_ok", "allow_live": True, **more}
    return Replayer(case.target, run, live_from=path, **case.options, **options)  # type: ignore[arg-type]


@pytest.fixture
def agent(openai_server: OpenAIServer) -> Case:
    return agents.three_tools(openai_server)


def test_what_is_before_is_answered_and_what_follows_is_asked(
    openai_server: OpenAIServer, agent: Case
) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    llms = [span.path for span in run.spans if span.kind == "llm"]
    assert len(llms) >= 2, "the agent has to come back after its tools"
    asked, done = openai_server.count(), len(DIARY.entries)
    replayer = live(agent, run, llms[-1])
    replayer.play()
    came_from = sources(replayer)
    assert [came_from[path] for path in llms] == ["recorded"] * (len(llms) - 1) + ["live"]
    assert openai_server.count() == asked + 1
    assert len(DIARY.entries) == done, "a tool before that call ran again"
    assert replayer.report.live_calls == 1


def test_tools_after_it_run_as_well_unless_they_were_told_not_to(
    openai_server: OpenAIServer, agent: Case
) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    first = next(span.path for span in run.spans if span.kind == "llm")
    tools = [span for span in run.spans if span.kind == "tool"]
    done = len(DIARY.entries)
    replayer = live(agent, run, first)
    replayer.play()
    assert len(DIARY.entries) == done + len(tools)
    again = live(agent, run, first, treat={span.name: "never_live" for span in tools})
    again.play()
    assert len(DIARY.entries) == done + len(tools), "a tool ran that was told not to"
    assert {sources(again)[span.path] for span in tools} == {"recorded"}


def test_another_answer_leads_to_calls_that_were_never_recorded(
    openai_server: OpenAIServer,
) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    openai_server.script = lambda request: say("Something else altogether.")
    replayer = live(case, run, "llm#1")
    result = replayer.play()
    assert result["answer_builder"]["answers"][0].data == "Something else altogether."
    assert not [each for each in replayer.report.drifts if each.kind == "unused"]


def test_the_budget_holds_from_there_on(openai_server: OpenAIServer, agent: Case) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    first = next(span.path for span in run.spans if span.kind == "llm")
    asked = openai_server.count()
    tools = {span.name: "never_live" for span in run.spans if span.kind == "tool"}
    with pytest.raises(ReplayDriftError, match=r"The budget of 1 live calls is spent"):
        live(agent, run, first, live_budget=1, treat=tools).play()
    assert openai_server.count() == asked + 1


def test_nobody_is_asked_before_the_call_it_begins_at(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    asked = openai_server.count()
    case.target.get_component("prompt_builder").template = [ChatMessage.from_user("{{ query }}!")]
    replayer = live(case, run, "answer_builder#1")
    with pytest.raises(ReplayDriftError, match="Live calls begin at answer_builder#1"):
        replayer.play()
    assert openai_server.count() == asked


@pytest.mark.parametrize(
    ("options", "path", "message"),
    [
        ({"mode": "strict"}, "llm#1", "in a replay that allows nothing"),
        ({"allow_live": False}, "llm#1", "in a replay that allows nothing"),
        ({}, "no_such#1", "No recorded call goes by 'no_such#1'"),
    ],
)
def test_what_makes_no_sense_is_said(
    openai_server: OpenAIServer, options: dict[str, object], path: str, message: str
) -> None:
    case = pipelines.rag(openai_server)
    _result, run = record_run(case.target, case.data, **case.options)
    with pytest.raises(ReplayError, match=message):
        live(case, run, path, **options).play()


def test_a_budget_in_money_is_kept(openai_server: OpenAIServer, agent: Case) -> None:
    _result, run = record_run(agent.target, agent.data, **agent.options)
    first = next(span.path for span in run.spans if span.kind == "llm")
    asked = openai_server.count()
    with pytest.raises(ReplayDriftError, match="The budget of 0 US dollars is spent"):
        live(agent, run, first, live_budget_usd=Decimal(0)).play()
    assert openai_server.count() == asked
