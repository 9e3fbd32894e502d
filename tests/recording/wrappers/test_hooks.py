"""Hooks and people: what they changed, and what they decided."""

import asyncio
from typing import Any

import pytest
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.hooks import hook
from haystack.hooks.human_in_the_loop import (
    AlwaysAskPolicy,
    BlockingConfirmationStrategy,
    ConfirmationHook,
    ConfirmationUIResult,
    ToolExecutionDecision,
)

from inspector.recording.api import record_run, record_run_async, recording
from inspector.recording.capture import Capture
from inspector.recording.wrappers.state import same
from inspector.runfile.interned import Interned
from inspector.runfile.model import PipelineRun
from tests.recording.drawing import at
from tests.recording.wrappers.parts import asks_for, call, double_tool, recorded, told, user

pytestmark = pytest.mark.haystack


def with_hooks(hooks: Any, mode: str = "sync", **data: Any) -> PipelineRun:
    """Record an agent that doubles a number once, with these hooks."""
    agent = Agent(
        chat_generator=asks_for(call("double", number=4)),
        tools=[double_tool()],
        state_schema={"notes": {"type": list[str]}, "topic": {"type": str}},
        hooks=hooks,
    )
    data = {"messages": user(), **data}
    if mode == "sync":
        return record_run(agent, data)[1]
    return asyncio.run(record_run_async(agent, data))[1]


@hook
def take_a_note(state: State) -> None:
    state.set("notes", [f"step {state.data['step_count']}"])


@hook
async def take_a_note_later(state: State) -> None:
    await asyncio.sleep(0)
    state.set("notes", [f"step {state.data['step_count']}"])


@hook
def do_nothing(state: State) -> None:
    """Look at everything, and change nothing."""
    for key in state.data:
        state.get(key) if key != "tools" else None


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_keys_that_a_hook_changed_are_told_before_and_after(mode: str) -> None:
    run = with_hooks({"before_llm": [take_a_note]}, mode, notes=["old"], topic="t")
    first = at(run, "step0/hook:before_llm:take_a_note#1")
    second = at(run, "step1/hook:before_llm:take_a_note#1")
    assert first.state_changes == {"notes": {"before": ["old"], "after": ["old", "step 0"]}}
    assert told(second.state_changes)["notes"]["after"] == ["old", "step 0", "step 1"]
    assert first.channels["state_changes"] == "wrapper"


def test_a_hook_that_is_only_async_is_watched() -> None:
    run = with_hooks({"before_llm": [take_a_note_later]}, "async")
    changes = at(run, "step0/hook:before_llm:take_a_note_later#1").state_changes
    assert changes == {"notes": {"after": ["step 0"]}}


def test_a_hook_that_changes_nothing_says_so() -> None:
    hooks = {
        point: [do_nothing] for point in ("before_llm", "before_tool", "after_tool", "on_exit")
    }
    run = with_hooks(hooks)
    found = [span for span in run.spans if span.kind == "hook"]
    assert len(found) == 5
    assert [span.state_changes for span in found] == [{}] * 5


def test_a_message_that_is_changed_in_place_is_a_change() -> None:
    @hook
    def mark(state: State) -> None:
        state.data["messages"][0].meta["seen"] = state.data["step_count"]

    run = with_hooks({"before_llm": [mark]})
    for step in range(2):
        change = told(at(run, f"step{step}/hook:before_llm:mark#1").state_changes)["messages"]
        before, after = change["before"][0]["meta"], change["after"][0]["meta"]
        assert after["seen"] == step
        assert before.get("seen") == (None if step == 0 else step - 1)
        assert change["before"][1:] == change["after"][1:]


def test_a_list_that_grows_in_place_is_a_change() -> None:
    @hook
    def append(state: State) -> None:
        state.data["notes"].append("more")

    run = with_hooks({"before_run": [append]}, notes=["old"])
    changes = at(run, "hook:before_run:append#1").state_changes
    assert changes == {"notes": {"before": ["old"], "after": ["old", "more"]}}


def test_what_a_failing_hook_had_changed_is_told_with_its_error() -> None:
    raised = RuntimeError("no further")

    @hook
    def change_and_fail(state: State) -> None:
        state.data["topic"] = "changed"
        raise raised

    agent = Agent(
        chat_generator=MockChatGenerator("x"),
        state_schema={"topic": {"type": str}},
        hooks={"before_llm": [change_and_fail]},
    )
    with pytest.raises(RuntimeError) as caught, recording() as recorder:
        record_run(agent, {"messages": user(), "topic": "old"}, recorder=recorder)
    assert caught.value is raised
    (run,) = recorder.runs
    span = at(run, "step0/hook:before_llm:change_and_fail#1")
    assert span.state_changes == {"topic": {"before": "old", "after": "changed"}}
    assert span.status == "failed"


def test_live_things_in_the_state_are_told_apart_and_never_copied() -> None:
    class Connection:
        def __deepcopy__(self, memo: Any) -> Any:
            raise AssertionError("a live connection was copied")

    @hook
    def reconnect(state: State) -> None:
        state.data["hook_context"]["connection"] = Connection()

    agent = Agent(
        chat_generator=MockChatGenerator("x"),
        hooks={"before_llm": [do_nothing_to_tools, reconnect]},
    )
    run = recorded(agent, {"messages": user(), "hook_context": {"connection": Connection()}})
    assert at(run, "step0/hook:before_llm:do_nothing_to_tools#1").state_changes == {}
    change = told(at(run, "step0/hook:before_llm:reconnect#1").state_changes)["hook_context"]
    assert change["before"]["connection"]["type"].endswith("Connection")


@hook
def do_nothing_to_tools(state: State) -> None:
    list(state.data["tools"])


def test_a_hook_object_of_the_users_own() -> None:
    class Guard:
        def __init__(self) -> None:
            self.judge = MockChatGenerator("fine")

        def run(self, state: State) -> None:
            state.data["verdict"] = self.judge.run(state.data["messages"])["replies"][0].text

        def to_dict(self) -> dict[str, Any]:
            return {"type": "Guard", "init_parameters": {}}

    run = with_hooks({"before_llm": [Guard()]})
    guard = at(run, "step0/hook:before_llm:Guard#1")
    assert guard.state_changes == {"verdict": {"after": "fine"}}
    judge = at(run, "step0/hook:before_llm:Guard#1/inner:MockChatGenerator#1")
    assert judge.kind == "llm"


# -- people ----------------------------------------------------------------------------------


class Person:
    """Decides as it was told to."""

    def __init__(self, action: str, **params: Any) -> None:
        self.result = ConfirmationUIResult(
            action=action, feedback="because", new_tool_params=params or None
        )

    def get_user_confirmation(self, *_: Any) -> ConfirmationUIResult:
        return self.result


def confirmed_by(person: Person) -> ConfirmationHook:
    strategy = BlockingConfirmationStrategy(
        confirmation_policy=AlwaysAskPolicy(),
        confirmation_ui=person,  # type: ignore[arg-type]
    )
    return ConfirmationHook({"double": strategy})


DECISION = "haystack.agent.hook.human_in_the_loop.strategy.decision"


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize(
    ("person", "decision", "runs_with"),
    [
        (Person("confirm"), "confirm", {"number": 4}),
        (Person("modify", number=21), "modify", {"number": 21}),
        (Person("reject"), "reject", None),
    ],
)
def test_what_a_person_decided_and_what_became_of_it(
    person: Person, decision: str, runs_with: dict[str, int] | None, mode: str
) -> None:
    run = with_hooks({"before_tool": [confirmed_by(person)]}, mode)
    hook_path = "step0/hook:before_tool:ConfirmationHook#1"
    asked = at(run, f"{hook_path}/confirm:double#1")
    assert asked.tags[DECISION] == decision
    assert asked.inputs["tool_params"] == {"number": 4}
    assert asked.outputs["execute"] == (decision != "reject")
    assert asked.tool_call == {"id": "call_1"}
    tool = run.at("step0/tool:double[0]")
    assert (None if tool is None else tool.arguments) == runs_with
    if decision != "confirm":
        assert "messages" in told(at(run, hook_path).state_changes)


def test_a_strategy_that_haystack_gives_no_span_has_one_of_its_own() -> None:
    class Strategy:
        def run(
            self, *, tool_name: str, tool_description: str, tool_params: dict[str, Any],
            tool_call_id: str | None = None, confirmation_strategy_context: Any = None,
        ) -> ToolExecutionDecision:  # fmt: skip
            return ToolExecutionDecision(
                tool_name=tool_name, execute=True, final_tool_params={"number": 7}
            )

    class Own:
        allowed_hook_points = ("before_tool",)

        def __init__(self) -> None:
            self.strategy = Strategy()

        def run(self, state: State) -> None:
            (asked,) = state.data["messages"][-1].tool_calls
            decision = self.strategy.run(
                tool_name=asked.tool_name, tool_description="", tool_params=asked.arguments,
                tool_call_id=asked.id, confirmation_strategy_context=object(),
            )  # fmt: skip
            changed = call("double", asked.id, **(decision.final_tool_params or {}))
            state.data["messages"][-1] = ChatMessage.from_assistant(tool_calls=[changed])

        def to_dict(self) -> dict[str, Any]:
            return {"type": "Own", "init_parameters": {}}

    run = with_hooks({"before_tool": [Own()]})
    inner = at(run, "step0/hook:before_tool:Own#1/inner:Strategy#1")
    assert inner.inputs["tool_params"] == {"number": 4}
    assert "confirmation_strategy_context" not in inner.inputs
    assert inner.outputs["fields"]["final_tool_params"] == {"number": 7}
    tool = at(run, "step0/tool:double[0]")
    assert (tool.arguments, tool.tool_call) == ({"number": 7}, {"id": "call_1", "index": 0})


# -- comparing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1, 2], [1], False),
        (Interned({"a": 1}), Interned({"a": 1}), True),
        (Interned({"a": 1}), Interned({"a": 2}), False),
        (Interned({"a": 1}), {"a": 1}, False),
    ],
)
def test_trees_are_the_same_when_they_hold_the_same(one: Any, other: Any, expected: bool) -> None:
    assert same(one, other) is expected


def test_a_state_of_any_size_is_compared_in_bounded_time() -> None:
    big = {"numbers": [{"n": number} for number in range(100_000)]}
    assert same(Capture().at_once(big), Capture().at_once(big)) is False
