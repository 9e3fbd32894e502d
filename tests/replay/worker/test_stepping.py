"""A replay in a worker is stepped through, and goes on with other values."""

import os
from pathlib import Path
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage

from inspector import load_run
from inspector.diff.compare import diff_runs
from inspector.presentation.summary import summary
from inspector.replay.host import Worker
from tests.helpers.openai_script import Call, Reply, Request, call, say
from tests.replay.worker.conftest import Project, of, played

RAG_DATA = {"retriever": {"query": "vents"}, "prompt": {"query": "When do the vents open?"}}
RAG_PLACES = ["retriever#1", "prompt#1", "llm#1"]


def looks_after(request: Request) -> Reply:
    """Read two probes at once, and answer with what they said."""
    if request.turn == 0:
        return call(Call("read_probe", {"bed": "tomatoes"}), Call("read_probe", {"bed": "peppers"}))
    return say(f"I read: {', '.join(request.tool_results)}")


def record_agent(project: Project) -> None:
    project.server.script = looks_after
    run = project.record("agent", {"messages": [ChatMessage.from_user("Are they dry?")]})
    assert "tomatoes: 31 %" in answer_of(run)


def answer_of(run: Any) -> str:
    return "".join(part.get("text", "") for part in run.outputs["last_message"]["content"])


def places(events: list[dict[str, Any]]) -> list[str]:
    return [f"{each['phase']} {each['path']}" for each in of(events, "paused")]


def test_an_agent_pauses_before_each_tool_call_and_its_answer_follows_an_edited_result(
    project: Project,
) -> None:
    """The agent is asked for two tools; the result of one of them is another one now."""
    record_agent(project)
    asked = project.server.count()
    arguments = []

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        if event["phase"] == "before":
            arguments.append((event["name"], event["values"]))
            # Both calls are held at once; each is let go by its number.
            worker.go_on(event["pause"])
            return
        assert event["values"] == "peppers: 31 %"
        worker.set_value("peppers: 4 %, and on fire", event["pause"])
        worker.go_on(event["pause"])

    job = project.job(
        "agent", mode="drift_ok", allow_live=True, live_budget=1,
        breakpoints=({"kinds": ["tool"]}, {"path": "*/tool:read_probe[1]", "phase": "after"}),
    )  # fmt: skip
    worker = project.worker(job)
    events = played(worker, on_pause)
    assert sorted(arguments, key=str) == [
        ("read_probe", {"bed": "peppers"}),
        ("read_probe", {"bed": "tomatoes"}),
    ]
    assert len(of(events, "edited")) == 1
    finished = events[-1]
    assert finished["outcome"] == "drift", finished
    assert finished["report"]["live_calls"] == 1, "only the LLM that saw the edited result is asked"
    assert project.server.count() == asked + 1
    run = worker.run()
    assert answer_of(run) == "I read: tomatoes: 31 %, peppers: 4 %, and on fire"
    sources = {
        span.path.rpartition("/")[2]: span.raw.get("source")
        for span in run.spans
        if span.kind == "tool"
    }
    assert sources == {"tool:read_probe[0]": "recorded", "tool:read_probe[1]": "edited"}


def test_a_strict_replay_stops_where_an_edited_result_has_no_recorded_answer(
    project: Project,
) -> None:
    record_agent(project)
    asked = project.server.count()

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_value("another", event["pause"])
        worker.go_on(event["pause"])

    job = project.job("agent", breakpoints=({"kinds": ["tool"], "phase": "after"},))
    finished = played(project.worker(job), on_pause)[-1]
    assert finished["outcome"] == "drift"
    kinds = {
        drift["path"].rpartition("/")[2]: drift["kind"] for drift in finished["report"]["drifts"]
    }
    assert kinds["llm"] == "input"
    assert project.server.count() == asked


def test_an_async_replay_pauses_and_goes_on_with_an_edited_result(project: Project) -> None:
    record_agent(project)

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_value("edited", event["pause"])
        worker.go_on(event["pause"])

    job = project.job(
        "agent", asynchronous=True, mode="drift_ok", allow_live=True,
        breakpoints=({"kinds": ["tool"], "phase": "after"},),
    )  # fmt: skip
    worker = project.worker(job)
    events = played(worker, on_pause)
    assert len(of(events, "paused")) == 2
    assert answer_of(worker.run()) == "I read: edited, edited"


def test_stepping_pauses_before_and_after_each_call(project: Project) -> None:
    project.record("rag", RAG_DATA)
    job = project.job("rag", pause_at_first=True)
    events = played(project.worker(job), lambda worker, event: worker.step(event["pause"]))
    expected = [f"{phase} {path}" for path in RAG_PLACES for phase in ("before", "after")]
    assert places(events) == expected
    assert events[-1]["outcome"] == "same"
    prompt = next(each for each in of(events, "paused") if each["path"] == "llm#1")
    assert prompt["values"]["messages"][0]["content"][0]["text"].endswith("When do the vents open?")


def test_breakpoints_are_set_and_taken_away_while_it_is_held(project: Project) -> None:
    project.record("rag", RAG_DATA)

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        if event["path"] == "retriever#1":
            worker.remove_breakpoint()
            worker.set_breakpoint(name="prompt", visit=1, phase="after")
            worker.set_breakpoint(name="prompt", visit=2)
        worker.go_on()

    job = project.job("rag", breakpoints=({"name": "retriever"}, {"kinds": ["llm"]}))
    events = played(project.worker(job), on_pause)
    assert places(events) == ["before retriever#1", "after prompt#1"]


def test_stopping_at_a_pause_ends_the_replay(project: Project) -> None:
    record_agent(project)
    job = project.job("agent", breakpoints=({"kinds": ["tool"]},))
    events = played(project.worker(job), lambda worker, event: worker.stop())
    assert events[-1]["outcome"] == "stopped"


def test_a_command_that_makes_no_sense_is_refused_and_changes_nothing(project: Project) -> None:
    project.record("rag", RAG_DATA)

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.go_on(99)
        worker.set_value("not by name", event["pause"])
        worker.set_breakpoint(colour="red")
        worker.set_value({"messages": {"$": "set", "items": [[1]]}}, event["pause"])
        worker.set_value({"a": 1}, event["pause"], merge=True, without=[["no name"]])
        worker.go_on()

    events = played(project.worker(project.job("rag", breakpoints=({"name": "llm"},))), on_pause)
    assert [each["message"] for each in of(events, "refused")] == [
        "There is no pause 99 any more.",
        "The inputs of llm#1 are passed by name.",
        "This is no breakpoint: {'colour': 'red'}.",
        "This makes no value: unhashable type: 'list'",
        "This could not be done (TypeError).",
    ]
    assert events[-1]["outcome"] == "same"


def test_edited_inputs_of_an_answered_call_have_no_recorded_answer(project: Project) -> None:
    project.record("rag", RAG_DATA)
    asked = project.server.count()
    message = {"$": "chat_message", "role": "user", "content": [{"text": "Something else?"}]}

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_value({"messages": [message]}, event["pause"])
        worker.go_on()

    job = project.job("rag", breakpoints=({"name": "llm"},))
    finished = played(project.worker(job), on_pause)[-1]
    assert finished["outcome"] == "drift"
    assert [(each["kind"], each["path"]) for each in finished["report"]["drifts"]] == [
        ("input", "llm#1")
    ]
    assert project.server.count() == asked


def test_edited_inputs_of_a_pure_component_run(project: Project) -> None:
    project.record("rag", RAG_DATA)

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_value({"query": "And at night?"}, event["pause"])
        worker.go_on()

    job = project.job("rag", mode="drift_ok", allow_live=True, breakpoints=({"name": "prompt"},))
    worker = project.worker(job)
    events = played(worker, on_pause)
    assert events[-1]["report"]["live_calls"] == 1
    llm = worker.run().at("llm#1")
    assert llm is not None
    assert llm.inputs["messages"][0]["content"][0]["text"].endswith("And at night?")
    marked = [span.path for span in worker.run().spans if span.raw.get("inputs_edited")]
    assert marked == ["prompt#1"]
    prompt = worker.run().at("prompt#1")
    assert prompt is not None
    groups = summary(worker.run(), prompt).groups
    told = [(fact.label, fact.text) for group in groups for fact in group.facts]
    assert ("Inputs", "edited by hand") in told
    found = diff_runs(load_run(project.path("rag")), worker.run())
    assert found.divergence is not None
    cause = found.divergence.causes[0]
    assert cause.sentence == "what prompt was given was edited by hand in the replay"
    assert cause.path == "prompt#1"


def test_the_agent_example_is_stepped_through_and_its_answer_follows_an_edited_result(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bundled example, recorded long ago; the LLM is asked again for what is new only."""
    root = Path(__file__).parents[3]
    examples = root / "resources" / "examples"
    monkeypatch.setenv("PYTHONPATH", f"{root}{os.pathsep}{examples}")
    monkeypatch.setenv("OPENAI_BASE_URL", project.server.url)
    project.write("example", """
        from desk_scenes import DESK_SCENES

        def agent():
            return next(scene for scene in DESK_SCENES if scene.name == "agent-tools").build()
    """)  # fmt: skip
    recorded = load_run(examples / "agent-tools.run.json")
    recorded.save(project.path("example"))
    project.server.script = lambda request: say(f"The probe says: {request.tool_results[0]}")
    edited = "moisture 99 %, and fish in it"
    shown = {}

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        if event["phase"] == "before":
            shown[event["path"]] = event["values"]
        else:
            worker.set_value(edited, event["pause"])
        worker.go_on(event["pause"])

    job = project.job(
        "example", "example:agent", mode="drift_ok", allow_live=True, live_budget=1,
        breakpoints=(
            {"kinds": ["tool"]},
            {"path": "assistant#1/step0/tool:read_sensor[0]", "phase": "after"},
        ),
    )  # fmt: skip
    worker = project.worker(job)
    events = played(worker, on_pause)
    assert shown == {
        "assistant#1/step0/tool:read_sensor[0]": {"bed": "tomatoes"},
        "assistant#1/step0/tool:read_sensor[1]": {"bed": "peppers"},
        "assistant#1/step0/tool:search_manual[2]": {
            "query": "bed dry although watered, valve open twelve minutes"
        },
    }
    assert events[-1]["outcome"] == "drift", events[-1].get("error")
    assert events[-1]["report"]["live_calls"] == 1, events[-1]
    outputs = worker.run().outputs
    assert isinstance(outputs, dict)
    answer = outputs["assistant"]["last_message"]["content"][0]["text"]
    assert answer == f"The probe says: {edited}"
