"""What is changed in a worker's replay, and what is new in it: told first, added when agreed."""

from pathlib import Path
from typing import Any

import pytest

from inspector import Replayer, load_run
from inspector.recording.finding import found_target
from inspector.replay.extend import NewCall
from inspector.replay.host import Worker
from inspector.replay.mode import ReplayError
from tests.helpers.openai_script import Call, Reply, Request, call, say
from tests.replay.worker.conftest import Project, of, played

DATA = {"retriever": {"query": "vents"}, "prompt": {"query": "When do the vents open?"}}


def message(role: str, text: str) -> dict[str, Any]:
    return {"$": "chat_message", "role": role, "content": [{"text": text}]}


NEW_TEMPLATE = {
    "prompt": {"template": [message("user", "Briefly: {{ query }} {{ documents|length }}")]}
}


def finished(worker: Worker) -> dict[str, Any]:
    return played(worker)[-1]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_changed_template_reaches_the_llm_and_the_target_stays_as_it_is(
    project: Project, asynchronous: bool
) -> None:
    project.record("rag", DATA)
    asked = project.server.count()
    job = project.job("rag", overrides={"parameters": NEW_TEMPLATE}, asynchronous=asynchronous)
    end = finished(project.worker(job))
    assert end["outcome"] == "drift", end
    drift = end["report"]["drifts"][-1]
    assert (drift["kind"], drift["path"]) == ("input", "llm#1")
    assert drift["live"] == "Briefly: When do the vents open? 1"
    assert project.server.count() == asked


def test_a_changed_template_is_asked_live_where_that_is_allowed(project: Project) -> None:
    project.record("rag", DATA)
    project.server.script = lambda request: say(f"<{request.text}>")
    asked = project.server.count()
    job = project.job(
        "rag", mode="drift_ok", allow_live=True, live_budget=1,
        overrides={"parameters": NEW_TEMPLATE},
    )  # fmt: skip
    worker = project.worker(job)
    end = finished(worker)
    assert end["report"]["live_calls"] == 1
    assert project.server.count() == asked + 1
    (reply,) = worker.run().outputs["llm"]["replies"]
    assert reply["content"][0]["text"] == "<Briefly: When do the vents open? 1>"


def test_a_changed_answer_and_a_changed_input_are_what_counts(project: Project) -> None:
    project.record("rag", DATA)
    said = {"replies": [message("assistant", "They never open.")]}
    job = project.job(
        "rag", mode="drift_ok",
        overrides={"answers": {"llm#1": said}, "inputs": {"prompt": {"query": "And at night?"}}},
    )  # fmt: skip
    worker = project.worker(job)
    end = finished(worker)
    run = worker.run()
    (reply,) = run.outputs["llm"]["replies"]
    assert reply["content"][0]["text"] == "They never open."
    llm = run.at("llm#1")
    assert llm is not None
    assert llm.raw["source"] == "edited"
    assert "And at night?" in str(llm.inputs)
    assert end["report"]["live_calls"] == 0


def test_a_changed_tool_result_is_what_the_agent_goes_on_with(project: Project) -> None:
    def script(request: Request) -> Reply:
        if not request.turn:
            return call(Call("read_probe", {"bed": "basil"}))
        return say(f"It reads {request.tool_results[-1]}")

    project.server.script = script
    project.record("agent", {"messages": [message_object("How is the basil?")]})
    job = project.job(
        "agent", mode="drift_ok", allow_live=True,
        overrides={"answers": {"step0/tool:read_probe[0]": "basil: 99 %"}},
    )  # fmt: skip
    worker = project.worker(job)
    end = finished(worker)
    assert end["report"]["live_calls"] == 1, end
    assert worker.run().outputs["last_message"]["content"][0]["text"] == "It reads basil: 99 %"


def message_object(text: str) -> Any:
    from haystack.dataclasses import ChatMessage

    return ChatMessage.from_user(text)


def test_an_override_that_makes_no_sense_is_told_in_a_sentence(project: Project) -> None:
    project.record("rag", DATA)
    job = project.job("rag", overrides={"parameters": {"prompt": {"nonsense": 1}}})
    end = finished(project.worker(job))
    assert end["outcome"] == "could_not"
    assert "no parameter 'nonsense'" in end["error"]["message"]
    job = project.job("rag", overrides={"colours": {}})
    end = finished(project.worker(job))
    assert end["outcome"] == "could_not"
    assert "colours" in end["error"]["message"]


def recording_new(project: Project, **more: Any) -> Worker:
    project.server.script = lambda request: say(f"<{request.text}>")
    return project.worker(
        project.job("rag", mode="record_new", overrides={"parameters": NEW_TEMPLATE}, **more)
    )


def test_what_is_new_is_told_first_and_added_when_somebody_agrees(project: Project) -> None:
    project.record("rag", DATA)
    file = project.path("rag")
    before = file.read_bytes()
    worker = recording_new(project, add_new=False)
    end = finished(worker)
    assert end["report"]["live_calls"] == 1
    assert file.read_bytes() == before, "nothing was added yet"
    news = worker.news()
    assert news.calls == (
        NewCall("prompt#1", 2, "component", "prompt", BUILDER, "executed"),
        NewCall("llm#1", 2, "component", "llm", GENERATOR, "live"),
    )
    asked = project.server.count()
    extended = worker.add_new()
    assert 0 < len(file.read_bytes()) - len(before) <= news.size + 200
    takes = [span.raw.get("take", 1) for span in extended.spans if span.path == "llm#1"]
    assert takes == [1, 2]
    assert len(worker.add_new().spans) == len(extended.spans), "a second time adds nothing"
    # From now on the changed template has an answer, and the old one still has its own.
    for overrides in ({"parameters": NEW_TEMPLATE}, {}):
        end = finished(project.worker(project.job("rag", overrides=overrides)))
        assert end["outcome"] == "same", end
    assert project.server.count() == asked


def test_without_asking_first_it_is_added_by_the_worker(project: Project) -> None:
    project.record("rag", DATA)
    worker = recording_new(project)
    finished(worker)
    assert [call.path for call in worker.news().calls] == ["prompt#1", "llm#1"]
    spans = load_run(project.path("rag")).spans
    assert [span.raw.get("take", 1) for span in spans if span.path == "llm#1"] == [1, 2]


def test_what_nobody_agrees_to_is_never_added(project: Project) -> None:
    project.record("rag", DATA)
    before = project.path("rag").read_bytes()
    with recording_new(project, add_new=False) as worker:
        events = list(worker.events())
    assert of(events, "finished")
    assert project.path("rag").read_bytes() == before


def test_a_replay_that_was_not_kept_has_nothing_to_add(project: Project) -> None:
    project.record("rag", DATA)
    job = project.job("rag", mode="record_new", overrides={"parameters": NEW_TEMPLATE},
                      add_new=False)  # fmt: skip
    worker = project.worker(job.__class__(**{**vars(job), "output": ""}))
    finished(worker)
    assert worker.news().calls
    with pytest.raises(ReplayError, match="not kept"):
        worker.add_new()


def test_in_the_same_process_it_is_told_first_as_well(project: Project) -> None:
    project.record("rag", DATA)
    file = project.path("rag")
    before = file.read_bytes()
    project.server.script = lambda request: say(f"<{request.text}>")
    target = found_target("garden:rag")
    other = {**DATA, "prompt": {"query": "And at night?"}}
    replayer = Replayer(target, file, mode="record_new", add_new=False)
    replayer.play(other)
    assert [call.path for call in replayer.news.calls] == ["prompt#1", "llm#1"]
    assert file.read_bytes() == before
    replayer.add_new()
    assert file.read_bytes() != before
    Replayer(target, file).play(other)
    replayer.play(other)
    assert replayer.news.calls == ()


def test_an_edited_answer_is_no_part_of_a_recording(project: Project, tmp_path: Path) -> None:
    project.record("rag", DATA)
    said = {"replies": [message("assistant", "Made up.")]}
    job = project.job("rag", mode="record_new", overrides={"answers": {"llm#1": said}})
    worker = project.worker(job)
    finished(worker)
    assert worker.news().calls == ()
    assert "Made up" not in project.path("rag").read_text()


BUILDER = "haystack.components.builders.chat_prompt_builder.ChatPromptBuilder"
GENERATOR = "haystack.components.generators.chat.openai.OpenAIChatGenerator"
