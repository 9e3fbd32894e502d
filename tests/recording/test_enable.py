"""`pipeline.run(data, record=True)`: opt in, and nothing changes for anybody else."""

import inspect
from collections.abc import Iterator

import pytest
from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage

import inspector
from inspector.recording.enable import disable, enable
from tests.recording.drawing import drawn, undented

pytestmark = pytest.mark.haystack

METHODS = [(Pipeline, "run"), (Pipeline, "run_async"), (Agent, "run"), (Agent, "run_async")]


@pytest.fixture
def enabled() -> Iterator[None]:
    before = [owner.__dict__[name] for owner, name in METHODS]
    enable()
    yield
    disable()
    assert [owner.__dict__[name] for owner, name in METHODS] == before


@component
class Echo:
    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        return {"value": value}


def echo() -> Pipeline:
    pipeline = Pipeline(metadata={"name": "echo"})
    pipeline.add_component("echo", Echo())
    return pipeline


DATA = {"echo": {"value": "x"}}
RESULT = {"echo": {"value": "x"}}
HELLO = [ChatMessage.from_user("hello")]


def agent(**options: object) -> Agent:
    return Agent(chat_generator=MockChatGenerator("hi"), **options)


def test_record_gives_the_result_and_the_run(enabled: None) -> None:
    result, run = echo().run(DATA, record=True)

    assert result == RESULT
    assert drawn(run) == undented("""
        echo pipeline ok
          echo#1 other ok
        """)


def test_without_record_run_returns_what_it_always_did(enabled: None) -> None:
    assert echo().run(DATA) == RESULT
    assert echo().run(data=DATA, record=False) == RESULT
    assert echo().run(DATA, {"echo"}) == RESULT


async def test_record_works_on_the_event_loop(enabled: None) -> None:
    result, run = await echo().run_async(DATA, record=True)
    assert (result, run.mode) == (RESULT, "async")
    assert await echo().run_async(DATA) == RESULT


async def test_record_works_for_agents(enabled: None) -> None:
    result, run = agent().run(HELLO, record=True)
    assert result["last_message"].text == "hi"
    assert (run.kind, run.status) == ("agent", "completed")
    result, run = await agent().run_async(messages=HELLO, record=True)
    assert (run.kind, run.mode) == ("agent", "async")


def test_a_nested_pipeline_is_not_touched(enabled: None) -> None:
    pipeline = Pipeline()
    pipeline.add_component("agent", agent())
    result, run = pipeline.run({"agent": {"messages": HELLO}}, record=True)
    assert result["agent"]["last_message"].text == "hi"
    assert len(run.spans) == 5


def test_signatures_stay_as_they_were() -> None:
    before = [inspect.signature(getattr(owner, name)) for owner, name in METHODS]
    enable()
    try:
        after = [inspect.signature(getattr(owner, name)) for owner, name in METHODS]
        assert inspect.iscoroutinefunction(Pipeline.run_async)
    finally:
        disable()
    assert before == after


def test_enabling_twice_is_undone_once(enabled: None) -> None:
    enable()
    disable()
    with pytest.raises(TypeError, match="unexpected keyword argument 'record'"):
        echo().run(DATA, record=True)


def test_an_agent_with_an_input_called_record_keeps_it(enabled: None) -> None:
    keeping = agent(state_schema={"record": {"type": bool}})
    result = keeping.run(HELLO, record=True)
    assert result["record"] is True


def test_recording_alone_refuses_to_replay(enabled: None) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'replay'"):
        echo().run(DATA, replay="x")
    with pytest.raises(TypeError, match="unexpected keyword argument 'replay'"):
        agent().run(HELLO, replay="x")


def test_an_error_is_the_one_that_run_raises(enabled: None) -> None:
    with pytest.raises(ValueError, match="nobody"):
        echo().run({"nobody": {"x": 1}}, record=True)


def test_the_package_offers_what_exists_and_nothing_else() -> None:
    for name in inspector.__all__:
        assert callable(getattr(inspector, name))
    with pytest.raises(AttributeError):
        _ = inspector.Recorder
    assert set(inspector.__all__) <= set(dir(inspector))


def test_recording_is_a_function_and_a_package() -> None:
    import inspector.recording.session

    with inspector.recording() as recorder:
        echo().run(DATA)
    assert len(recorder.runs) == 1
    assert inspector.recording.session.CURRENT.get() is None
