"""Small components, tools and helpers that the tests of the wrappers put together."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from haystack import Document, Pipeline, component
from haystack.components.generators.chat import MockChatGenerator
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools.from_function import create_tool_from_function
from haystack.tools.tool import Tool

from inspector.recording.api import record_run
from inspector.recording.walk import walk
from inspector.runfile.model import PipelineRun, Span

T = TypeVar("T")


@component
class Echo:
    """Gives back what it is given."""

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, Any]:
        return {"value": value}


@component
class Around:
    """Holds another component and hands its input on to it."""

    def __init__(self, inner: Any, times: int = 1) -> None:
        self.inner = inner
        self.times = times

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, Any]:
        for _ in range(self.times):
            value = self.inner.run(value=value)["value"]
        return {"value": value}


@component
class EchoRetriever:
    """Finds a document that says what it was asked, as slowly as `gate` lets it."""

    def __init__(self, gate: Callable[[], object] | None = None) -> None:
        self.gate = gate

    @component.output_types(documents=list[Document])
    def run(
        self, query: str, filters: dict[str, Any] | None = None, top_k: int | None = None
    ) -> dict[str, Any]:
        if self.gate is not None:
            self.gate()
        return {"documents": [Document(content=query)]}


@component
class InThreads:
    """Hands each word of its input to another component, in threads without context."""

    def __init__(self, inner: Any, start: Callable[..., list[Any]]) -> None:
        self.inner = inner
        self.start = start

    @component.output_types(values=list)
    def run(self, words: list[str]) -> dict[str, Any]:
        return {"values": self.start(self, words)}


def in_a_pool(self: InThreads, words: list[str]) -> list[Any]:
    with ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(lambda word: self.inner.run(value=word)["value"], words))


def in_plain_threads(self: InThreads, words: list[str]) -> list[Any]:
    said: list[Any] = []

    def say(word: str) -> None:
        said.append(self.inner.run(value=word)["value"])

    threads = [threading.Thread(target=say, args=(word,)) for word in words]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return said


def alone(name: str, instance: Any) -> Pipeline:
    """Return a pipeline of one component."""
    pipeline = Pipeline()
    pipeline.add_component(name, instance)
    return pipeline


def recorded(target: Any, data: Any, **options: Any) -> PipelineRun:
    """Return the recording of one run."""
    _, run = record_run(target, data, **options)
    return run


def told(value: T | None) -> T:
    """Return a field that must have been recorded."""
    assert value is not None
    return value


def paths(run: PipelineRun, operation: str = "") -> list[str]:
    """Return the paths of all spans, or of those of one operation, sorted."""
    return sorted(span.path for span in run.spans if operation in ("", span.operation))


def tries(run: PipelineRun, path: str) -> tuple[Span, ...]:
    """Return the calls of a fallback's models: older Haystacks give them no span of theirs."""
    found = run.children(run.at(path))
    assert {span.operation for span in found} <= {"haystack.chat_generator.run", "inspector.inner"}
    return found


def call(name: str, call_id: str = "call_1", **arguments: Any) -> ToolCall:
    return ToolCall(tool_name=name, arguments=arguments, id=call_id)


def asks_for(*calls: ToolCall, then: str = "Done.") -> MockChatGenerator:
    """Return a model that asks for these tool calls once, and answers when it has results."""

    def respond(messages: list[ChatMessage], **_: Any) -> ChatMessage:
        if any(message.tool_call_results for message in messages):
            return ChatMessage.from_assistant(then)
        return ChatMessage.from_assistant(tool_calls=list(calls))

    return MockChatGenerator(response_fn=respond)


def summarising_hook(text: str, **options: Any) -> Any:
    """Return a hook that has a model write a summary, where this Haystack has such a hook."""
    compaction = pytest.importorskip("haystack.hooks.compaction")
    if not hasattr(compaction, "SummarizationCompactor"):
        pytest.skip("the compactors of this Haystack have no model of their own")
    compactor = compaction.SummarizationCompactor(chat_generator=MockChatGenerator(text))
    return compaction.CompactionHook(compactor, **options)


def embedding_store() -> InMemoryDocumentStore:
    store = InMemoryDocumentStore()
    store.write_documents([Document(content="a fact", embedding=[0.1] * 64)])
    return store


def double(number: int) -> int:
    """Double a number."""
    return 2 * number


def double_tool() -> Tool:
    return create_tool_from_function(double)


def user(text: str = "Hello") -> list[ChatMessage]:
    return [ChatMessage.from_user(text)]


def ignore(chunk: StreamingChunk) -> None:
    """Take a chunk and do nothing."""


async def ignore_async(chunk: StreamingChunk) -> None:
    """Take a chunk on the event loop and do nothing."""


def inside(target: Any) -> dict[int, list[tuple[str, Any]]]:
    """Return the attributes, in order, of everything a target holds."""
    return {id(each.instance): list(vars(each.instance).items()) for each in walk(target)}


def is_wrapped(instance: Any) -> bool:
    return bool({"run", "invoke"} & vars(instance).keys())
