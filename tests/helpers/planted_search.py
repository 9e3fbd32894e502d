"""A search with everything in it, and what can be planted there.

The question is rewritten, asked of two retrievers, joined, ranked, put into a prompt, looked
at by a guard and answered.
"""

import random
from dataclasses import dataclass, field, replace
from typing import Any, Self

from haystack import Document, Pipeline, component
from haystack.components.builders import ChatPromptBuilder
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from tests.helpers.openai_script import Reply, Request, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import generator
from tests.helpers.planted_causes import Cause, Expected, Planted
from tests.helpers.planted_worlds import CROPS


@component
class Rewriter:
    """Makes a search of a question."""

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix

    @component.output_types(query=str)
    def run(self, query: str) -> dict[str, Any]:
        return {"query": f"{query} {self.suffix}"}


@component
class Embedder:
    """Makes numbers of a text, other ones for another model."""

    def __init__(self, model: str) -> None:
        self.model = model

    @component.output_types(embedding=list[float])
    def run(self, text: str) -> dict[str, Any]:
        draw = random.Random(f"{self.model} {text}")
        return {"embedding": [draw.uniform(-1, 1) for _ in range(12)]}


@component
class ByLength:
    """Ranks what is short first."""

    def __init__(self, top_k: int) -> None:
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        ranked = sorted(documents, key=lambda each: (len(each.content or ""), each.content))
        return {"documents": ranked[: self.top_k]}


@component
class DropFirst:
    """Loses the best document."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        return {"documents": documents[1:]}


@component
class Guard:
    """Says whether something may be asked."""

    def __init__(self, banned: str) -> None:
        self.banned = banned

    @component.output_types(messages=list[ChatMessage], verdict=str)
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        found = any(self.banned in (each.text or "") for each in messages)
        return {"messages": messages, "verdict": "blocked" if found else "passed"}


@component
class Fragile:
    """Hands documents on, if it can."""

    def __init__(self, broken: bool) -> None:
        self.broken = broken

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        if self.broken:
            raise RuntimeError("The disk is full.")
        return {"documents": documents}


@dataclass(frozen=True)
class SearchWorld:
    """See the module. The answer quotes the first document and says how many there were."""

    notes: tuple[str, ...]
    suffix: str = "please"
    embedder: str = "small"
    words_top_k: int = 3
    vectors_top_k: int = 3
    join_mode: str = "reciprocal_rank_fusion"
    ranker_top_k: int = 2
    banned: str = "password"
    template: str = "{% for d in documents %}{{ d.content }}\n{% endfor %}Question: {{ query }}"
    drops: bool = False
    ranks: bool = True
    broken: bool | None = None
    filters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def drawn(cls, draw: random.Random) -> Self:
        places = draw.sample(range(10, 99), len(CROPS))
        return cls(tuple(f"Bed {n} grows {crop}." for n, crop in zip(places, CROPS, strict=True)))

    def script(self, request: Request) -> Reply:
        lines = [line for line in request.text.splitlines() if line.startswith("Bed")]
        return say(f"{len(lines)} notes, first: {lines[0] if lines else 'none'}")

    def build(self, server: OpenAIServer) -> tuple[Pipeline, dict[str, Any]]:
        store = InMemoryDocumentStore()
        embed = Embedder("small")
        store.write_documents([
            Document(id=f"note-{n}", content=note, meta={"side": "south" if n % 3 else "north"},
                     embedding=embed.run(note)["embedding"])
            for n, note in enumerate(self.notes)
        ])  # fmt: skip
        pipeline = Pipeline(metadata={"name": "search"})
        pipeline.add_component("rewriter", Rewriter(self.suffix))
        pipeline.add_component("embedder", Embedder(self.embedder))
        words = InMemoryBM25Retriever(store, top_k=self.words_top_k, filters=self.filters or None)
        pipeline.add_component("words", words)
        vectors = InMemoryEmbeddingRetriever(store, top_k=self.vectors_top_k)
        pipeline.add_component("vectors", vectors)
        pipeline.add_component("joiner", DocumentJoiner(join_mode=self.join_mode))
        pipeline.connect("rewriter.query", "words.query")
        pipeline.connect("embedder.embedding", "vectors.query_embedding")
        pipeline.connect("words.documents", "joiner.documents")
        pipeline.connect("vectors.documents", "joiner.documents")
        last = "joiner"
        parts: dict[str, Any] = {}
        if self.broken is not None:
            parts["fragile"] = Fragile(self.broken)
        if self.drops:
            parts["dropper"] = DropFirst()
        if self.ranks:
            parts["ranker"] = ByLength(self.ranker_top_k)
        for name, part in parts.items():
            pipeline.add_component(name, part)
            pipeline.connect(f"{last}.documents", f"{name}.documents")
            last = name
        template = [ChatMessage.from_user(self.template)]
        pipeline.add_component("prompt", ChatPromptBuilder(template, required_variables="*"))
        pipeline.add_component("guard", Guard(self.banned))
        pipeline.add_component("llm", generator(server))
        pipeline.connect(f"{last}.documents", "prompt.documents")
        pipeline.connect("prompt.prompt", "guard.messages")
        pipeline.connect("guard.messages", "llm.messages")
        query = "Which bed grows chard"
        data = {"rewriter": {"query": query}, "embedder": {"text": query}}
        return pipeline, {**data, "prompt": {"query": query}}


def ranker_top_k(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, ranker_top_k=1)
    return Planted(changed, Expected(("documents",), "ranker", ("ranker: top_k",)))


def joiner_mode(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, join_mode="concatenate")
    return Planted(changed, Expected(("documents",), "joiner", ("join_mode",)))


def embedding_model(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, embedder="large")
    return Planted(changed, Expected(("query",), "vectors", ("embedder: model",)))


def rewritten_otherwise(world: SearchWorld, draw: random.Random) -> Planted:
    word = draw.choice(("now", "exactly", "today"))
    changed = replace(world, suffix=word)
    return Planted(
        changed, Expected(("query",), "rewriter", (f"rewriter: suffix please → {word}",))
    )


def one_retriever_cut_short(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, vectors_top_k=2)
    return Planted(changed, Expected(("query",), "vectors", ("vectors: top_k",)))


def nested_filters(world: SearchWorld, draw: random.Random) -> Planted:
    side = draw.choice(("north", "south"))
    one = {"field": "meta.side", "operator": "in", "value": [side]}
    other = {"field": "meta.side", "operator": "!=", "value": "west"}
    changed = replace(world, filters={"operator": "AND", "conditions": [one, other]})
    return Planted(changed, Expected(("query",), "words", ("words: filters",)))


def component_put_between(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, drops=True)
    return Planted(changed, Expected(("documents",), "dropper", ("dropper (DropFirst) was added",)))


def component_taken_out(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, ranks=False)
    return Planted(
        changed, Expected(("documents",), "ranker", ("ranker (ByLength) was taken out",))
    )


def guard_flipped(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, banned="Question")
    return Planted(changed, Expected(("validator",), "guard", ("guard: banned",)))


def spaces_in_the_prompt(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, template=world.template.replace("Question: ", "Question:  "))
    return Planted(changed, Expected(("prompt",), "llm", ("other spaces",)))


def prompt_turned_round(world: SearchWorld, _draw: random.Random) -> Planted:
    *_, question = world.template.partition("{% endfor %}")
    notes = world.template.removesuffix(question)
    changed = replace(world, template=f"{question}\n{notes}")
    return Planted(changed, Expected(("prompt",), "llm", ("template",)))


def failed_on_the_way(world: SearchWorld, _draw: random.Random) -> Planted:
    changed = replace(world, broken=True)
    expected = Expected(("failure",), "fragile", ("The disk is full",))
    return Planted(changed, expected, baseline=replace(world, broken=False))


def nothing(world: SearchWorld, _draw: random.Random) -> Planted:
    return Planted(world, Expected(equal=True))


def run_asynchronously(world: SearchWorld, _draw: random.Random) -> Planted:
    return Planted(world, Expected(), asynchronous=True)


SEARCH_CAUSES: tuple[tuple[type[SearchWorld], Cause], ...] = tuple(
    (SearchWorld, cause) for cause in (
        ranker_top_k, joiner_mode, embedding_model, rewritten_otherwise, one_retriever_cut_short,
        nested_filters, component_put_between, component_taken_out, guard_flipped,
        spaces_in_the_prompt, prompt_turned_round, failed_on_the_way, nothing, run_asynchronously,
    )
)  # fmt: skip
