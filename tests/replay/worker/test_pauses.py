"""Pausing and editing in every kind of target: what is seen at a pause, and what follows."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage

from inspector.replay.host import Worker
from tests.helpers.openai_script import Call, Reply, Request, call, say
from tests.replay.worker.conftest import Project, of, played

HOUSE = '''
    """A house whose keeper has helpers of its own."""

    from haystack import Pipeline
    from haystack.components.agents import Agent
    from haystack.dataclasses import ChatMessage
    from haystack.tools import AgentTool

    from garden import llm, read_probe


    def helper():
        return Agent(chat_generator=llm(), tools=[read_probe], system_prompt="Read one probe.")


    def keeper():
        delegate = AgentTool(agent=helper(), name="helper", description="Reads probes.")
        return Agent(chat_generator=llm(), tools=[delegate], system_prompt="Keep the house.")


    def in_pipeline():
        pipeline = Pipeline(metadata={"name": "house"})
        pipeline.add_component(
            "assistant", Agent(chat_generator=llm(), tools=[read_probe], system_prompt="Look.")
        )
        return pipeline
'''

BOTH = ("tomatoes", "peppers")


def reads_both(request: Request) -> Reply:
    """Read two probes at once, and answer with what they said."""
    if request.turn == 0:
        return call(*(Call("read_probe", {"bed": bed}) for bed in BOTH))
    return say(f"I read: {', '.join(request.tool_results)}")


def delegates(request: Request) -> Reply:
    """Hand both beds to helpers, each of which reads its own."""
    if "read_probe" in request.tool_names:
        if request.turn == 0:
            return call(Call("read_probe", {"bed": request.text}))
        return say(f"It says {request.tool_results[-1]}")
    if request.turn == 0:
        asked = ([{"role": "user", "content": bed}] for bed in BOTH)
        return call(*(Call("helper", {"messages": each}) for each in asked))
    return say(" and ".join(request.tool_results))


@pytest.fixture
def house(project: Project) -> Iterator[Project]:
    project.write("house", HOUSE)
    yield project
    sys.modules.pop("house", None)


def ask(text: str = "Are they dry?") -> dict[str, Any]:
    return {"messages": [ChatMessage.from_user(text)]}


def record(house: Project, target: str) -> None:
    house.server.script = delegates if target == "keeper" else reads_both
    data = {"assistant": ask()} if target == "in_pipeline" else ask()
    from inspector import record_run
    from inspector.recording.finding import found_target

    module = "garden" if target == "agent" else "house"
    _result, run = record_run(found_target(f"{module}:{target}"), data)
    run.save(house.path(target))


def worker_of(house: Project, target: str, **more: Any) -> Worker:
    module = "garden" if target == "agent" else "house"
    return house.worker(house.job(target, f"{module}:{target}", **more))


def answer_of(worker: Worker, target: str) -> str:
    outputs = worker.run().outputs
    assert isinstance(outputs, dict)
    outputs = outputs["assistant"] if target == "in_pipeline" else outputs
    return "".join(part.get("text", "") for part in outputs["last_message"]["content"])


EDITED = {
    "agent": "I read: tomatoes: 31 %, peppers: 4 %",
    "in_pipeline": "I read: tomatoes: 31 %, peppers: 4 %",
}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("target", ["agent", "in_pipeline", "keeper"])
def test_each_tool_call_pauses_and_what_is_put_in_its_place_is_gone_on_with(
    house: Project, target: str, asynchronous: bool
) -> None:
    """Parallel calls of an agent alone, of one in a pipeline, and of agents inside an agent."""
    record(house, target)
    asked = house.server.count()
    together: set[int] = set()
    seen: list[str] = []

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        if event["name"] != "read_probe":
            worker.go_on(event["pause"])
            return
        seen.append(f"{event['phase']} {event['name']}")
        if event["phase"] == "before":
            together.add(event["pause"])
            if len(together) == len(BOTH):  # both are held at once; each goes on its own
                for number in sorted(together, reverse=True):
                    worker.go_on(number)
            return
        if event["values"] == "peppers: 31 %":
            worker.set_value("peppers: 4 %", event["pause"])
        worker.go_on(event["pause"])

    worker = worker_of(
        house, target, asynchronous=asynchronous, mode="drift_ok", allow_live=True,
        breakpoints=({"kinds": ["tool"], "phase": None},),
    )  # fmt: skip
    events = played(worker, on_pause)
    assert sorted(seen) == ["after read_probe"] * 2 + ["before read_probe"] * 2
    assert events[-1]["outcome"] == "drift", events[-1]
    # Live are only those LLMs that hear of it: the helper's, and with it the keeper's.
    live = 2 if target == "keeper" else 1
    assert events[-1]["report"]["live_calls"] == live
    assert house.server.count() == asked + live
    answer = answer_of(worker, target)
    if target == "keeper":
        assert "It says peppers: 4 %" in answer
        assert "It says tomatoes: 31 %" in answer
    else:
        assert answer == EDITED[target]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("target", ["agent", "in_pipeline", "keeper"])
def test_a_pause_between_tool_calls_shows_the_state_and_messages_of_its_own_agent(
    house: Project, target: str, asynchronous: bool
) -> None:
    record(house, target)
    events = played(
        worker_of(
            house, target, asynchronous=asynchronous,
            breakpoints=({"name": "read_probe"}, {"kinds": ["llm"], "phase": "after"}),
        ),
        lambda worker, event: worker.go_on(event["pause"]),
    )  # fmt: skip
    assert events[-1]["outcome"] == "same", events[-1]
    tools = [event for event in of(events, "paused") if event["name"] == "read_probe"]
    assert len(tools) == 2
    for event in tools:
        state = event["state"]
        roles = [message["role"] for message in state["messages"]]
        assert roles == ["system", "user", "assistant"]
        calls = [part["tool_call"] for part in state["messages"][-1]["content"]]
        assert event["values"] in [each["arguments"] for each in calls]
        assert "tools" not in state
    first = next(event for event in of(events, "paused") if event["kind"] == "llm")
    assert [message["role"] for message in first["state"]["messages"]] == ["system", "user"]


def test_outside_an_agent_there_is_no_state(house: Project) -> None:
    data = {"retriever": {"query": "vents"}, "prompt": {"query": "When do they open?"}}
    house.record("rag", data)
    job = house.job("rag", breakpoints=({"name": "llm"},))
    (event,) = of(played(house.worker(job), lambda worker, _event: worker.go_on()), "paused")
    assert event["state"] is None


def test_a_condition_on_a_value_or_on_the_state_pauses_only_where_it_is_so(house: Project) -> None:
    record(house, "agent")
    wanted = (
        {"kinds": ["tool"], "condition": 'bed == "peppers"', "key": "bed"},
        {"kinds": ["tool"], "phase": "after", "condition": 'value contains "tomatoes"'},
        {"kinds": ["llm"], "condition": "length(state.messages) > 3", "key": "long"},
        {"kinds": ["llm"], "condition": 'state.messages contains "no such word"'},
    )
    events = played(
        worker_of(house, "agent", breakpoints=wanted),
        lambda worker, event: worker.go_on(event["pause"]),
    )
    seen = {(each["phase"], each["path"]): each["because"] for each in of(events, "paused")}
    assert seen == {
        ("before", "step0/tool:read_probe[1]"): ["bed"],
        ("after", "step0/tool:read_probe[0]"): ["2"],
        ("before", "step1/llm"): ["long"],
    }
    assert events[-1]["outcome"] == "same"


def test_a_condition_that_cannot_be_read_is_told_with_the_command_it_came_with(
    house: Project,
) -> None:
    record(house, "agent")
    end = played(worker_of(house, "agent", breakpoints=({"condition": "bed =="},)))[-1]
    assert end["outcome"] == "could_not"
    assert "missing at the end" in end["error"]["message"]

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_breakpoint(kinds=["tool"], condition="bed = = 1")
        worker.go_on()

    events = played(worker_of(house, "agent", pause_at_first=True), on_pause)
    (refused,) = of(events, "refused")
    assert refused["do"] == "set breakpoint"
    assert "value is missing before" in refused["message"]
    assert events[-1]["outcome"] == "same"


def test_breakpoints_are_taken_away_by_their_keys(house: Project) -> None:
    record(house, "agent")

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.remove_breakpoint(key="tools")
        worker.set_breakpoint(kinds=["llm"], key="llms", phase="after")
        worker.go_on()

    breakpoints = (
        {"kinds": ["llm"], "key": "first", "visit": 1},
        {"kinds": ["tool"], "key": "tools"},
    )
    events = played(worker_of(house, "agent", breakpoints=breakpoints), on_pause)
    assert not [each for each in of(events, "paused") if each["kind"] == "tool"]
    assert {key for each in of(events, "paused") for key in each["because"]} == {"first", "llms"}
    assert of(events, "breakpoint")[0]["key"] == "llms"


def test_a_part_of_the_inputs_is_edited_and_what_cannot_be_made_again_stays(
    house: Project,
) -> None:
    """The LLM of an agent is given its tools as well, which no file could bring back."""
    record(house, "agent")
    asked = house.server.count()
    messages = [
        {"$": "chat_message", "role": "user", "content": [{"text": "Only the peppers."}]},
    ]

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        assert "tools" in event["values"]
        worker.set_value({"messages": messages}, event["pause"], merge=True)
        worker.go_on()

    house.server.script = lambda request: say(f"{request.text} {','.join(request.tool_names)}")
    worker = worker_of(
        house, "agent", mode="drift_ok", allow_live=True,
        breakpoints=({"path": "step0/llm"},),
    )  # fmt: skip
    events = played(worker, on_pause)
    assert house.server.count() == asked + 1, events[-1]
    assert answer_of(worker, "agent") == "Only the peppers. read_probe"


def test_a_part_of_a_result_is_edited_and_the_rest_stays_as_it_lives(house: Project) -> None:
    data = {"retriever": {"query": "vents"}, "prompt": {"query": "When do they open?"}}
    house.record("rag", data)
    said = [{"$": "chat_message", "role": "assistant", "content": [{"text": "Never."}]}]

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_value({"replies": said, "more": 1}, event["pause"], merge=True, without=["more"])
        worker.go_on()

    worker = house.worker(house.job("rag", breakpoints=({"name": "llm", "phase": "after"},)))
    played(worker, on_pause)
    llm = worker.run().at("llm#1")
    assert llm is not None
    outputs = llm.outputs
    assert isinstance(outputs, dict)
    assert list(outputs) == ["replies"]
    assert outputs["replies"][0]["content"][0]["text"] == "Never."


def reset(worker: Worker, event: dict[str, Any]) -> None:
    worker.set_value("something else", event["pause"])
    worker.reset_value(event["pause"])
    worker.go_on(event["pause"])


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_an_edit_that_is_taken_back_changes_nothing(house: Project, asynchronous: bool) -> None:
    record(house, "agent")
    worker = worker_of(
        house, "agent", asynchronous=asynchronous,
        breakpoints=({"kinds": ["tool"], "phase": "after"},),
    )  # fmt: skip
    events = played(worker, reset)
    assert len(of(events, "reset")) == 2
    assert events[-1]["outcome"] == "same", events[-1]


def test_only_a_value_with_names_is_changed_in_part(house: Project) -> None:
    record(house, "agent")

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        worker.set_value({"a": 1}, event["pause"], merge=True)
        worker.go_on()

    breakpoints = ({"kinds": ["tool"], "phase": "after", "condition": 'value contains "pepper"'},)
    events = played(worker_of(house, "agent", breakpoints=breakpoints), on_pause)
    (refused,) = of(events, "refused")
    assert refused["message"] == "Only a value with names can be changed in part."
    assert (refused["do"], refused["pause"]) == ("set value", of(events, "paused")[0]["pause"])


def moving(how: str) -> Callable[[Worker, dict[str, Any]], None]:
    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        getattr(worker, how)(event["pause"])

    return on_pause


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_into_a_tool_that_is_an_agent_leads_inside_and_leaves_its_twin_alone(
    house: Project, asynchronous: bool
) -> None:
    record(house, "keeper")
    first = {"path": "step0/tool:helper[0]"}
    seen: list[str] = []

    def on_pause(worker: Worker, event: dict[str, Any]) -> None:
        seen.append(f"{event['phase']} {event['path']}")
        (worker.into if len(seen) == 1 else worker.go_on)(event["pause"])

    worker = worker_of(house, "keeper", asynchronous=asynchronous, breakpoints=(first,))
    events = played(worker, on_pause)
    assert events[-1]["outcome"] == "same", events[-1]
    assert seen[0] == "before step0/tool:helper[0]"
    assert len(seen) == 2
    assert seen[1].startswith("before step0/tool:helper[0]/")
