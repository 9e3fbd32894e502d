"""Wrapping and unwrapping: nobody can tell that we were there."""

import asyncio
import copy
import dataclasses
import gc
import inspect
import pickle
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

import pytest
from haystack import Document, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.tools import SearchableToolset
from hypothesis import given
from hypothesis import strategies as st

from inspector.recording.attach import attach
from inspector.recording.walk import walk
from inspector.recording.wrappers.install import INSTALLED
from inspector.recording.wrappers.shells import HELD_BY, HOLDING, OPEN, UNRECORDED
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.wrappers.parts import Around, Echo, alone, asks_for, call, double_tool, user

pytestmark = pytest.mark.haystack


def inside(target: Any) -> dict[int, list[tuple[str, Any]]]:
    """Return the attributes, in order, of everything a target holds."""
    return {id(each.instance): list(vars(each.instance).items()) for each in walk(target)}


def is_wrapped(instance: Any) -> bool:
    return bool({"run", "invoke"} & vars(instance).keys())


@pytest.fixture(autouse=True)
def _nothing_is_left_behind() -> Any:
    yield
    registers: list[dict[Any, Any]] = [INSTALLED, HOLDING, HELD_BY, OPEN, UNRECORDED]
    left = [dict(register) for register in registers]
    for register in registers:
        register.clear()  # one test's failure must not become the next one's
    assert not any(left)


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
