"""Strange components: whatever they do, their run goes on as it would without us."""

import asyncio
import time
import timeit
from collections.abc import Iterator
from typing import Any

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.components.generators.chat import MockChatGenerator
from haystack.core.errors import PipelineRuntimeError
from haystack.tools import Toolset
from haystack.tools.tool import Tool

from inspector.recording.api import record_run, record_run_async, recording
from inspector.recording.attach import attach
from inspector.recording.wrappers.shells import OPEN, UNRECORDED
from tests.recording.drawing import at
from tests.recording.wrappers.parts import (
    Around,
    Echo,
    alone,
    asks_for,
    call,
    paths,
    recorded,
    user,
)

pytestmark = pytest.mark.haystack
INNER = "inspector.inner"


@pytest.fixture(autouse=True)
def _no_call_stays_open() -> Any:
    yield
    assert not OPEN
    assert not UNRECORDED


class Hostile:
    """Refuses to be looked at, compared, counted, hashed, shown or changed."""

    armed = False

    def __getattr__(self, name: str) -> Any:
        if Hostile.armed:
            raise RuntimeError(f"{name} was asked for")
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if Hostile.armed:
            raise RuntimeError(f"{name} was set")
        object.__setattr__(self, name, value)

    def _refuse(self, *_: Any) -> Any:
        raise RuntimeError("touched")

    __eq__ = __bool__ = __len__ = __iter__ = __str__ = __dir__ = _refuse
    __hash__ = _refuse


@component
class HostileEcho(Hostile):
    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, Any]:
        return {"value": value}


def test_a_component_that_refuses_everything_runs_and_is_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner = HostileEcho()
    pipeline = alone("around", Around(inner))
    monkeypatch.setattr(Hostile, "armed", True)
    result, run = record_run(pipeline, {"around": {"value": "x"}})
    monkeypatch.setattr(Hostile, "armed", False)
    assert result == {"around": {"value": "x"}}
    assert at(run, "around#1/inner:HostileEcho#1").outputs == {"value": "x"}
    assert "run" not in vars(inner)


def test_hostile_values_pass_through_a_wrapper_untouched(monkeypatch: pytest.MonkeyPatch) -> None:
    @component
    class Passes:
        @component.output_types(value=Any)
        def run(self, value: Any) -> dict[str, Any]:
            passed.append(value)
            return {"value": value}

    passed: list[Any] = []
    value = Hostile()
    monkeypatch.setattr(Hostile, "armed", True)
    result, run = record_run(Around(Passes()), {"value": value})
    assert result["value"] is value
    assert passed[0] is value
    assert run.status == "completed"
    assert at(run, "inner:Passes#1").outputs["value"]["$"] == "opaque"


def test_a_static_run_is_called_as_it_is() -> None:
    class Static:
        @staticmethod
        def run(messages: list[Any]) -> dict[str, Any]:
            return MockChatGenerator("static").run(messages)

    run = recorded(Agent(chat_generator=Static()), {"messages": user()})
    assert at(run, "step0/llm").type.endswith("Static")
    assert run.outputs["last_message"]["content"] == [{"text": "static"}]


def test_a_run_that_is_a_generator_is_not_consumed() -> None:
    class Yields:
        def run(self, text: str) -> Iterator[str]:
            yield from text

    @component
    class Consumes:
        def __init__(self) -> None:
            self.inner = Yields()

        @component.output_types(value=list)
        def run(self, value: str) -> dict[str, Any]:
            return {"value": list(self.inner.run(text=value))}

    result, run = record_run(Consumes(), {"value": "abc"})
    assert result == {"value": ["a", "b", "c"]}
    assert at(run, "inner:Yields#1").outputs["$"] == "opaque"


def test_a_run_that_gives_back_a_coroutine_is_awaited_by_its_caller() -> None:
    class Undeclared:
        """Its `run_async` is no coroutine function, but gives back a coroutine."""

        def run(self, query: str) -> dict[str, Any]:
            return {"documents": [query]}

        def run_async(self, query: str) -> Any:
            return self._later(query)

        async def _later(self, query: str) -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"documents": [await self._inner(query)]}

        async def _inner(self, query: str) -> str:
            return str((await Echoing().run_async(value=query))["value"])

    @component
    class Calls:
        def __init__(self) -> None:
            self.inner = Undeclared()

        @component.output_types(documents=list)
        def run(self, query: str) -> dict[str, Any]:
            return self.inner.run(query=query)

        @component.output_types(documents=list)
        async def run_async(self, query: str) -> dict[str, Any]:
            tasks = [
                asyncio.ensure_future(self.inner.run_async(query=f"{query} {number}"))
                for number in range(3)
            ]
            found = await asyncio.gather(*tasks)
            return {"documents": [document for each in found for document in each["documents"]]}

    result, run = asyncio.run(record_run_async(alone("calls", Calls()), {"calls": {"query": "q"}}))
    assert result["calls"]["documents"] == ["q 0", "q 1", "q 2"]
    found = paths(run, INNER)
    assert found == [f"calls#1/inner:Undeclared#{number}" for number in (1, 2, 3)]
    assert {at(run, path).outputs["documents"][0] for path in found} == {"q 0", "q 1", "q 2"}


class Echoing:
    async def run_async(self, value: str) -> dict[str, Any]:
        return {"value": value}


class Odd(BaseException):
    """An exception that no `except Exception` catches."""


@pytest.mark.parametrize("kind", [Odd, KeyboardInterrupt, SystemExit, StopIteration, ValueError])
def test_any_exception_passes_as_the_very_object_it_is(kind: type[BaseException]) -> None:
    raised = kind("mine")

    @component
    class Raises:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            raise raised

    with pytest.raises(BaseException) as caught, recording() as recorder:  # noqa: PT011 - all kinds
        record_run(Around(Raises()), {"value": "x"}, recorder=recorder)
    assert caught.value is raised
    assert (raised.__context__, raised.__cause__) == (None, None)
    (run,) = recorder.runs
    inner = at(run, "inner:Raises#1")
    assert inner.status == ("canceled" if kind is KeyboardInterrupt else "failed")


def test_the_error_of_a_component_in_a_pipeline_has_its_cause_and_no_word_of_ours() -> None:
    raised = ValueError("mine")

    @component
    class Raises:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            raise raised

    pipeline = alone("around", Around(Raises()))
    with pytest.raises(PipelineRuntimeError) as before:
        pipeline.run({"around": {"value": "x"}})
    text = str(before.value)
    with pytest.raises(PipelineRuntimeError) as caught:
        record_run(pipeline, {"around": {"value": "x"}})
    assert str(caught.value) == text
    assert caught.value.__cause__ is raised
    assert raised.__context__ is None


def test_endless_recursion_ends_as_it_would_without_us() -> None:
    @component
    class Recursive:
        def __init__(self) -> None:
            self.other: Any = None

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            return dict(self.other.run(value=value))

    one, other = Recursive(), Recursive()
    one.other, other.other = other, one
    with pytest.raises(RecursionError):
        record_run(one, {"value": "x"})
    assert "run" not in vars(one)


def test_a_component_that_changes_its_own_methods_keeps_what_it_made_of_them() -> None:
    @component
    class Changing:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            vars(self)["run"] = replaced
            return {"value": value}

    def replaced(value: str) -> dict[str, Any]:
        return {"value": value.upper()}

    changing: Any = Changing()
    result, run = record_run(Around(changing, times=2), {"value": "x"})
    assert result == {"value": "X"}
    assert changing.run is replaced
    assert paths(run) == ["", "inner:Changing#1"]


def test_a_component_that_forgets_everything_is_restored_without_a_word() -> None:
    @component
    class Forgetful:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            vars(self).clear()
            return {"value": value}

    forgetful = Forgetful()
    result, _ = record_run(Around(forgetful), {"value": "x"})
    assert result == {"value": "x"}
    assert vars(forgetful) == {}


def test_a_run_recorded_inside_of_a_run_is_a_run_of_its_own() -> None:
    runs: list[Any] = []
    nested = alone("around", Around(Echo()))

    @component
    class Records:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            result, run = record_run(nested, {"around": {"value": value}})
            runs.append(run)
            return dict(result["around"])

    run = recorded(alone("records", Records()), {"records": {"value": "x"}})
    assert paths(run) == ["", "records#1"]
    assert paths(runs[0]) == ["", "around#1", "around#1/inner:Echo#1"]


def test_an_abandoned_async_generator_leaves_the_next_run_alone() -> None:
    async def break_off() -> None:
        first = alone("around", Around(Echo()))
        async for _ in first.run_async_generator({"around": {"value": "x"}}):
            break

    with recording() as recorder:
        asyncio.run(break_off())
        alone("around", Around(Echo())).run({"around": {"value": "y"}})
    last = recorder.runs[-1]
    assert at(last, "around#1/inner:Echo#1").inputs == {"value": "y"}


def test_a_tool_whose_name_is_no_text_and_a_hook_with_any_signature() -> None:
    class Hook:
        def run(self, state: State, *_: Any, **__: Any) -> None:
            state.data["seen"] = True

        def to_dict(self) -> dict[str, Any]:
            return {"type": "Hook", "init_parameters": {}}

    def shout() -> str:
        """Shout."""
        tool.name = "other"
        return "HEY"

    hook: Any = Hook()
    tool = Tool("shout", "Shout", {"type": "object"}, function=shout)
    agent = Agent(
        chat_generator=asks_for(call("shout")), tools=Toolset([tool]), hooks={"on_exit": [hook]}
    )
    result, run = record_run(agent, {"messages": user()})
    assert result["messages"][2].tool_call_result.result == "HEY"
    assert run.status == "completed"


def test_a_pipeline_that_cannot_be_walked_runs_all_the_same() -> None:
    class Unwalkable(Pipeline):
        def walk(self) -> Any:
            raise RuntimeError("no")

    pipeline = Unwalkable()
    pipeline.add_component("echo", Echo())
    result, run = record_run(pipeline, {"echo": {"value": "x"}})
    assert result == {"echo": {"value": "x"}}
    assert paths(run) == ["", "echo#1"]


def test_while_nothing_is_recorded_a_wrapper_costs_a_few_plain_calls() -> None:
    def cost(echo: Any) -> float:
        calls = 2_000
        return min(
            timeit.repeat(
                lambda: echo.run(value="x"), number=calls, repeat=25, timer=time.thread_time
            )
        )

    bare, wrapped = Echo(), Echo()
    attachment = attach(wrapped)
    ratio = min(cost(wrapped) / cost(bare) for _ in range(3))
    attachment.detach()
    assert ratio < 12
