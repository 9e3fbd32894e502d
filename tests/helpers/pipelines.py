"""Real Haystack pipelines and agents, with what the local OpenAI answers them.

Every function takes a running `OpenAIServer`, sets its script and returns a `Case`. A
case carries a token, by default unique, that goes into its question and comes back in
its answer: two runs that were mixed up cannot look alike.
"""

import copy
import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from haystack import Document, Pipeline, SuperComponent
from haystack.components.agents import Agent
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder
from haystack.components.embedders import OpenAIDocumentEmbedder, OpenAITextEmbedder
from haystack.components.generators.chat import FallbackChatGenerator, OpenAIChatGenerator
from haystack.components.joiners import BranchJoiner, DocumentJoiner, ListJoiner
from haystack.components.query import QueryExpander
from haystack.components.rankers import LLMRanker
from haystack.components.retrievers import MultiQueryTextRetriever
from haystack.components.retrievers.in_memory import (
    InMemoryBM25Retriever,
    InMemoryEmbeddingRetriever,
)
from haystack.components.routers import ConditionalRouter
from haystack.components.validators import JsonSchemaValidator
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from tests.helpers.openai_script import Reply, Request, refuse, say
from tests.helpers.openai_server import OpenAIServer

USAGE_IN_STREAMS = {"stream_options": {"include_usage": True}}
_NUMBERS = itertools.count(1)

FACTS = (
    "The Brackenfold controller opens the roof vents at 27 degrees.",
    "The Brackenfold controller waters each bed for twelve minutes at dawn.",
    "Filters of the Brackenfold pump are rinsed every six weeks.",
    "Error F12 says that the humidity sensor of a bed is disconnected.",
    "A bed with basil wants four hours of extra light in winter.",
)


@dataclass(frozen=True)
class Case:
    """Something to run, the data to run it with, and the token that marks this run."""

    target: Any  # Pipeline or Agent
    token: str
    make_data: Callable[[], dict[str, Any]]
    expects: str = ""  # stands in the final answer
    options: dict[str, Any] = field(default_factory=dict)  # for Pipeline.run

    @property
    def data(self) -> dict[str, Any]:
        """Return fresh data: Haystack's `stream` writes into what it is given."""
        return copy.deepcopy(self.make_data())

    def run(self) -> Any:
        if isinstance(self.target, Agent):
            return self.target.run(**self.data)
        return self.target.run(self.data, **self.options)

    async def run_async(self) -> Any:
        if isinstance(self.target, Agent):
            return await self.target.run_async(**self.data)
        return await self.target.run_async(self.data, **self.options)


def new_token() -> str:
    return f"token{next(_NUMBERS):04d}x"


def generator(server: OpenAIServer, *, stream: bool = False, **more: Any) -> OpenAIChatGenerator:
    """Return the real generator, pointed at the local server."""
    more.setdefault("model", "gpt-4o-mini")
    if stream:
        more.setdefault("generation_kwargs", dict(USAGE_IN_STREAMS))
        more.setdefault("streaming_callback", ignore_chunk)
    return OpenAIChatGenerator(api_base_url=server.url, max_retries=0, **more)


def ignore_chunk(chunk: Any) -> None:
    """Take a chunk and do nothing: a named function, so that pipelines serialise."""


async def ignore_chunk_async(chunk: Any) -> None:
    """Take a chunk on the event loop and do nothing."""


def store_with(texts: Sequence[str] = FACTS) -> InMemoryDocumentStore:
    store = InMemoryDocumentStore()
    store.write_documents(
        [
            Document(id=f"fact-{number}", content=text, meta={"page": number})
            for number, text in enumerate(texts, 1)
        ]
    )
    return store


def prompt(*lines: str) -> ChatPromptBuilder:
    return ChatPromptBuilder(
        template=[ChatMessage.from_user("\n".join(lines))], required_variables="*"
    )


def answer(request: Request) -> Reply:
    """Answer with the last line of the question, where the token stands."""
    return say(f"Answering {request.text.splitlines()[-1]}", usage={"cached": 3})


# -- pipelines -------------------------------------------------------------------------------


def rag(server: OpenAIServer, *, stream: bool = False, token: str = "", top_k: int = 3) -> Case:
    """Retrieve, build a prompt, ask, build an answer."""
    token = token or new_token()
    server.script = answer
    pipeline = Pipeline(metadata={"name": "rag"})
    pipeline.add_component("retriever", InMemoryBM25Retriever(store_with(), top_k=top_k))
    lines = ("{% for d in documents %}{{ d.content }}", "{% endfor %}{{ query }}")
    pipeline.add_component("prompt_builder", prompt(*lines))
    pipeline.add_component("llm", generator(server, stream=stream))
    pipeline.add_component("answer_builder", AnswerBuilder())
    pipeline.connect("retriever.documents", "prompt_builder.documents")
    pipeline.connect("prompt_builder.prompt", "llm.messages")
    pipeline.connect("llm.replies", "answer_builder.replies")
    pipeline.connect("retriever.documents", "answer_builder.documents")
    query = f"When does the Brackenfold controller water? {token}"
    names = ("retriever", "prompt_builder", "answer_builder")
    return Case(pipeline, token, lambda: {name: {"query": query} for name in names}, token)


def parallel_branches(
    server: OpenAIServer, *, stream: bool = True, branches: int = 3, token: str = ""
) -> Case:
    """Ask several models the same thing at once and join what they say."""
    token = token or new_token()
    server.script = answer
    pipeline = Pipeline(metadata={"name": "parallel"})
    pipeline.add_component("joiner", ListJoiner(list[ChatMessage]))
    for number in range(branches):
        pipeline.add_component(f"prompt_{number}", prompt(f"Branch {number}: {{{{ topic }}}}"))
        pipeline.add_component(f"llm_{number}", generator(server, stream=stream))
        pipeline.connect(f"prompt_{number}.prompt", f"llm_{number}.messages")
        pipeline.connect(f"llm_{number}.replies", "joiner.values")
    names = [f"prompt_{number}" for number in range(branches)]
    return Case(pipeline, token, lambda: {name: {"topic": token} for name in names}, token)


def validator_loop(server: OpenAIServer, *, stream: bool = False, token: str = "") -> Case:
    """Ask for JSON, until the third attempt has the right shape."""
    token = token or new_token()
    attempts = ("This is no JSON.", json.dumps({"name": 5}), json.dumps({"name": token}))
    server.script = lambda request: say(attempts[_failed_attempts(request)])
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    }
    pipeline = Pipeline(metadata={"name": "validator_loop"}, max_runs_per_component=5)
    pipeline.add_component("prompt_builder", prompt("Name it as JSON: {{ topic }}"))
    pipeline.add_component("joiner", BranchJoiner(list[ChatMessage]))
    pipeline.add_component("llm", generator(server, stream=stream))
    pipeline.add_component("validator", JsonSchemaValidator(json_schema=schema))
    pipeline.connect("prompt_builder.prompt", "joiner.value")
    pipeline.connect("joiner.value", "llm.messages")
    pipeline.connect("llm.replies", "validator.messages")
    pipeline.connect("validator.validation_error", "joiner.value")
    return Case(pipeline, token, lambda: {"prompt_builder": {"topic": token}}, token)


def _failed_attempts(request: Request) -> int:
    """Read off the complaint of the validator, which quotes the attempt it complains about."""
    text = request.whole_text
    return 0 if "Name it as JSON" in text else 1 if "This is no JSON." in text else 2


def router(server: OpenAIServer, *, agent_in_branch: bool = True, token: str = "") -> Case:
    """Send a short question to an LLM; a long one would go to an agent (or another LLM)."""
    token = token or new_token()
    server.script = answer
    kind = list[ChatMessage]
    routes: list[Any] = [
        {
            "condition": "{{ messages[0].text | length < 80 }}",
            "output": "messages",
            "output_name": "short",
            "output_type": kind,
            "output_passthrough": True,
        },
        {
            "condition": "{{ messages[0].text | length >= 80 }}",
            "output": "messages",
            "output_name": "long",
            "output_type": kind,
            "output_passthrough": True,
        },
    ]
    pipeline = Pipeline(metadata={"name": "router"})
    pipeline.add_component("router", ConditionalRouter(routes))
    pipeline.add_component("llm", generator(server))
    far = Agent(chat_generator=generator(server)) if agent_in_branch else generator(server)
    pipeline.add_component("specialist", far)
    pipeline.connect("router.short", "llm.messages")
    pipeline.connect("router.long", "specialist.messages")
    return Case(
        pipeline,
        token,
        lambda: {"router": {"messages": [ChatMessage.from_user(f"Short? {token}")]}},
        token,
    )


def hybrid_embedding(server: OpenAIServer, *, token: str = "") -> Case:
    """Retrieve by words and by embeddings, join, re-rank with an LLM."""
    token = token or new_token()
    server.script = lambda _request: say(json.dumps({"documents": [{"index": 2}, {"index": 1}]}))
    store = InMemoryDocumentStore()
    documents = [Document(id=f"fact-{n}", content=text) for n, text in enumerate(FACTS, 1)]
    embedder = OpenAIDocumentEmbedder(api_base_url=server.url, progress_bar=False)
    store.write_documents(embedder.run(documents)["documents"])
    embedder.close()
    pipeline = Pipeline(metadata={"name": "hybrid"})
    pipeline.add_component("embedder", OpenAITextEmbedder(api_base_url=server.url))
    pipeline.add_component("by_meaning", InMemoryEmbeddingRetriever(store, top_k=2))
    pipeline.add_component("by_words", InMemoryBM25Retriever(store, top_k=2))
    pipeline.add_component("joiner", DocumentJoiner(join_mode="reciprocal_rank_fusion"))
    pipeline.add_component("ranker", LLMRanker(chat_generator=generator(server)))
    pipeline.connect("embedder.embedding", "by_meaning.query_embedding")
    pipeline.connect("by_meaning.documents", "joiner.documents")
    pipeline.connect("by_words.documents", "joiner.documents")
    pipeline.connect("joiner.documents", "ranker.documents")
    query = f"When are the vents opened? {token}"
    data = {"embedder": {"text": query}, "by_words": {"query": query}, "ranker": {"query": query}}
    return Case(pipeline, token, lambda: data, "fact-")


def multi_query(server: OpenAIServer, *, token: str = "") -> Case:
    """Expand a question and retrieve for each of its forms, in threads without context."""
    token = token or new_token()
    forms = {"queries": [f"vents {token}", f"water {token}", f"filters {token}"]}
    server.script = lambda _request: say(json.dumps(forms))
    retriever = InMemoryBM25Retriever(store_with(), top_k=2)
    pipeline = Pipeline(metadata={"name": "multi_query"})
    expander = QueryExpander(chat_generator=generator(server), n_expansions=3)
    pipeline.add_component("expander", expander)
    pipeline.add_component("retriever", MultiQueryTextRetriever(retriever=retriever))
    pipeline.connect("expander.queries", "retriever.queries")
    return Case(pipeline, token, lambda: {"expander": {"query": f"Vents? {token}"}}, "fact-")


def fallback(server: OpenAIServer, *, token: str = "") -> Case:
    """Ask a model that is down, then one that answers."""
    token = token or new_token()
    server.script = lambda request: (
        refuse(500) if request.body["model"] == "gpt-4o" else answer(request)
    )
    both = FallbackChatGenerator([generator(server, model="gpt-4o"), generator(server)])
    pipeline = Pipeline(metadata={"name": "fallback"})
    pipeline.add_component("llm", both)
    data = {"llm": {"messages": [ChatMessage.from_user(token)]}}
    return Case(pipeline, token, lambda: data, token)


def super_component(server: OpenAIServer, *, stream: bool = False, token: str = "") -> Case:
    """Use the RAG pipeline as one component of another pipeline."""
    inner = rag(server, stream=stream, token=token)
    sockets = ["retriever.query", "prompt_builder.query", "answer_builder.query"]
    whole = SuperComponent(
        pipeline=inner.target,
        input_mapping={"query": sockets},
        output_mapping={"answer_builder.answers": "answers"},
    )
    pipeline = Pipeline(metadata={"name": "super_component"})
    pipeline.add_component("rag", whole)
    query = inner.data["retriever"]["query"]
    return Case(pipeline, inner.token, lambda: {"rag": {"query": query}}, inner.token)


def llm_error(server: OpenAIServer, *, status: int = 400, token: str = "") -> Case:
    """Fail in the LLM, with the provider's own error."""
    case = rag(server, token=token)
    server.script = lambda _request: refuse(status)
    return case
