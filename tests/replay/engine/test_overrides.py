"""What follows when one thing is different: an input, a template, an answer, a tool result."""

import sys
from dataclasses import replace
from typing import Any

import pytest
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage

from inspector.replay.api import ReplayDriftError, Replayer, replay_run
from inspector.replay.mode import ReplayError
from inspector.replay.overrides import Overrides
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import say
from tests.helpers.openai_server import KEY_VARIABLE
from tests.helpers.tools import look_up, measure
from tests.replay.engine.conftest import Offline


def test_an_edited_answer_shows_what_follows_from_it(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    said = {"replies": [ChatMessage.from_assistant("Something else.")]}
    overrides = Overrides(answers={"llm#1": said})
    replayer = Replayer(case.target, run, mode="drift_ok", overrides=overrides)
    result = replayer.play()
    assert result["answer_builder"]["answers"][0].data == "Something else."
    (llm,) = (span for span in replayer.run.spans if span.path == "llm#1")
    assert llm.raw["source"] == "edited"
    assert [drift.path for drift in replayer.report.drifts] == ["answer_builder#1"]
    offline.assert_nothing_was_live()


def test_an_edited_template_stops_at_the_llm_that_has_no_answer_to_it(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    builder = case.target.get_component("prompt_builder")
    before = builder.template
    template = [ChatMessage.from_user("{{ documents | length }} Briefly: {{ query }}")]
    overrides = Overrides(parameters={"prompt_builder": {"template": template}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, overrides=overrides)
    drift = caught.value.report.of_kind("input")[-1]
    assert drift.path == "llm#1"
    assert drift.live.startswith("3 Briefly")
    assert builder.template is before, "the target stays as it is"
    offline.assert_nothing_was_live()


def test_another_model_has_no_recorded_answer(
    offline: Offline, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    overrides = Overrides(parameters={"llm": {"model": "gpt-4o"}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, overrides=overrides)
    assert caught.value.report.drifts[-1].leaf == "init_parameters.model"
    offline.assert_nothing_was_live()
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    offline.server.script = lambda request: say(f"from {request.body['model']}")
    result = replay_run(case.target, run, overrides=overrides, mode="drift_ok", allow_live=True)
    assert result["answer_builder"]["answers"][0].data == "from gpt-4o"


async def test_another_model_is_asked_under_async_as_well(
    offline: Offline, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = pipelines.rag(offline.server)
    _result, run = await offline.record_async(case)
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    offline.server.script = lambda request: say(f"from {request.body['model']}")
    replayer = Replayer(
        case.target, run, mode="drift_ok", allow_live=True,
        overrides=Overrides(parameters={"llm": {"model": "gpt-4o"}}),
    )  # fmt: skip
    result = await replayer.play_async()
    assert result["answer_builder"]["answers"][0].data == "from gpt-4o"
    assert replayer.report.live_calls == 1


@pytest.mark.parametrize(
    "overrides",
    [
        Overrides(parameters={"prompt_bilder": {"template": "Briefly."}}),
        Overrides(answers={"lmm#1": {"replies": []}}),
    ],
)
def test_what_was_to_be_different_and_never_happened_is_told(
    overrides: Overrides, offline: Offline
) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    with pytest.raises(ReplayError, match="goes by") as caught:
        replay_run(case.target, run, overrides=overrides)
    assert "llm#1" in caught.value.hint


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"mode": "lenient"}, "no mode 'lenient'"),
        ({"live_budget": -1}, "live_budget of -1"),
        ({"live_budget": "two"}, "live_budget of 'two'"),
        ({"live_budget_usd": -0.5}, "live_budget_usd of -0.5"),
        ({"treat": {"llm": "ignore"}}, "'ignore' is nothing to do with 'llm'"),
        ({"treat": ["llm"]}, "not as a list"),
    ],
)
def test_terms_that_make_no_sense_are_refused_in_words(
    wrong: dict[str, Any], says: str, offline: Offline
) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    with pytest.raises(ReplayError, match=says) as caught:
        Replayer(case.target, run, **wrong)
    assert caught.value.hint


def test_an_edited_input_is_what_the_target_is_run_with(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    overrides = Overrides(inputs={"retriever": {"top_k": 1}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, overrides=overrides)
    (drift,) = caught.value.report.drifts
    assert (drift.path, drift.leaf, drift.live) == ("retriever#1", "top_k", 1)


def test_an_edited_tool_result_reaches_the_next_llm(offline: Offline) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    overrides = Overrides(answers={"step0/tool:look_up[0]": {"text": "About nothing at all."}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, overrides=overrides)
    drift = caught.value.report.drifts[-1]
    assert drift.path == "step1/llm"
    assert "About nothing at all." in str(drift.live)
    offline.assert_nothing_was_live()


def test_a_parameter_that_does_not_exist_is_said(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    overrides = Overrides(parameters={"prompt_builder": {"tempalte": "x"}})
    with pytest.raises(Exception, match="has no parameter 'tempalte'"):
        replay_run(case.target, run, overrides=overrides)


def test_a_component_inside_another_is_changed_by_the_names_on_the_way_to_it(
    offline: Offline,
) -> None:
    case = pipelines.super_component(offline.server)
    _result, run = offline.record(case)
    inner = next(span for span in run.spans if span.name == "prompt_builder")
    key = inner.path.replace("pipeline#1/", "").replace("#1", "")
    assert "/" in key
    template = [ChatMessage.from_user("Briefly: {{ query }}")]
    overrides = Overrides(parameters={key: {"template": template}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, overrides=overrides)
    drift = caught.value.report.drifts[-1]
    assert drift.path.endswith("llm#1")
    assert str(drift.live).startswith("Briefly")
    offline.assert_nothing_was_live()


def test_an_agent_that_is_replayed_by_itself_gets_another_system_prompt(
    offline: Offline,
) -> None:
    case = agents.many_steps(offline.server, steps=1)
    agent = Agent(
        chat_generator=case.target.chat_generator, tools=[look_up, measure],
        system_prompt="You look after a greenhouse.",
    )  # fmt: skip
    case = replace(case, target=agent)
    _result, run = offline.record(case)
    overrides = Overrides(parameters={"Agent": {"system_prompt": "Answer like a pirate."}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(agent, run, overrides=overrides)
    drift = caught.value.report.drifts[-1]
    assert drift.path == "step0/llm"
    assert drift.live == "Answer like a pirate."
    assert agent.system_prompt == "You look after a greenhouse.", "the target stays as it is"
    offline.assert_nothing_was_live()


def test_the_model_of_an_agent_is_changed_by_the_name_of_the_part_it_belongs_to(
    offline: Offline,
) -> None:
    case = agents.many_steps(offline.server, steps=1)
    _result, run = offline.record(case)
    overrides = Overrides(parameters={"Agent": {"chat_generator.model": "gpt-4o"}})
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run, overrides=overrides)
    drift = caught.value.report.drifts[-1]
    assert (drift.leaf, drift.live) == (
        "init_parameters.chat_generator.init_parameters.model",
        "gpt-4o",
    )
    with pytest.raises(ReplayError, match=r"no parameter 'chat_generator\.modle'"):
        replay_run(
            case.target, run, overrides=Overrides(parameters={"Agent": {"chat_generator.modle": 1}})
        )
    offline.assert_nothing_was_live()


def test_what_a_changed_parameter_names_is_imported_by_nobody(offline: Offline) -> None:
    case = agents.many_steps(offline.server, steps=1)
    _result, run = offline.record(case)
    tool = {
        "type": "haystack.tools.tool.Tool",
        "data": {"name": "x", "description": "x", "parameters": {}, "function": "antigravity.main"},
    }
    with pytest.raises(ReplayError, match="antigravity"):
        replay_run(case.target, run, overrides=Overrides(parameters={"Agent": {"tools": [tool]}}))
    assert "antigravity" not in sys.modules
