"""Anything with a run: components, SuperComponents and generators without a pipeline."""

import pytest
from haystack import component
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage

from inspector.errors import RecordingError
from inspector.recording.api import record_run, record_run_async
from tests.helpers import pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import drawn, through_tracing_alone, undented

pytestmark = pytest.mark.haystack


def test_a_generator_alone_is_a_run_with_its_usage(openai_server: OpenAIServer) -> None:
    messages = [ChatMessage.from_user("hello")]
    result, run = record_run(
        pipelines.generator(openai_server), {"messages": messages}, recorder=through_tracing_alone()
    )

    assert (run.kind, run.name, run.status) == ("component", "OpenAIChatGenerator", "completed")
    assert drawn(run) == undented("""
        OpenAIChatGenerator llm ok
        """)
    root = run.roots[0]
    assert root.operation == "inspector.inner"
    assert root.llm["provider"] == "openai"
    assert run.header["usage"]["total_tokens"] == root.usage.total_tokens
    assert root.usage.total_tokens == result["replies"][0].meta["usage"]["total_tokens"]


def test_a_retriever_alone_says_what_it_found() -> None:
    retriever = InMemoryBM25Retriever(pipelines.store_with(), top_k=2)
    _, run = record_run(retriever, {"query": "controller"}, recorder=through_tracing_alone())

    retrieval = run.roots[0].retrieval
    assert (retrieval["query"], retrieval["top_k"]) == ("controller", 2)
    assert len(retrieval["documents"]) == 2


def test_a_super_component_alone_holds_its_pipeline(openai_server: OpenAIServer) -> None:
    case = pipelines.super_component(openai_server)
    whole = case.target.get_component("rag")
    _, run = record_run(whole, case.data["rag"], recorder=through_tracing_alone())

    assert drawn(run) == undented("""
        SuperComponent pipeline ok
          pipeline#1 pipeline ok
            retriever#1 retrieval ok
            prompt_builder#1 prompt ok
            llm#1 llm ok
            answer_builder#1 conversion ok
        """)
    assert run.inputs == {"query": case.data["rag"]["query"]}
    assert "topology" in run.topology["components"]["SuperComponent"]


def test_two_visits_of_a_pipeline_inside_a_component_are_counted() -> None:
    @component
    class Twice:
        def __init__(self) -> None:
            self.generator = MockChatGenerator("hi")

        @component.output_types(text=str)
        def run(self) -> dict[str, str]:
            from haystack import Pipeline

            for _ in range(2):
                pipeline = Pipeline()
                pipeline.add_component("llm", MockChatGenerator("hi"))
                found = pipeline.run({"llm": {"messages": [ChatMessage.from_user("x")]}})
            return {"text": found["llm"]["replies"][0].text}

    _, run = record_run(Twice(), recorder=through_tracing_alone())
    assert drawn(run) == undented("""
        Twice other ok
          pipeline#1 pipeline ok
            llm#1 llm ok
          pipeline#2 pipeline ok
            llm#1 llm ok
        """)


async def test_a_component_without_run_async_runs_in_a_thread() -> None:
    @component
    class Slow:
        @component.output_types(value=int)
        def run(self, value: int) -> dict[str, int]:
            return {"value": value + 1}

    result, run = await record_run_async(Slow(), {"value": 1}, recorder=through_tracing_alone())
    assert result == {"value": 2}
    assert (run.mode, run.outputs) == ("async", {"value": 2})


def test_inputs_that_are_no_dictionary_are_refused_in_words() -> None:
    with pytest.raises(RecordingError, match="are a dictionary, not a list"):
        record_run(MockChatGenerator("hi"), ["hello"])


def test_an_agent_takes_messages_alone(openai_server: OpenAIServer) -> None:
    from haystack.components.agents import Agent

    agent = Agent(chat_generator=pipelines.generator(openai_server))
    result, run = record_run(
        agent, [ChatMessage.from_user("hello")], recorder=through_tracing_alone()
    )
    assert run.status == "completed"
    assert result["last_message"].text
