"""Wrapping and unwrapping: nobody can tell that we were there."""

import copy
import dataclasses
import inspect
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from hypothesis import given
from hypothesis import strategies as st

from inspector.recording.attach import attach
from inspector.recording.walk import walk
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.wrappers.parts import (
    Around,
    Echo,
    alone,
    double_tool,
    inside,
    is_wrapped,
)

pytestmark = [pytest.mark.haystack, pytest.mark.usefixtures("nothing_is_left_behind")]


CASES = [
    pipelines.rag, pipelines.multi_query, pipelines.fallback, pipelines.super_component,
    pipelines.hybrid_embedding, agents.three_tools, agents.pipeline_as_tool, agents.agent_as_tool,
]  # fmt: skip


@pytest.mark.parametrize("make", CASES)
def test_after_detaching_every_instance_is_as_it_was(
    make: Any, openai_server: OpenAIServer
) -> None:
    target = make(openai_server).target
    before = inside(target)
    attachment = attach(target)
    assert all(is_wrapped(instance) for instance in attachment.found)
    assert len(attachment.found) == len(before)
    attachment.detach()
    attachment.detach()
    after = inside(target)
    assert after.keys() == before.keys()
    for address, kept in after.items():
        assert [name for name, _ in kept] == [name for name, _ in before[address]]
        assert all(one is other for (_, one), (_, other) in zip(kept, before[address], strict=True))


@pytest.mark.parametrize("make", CASES[:5])
def test_a_wrapped_pipeline_serialises_to_the_same_bytes(
    make: Any, openai_server: OpenAIServer
) -> None:
    pipeline = make(openai_server).target
    before = pipeline.dumps()
    attachment = attach(pipeline)
    assert pipeline.dumps() == before
    attachment.detach()


def test_a_wrapped_method_looks_like_the_method(openai_server: OpenAIServer) -> None:
    agent = agents.three_tools(openai_server).target
    found = [each.instance for each in walk(agent)]
    names = ("run", "run_async", "invoke", "invoke_async")

    def looks(instance: Any) -> list[Any]:
        methods = [(name, getattr(instance, name)) for name in names if hasattr(instance, name)]
        return [
            (
                name,
                inspect.signature(method),
                inspect.iscoroutinefunction(method),
                inspect.ismethod(method),
                method.__name__,
                method.__qualname__,
                method.__doc__,
                method.__self__ is instance,
                inspect.getsource(method),
                vars(method.__func__).keys() - {"__wrapped__"},
            )
            for name, method in methods
        ]

    before = [looks(instance) for instance in found]
    attachment = attach(agent)
    assert [looks(instance) for instance in found] == before
    attachment.detach()


def test_a_sync_component_does_not_get_an_async_run() -> None:
    echo = Echo()
    attachment = attach(echo)
    assert not hasattr(echo, "run_async")
    attachment.detach()


def test_sockets_and_the_way_a_component_runs_are_untouched(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server)
    before = case.target.inputs(), case.target.outputs()
    attachment = attach(case.target)
    assert (case.target.inputs(), case.target.outputs()) == before
    assert case.expects in case.run()["answer_builder"]["answers"][0].data
    attachment.detach()


def copies_of(instance: Any) -> list[Any]:
    return [copy.copy(instance), copy.deepcopy(instance), pickle.loads(pickle.dumps(instance))]


def test_copies_of_a_wrapped_component_are_free_of_wrappers_and_call_themselves() -> None:
    around = Around(Echo(), times=2)
    attachment = attach(around)
    for made in copies_of(around):
        assert not is_wrapped(made)
        assert vars(made).keys() == vars(around).keys() - {"run", "__reduce_ex__"}
        made.times = 0
        assert made.run(value="x") == {"value": "x"}
        assert made.run.__self__ is made
    assert not is_wrapped(copy.deepcopy(around).inner)
    attachment.detach()


def test_a_tool_that_is_wrapped_compares_prints_and_is_replaced_as_before() -> None:
    tool, twin = double_tool(), double_tool()
    twin.function = tool.function
    text, kept = repr(tool), tool.to_dict()
    attachment = attach(Agent(chat_generator=MockChatGenerator("x"), tools=[tool]))
    assert (repr(tool), tool.to_dict(), tool == twin) == (text, kept, True)
    assert not is_wrapped(dataclasses.replace(tool, name="other"))
    assert [field.name for field in dataclasses.fields(tool)][:2] == ["name", "description"]
    attachment.detach()


def test_a_copy_made_by_updating_the_attributes_still_works_after_detaching() -> None:
    class Odd:
        def __init__(self) -> None:
            self.said = "odd"

        def __deepcopy__(self, memo: dict[int, Any]) -> "Odd":
            made = Odd.__new__(Odd)
            memo[id(self)] = made
            vars(made).update({key: copy.deepcopy(kept, memo) for key, kept in vars(self).items()})
            return made

        def run(self, messages: list[Any]) -> dict[str, Any]:
            return {"replies": [self.said]}

    odd = Odd()
    attachment = attach(Agent(chat_generator=odd))
    made = copy.deepcopy(odd)
    made.said = "even"
    assert made.run(messages=[]) == {"replies": ["even"]}
    attachment.detach()
    assert made.run(messages=[]) == {"replies": ["even"]}


def test_a_function_on_the_instance_is_wrapped_and_put_back() -> None:
    echo: Any = Echo()
    replaced: Any = lambda value: {"value": value.upper()}  # noqa: E731 - a name would hide the point
    echo.run = replaced
    attachment = attach(echo)
    assert echo.run is not replaced
    assert echo.run(value="x") == {"value": "X"}
    assert copy.copy(echo).run is replaced
    attachment.detach()
    assert echo.run is replaced


def test_what_others_put_in_front_of_a_wrapper_stays() -> None:
    echo: Any = Echo()
    attachment = attach(echo)
    ours = echo.run
    theirs: Any = lambda value: ours(value=value)  # noqa: E731 - a name would hide the point
    echo.run = theirs
    attachment.detach()
    assert echo.run is theirs
    assert echo.run(value="x") == {"value": "x"}


def test_the_last_of_several_attachments_restores_what_they_share() -> None:
    shared = double_tool()
    one = Agent(chat_generator=MockChatGenerator("x"), tools=[shared])
    two = Agent(chat_generator=MockChatGenerator("y"), tools=[shared])
    first, again, second = attach(one), attach(one), attach(two)
    first.detach()
    assert is_wrapped(shared)
    assert is_wrapped(one)
    again.detach()
    assert is_wrapped(shared)
    assert not is_wrapped(one)
    second.detach()
    assert not is_wrapped(shared)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30))
def test_any_order_of_attaching_and_detaching_leaves_nothing(
    steps: list[tuple[int, bool]],
) -> None:
    shared = Echo()
    targets = [Around(shared), Around(Around(shared)), shared, alone("echo", Around(shared))]
    held: dict[int, list[Any]] = {}
    for number, on in steps:
        mine = held.setdefault(number, [])
        if on:
            mine.append(attach(targets[number]))
        elif mine:
            mine.pop().detach()
        assert is_wrapped(shared) == any(held.values())
    for attachment in [each for mine in held.values() for each in mine]:
        attachment.detach()
    assert not is_wrapped(shared)


def test_attaching_in_many_threads_at_once_leaves_nothing() -> None:
    target = alone("around", Around(Echo()))
    start = threading.Barrier(8)

    def often() -> None:
        start.wait()
        for _ in range(50):
            attachment = attach(target)
            assert target.run({"around": {"value": "x"}}) == {"around": {"value": "x"}}
            attachment.detach()

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(often) for _ in range(8)]:
            done.result()
    assert not is_wrapped(target.get_component("around"))
