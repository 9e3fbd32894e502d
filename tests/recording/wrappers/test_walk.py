"""What a walk finds in a pipeline or an agent, and what it never does."""

import functools
import sys
import types
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest
from haystack import Pipeline, SuperComponent, component
from haystack.components.agents import Agent
from haystack.components.agents.state import State
from haystack.components.builders import PromptBuilder
from haystack.components.generators.chat import FallbackChatGenerator, MockChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.hooks import hook
from haystack.hooks.human_in_the_loop import (
    AlwaysAskPolicy,
    BlockingConfirmationStrategy,
    ConfirmationHook,
    SimpleConsoleUI,
)
from haystack.tools import AgentTool, ComponentTool, PipelineTool, SearchableToolset, Toolset
from haystack.tools.tool import Tool

from inspector.recording.walk import Found, walk
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer
from tests.recording.wrappers.parts import (
    Around,
    Echo,
    EchoRetriever,
    alone,
    double_tool,
    summarising_hook,
)

pytestmark = pytest.mark.haystack


def places(target: Any) -> dict[str, str]:
    """Return the class of each found object by where it was found."""
    return {found.where: type(found.instance).__name__ for found in walk(target)}


def test_the_components_of_a_pipeline_and_what_they_hold_are_found(
    openai_server: OpenAIServer,
) -> None:
    assert places(pipelines.multi_query(openai_server).target) == {
        "expander": "QueryExpander",
        "expander.chat_generator": "OpenAIChatGenerator",
        "expander._prompt_builder": "PromptBuilder",
        "retriever": "MultiQueryTextRetriever",
        "retriever.retriever": "InMemoryBM25Retriever",
    }


def test_the_model_tools_hooks_strategies_and_prompts_of_an_agent_are_found() -> None:
    @hook
    def look(state: State) -> None: ...

    strategy = BlockingConfirmationStrategy(
        confirmation_policy=AlwaysAskPolicy(), confirmation_ui=SimpleConsoleUI()
    )
    agent = Agent(
        chat_generator=FallbackChatGenerator([MockChatGenerator("a"), MockChatGenerator("b")]),
        tools=[double_tool(), Toolset([ComponentTool(Echo(), name="echo")])],
        system_prompt="Be brief.",
        hooks={
            "before_tool": [ConfirmationHook({"double": strategy})],
            "before_llm": [look],
        },
    )
    assert places(agent) == {
        "Agent": "Agent",
        "chat_generator": "FallbackChatGenerator",
        "chat_generator.chat_generators[0]": "MockChatGenerator",
        "chat_generator.chat_generators[1]": "MockChatGenerator",
        "tools[0]": "Tool",
        "tools[1].tools[0]": "ComponentTool",
        "tools[1].tools[0]._component": "Echo",
        "hooks['before_tool'][0]": "ConfirmationHook",
        "hooks['before_tool'][0].confirmation_strategies['double']": "BlockingConfirmationStrategy",
        "hooks['before_llm'][0]": "FunctionHook",
        "_system_chat_prompt_builder": "ChatPromptBuilder",
    }


@pytest.mark.filterwarnings("ignore:.* is an experimental component")
def test_the_model_of_what_a_hook_holds_is_found() -> None:
    hook = summarising_hook("short", context_window=1000)
    found = places(Agent(chat_generator=MockChatGenerator("x"), hooks={"before_llm": [hook]}))
    assert found["hooks['before_llm'][0].compactor.chat_generator"] == "MockChatGenerator"


def test_pipelines_and_agents_inside_of_tools_and_components_are_found() -> None:
    inner = alone("echo", Echo())
    specialist = Agent(chat_generator=MockChatGenerator("x"), tools=[double_tool()])
    pipeline = Pipeline()
    pipeline.add_component("super", SuperComponent(alone("deep", Echo())))
    tools: list[Any] = [
        PipelineTool(inner, name="ask", description="Ask"),
        AgentTool(agent=specialist, name="specialist", description="Knows"),
    ]
    pipeline.add_component("agent", Agent(chat_generator=MockChatGenerator("y"), tools=tools))
    found = places(pipeline)
    assert found["super.pipeline.deep"] == "Echo"
    assert found["agent.tools[0]._pipeline.echo"] == "Echo"
    assert found["agent.tools[1]._component"] == "Agent"
    assert found["agent.tools[1]._component.tools[0]"] == "Tool"


def test_each_object_is_found_once_although_it_is_held_twice_and_in_circles() -> None:
    shared = double_tool()
    one = Agent(chat_generator=MockChatGenerator("x"), tools=[shared])
    two = Agent(chat_generator=MockChatGenerator("y"), tools=[shared])
    pipeline = Pipeline()
    pipeline.add_component("one", one)
    pipeline.add_component("two", two)
    vars(one)["friend"] = two
    vars(two)["friend"] = [one, pipeline, {"self": one}]

    found = walk(pipeline)
    assert len({id(each.instance) for each in found}) == len(found) == 5
    (tool,) = (each for each in found if each.instance is shared)
    assert {type(holder.instance) for holder in tool.holders} == {Agent}
    assert len(tool.holders) == 2
    assert all(id(one) in each.above() for each in found if each.instance is shared)


def test_who_shares_a_container_holds_what_is_in_it() -> None:
    tools: list[Any] = [double_tool()]
    one = Agent(chat_generator=MockChatGenerator("x"), tools=tools)
    two = Agent(chat_generator=MockChatGenerator("y"), tools=one.tools)
    pipeline = Pipeline()
    pipeline.add_component("one", one)
    pipeline.add_component("two", two)
    (tool,) = (each for each in walk(pipeline) if isinstance(each.instance, Tool))
    assert {id(holder.instance) for holder in tool.holders} == {id(one), id(two)}


@component
class Touchy:
    """Explodes when anything but its kept attributes is looked at."""

    armed = False

    def __init__(self) -> None:
        self.inner = Echo()

    @property
    def lazy(self) -> NoReturn:
        raise AssertionError("a property was read")

    @functools.cached_property
    def cached(self) -> NoReturn:
        raise AssertionError("a cached property was computed")

    def __getattr__(self, name: str) -> Any:
        if Touchy.armed:
            raise AssertionError(f"{name} was asked for")
        raise AttributeError(name)

    @component.output_types(value=str)
    def run(self, value: str) -> dict[str, Any]:
        return self.inner.run(value=value)


def test_no_property_and_no_getattr_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = alone("touchy", Touchy())
    monkeypatch.setattr(Touchy, "armed", True)
    assert places(pipeline) == {"touchy": "Touchy", "touchy.inner": "Echo"}


def test_a_toolset_is_not_iterated_over_and_not_warmed_up() -> None:
    class Remote(Toolset):
        def __iter__(self) -> Iterator[Tool]:
            raise AssertionError("the toolset would have connected")

    searchable = SearchableToolset([Remote([double_tool()])], search_threshold=1)
    agent = Agent(chat_generator=MockChatGenerator("x"), tools=searchable)
    assert places(agent)["tools._raw_catalog[0].tools[0]"] == "Tool"
    assert vars(searchable)["_passthrough"] is None


def test_dictionaries_and_lists_with_an_iteration_of_their_own_are_read_past_it() -> None:
    class Lazy(dict):  # type: ignore[type-arg]
        def items(self) -> NoReturn:
            raise AssertionError("the dictionary would have loaded something")

        __iter__ = items

    holder = Around(None)
    holder.inner = Lazy(kept=Echo())
    assert places(alone("holder", holder))["holder.inner['kept']"] == "Echo"


def class_of_package(package: str, monkeypatch: pytest.MonkeyPatch) -> type:
    module = types.ModuleType(package)
    module.__file__ = f"/usr/lib/python3/site-packages/{package}/__init__.py"
    monkeypatch.setitem(sys.modules, package, module)
    return type("Client", (), {"__module__": package})


def test_live_clients_of_other_packages_and_document_stores_are_not_entered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client: Any = class_of_package("some_database_sdk", monkeypatch)()
    client.component = Echo()
    store = InMemoryDocumentStore()
    vars(store)["component"] = Echo()
    retriever = InMemoryBM25Retriever(store)
    vars(retriever)["client"] = client
    assert places(alone("retriever", retriever)) == {"retriever": "InMemoryBM25Retriever"}


class Settings:
    """An object of the program that is nothing to Haystack."""

    def __init__(self, inside: Any) -> None:
        self.inside = inside

    def look_up(self, topic: str) -> str:
        """Look a topic up."""
        return topic


class Slotted:
    __slots__ = ("inside", "missing")

    def __init__(self, inside: Any) -> None:
        self.inside = inside


def test_objects_of_the_program_are_looked_into_for_a_few_levels() -> None:
    near = Around(Settings(Slotted(Settings(Echo()))))
    far = Around(Settings(Settings(Settings(Settings(Echo())))))
    assert places(alone("near", near))["near.inner.inside.inside.inside"] == "Echo"
    assert list(places(alone("far", far))) == ["far"]


def test_what_a_tools_method_belongs_to_is_looked_into() -> None:
    library = Settings(EchoRetriever())
    tool = Tool("look_up", "Look up", {"type": "object"}, function=library.look_up)
    agent = Agent(chat_generator=MockChatGenerator("x"), tools=[tool])
    assert places(agent)["tools[0].function.inside"] == "EchoRetriever"


class Undecorated:
    """What Haystack's protocols ask for, without the decorator."""

    def run(self, messages: list[Any]) -> dict[str, Any]:
        return {"replies": messages}


def test_an_undecorated_generator_is_found() -> None:
    agent = Agent(chat_generator=Undecorated())
    assert places(agent)["chat_generator"] == "Undecorated"


def test_plain_data_is_passed_over_however_much_there_is() -> None:
    deep: list[Any] = []
    for _ in range(50_000):
        deep = [deep]
    holder = Around(Echo())
    vars(holder).update(deep=deep, much=list(range(1_000_000)), names={"a": "b"})
    found = places(alone("holder", holder))
    assert found == {"holder": "Around", "holder.inner": "Echo"}


def test_a_builder_alone_is_a_target_like_any_other() -> None:
    builder = PromptBuilder("Hello {{ name }}", required_variables="*")
    (found,) = walk(builder)
    assert isinstance(found, Found)
    assert found.instance is builder


def test_an_agent_from_the_examples_is_found_whole(openai_server: OpenAIServer) -> None:
    found = places(agents.three_tools(openai_server, in_pipeline=True).target)
    assert [found[f"support_agent.tools[{number}]"] for number in range(3)] == ["Tool"] * 3
