"""Instances and methods of odd kinds are wrapped, or named and left alone."""

import asyncio
import dataclasses
import gc
import inspect
import weakref
from typing import Any
from unittest import mock

import pytest
from haystack import Document, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.tools import SearchableToolset

from inspector.recording.attach import attach
from tests.helpers.openai_server import OpenAIServer
from tests.recording.wrappers.parts import (
    Around,
    Echo,
    alone,
    asks_for,
    call,
    double_tool,
    is_wrapped,
    user,
)

pytestmark = [pytest.mark.haystack, pytest.mark.usefixtures("nothing_is_left_behind")]


class Slotted:
    __slots__ = ("said",)

    def run(self, messages: list[Any]) -> dict[str, Any]:
        return {"replies": messages}


@dataclasses.dataclass(frozen=True)
class Frozen:
    said: str = "x"

    def run(self, messages: list[Any]) -> dict[str, Any]:
        return {"replies": messages}


class Refusing:
    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} is not to be set")

    def run(self, messages: list[Any]) -> dict[str, Any]:
        return {"replies": messages}


class Computed:
    @property
    def run(self) -> Any:
        raise AssertionError("a property was read")

    async def run_async(self, messages: list[Any]) -> dict[str, Any]:
        return {"replies": messages}


class OnlyComputed:
    @property
    def run(self) -> Any:
        return lambda messages: {"replies": messages}


@pytest.mark.parametrize(
    ("generator", "why"),
    [
        (Slotted(), "its class has slots and takes no further attributes"),
        (Frozen(), "its class is a frozen dataclass"),
    ],
)
def test_what_takes_no_attributes_is_named_and_left_alone(generator: Any, why: str) -> None:
    attachment = attach(Agent(chat_generator=generator))
    kind = type(generator).__name__
    assert attachment.not_recorded == ({"what": f"chat_generator ({kind})", "why": why},)
    assert len(attachment.found) == 1
    attachment.detach()


def test_what_refuses_attributes_by_its_own_code_is_not_asked() -> None:
    refusing = Refusing()
    attachment = attach(Agent(chat_generator=refusing))
    assert attachment.not_recorded == ()
    assert is_wrapped(refusing)
    attachment.detach()
    assert vars(refusing) == {}


def test_a_run_that_is_a_property_is_not_read() -> None:
    computed = Computed()
    holder = Around(computed)
    attachment = attach(holder)
    assert list(vars(computed)) == ["run_async", "__reduce_ex__"]
    attachment.detach()


def test_methods_of_every_kind_are_called_as_before() -> None:
    class Kinds:
        @staticmethod
        def run(messages: list[Any]) -> dict[str, Any]:
            return {"replies": messages}

        @classmethod
        async def run_async(cls, messages: list[Any]) -> dict[str, Any]:
            return {"replies": [*messages, cls]}

    kinds = Kinds()
    attachment = attach(Agent(chat_generator=kinds))
    assert is_wrapped(kinds)
    assert inspect.signature(kinds.run) == inspect.signature(Kinds.run)
    assert kinds.run([1]) == {"replies": [1]}
    assert inspect.iscoroutinefunction(kinds.run_async)
    assert asyncio.run(kinds.run_async(messages=[1])) == {"replies": [1, Kinds]}
    attachment.detach()
    assert vars(kinds) == {}


def test_a_spawned_toolset_is_free_of_the_original(openai_server: OpenAIServer) -> None:
    tools = SearchableToolset([double_tool()], search_threshold=1)
    attachment = attach(Agent(chat_generator=MockChatGenerator("x"), tools=tools))
    assert tools.spawn() is not tools
    assert [tool.name for tool in tools.spawn()] == ["search_tools"]
    attachment.detach()


def test_a_walk_that_would_not_end_is_cut_short_and_says_so() -> None:
    class Node:
        def __init__(self, below: Any) -> None:
            self.below = below

    around = Around(Echo())
    vars(around)["forest"] = [[Node([Node(None)]) for _ in range(900)] for _ in range(30)]
    attachment = attach(around)
    (note,) = attachment.not_recorded
    assert note == {"what": "what is deep inside", "why": "more than 20,000 objects"}
    assert is_wrapped(around.inner)
    attachment.detach()


def test_what_came_to_a_pipeline_since_is_wrapped_the_next_time() -> None:
    pipeline = alone("one", Echo())
    attachment = attach(pipeline)
    pipeline.add_component("two", Around(Echo()))
    attachment.renew(pipeline)
    assert len(attachment.found) == 3
    attachment.detach()
    assert not is_wrapped(pipeline.get_component("two"))


def test_a_detached_attachment_keeps_nothing_alive() -> None:
    echo = Echo()
    gone = weakref.ref(echo)
    attachment = attach(echo)
    attachment.detach()
    del echo
    gc.collect()
    assert gone() is None


def test_without_a_recording_a_wrapped_agent_just_runs() -> None:
    agent = Agent(chat_generator=asks_for(call("double", number=4)), tools=[double_tool()])
    attachment = attach(agent)
    result = agent.run(messages=user())
    assert result["messages"][2].tool_call_result.result == "8"
    attachment.detach()


@component
class Failing:
    @component.output_types(documents=list[Document])
    def run(self, value: str) -> dict[str, Any]:
        raise ValueError(value)


def test_an_error_passes_a_wrapper_unchanged_and_with_one_frame_more() -> None:
    def frames(error: BaseException) -> int:
        depth, trace = 0, error.__traceback__
        while trace is not None:
            depth, trace = depth + 1, trace.tb_next
        return depth

    def caught(instance: Any) -> BaseException:
        with pytest.raises(ValueError, match="as it was") as caught:
            instance.run(value="as it was")
        return caught.value

    failing: Any = Failing()
    before = caught(failing)
    attachment = attach(failing)
    after = caught(failing)
    attachment.detach()
    assert frames(after) == frames(before) + 1
    assert (after.__context__, after.__cause__) == (None, None)


def test_a_tool_that_turned_up_is_wrapped_until_the_end() -> None:
    late = double_tool()
    agent = Agent(chat_generator=MockChatGenerator("x"))
    attachment = attach(agent)
    attachment.adopt([late, [late]])
    assert is_wrapped(late)
    assert attachment.found.count(late) == 1
    attachment.detach()
    assert not is_wrapped(late)


@pytest.mark.parametrize("when", ["before", "while", "after"])
def test_a_class_that_somebody_patches_is_called_as_patched(
    when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shout(self: Any, value: str) -> dict[str, Any]:
        return {"value": value.upper()}

    earlier = attach(Echo())
    earlier.detach()
    echo = Echo()
    if when == "before":
        monkeypatch.setattr(Echo, "run", shout)
    attachment = attach(echo)
    if when == "while":
        monkeypatch.setattr(Echo, "run", shout)
        assert echo.run(value="x") == {"value": "X"}
    attachment.detach()
    if when == "after":
        monkeypatch.setattr(Echo, "run", shout)
    assert echo.run(value="x") == {"value": "X"}


def test_a_mock_in_place_of_a_method_is_called_like_one() -> None:
    echo, static = Echo(), Echo()
    attachment, other = attach(echo), attach(static)
    with mock.patch.object(Echo, "run", return_value={"value": "mocked"}) as run:
        assert echo.run(value="x") == {"value": "mocked"}
    run.assert_called_once_with(value="x")
    with mock.patch.object(Echo, "run", staticmethod(lambda value: {"value": value * 2})):
        assert static.run(value="x") == {"value": "xx"}
    with mock.patch.object(Echo, "run", autospec=True, return_value={"value": "spec"}) as run:
        assert echo.run(value="x") == {"value": "spec"}
    run.assert_called_once_with(echo, value="x")
    assert echo.run(value="x") == {"value": "x"}
    attachment.detach()
    other.detach()
