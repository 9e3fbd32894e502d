"""What was recorded otherwise: STRICT stops, DRIFT_OK goes on, RECORD_NEW learns."""

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage
from haystack.tools.from_function import create_tool_from_function

from inspector import load_run
from inspector.replay.api import ReplayDriftError, Replayer, ReplayMode, replay_run
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import say
from tests.helpers.openai_server import KEY_VARIABLE
from tests.helpers.pipelines import Case
from tests.replay.engine.conftest import Offline

NEW_TEMPLATE = "{% for d in documents %}{{ d.content }}\n{% endfor %}Briefly: {{ query }}"


def edit_prompt(case: Case) -> list[ChatMessage]:
    """Edit the template of the RAG case, and return the old one."""
    builder = case.target.get_component("prompt_builder")
    old = builder.template
    builder.template = [ChatMessage.from_user(NEW_TEMPLATE)]
    assert isinstance(old, list)
    return old


def answer_of(result: Any) -> str:
    text: str = result["answer_builder"]["answers"][0].data
    return text


def test_strict_stops_at_the_llm_that_gets_another_prompt(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    edit_prompt(case)
    with pytest.raises(ReplayDriftError) as caught:
        replay_run(case.target, run)
    offline.assert_nothing_was_live()
    drifts = {drift.kind: drift for drift in caught.value.report.drifts}
    drift = drifts["input"]
    assert (drift.path, drift.visit, drift.grade) == ("llm#1", 1, "major")
    assert drift.leaf == "messages[0].content[0].text"
    assert "Briefly" in drift.live
    assert "Briefly" not in drift.recorded
    assert drift.candidate == "llm#1"
    assert drifts["output"].path == "prompt_builder#1"
    assert set(drifts) == {"input", "output", "topology"}
    note = drifts["topology"]
    assert (note.path, note.grade) == ("prompt_builder#1", "note")
    assert note.leaf == "init_parameters.template[0].content[0].text"
    assert caught.value.run.replay_of == run.id
    assert caught.value.run.status == "failed"


def test_drift_ok_stops_as_well_while_nothing_may_run_live(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    edit_prompt(case)
    with pytest.raises(ReplayDriftError, match="Live calls are not allowed"):
        replay_run(case.target, run, mode="drift_ok")
    offline.assert_nothing_was_live()


def test_drift_ok_runs_the_drifted_call_and_goes_on(
    offline: Offline, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = pipelines.rag(offline.server)
    result, run = offline.record(case)
    edit_prompt(case)
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    offline.server.script = lambda _request: say("A brief answer.")
    replayer = Replayer(case.target, run, mode="drift_ok", allow_live=True, live_budget=1)
    changed = replayer.play()
    assert offline.server.count() == offline.asked + 1
    assert answer_of(changed) == "A brief answer."
    assert answer_of(changed) != answer_of(result)
    assert replayer.report.live_calls == 1
    assert [drift.kind for drift in replayer.report.drifts if drift.path == "llm#1"] == ["input"]
    assert not replayer.report.same
    (llm,) = (span for span in replayer.run.spans if span.path == "llm#1")
    assert llm.raw["source"] == "live"


def test_a_budget_is_a_limit(offline: Offline, monkeypatch: pytest.MonkeyPatch) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    other = {"messages": [ChatMessage.from_user("Look after another bed.")], "author": "Ada"}
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    with pytest.raises(ReplayDriftError, match="budget of 2 live calls is spent"):
        replay_run(case.target, run, other, mode="drift_ok", allow_live=True, live_budget=2)
    assert offline.server.count() == offline.asked + 2


def test_record_new_extends_the_file_so_that_both_prompts_replay(
    offline: Offline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case = pipelines.rag(offline.server, stream=True)
    result, run = offline.record(case)
    file = tmp_path / "rag.run.json"
    run.save(file)
    old = edit_prompt(case)
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    offline.server.script = lambda _request: say("A brief answer.")
    changed = replay_run(case.target, file, mode=ReplayMode.RECORD_NEW)
    assert answer_of(changed) == "A brief answer."
    offline.from_now_on()

    extended = load_run(file, use_cache=False)
    assert extended.verify().state == "ok"
    assert extended.problems == ()
    assert [span.raw.get("take", 1) for span in extended.spans if span.path == "llm#1"] == [1, 2]

    replayer = Replayer(case.target, file)
    assert answer_of(replayer.play()) == "A brief answer."
    assert replayer.report.drifts == ()
    case.target.get_component("prompt_builder").template = old
    replayer = Replayer(case.target, file)
    assert replayer.play() == result
    assert replayer.report.drifts == ()
    offline.assert_nothing_was_live()


def test_record_new_leaves_a_file_alone_to_which_nothing_is_new(
    offline: Offline, tmp_path: Path
) -> None:
    case = agents.three_tools(offline.server)
    _result, run = offline.record(case)
    file = tmp_path / "agent.run.json"
    run.save(file)
    before = file.read_bytes()
    replay_run(case.target, file, mode="record_new")
    assert file.read_bytes() == before
    offline.assert_nothing_was_live()


def test_record_new_follows_an_agent_onto_new_ways(
    offline: Offline, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    case = agents.many_steps(offline.server, steps=1)
    result, run = offline.record(case)
    file = tmp_path / "agent.run.json"
    run.save(file)
    monkeypatch.setenv(KEY_VARIABLE, offline.server.key)
    offline.server.script = agents.steps_for_any_token(2)
    other = {"messages": [ChatMessage.from_user("Look after another bed.")]}
    changed = Replayer(case.target, file, mode="record_new").play(other)
    offline.from_now_on()
    assert Replayer(case.target, file).play(other) == changed
    assert Replayer(case.target, file).play() == result
    offline.assert_nothing_was_live()


def test_a_recording_without_a_file_cannot_be_extended(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    with pytest.raises(Exception, match="in no file that could be extended"):
        Replayer(case.target, run, mode="record_new")


def test_the_report_stands_in_the_replays_own_file(offline: Offline, tmp_path: Path) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    _result, again = replay_run(case.target, run, record=True)
    again.save(tmp_path / "again.run.json")
    header = json.loads((tmp_path / "again.run.json").read_bytes())["run"]
    assert header["replay_of"] == run.id
    (finding,) = header["findings"]
    assert finding["report"]["same"] is True


def test_a_replayer_sees_what_was_changed_since_it_last_played(offline: Offline) -> None:
    case = pipelines.rag(offline.server)
    _result, run = offline.record(case)
    replayer = Replayer(case.target, run)
    replayer.play()
    case.target.remove_component("answer_builder")
    with pytest.raises(ReplayDriftError) as caught:
        replayer.play(
            {name: {"query": case.data[name]["query"]} for name in ("retriever", "prompt_builder")}
        )
    assert {drift.kind for drift in caught.value.report.drifts} >= {"topology"}
    offline.assert_nothing_was_live()


def test_a_tool_that_came_since_the_last_play_does_not_run(offline: Offline) -> None:
    case = agents.many_steps(offline.server, steps=1)
    _result, run = offline.record(case)
    replayer = Replayer(case.target, run)
    replayer.play()
    ran: list[str] = []

    def look_up(topic: str) -> str:
        ran.append(topic)
        return topic

    other = create_tool_from_function(look_up, description="Look a topic up in the manual.")
    case.target.tools = [other, *case.target.tools[1:]]
    with contextlib.suppress(ReplayDriftError):
        replayer.play()
    assert ran == []
    offline.assert_nothing_was_live()
