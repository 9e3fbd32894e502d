"""What the tests of `record` name as TARGET."""

import os
import signal

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore


@component
class Echo:
    """Says what it hears."""

    @component.output_types(said=str)
    def run(self, text: str) -> dict[str, str]:
        """Return the text."""
        if text == "boom":
            raise ValueError("it went boom")
        if text == "stop":
            # A shell that starts programs in the background has them ignore it.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.kill(os.getpid(), signal.SIGINT)
        return {"said": text}


@component
class Last:
    """Says the last of some messages, and how many documents there are."""

    @component.output_types(said=str)
    def run(
        self, messages: list[ChatMessage], documents: list[Document] | None = None
    ) -> dict[str, str]:
        """Return the text of the last message."""
        return {"said": f"{messages[-1].text} ({len(documents or [])})"}


def echo() -> Pipeline:
    """Return a pipeline of one component."""
    made = Pipeline(metadata={"name": "echo"})
    made.add_component("echo", Echo())
    return made


async def echo_later() -> Pipeline:
    """Return the same from a coroutine."""
    return echo()


def last() -> Pipeline:
    """Return a pipeline that takes messages and documents."""
    made = Pipeline()
    made.add_component("last", Last())
    return made


def rag() -> Pipeline:
    """Return a pipeline whose parts Haystack can load from YAML."""
    store = InMemoryDocumentStore()
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(store))
    made.add_component(
        "builder", ChatPromptBuilder([ChatMessage.from_user("{{ documents|length }}")])
    )
    made.connect("retriever.documents", "builder.documents")
    return made


def broken() -> Pipeline:
    """Return nothing."""
    raise RuntimeError("no pipeline today")


PIPELINE = echo()
NUMBER = 5
part = Echo()
