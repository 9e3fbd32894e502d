"""A pipeline whose every part can be changed, and which needs no model."""

from __future__ import annotations

import socket
from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

PAGES = {
    "pump": "The pump runs at dawn, and the pump is loud.",
    "pipe": "A pipe leads from the pump to the beds.",
    "vent": "The vents of the house open at noon, far from any pump.",
}
TEMPLATE = "Answer.\n{% for d in documents %}{{ d.content }}\n{% endfor %}{{ hour }}"


@component
class Oracle:
    """Stands for what calls out: it is answered from the recording."""

    __haystack_side_effecting__ = True

    @component.output_types(reply=str)
    def run(self, prompt: str) -> dict[str, str]:
        """Say something."""
        return {"reply": f"You said {prompt!r}."}


@component
class OtherOracle(Oracle):
    """Another class of the same sockets."""


@component
class Clock:
    """Pure, as it says; which it is not."""

    __haystack_side_effecting__ = False

    def __init__(self, hour: str = "noon") -> None:
        self.hour = [hour]

    @component.output_types(hour=str)
    def run(self) -> dict[str, str]:
        """Say what time it is."""
        return {"hour": self.hour[0]}


@component
class Asker:
    """Asks its oracle a number of things, one after the other."""

    __haystack_side_effecting__ = False

    def __init__(self, *asks: str) -> None:
        self.oracle = Oracle()
        self.asks = list(asks)

    @component.output_types(replies=list[str])
    def run(self, reply: str) -> dict[str, list[str]]:
        """Return what the oracle said."""
        for each in self.asks:
            self.oracle.run(prompt=each)
        return {"replies": [reply]}


@component
class Caller:
    """Says that it is pure, and calls out."""

    __haystack_side_effecting__ = False

    def __init__(self) -> None:
        self.port: list[int] = []

    @component.output_types(done=bool)
    def run(self, reply: str) -> dict[str, bool]:
        """Connect to a port, if there is one."""
        for port in self.port:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return {"done": True}


def pages(**changes: Any) -> list[Document]:
    """Return documents that are found in the order of `PAGES`."""
    texts = {**PAGES, **changes}
    return [
        Document(id=name, content=text, meta={"page": number})
        for number, (name, text) in enumerate(texts.items())
        if text is not None
    ]


def pipeline(
    documents: list[Document] | None = None, *, template: str = TEMPLATE, top_k: int = 10,
    asks: tuple[str, ...] = ("first", "second"), oracle: Any = None, hour: str = "noon",
) -> Pipeline:  # fmt: skip
    """Return the pipeline, with whatever is to be another one."""
    store = InMemoryDocumentStore()
    store.write_documents(pages() if documents is None else documents)
    made = Pipeline(metadata={"name": "parts"})
    made.add_component("retriever", InMemoryBM25Retriever(store, top_k=top_k))
    made.add_component("clock", Clock(hour))
    made.add_component("prompt", PromptBuilder(template, required_variables="*"))
    made.add_component("oracle", oracle or Oracle())
    made.add_component("asker", Asker(*asks))
    made.add_component("caller", Caller())
    made.connect("retriever.documents", "prompt.documents")
    made.connect("clock.hour", "prompt.hour")
    made.connect("prompt.prompt", "oracle.prompt")
    made.connect("oracle.reply", "asker.reply")
    made.connect("oracle.reply", "caller.reply")
    return made


DATA = {"retriever": {"query": "pump"}}
