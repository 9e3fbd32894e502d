"""Calls inside of components, which Haystack gives no span or an incomplete one."""

import asyncio
from typing import Any

import pytest
from haystack import Document, Pipeline, SuperComponent, component
from haystack.components.agents import Agent
from haystack.components.embedders import MockTextEmbedder, OpenAITextEmbedder
from haystack.components.generators.chat import FallbackChatGenerator, MockChatGenerator
from haystack.components.rankers import LLMRanker
from haystack.components.retrievers import TextEmbeddingRetriever
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.dataclasses import ChatMessage

from inspector.recording.api import record_run, record_run_async, recording
from inspector.runfile.model import PipelineRun
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import refuse
from tests.helpers.openai_server import OpenAIServer
from tests.recording.drawing import at
from tests.recording.wrappers.parts import (
    Around,
    Echo,
    alone,
    asks_for,
    call,
    double_tool,
    embedding_store,
    paths,
    recorded,
    summarising_hook,
    told,
    tries,
    user,
)

pytestmark = pytest.mark.haystack
INNER = "inspector.inner"


def test_the_embedder_and_the_retriever_inside_of_a_retriever(openai_server: OpenAIServer) -> None:
    both = TextEmbeddingRetriever(
        retriever=InMemoryEmbeddingRetriever(embedding_store(), top_k=1),
        text_embedder=OpenAITextEmbedder(api_base_url=openai_server.url),
    )
    run = recorded(alone("retriever", both), {"retriever": {"query": "fact?"}})

    assert paths(run, INNER) == [
        "retriever#1/inner:InMemoryEmbeddingRetriever#1",
        "retriever#1/inner:OpenAITextEmbedder#1",
    ]
    embedder = at(run, "retriever#1/inner:OpenAITextEmbedder#1")
    assert embedder.inputs == {"text": "fact?"}
    assert embedder.usage is not None
    assert openai_server.log[0].usage is not None
    assert embedder.usage.raw == openai_server.log[0].usage
    inner = at(run, "retriever#1/inner:InMemoryEmbeddingRetriever#1")
    assert told(inner.retrieval)["top_k"] == 1
    assert [found["rank"] for found in told(inner.retrieval)["documents"]] == [1]
    assert inner.type.endswith("InMemoryEmbeddingRetriever")


def test_the_prompt_builder_and_the_model_of_a_ranker(openai_server: OpenAIServer) -> None:
    run = recorded(*case_of(pipelines.hybrid_embedding(openai_server)))
    builder = at(run, "ranker#1/inner:PromptBuilder#1")
    assert builder.role == "prompt"
    assert "vents" in builder.outputs["prompt"]
    model = at(run, "ranker#1/chat_generator#1")
    assert model.type == "haystack.components.generators.chat.openai.OpenAIChatGenerator"
    assert told(model.llm)["provider"] == "openai"


def case_of(case: pipelines.Case) -> tuple[Any, dict[str, Any]]:
    return case.target, case.data


def with_usage(run: PipelineRun) -> list[str]:
    return [span.path for span in run.spans if span.usage is not None]


def test_every_try_of_a_fallback_with_its_error_or_its_answer(openai_server: OpenAIServer) -> None:
    case = pipelines.fallback(openai_server)
    run = recorded(case.target, case.data)
    first, second = tries(run, "llm#1")
    assert (first.status, second.status) == ("failed", "ok")
    assert first.error is not None
    assert first.error.type == "openai.InternalServerError"
    assert case.token in second.outputs["replies"][0]["content"][0]["text"]
    assert second.channels["outputs"] == "wrapper"
    assert second.usage is not None
    assert with_usage(run) == [second.path]


def test_what_tracing_tells_is_not_told_again(openai_server: OpenAIServer) -> None:
    case = pipelines.multi_query(openai_server)
    run = recorded(case.target, case.data)
    model = at(run, "expander#1/chat_generator#1")
    assert model.channels == {"type": "wrapper"}
    assert with_usage(run) == ["expander#1/chat_generator#1"]


def test_the_class_behind_the_model_of_an_agent(openai_server: OpenAIServer) -> None:
    run = recorded(*case_of(agents.three_tools(openai_server, in_pipeline=True)))
    for number in range(4):
        llm = at(run, f"support_agent#1/step{number}/llm")
        assert llm.type == "haystack.components.generators.chat.openai.OpenAIChatGenerator"
        assert told(llm.llm)["provider"] == "openai"


def test_a_fallback_as_the_model_of_an_agent() -> None:
    @component
    class Down:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], **_: Any) -> dict[str, Any]:
            raise ConnectionError("down")

    both = FallbackChatGenerator([Down(), MockChatGenerator("up")])
    run = recorded(Agent(chat_generator=both), {"messages": user()})
    assert at(run, "step0/llm").type.endswith("FallbackChatGenerator")
    first, second = tries(run, "step0/llm")
    assert (first.status, first.type.endswith("Down")) == ("failed", True)
    assert second.outputs["replies"][0]["role"] == "assistant"


@pytest.mark.filterwarnings("ignore:.* is an experimental component")
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_the_model_that_summarises_for_a_compaction_hook(mode: str) -> None:
    hook = summarising_hook("They talked.", context_window=40, compact_at=0.2, compact_to=0.1)
    agent = Agent(chat_generator=MockChatGenerator("Done."), hooks={"before_llm": [hook]})
    history = [
        message
        for number in range(30)
        for message in (
            ChatMessage.from_user(f"question {number} " * 20),
            ChatMessage.from_assistant(f"answer {number} " * 20),
        )
    ]
    data = {"messages": [*history, ChatMessage.from_user("And now?")]}
    if mode == "sync":
        _, run = record_run(agent, data)
    else:
        _, run = asyncio.run(record_run_async(agent, data))
    summary = at(run, "step0/hook:before_llm:CompactionHook#1/inner:MockChatGenerator#1")
    assert (summary.kind, summary.role) == ("llm", "llm")
    assert summary.outputs["replies"][0]["content"] == [{"text": "They talked."}]
    assert summary.usage is not None
    changed = told(at(run, "step0/hook:before_llm:CompactionHook#1").state_changes)["messages"]
    assert len(changed["after"]) < len(changed["before"])


def test_the_prompt_builder_of_an_agent_stands_before_its_first_step() -> None:
    agent = Agent(chat_generator=MockChatGenerator("x"), system_prompt="Be {{ style }}.")
    run = recorded(alone("agent", agent), {"agent": {"messages": user(), "style": "brief"}})
    builder = at(run, "agent#1/inner:ChatPromptBuilder#1")
    assert builder.inputs == {"style": "brief"}
    assert run.spans.index(builder) < run.spans.index(at(run, "agent#1/step0"))


def test_each_call_inside_is_a_visit() -> None:
    run = recorded(alone("around", Around(Echo(), times=3)), {"around": {"value": "x"}})
    assert paths(run, INNER) == [f"around#1/inner:Echo#{number}" for number in (1, 2, 3)]
    assert [at(run, path).visit for path in paths(run, INNER)] == [1, 2, 3]


def test_what_is_inside_of_something_inside_stands_under_it() -> None:
    run = recorded(alone("outer", Around(Around(Echo()))), {"outer": {"value": "x"}})
    assert paths(run, INNER) == [
        "outer#1/inner:Around#1",
        "outer#1/inner:Around#1/inner:Echo#1",
    ]


def test_pipelines_and_agents_have_spans_of_their_own_and_get_no_second_one() -> None:
    @component
    class Office:
        """Holds what Haystack opens spans for, and calls it itself."""

        def __init__(self) -> None:
            self.machine = SuperComponent(alone("echo", Echo()))
            self.clerk = Agent(
                chat_generator=asks_for(call("double", number=1)), tools=[double_tool()]
            )

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            self.clerk.run(messages=user())
            return dict(self.machine.run(value=value))

    run = recorded(alone("office", Office()), {"office": {"value": "x"}})
    assert paths(run, INNER) == []
    assert at(run, "office#1/pipeline#1/echo#1").inputs == {"value": "x"}
    assert at(run, "office#1/step0/tool:double[0]").arguments == {"number": 1}


def test_a_failing_call_inside_keeps_its_error_and_the_run_goes_on() -> None:
    @component
    class Breaks:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            raise KeyError(value)

    @component
    class Careful:
        def __init__(self) -> None:
            self.inner = Breaks()

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            try:
                return self.inner.run(value=value)
            except KeyError:
                return {"value": "saved"}

    run = recorded(alone("careful", Careful()), {"careful": {"value": "x"}})
    inner = at(run, "careful#1/inner:Breaks#1")
    assert inner.error is not None
    assert (inner.status, inner.error.type) == ("failed", "KeyError")
    assert (run.status, at(run, "careful#1").status) == ("completed", "ok")


def test_what_is_canceled_inside_is_canceled() -> None:
    @component
    class Waits:
        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            return {"value": value}

        @component.output_types(value=str)
        async def run_async(self, value: str) -> dict[str, Any]:
            await asyncio.Event().wait()
            return {"value": value}

    @component
    class Impatient:
        def __init__(self) -> None:
            self.inner = Waits()

        @component.output_types(value=str)
        def run(self, value: str) -> dict[str, Any]:
            return {"value": value}

        @component.output_types(value=str)
        async def run_async(self, value: str) -> dict[str, Any]:
            waiting = asyncio.ensure_future(self.inner.run_async(value=value))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            return {"value": "went on"}

    async def run() -> PipelineRun:
        _, run = await record_run_async(
            alone("impatient", Impatient()), {"impatient": {"value": "x"}}
        )
        return run

    assert at(asyncio.run(run()), "impatient#1/inner:Waits#1").status == "canceled"


def test_an_embedder_alone_counts_its_usage_once(openai_server: OpenAIServer) -> None:
    embedder = OpenAITextEmbedder(api_base_url=openai_server.url)
    run = recorded(alone("embedder", embedder), {"embedder": {"text": "hello"}})
    assert paths(run) == ["", "embedder#1"]
    assert with_usage(run) == ["embedder#1"]


def test_a_component_recorded_alone_claims_the_root() -> None:
    run = recorded(Around(Echo()), {"value": "x"})
    assert paths(run) == ["", "inner:Echo#1"]


def test_a_model_that_fails_inside_a_ranker_that_hides_it(openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _request: refuse(400)
    ranker = LLMRanker(chat_generator=pipelines.generator(openai_server), raise_on_failure=False)
    documents = [Document(content="a"), Document(content="b")]
    run = recorded(alone("ranker", ranker), {"ranker": {"query": "which?", "documents": documents}})
    model = at(run, "ranker#1/chat_generator#1")
    assert model.error is not None
    assert (model.status, model.error.type) == ("failed", "openai.BadRequestError")
    assert run.status == "completed"


def test_a_recorder_that_stays_on_records_what_is_inside_of_each_run() -> None:
    pipeline = alone("around", Around(Echo()))
    with recording() as recorder:
        for _ in range(2):
            pipeline.run({"around": {"value": "x"}})
        pipeline.add_component("late", Around(MockTextEmbedder()))
        vars(pipeline.get_component("late"))["inner"] = Echo()
        pipeline.run({"around": {"value": "x"}, "late": {"value": "y"}})
    assert [len(paths(run, INNER)) for run in recorder.runs] == [1, 1, 2]
    assert "run" not in vars(pipeline.get_component("around"))


def test_two_pipelines_that_share_a_component_inside() -> None:
    shared = Echo()
    one, two = alone("one", Around(shared)), alone("two", Around(shared))
    with recording() as recorder:
        one.run({"one": {"value": "1"}})
        two.run({"two": {"value": "2"}})
    first, second = recorder.runs
    assert at(first, "one#1/inner:Echo#1").inputs == {"value": "1"}
    assert at(second, "two#1/inner:Echo#1").inputs == {"value": "2"}


def test_a_pipeline_inside_of_a_pipeline_is_wrapped_all_through() -> None:
    inner = Pipeline()
    inner.add_component("around", Around(Echo()))
    whole = alone("whole", SuperComponent(inner))
    run = recorded(whole, {"whole": {"value": "x"}})
    assert paths(run, INNER) == ["whole#1/pipeline#1/around#1/inner:Echo#1"]
