"""Tools: what they really ran with, why they failed, and those that nobody knew before."""

import asyncio
import threading
from typing import Any

import pytest
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.hooks.human_in_the_loop import (
    AlwaysAskPolicy,
    BlockingConfirmationStrategy,
    ConfirmationHook,
    ConfirmationUIResult,
)
from haystack.tools import ComponentTool, SearchableToolset, Toolset
from haystack.tools.from_function import create_tool_from_function
from haystack.tools.tool import Tool  # fmt: skip

from inspector.recording.api import record_run, record_run_async, recording
from inspector.recording.wrappers.install import INSTALLED
from inspector.runfile.model import PipelineRun
from tests.helpers import agents
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at
from tests.recording.wrappers.parts import (
    EchoRetriever,
    alone,
    asks_for,
    call,
    double,
    double_tool,
    paths,
    recorded,
    told,
    user,
)  # fmt: skip

pytestmark = pytest.mark.haystack


def ask(*tools: Any, calls: list[Any] | None = None, **options: Any) -> PipelineRun:
    """Record an agent that calls these tools once."""
    model = asks_for(*(calls or [call("double", number=4)]))
    return recorded(Agent(chat_generator=model, tools=list(tools), **options), {"messages": user()})


def test_the_final_arguments_stand_beside_what_the_model_asked_for() -> None:
    def note(text: str, author: str) -> str:
        """Take a note."""
        return f"{author}: {text}"

    tool = create_tool_from_function(note, inputs_from_state={"author": "author"})
    agent = Agent(
        chat_generator=asks_for(call("note", text="hello")),
        tools=[tool],
        state_schema={"author": {"type": str}},
    )
    run = recorded(agent, {"messages": user(), "author": "Ada"})
    span = at(run, "step0/tool:note[0]")
    assert span.inputs == {"text": "hello"}
    assert span.arguments == {"text": "hello", "author": "Ada"}
    assert span.channels["arguments"] == "wrapper"
    assert span.type == "haystack.tools.tool.Tool"


def test_arguments_that_a_person_edited_are_the_final_ones() -> None:
    class Editor:
        def get_user_confirmation(self, *_: Any) -> ConfirmationUIResult:
            return ConfirmationUIResult(action="modify", new_tool_params={"number": 21})

    strategy = BlockingConfirmationStrategy(
        confirmation_policy=AlwaysAskPolicy(),
        confirmation_ui=Editor(),  # type: ignore[arg-type]
    )
    run = ask(double_tool(), hooks={"before_tool": [ConfirmationHook({"double": strategy})]})
    span = at(run, "step0/tool:double[0]")
    assert span.arguments == {"number": 21}
    assert span.tool_call == {"id": "call_1", "index": 0}
    assert span.outputs == 42


def test_an_argument_that_changes_while_the_tool_runs_is_recorded_as_it_was() -> None:
    def spoil(numbers: list[int]) -> str:
        """Spoil the list."""
        numbers.clear()
        return "spoilt"

    run = ask(create_tool_from_function(spoil), calls=[call("spoil", numbers=[1, 2])])
    assert at(run, "step0/tool:spoil[0]").arguments == {"numbers": [1, 2]}


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_failing_tool_keeps_its_error_with_all_causes(mode: str) -> None:
    def fail(number: int) -> int:
        """Fail."""
        try:
            return number // 0
        except ZeroDivisionError as error:
            raise LookupError("no such number") from error

    agent = Agent(
        chat_generator=asks_for(call("fail", number=1)), tools=[create_tool_from_function(fail)]
    )
    if mode == "sync":
        _, run = record_run(agent, {"messages": user()})
    else:
        _, run = asyncio.run(record_run_async(agent, {"messages": user()}))
    span = at(run, "step0/tool:fail[0]")
    assert (run.status, span.status) == ("completed", "failed")
    error = span.error
    assert error is not None
    assert error.type == "haystack.tools.errors.ToolInvocationError"
    assert error.cause is not None
    assert error.cause.type == "LookupError"
    assert error.cause.cause is not None
    assert error.cause.cause.type == "ZeroDivisionError"
    assert "number // 0" in str(error.cause.cause.traceback)
    assert "error" in span.outputs


def test_the_error_that_ends_an_agent_is_the_very_one_its_tool_raised() -> None:
    raised = ValueError("mine")

    def fail() -> None:
        """Fail."""
        raise raised

    agent = Agent(
        chat_generator=asks_for(call("fail")),
        tools=[create_tool_from_function(fail)],
        raise_on_tool_invocation_failure=True,
    )
    with pytest.raises(Exception, match="mine") as caught, recording() as recorder:
        record_run(agent, {"messages": user()}, recorder=recorder)
    assert caught.value.__cause__ is raised
    (run,) = recorder.runs
    assert at(run, "step0/tool:fail[0]").status == "failed"
    assert run.status == "failed"


def test_three_equal_calls_at_once_keep_their_own_ids_and_arguments() -> None:
    together = threading.Barrier(3, timeout=30)
    numbers = iter(range(3))

    def draw() -> int:
        """Draw a number."""
        together.wait()
        return next(numbers)

    calls = [call("draw", f"call_{number}") for number in range(3)]
    run = ask(create_tool_from_function(draw), calls=calls)
    results = [
        message["content"][0]["tool_result"]
        for message in run.outputs["messages"]
        if message["role"] == "tool"
    ]
    for index, result in enumerate(results):
        span = at(run, f"step0/tool:draw[{index}]")
        assert span.tool_call == {"id": f"call_{index}", "index": index}
        assert str(span.outputs) == result["result"]
        assert result["call"]["id"] == f"call_{index}"


def test_an_async_tool_runs_on_the_loop_and_is_recorded() -> None:
    loops: list[Any] = []

    async def double_later(number: int) -> int:
        """Double a number."""
        loops.append(asyncio.get_running_loop())
        return 2 * number

    async def run() -> PipelineRun:
        tool = create_tool_from_function(double_later)
        agent = Agent(chat_generator=asks_for(call("double_later", number=4)), tools=[tool])
        _, run = await record_run_async(agent, {"messages": user()})
        assert loops == [asyncio.get_running_loop()]
        return run

    span = at(asyncio.run(run()), "step0/tool:double_later[0]")
    assert (span.arguments, span.outputs) == ({"number": 4}, 8)


def test_what_a_tool_changes_in_the_state_it_is_given_is_told() -> None:
    def remember(state: State, text: str) -> str:
        """Remember a text."""
        state.set("notes", [text])
        return "kept"

    agent = Agent(
        chat_generator=asks_for(call("remember", text="a thing")),
        tools=[create_tool_from_function(remember)],
        state_schema={"notes": {"type": list[str]}},
    )
    run = recorded(agent, {"messages": user(), "notes": ["old"]})
    changes = at(run, "step0/tool:remember[0]").state_changes
    assert changes == {"notes": {"before": ["old"], "after": ["old", "a thing"]}}


def test_a_tool_made_of_a_component_shows_the_component() -> None:
    tool = ComponentTool(EchoRetriever(), name="search")
    run = ask(tool, calls=[call("search", query="x")])
    inner = at(run, "step0/tool:search[0]/inner:EchoRetriever#1")
    assert inner.inputs == {"query": "x"}
    assert inner.outputs["documents"][0]["content"] == "x"
    assert (inner.operation, inner.role) == ("inspector.inner", "retrieval")
    assert told(inner.retrieval)["query"] == "x"
    assert set(inner.channels.values()) == {"wrapper"}


def test_a_tool_that_is_called_by_other_means_has_a_span_of_its_own() -> None:
    tool = double_tool()

    def quadruple(number: int) -> int:
        """Quadruple a number."""
        return int(tool.invoke(number=tool.invoke(number=number)))

    run = ask(tool, create_tool_from_function(quadruple), calls=[call("quadruple", number=2)])
    assert at(run, "step0/tool:quadruple[0]/inner:double#2").outputs == 8


# -- tools that nobody knew before ---------------------------------------------------------


def test_tools_passed_at_run_time_are_recorded_and_let_go() -> None:
    tool, inside = double_tool(), create_tool_from_function(double, name="inside")
    agent = Agent(
        chat_generator=asks_for(call("double", number=4), call("inside", "call_2", number=5))
    )
    before = dict(vars(tool)), dict(vars(inside))
    run = recorded(agent, {"messages": user(), "tools": [tool, Toolset([inside])]})
    assert at(run, "step0/tool:double[0]").arguments == {"number": 4}
    assert at(run, "step0/tool:inside[1]").arguments == {"number": 5}
    assert (vars(tool), vars(inside)) == before
    assert not INSTALLED


def test_tools_that_a_search_finds_are_recorded() -> None:
    def respond(messages: list[ChatMessage]) -> ChatMessage:
        results = [message for message in messages if message.tool_call_results]
        turns = [
            [call("search_tools", tool_keywords="double number")],
            [call("double", number=4)],
        ]
        if len(results) < len(turns):
            return ChatMessage.from_assistant(tool_calls=turns[len(results)])
        return ChatMessage.from_assistant("Done.")

    tools = SearchableToolset([double_tool()], search_threshold=1)
    agent = Agent(chat_generator=MockChatGenerator(response_fn=respond), tools=tools)
    run = recorded(agent, {"messages": user()})
    assert at(run, "step0/tool:search_tools[0]").arguments == {"tool_keywords": "double number"}
    assert at(run, "step1/tool:double[0]").arguments == {"number": 4}
    assert not INSTALLED


def test_tools_that_a_toolset_loads_when_it_warms_up_are_recorded() -> None:
    class Remote(Toolset):
        def warm_up(self) -> None:
            if not self.tools:
                self.tools = [double_tool()]

    run = ask(Remote())
    assert at(run, "step0/tool:double[0]").arguments == {"number": 4}


def test_a_tool_that_cannot_be_wrapped_is_named_once() -> None:
    class Sealed(Tool):
        def __copy__(self) -> "Sealed":
            return self

    sealed = Sealed("double", "Double", {"type": "object"}, function=double)
    agent = Agent(chat_generator=asks_for(call("double", number=4)))
    run = recorded(agent, {"messages": user(), "tools": [sealed]})
    span = at(run, "step0/tool:double[0]")
    assert (span.outputs, span.arguments) == (8, None)
    assert [note["what"] for note in run.not_recorded] == ["Sealed"]


def test_one_tool_in_two_agents_at_once_is_recorded_in_both(openai_server: OpenAIServer) -> None:
    case = agents.agent_as_tool(openai_server)
    run = recorded(alone("agent", case.target), {"agent": case.data})
    for index, task in enumerate(("first", "second")):
        path = f"agent#1/step0/tool:specialist[{index}]/step0/tool:look_up[0]"
        assert at(run, path).arguments == {"topic": f"{task} {case.token}"}
    assert len([path for path in paths(run) if "look_up" in path]) == 2
