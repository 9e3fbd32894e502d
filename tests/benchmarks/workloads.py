"""What is run while the recorder looks on: pipelines and agents without a network.

They are worst cases. The components do next to nothing, so whatever a recorder adds is
large beside them; with a real model behind them every figure shrinks.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.agents import Agent
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder
from haystack.components.joiners import ListJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools.tool import Tool

FILLER = "The bed was watered at dawn and the vents opened at noon. "
USAGE = {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940}


@dataclass(frozen=True, slots=True)
class Workload:
    """Something to run over and over, and how many component runs one run of it is."""

    name: str
    target: Any
    run: Callable[[], Any]
    calls: int


@component
class PassString:
    """Hands on a string."""

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, str]:
        return {"value": value}


@component
class PassDocuments:
    """Hands on documents."""

    @component.output_types(value=list[Document])
    def run(self, value: list[Document]) -> dict[str, list[Document]]:
        return {"value": value}


@component
class StubChatGenerator:
    """Answers at once: asks for one tool call a turn until it has asked `steps` times."""

    def __init__(self, steps: int = 0, reply: str = FILLER * 10) -> None:
        self.steps = steps
        self.reply = reply

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, list[ChatMessage]]:
        meta = {"model": "stub", "finish_reason": "stop", "usage": dict(USAGE)}
        turn = sum(message.tool_call_result is not None for message in messages)
        if turn >= self.steps:
            return {"replies": [ChatMessage.from_assistant(self.reply, meta=meta)]}
        asked = ToolCall("look_up", {"topic": f"item {turn}"}, id=f"call_{turn}")
        return {"replies": [ChatMessage.from_assistant(tool_calls=[asked], meta=meta)]}

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self, messages: list[ChatMessage], tools: Any = None
    ) -> dict[str, list[ChatMessage]]:
        await asyncio.sleep(0)
        found: dict[str, list[ChatMessage]] = self.run(messages, tools)
        return found


def documents(count: int) -> list[Document]:
    text = FILLER * 36  # about 2 kB
    return [
        Document(id=f"d{number}", content=f"{number} {text}", meta={"page": number, "source": "m"})
        for number in range(count)
    ]


def chain(name: str, value: Any, links: int = 5) -> Workload:
    """Five components that do nothing, one after the other."""
    kind: Any = PassString if isinstance(value, str) else PassDocuments
    pipeline = Pipeline(metadata={"name": "chain"})
    for number in range(links):
        pipeline.add_component(f"link{number}", kind())
        if number:
            pipeline.connect(f"link{number - 1}.value", f"link{number}.value")
    return Workload(name, pipeline, lambda: pipeline.run({"link0": {"value": value}}), links)


def small_chain() -> Workload:
    return chain("5 no-op components, small values", "When is it watered?")


def ten_documents() -> Workload:
    return chain("5 no-op components, 10 documents of 2 kB", documents(10))


def thousand_documents() -> Workload:
    return chain("5 no-op components, 1,000 documents", documents(1000))


def small_rag() -> Workload:
    """Prompt, stub LLM, answer: three components around one kilobyte."""
    pipeline = Pipeline(metadata={"name": "small"})
    template = [ChatMessage.from_user(FILLER * 16 + "{{ query }}")]
    pipeline.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
    pipeline.add_component("llm", StubChatGenerator())
    pipeline.add_component("answer", AnswerBuilder())
    pipeline.connect("prompt.prompt", "llm.messages")
    pipeline.connect("llm.replies", "answer.replies")
    data = {"prompt": {"query": "When?"}, "answer": {"query": "When?"}}
    return Workload("small (prompt, LLM, answer)", pipeline, lambda: pipeline.run(data), 3)


def rag_100() -> Workload:
    """A hundred documents retrieved, all of them in the prompt."""
    store = InMemoryDocumentStore()
    store.write_documents(documents(100))
    pipeline = Pipeline(metadata={"name": "rag"})
    lines = "{% for d in documents %}{{ d.content }}\n{% endfor %}{{ query }}"
    builder = ChatPromptBuilder([ChatMessage.from_user(lines)], required_variables="*")
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=100))
    pipeline.add_component("prompt", builder)
    pipeline.add_component("llm", StubChatGenerator())
    pipeline.add_component("answer", AnswerBuilder())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "llm.messages")
    pipeline.connect("llm.replies", "answer.replies")
    pipeline.connect("retriever.documents", "answer.documents")
    query = {"query": "watered at dawn"}
    data = {"retriever": query, "prompt": query, "answer": query}
    return Workload("RAG-100", pipeline, lambda: pipeline.run(data), 4)


def agent(steps: int) -> Workload:
    """An agent that takes `steps` steps of one LLM call and one tool call each."""
    tool = Tool(
        name="look_up",
        description="Look a topic up.",
        parameters={"type": "object", "properties": {"topic": {"type": "string"}}},
        function=_look_up,
    )
    built = Agent(chat_generator=StubChatGenerator(steps), tools=[tool], max_agent_steps=steps + 1)
    question = [ChatMessage.from_user("What about everything?")]
    calls = 2 * steps + 2
    return Workload(f"agent-{steps}", built, lambda: built.run(messages=question), calls)


def _look_up(topic: str) -> str:
    return f"{topic}: {FILLER * 15}"


def agent_20() -> Workload:
    return agent(20)


def agent_100() -> Workload:
    return agent(100)


def async_8() -> Workload:
    """Eight branches at once on an event loop."""
    pipeline = Pipeline(metadata={"name": "async8"})
    pipeline.add_component("joiner", ListJoiner(list[ChatMessage]))
    for number in range(8):
        pipeline.add_component(f"llm{number}", StubChatGenerator())
        pipeline.connect(f"llm{number}.replies", "joiner.values")
    question = {"messages": [ChatMessage.from_user("When is it watered?")]}
    data = {f"llm{number}": question for number in range(8)}
    loop = asyncio.new_event_loop()
    return Workload(
        "async8",
        pipeline,
        lambda: loop.run_until_complete(pipeline.run_async(data, concurrency_limit=8)),
        9,
    )
