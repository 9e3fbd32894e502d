"""Small worlds in which a run happens: a pipeline or agent, its data, and a language model.

A world is a value, so that one thing in it can be replaced; what it decides follows from its
values and from a seed alone. The model is a script behind the real generators: what it says
depends on what it is sent, as a real one's does, so a change has consequences down the line.
"""

import json
import random
import re
from dataclasses import dataclass, field, replace
from typing import Any, Self

from haystack import Document, Pipeline
from haystack.components.agents import Agent
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder
from haystack.components.joiners import BranchJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.routers import ConditionalRouter
from haystack.components.validators import JsonSchemaValidator
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools.tool import Tool

from tests.helpers.openai_script import Call, Reply, Request, call, refuse, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import generator

CROPS = ("basil", "chard", "fennel", "leek", "peppers", "radish", "sorrel", "tomato")


@dataclass(frozen=True)
class Page:
    """A page of the manual. Without an id Haystack derives one from what it says."""

    crop: str
    minutes: int
    id: str = ""
    shelf: str = "north"

    @property
    def document(self) -> Document:
        # All pages are alike in length and words asked for, so all score the same: then
        # the store's own order decides, which a test can change by itself.
        text = f"Watering the {self.crop} bed takes {self.minutes} minutes at dawn."
        return Document(id=self.id, content=text, meta={"shelf": self.shelf})


@dataclass(frozen=True)
class RagWorld:
    """Retrieve, build a prompt, ask, build an answer. The answer quotes the first page."""

    pages: tuple[Page, ...]
    query: str = "Watering minutes at dawn"
    filters: dict[str, Any] | None = None
    top_k: int = 4
    run_top_k: int | None = None
    system: str = "Answer from the manual."
    template: str = "{% for d in documents %}{{ d.content }}\n{% endfor %}Question: {{ query }}"
    model: str = "gpt-4o-mini"
    settings: dict[str, Any] = field(default_factory=dict)
    mood: str = ""  # what the model adds of its own accord
    status: int = 200
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def drawn(cls, draw: random.Random) -> Self:
        crops = draw.sample(CROPS, 6)
        with_ids = draw.random() < 0.5
        pages = tuple(
            Page(crop, draw.randint(3, 40), id=f"page-{number}" if with_ids else "")
            for number, crop in enumerate(crops, 1)
        )
        return cls(pages, top_k=draw.choice((3, 4)))

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def script(self, request: Request) -> Reply:
        if self.status != 200:
            return refuse(self.status)
        figures = re.findall(r"the (\w+) bed takes (\d+) minutes", request.text)
        crop, minutes = figures[0] if figures else ("unknown", "no")
        manner = len(request.system) + len(re.sub(r"the \w+ bed takes \d+", "", request.text))
        return say(f"The {crop} bed needs {minutes} minutes{self.mood} ({manner % 97}).")

    def build(self, server: OpenAIServer) -> tuple[Pipeline, dict[str, Any]]:
        store = InMemoryDocumentStore()
        store.write_documents([page.document for page in self.pages])
        messages = [ChatMessage.from_system(self.system), ChatMessage.from_user(self.template)]
        parts: dict[str, Any] = {
            "retriever": InMemoryBM25Retriever(store, top_k=self.top_k),
            "prompt_builder": ChatPromptBuilder(template=messages, required_variables="*"),
            "llm": generator(server, model=self.model, generation_kwargs=dict(self.settings)),
            "answer_builder": AnswerBuilder(),
        }
        pipeline = Pipeline(metadata={"name": "manual"})
        for name, component in parts.items():
            pipeline.add_component(self.name(name), component)
        finder, builder, llm, last = map(self.name, parts)
        pipeline.connect(f"{finder}.documents", f"{builder}.documents")
        pipeline.connect(f"{builder}.prompt", f"{llm}.messages")
        pipeline.connect(f"{llm}.replies", f"{last}.replies")
        pipeline.connect(f"{finder}.documents", f"{last}.documents")
        asked: dict[str, Any] = {"query": self.query}
        if self.filters is not None:
            asked["filters"] = self.filters
        if self.run_top_k is not None:
            asked["top_k"] = self.run_top_k
        query = {"query": self.query}
        return pipeline, {finder: asked, builder: query, last: query}


@dataclass(frozen=True)
class Turn:
    """What the agent's model asks for in one turn: tools with their arguments."""

    calls: tuple[tuple[str, dict[str, Any]], ...]


@dataclass(frozen=True)
class AgentWorld:
    """An agent with tools. Its answer repeats what the tools returned last."""

    turns: tuple[Turn, ...]
    results: dict[str, str]  # what each tool returns, in front of its arguments
    failing: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    system: str = "You look after a greenhouse."
    task: str = "Look after the beds."
    model: str = "gpt-4o-mini"
    settings: dict[str, Any] = field(default_factory=dict)
    described: dict[str, str] = field(default_factory=dict)  # how tools are described
    streamed: bool = False
    max_steps: int = 10
    mood: str = ""

    @classmethod
    def drawn(cls, draw: random.Random) -> Self:
        beds = draw.sample(CROPS, 5)
        turns = (
            Turn((("read_sensor", {"bed": beds[0]}), ("read_sensor", {"bed": beds[1]}))),
            Turn((("search_manual", {"topic": beds[2]}),)),
            Turn((("plan_chore", {"bed": beds[3]}), ("read_sensor", {"bed": beds[4]}))),
        )
        words = ("dry", "moist", "warm", "cool", "ready")
        names = ("read_sensor", "search_manual", "plan_chore")
        return cls(turns, {name: draw.choice(words) for name in names})

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def script(self, request: Request) -> Reply:
        if request.turn < len(self.turns):
            turn = self.turns[request.turn]
            return call(*(Call(self.name(name), arguments) for name, arguments in turn.calls))
        last = " and ".join(request.tool_results[-2:])
        return say(f"Done after {request.turn} turns{self.mood}: {last}")

    def build(self, server: OpenAIServer) -> tuple[Agent, dict[str, Any]]:
        agent = Agent(
            chat_generator=generator(
                server, model=self.model, generation_kwargs=dict(self.settings)
            ),
            streaming_callback=(lambda _: None) if self.streamed else None,
            tools=[self._tool(name) for name in self.results],
            system_prompt=self.system,
            max_agent_steps=self.max_steps,
        )
        return agent, {"messages": [ChatMessage.from_user(self.task)]}

    def _tool(self, name: str) -> Tool:
        def use(**arguments: Any) -> str:
            if name in self.failing:
                raise ValueError(f"The probe of {sorted(arguments.values())} does not answer.")
            return f"{self.results[name]} {' '.join(sorted(arguments.values()))}"

        argument = "topic" if name == "search_manual" else "bed"
        parameters = {
            "type": "object",
            "properties": {argument: {"type": "string"}},
            "required": [argument],
        }
        description = self.described.get(name, f"Use it to {name}.")
        return Tool(self.name(name), description, parameters, use)


@dataclass(frozen=True)
class RouterWorld:
    """A short question goes to one model, a long one to another."""

    question: str
    limit: int = 60
    mood: str = ""

    @classmethod
    def drawn(cls, draw: random.Random) -> Self:
        return cls(f"When does the {draw.choice(CROPS)} bed want its water today?")

    def script(self, request: Request) -> Reply:
        return say(f"{request.body['model']} says: at dawn{self.mood}.")

    def build(self, server: OpenAIServer) -> tuple[Pipeline, dict[str, Any]]:
        kind = list[ChatMessage]
        routes: list[Any] = [
            {
                "condition": f"{{{{ messages[0].text | length {sign} {self.limit} }}}}",
                "output": "messages",
                "output_name": name,
                "output_type": kind,
                "output_passthrough": True,
            }
            for name, sign in (("short", "<"), ("long", ">="))
        ]
        pipeline = Pipeline(metadata={"name": "router"})
        pipeline.add_component("router", ConditionalRouter(routes))
        pipeline.add_component("quick", generator(server))
        pipeline.add_component("thorough", generator(server, model="gpt-4o"))
        pipeline.connect("router.short", "quick.messages")
        pipeline.connect("router.long", "thorough.messages")
        return pipeline, {"router": {"messages": [ChatMessage.from_user(self.question)]}}


@dataclass(frozen=True)
class LoopWorld:
    """A model is sent back until its JSON is right."""

    attempts: tuple[str, ...]
    required: tuple[str, ...] = ("crop",)
    topic: str = "a crop"

    @classmethod
    def drawn(cls, draw: random.Random) -> Self:
        crop, other = draw.sample(CROPS, 2)
        return cls((f"It is {other}.", json.dumps({"crop": crop, "beds": draw.randint(1, 9)})))

    def script(self, request: Request) -> Reply:
        # Which attempt this is shows in the complaint, which quotes the last one.
        text = request.whole_text
        tried = [n for n, each in enumerate(self.attempts) if json.dumps(each)[1:-1] in text]
        tried += [n for n, each in enumerate(self.attempts) if each in text]
        return say(self.attempts[min(max(tried, default=-1) + 1, len(self.attempts) - 1)])

    def build(self, server: OpenAIServer) -> tuple[Pipeline, dict[str, Any]]:
        schema = {
            "type": "object",
            "properties": {"crop": {"type": "string"}, "beds": {"type": "integer"}},
            "required": list(self.required),
        }
        template = [ChatMessage.from_user("Name {{ topic }} as JSON.")]
        pipeline = Pipeline(metadata={"name": "loop"}, max_runs_per_component=6)
        pipeline.add_component(
            "prompt_builder", ChatPromptBuilder(template=template, required_variables="*")
        )
        pipeline.add_component("joiner", BranchJoiner(list[ChatMessage]))
        pipeline.add_component("llm", generator(server))
        pipeline.add_component("validator", JsonSchemaValidator(json_schema=schema))
        pipeline.connect("prompt_builder.prompt", "joiner.value")
        pipeline.connect("joiner.value", "llm.messages")
        pipeline.connect("llm.replies", "validator.messages")
        pipeline.connect("validator.validation_error", "joiner.value")
        return pipeline, {"prompt_builder": {"topic": self.topic}}


World = RagWorld | AgentWorld | RouterWorld | LoopWorld

__all__ = [
    "CROPS", "AgentWorld", "LoopWorld", "Page", "RagWorld", "RouterWorld", "Turn", "World",
    "replace",
]  # fmt: skip
