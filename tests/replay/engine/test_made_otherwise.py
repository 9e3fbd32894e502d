"""What runs live and is made otherwise now: a note with both values, and no drift by itself."""

from typing import Any

import pytest
from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.builders import PromptBuilder
from haystack.components.joiners import StringJoiner
from haystack.dataclasses import ChatMessage

from inspector import ReplayDriftError, Replayer, record_run
from inspector.runfile.drift import Drift
from tests.helpers.openai_script import say
from tests.helpers.pipelines import generator
from tests.replay.engine.conftest import Offline
from tests.replay.report.parts import DATA, TEMPLATE, pipeline


def notes(drifts: tuple[Drift, ...]) -> list[tuple[str, str, str | None]]:
    return [(each.kind, each.path, each.leaf) for each in drifts if each.grade == "note"]


def test_another_template_is_noted_with_both_values_beside_the_drift_it_causes() -> None:
    _result, run = record_run(pipeline(), DATA)
    other = TEMPLATE.replace("Answer.", "Answer briefly.")
    with pytest.raises(ReplayDriftError) as caught:
        Replayer(pipeline(template=other), run).play()
    drifts = caught.value.report.drifts
    assert ("topology", "prompt#1", "init_parameters.template") in notes(drifts)
    note = next(each for each in drifts if each.path == "prompt#1" and each.grade == "note")
    assert (note.recorded, note.live) == (TEMPLATE, other)
    assert note.message == "prompt#1 is made with another template than was recorded"
    assert any(each.counts and each.path == "oracle#1" for each in drifts)


def test_another_parameter_that_changes_nothing_is_not_worth_a_word() -> None:
    def made(required: Any) -> Pipeline:
        one = Pipeline()
        one.add_component("prompt", PromptBuilder("{{ what }}", required_variables=required))
        return one

    _result, run = record_run(made(["what"]), {"what": "this"})
    replayer = Replayer(made("*"), run)
    replayer.play()
    assert replayer.report.drifts == ()


def test_the_same_parameters_are_no_note() -> None:
    _result, run = record_run(pipeline(), DATA)
    replayer = Replayer(pipeline(), run)
    replayer.play()
    assert notes(replayer.report.drifts) == []


def test_a_component_of_another_class_is_a_drift_and_its_parameters_are_not_compared() -> None:
    def made(component: object) -> Pipeline:
        one = Pipeline()
        one.add_component("prompt", component)
        return one

    _result, run = record_run(made(PromptBuilder("{{ strings }}", required_variables="*")),
                              {"prompt": {"strings": ["a"]}})  # fmt: skip
    with pytest.raises(ReplayDriftError) as caught:
        Replayer(made(StringJoiner()), run).play()
    (first, *_others) = caught.value.report.of_kind("topology")
    assert (first.path, first.grade, first.leaf) == ("prompt#1", "major", "components.prompt.type")
    assert notes(caught.value.report.drifts) == []


def test_an_agent_that_is_told_something_else_is_noted(offline: Offline) -> None:
    def made(prompt: str) -> Pipeline:
        one = Pipeline()
        agent = Agent(chat_generator=generator(offline.server), system_prompt=prompt)
        one.add_component("support_agent", agent)
        return one

    offline.server.script = lambda _request: say("It is fine.")
    data = {"support_agent": {"messages": [ChatMessage.from_user("How is it?")]}}
    _result, run = record_run(made("You look after a greenhouse."), data)
    offline.from_now_on()
    with pytest.raises(ReplayDriftError) as caught:
        Replayer(made("You look after a lighthouse."), run).play()
    assert notes(caught.value.report.drifts) == [
        ("topology", "support_agent#1", "init_parameters.system_prompt"),
    ]  # fmt: skip
    offline.assert_nothing_was_live()
