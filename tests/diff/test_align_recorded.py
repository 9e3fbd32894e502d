"""Real pipelines and agents, recorded twice, with one thing changed in between."""

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("haystack", reason="these runs are recorded from real pipelines")

from haystack import Pipeline, SuperComponent, component
from haystack.components.agents import Agent
from haystack.components.builders import AnswerBuilder
from haystack.components.generators.chat import MockChatGenerator
from haystack.components.joiners import BranchJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.components.validators import JsonSchemaValidator
from haystack.dataclasses import ChatMessage

from inspector import record_run, record_run_async
from inspector.diff.align import align
from inspector.errors import InspectorError
from inspector.runfile.model import PipelineRun
from tests.diff.sides import check, side_by_side, undented
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import Call, Reply, Request, call, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.pipelines import Case, generator, prompt, store_with
from tests.helpers.tools import look_up, measure

pytestmark = pytest.mark.haystack

Make = Callable[[OpenAIServer], Case]

CASES: dict[str, Make] = {
    "rag": lambda server: pipelines.rag(server, token="basil"),
    "streamed rag": lambda server: pipelines.rag(server, token="basil", stream=True),
    "branches": lambda server: pipelines.parallel_branches(server, token="basil", stream=False),
    "loop": lambda server: pipelines.validator_loop(server, token="basil"),
    "router": lambda server: pipelines.router(server, token="basil"),
    "queries": lambda server: pipelines.multi_query(server, token="basil"),
    "fallback": lambda server: pipelines.fallback(server, token="basil"),
    "pipeline in pipeline": lambda server: pipelines.super_component(server, token="basil"),
    "agent": lambda server: agents.three_tools(server, token="basil"),
    "agent in pipeline": lambda server: agents.three_tools(server, token="basil", in_pipeline=True),
    "agent with a pipeline": lambda server: agents.pipeline_as_tool(server, token="basil"),
    "agent with an agent": lambda server: agents.agent_as_tool(server, token="basil"),
}


def recorded(case: Case) -> PipelineRun:
    return record_run(case.target, case.data, **case.options)[1]


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
def test_two_recordings_of_the_same_are_the_same_all_over(
    make: Make, openai_server: OpenAIServer
) -> None:
    left, right = recorded(make(openai_server)), recorded(make(openai_server))

    found = align(left, right)

    check(left, right, found)
    assert {pair.how for pair in found.pairs} <= {"exact", "content"}
    assert all(pair.same_inside for pair in found.pairs)


@pytest.mark.parametrize("make", CASES.values(), ids=CASES)
async def test_on_the_event_loop_it_is_the_same_run(
    make: Make, openai_server: OpenAIServer
) -> None:
    left = recorded(make(openai_server))
    case = make(openai_server)
    _, right = await record_run_async(case.target, case.data, **case.options)

    found = align(left, right)

    check(left, right, found)
    for pair in found.pairs:
        assert pair.left is not None
        assert pair.right is not None
        # Branches may come in another order there, so that what joins them is asked another list.
        assert left.spans[pair.left].name == right.spans[pair.right].name
        assert pair.same or left.spans[pair.left].role in ("joining", "pipeline")


def rag(llm: Any, *, builder: str = "prompt_builder", llm_name: str = "llm") -> Pipeline:
    pipeline = Pipeline(metadata={"name": "rag"})
    pipeline.add_component("retriever", InMemoryBM25Retriever(store_with(), top_k=2))
    pipeline.add_component(builder, prompt("{% for d in documents %}{{ d.content }}{% endfor %}"))
    pipeline.add_component(llm_name, llm)
    pipeline.add_component("answer_builder", AnswerBuilder())
    pipeline.connect("retriever.documents", f"{builder}.documents")
    pipeline.connect(f"{builder}.prompt", f"{llm_name}.messages")
    pipeline.connect(f"{llm_name}.replies", "answer_builder.replies")
    return pipeline


ASKED = {"retriever": {"query": "roof vents"}, "answer_builder": {"query": "roof vents"}}


def test_a_renamed_component_is_recognised(openai_server: OpenAIServer) -> None:
    _, left = record_run(rag(generator(openai_server)), ASKED)
    _, right = record_run(rag(generator(openai_server), builder="ask"), ASKED)

    assert side_by_side(left, right) == undented("""
        root | root | exact
        retriever#1 | retriever#1 | exact
        prompt_builder#1 | ask#1 | renamed
        llm#1 | llm#1 | exact
        answer_builder#1 | answer_builder#1 | exact
        """)


def test_two_components_that_are_both_renamed_are_told_apart(openai_server: OpenAIServer) -> None:
    _, left = record_run(rag(generator(openai_server)), ASKED)
    _, right = record_run(rag(generator(openai_server), builder="llm2", llm_name="prompts"), ASKED)

    assert side_by_side(left, right) == undented("""
        root | root | exact
        retriever#1 | retriever#1 | exact
        prompt_builder#1 | llm2#1 | renamed
        llm#1 | prompts#1 | renamed
        answer_builder#1 | answer_builder#1 | exact
        """)


@pytest.mark.parametrize("name", ["llm", "model"])
def test_another_class_of_generator_is_still_the_generator(
    name: str, openai_server: OpenAIServer
) -> None:
    _, left = record_run(rag(generator(openai_server)), ASKED)
    _, right = record_run(rag(MockChatGenerator("At 27 degrees."), llm_name=name), ASKED)

    assert side_by_side(left, right) == undented(f"""
        root | root | exact
        retriever#1 | retriever#1 | exact
        prompt_builder#1 | prompt_builder#1 | exact
        llm#1 | {name}#1 | {"exact" if name == "llm" else "renamed"}
        answer_builder#1 | answer_builder#1 | place
        """)


def test_the_component_on_the_other_route_is_not_the_one_that_ran(
    openai_server: OpenAIServer,
) -> None:
    case = pipelines.router(openai_server, agent_in_branch=False, token="basil")
    long = {"router": {"messages": [ChatMessage.from_user("Long? " * 30)]}}
    _, left = record_run(case.target, case.data)
    _, right = record_run(case.target, long)

    assert side_by_side(left, right) == undented("""
        root | root | place
        router#1 | router#1 | place
        - | specialist#1 | alone
        llm#1 | - | alone
        """)


def test_a_component_that_was_put_into_another_is_found_inside(
    openai_server: OpenAIServer,
) -> None:
    _, left = record_run(rag(generator(openai_server)), ASKED)
    inner = rag(generator(openai_server))
    outer = Pipeline(metadata={"name": "outer"})
    mapping = {"query": ["retriever.query", "answer_builder.query"]}
    outer.add_component("whole", SuperComponent(pipeline=inner, input_mapping=mapping))
    _, right = record_run(outer, {"whole": {"query": "roof vents"}})

    found = align(left, right)

    check(left, right, found)
    assert side_by_side(left, right, found, same=True) == undented("""
        root | root | place
        - | whole#1 | alone
        - | whole#1/pipeline#1 | alone
        retriever#1 | whole#1/pipeline#1/retriever#1 | content same inside
        prompt_builder#1 | whole#1/pipeline#1/prompt_builder#1 | content same inside
        llm#1 | whole#1/pipeline#1/llm#1 | content same inside
        answer_builder#1 | whole#1/pipeline#1/answer_builder#1 | content same inside
        """)


def looping(replies: list[str]) -> Pipeline:
    """Ask for JSON until it is some."""
    pipeline = Pipeline(metadata={"name": "loop"}, max_runs_per_component=9)
    pipeline.add_component("prompt_builder", prompt("Name it as JSON: {{ topic }}"))
    pipeline.add_component("joiner", BranchJoiner(list[ChatMessage]))
    pipeline.add_component("llm", MockChatGenerator(replies))
    pipeline.add_component("validator", JsonSchemaValidator(json_schema={"type": "object"}))
    pipeline.connect("prompt_builder.prompt", "joiner.value")
    pipeline.connect("joiner.value", "llm.messages")
    pipeline.connect("llm.replies", "validator.messages")
    pipeline.connect("validator.validation_error", "joiner.value")
    return pipeline


def test_one_more_turn_of_a_loop_stands_alone_where_it_happened() -> None:
    good, data = json.dumps({"name": "basil"}), {"prompt_builder": {"topic": "basil"}}
    _, left = record_run(looping(["no", good]), data)
    _, right = record_run(looping(["no", "neither", good]), data)

    assert side_by_side(left, right) == undented("""
        root | root | exact
        prompt_builder#1 | prompt_builder#1 | exact
        joiner#1 | joiner#1 | exact
        llm#1 | llm#1 | exact
        validator#1 | validator#1 | exact
        joiner#2 | joiner#2 | exact
        llm#2 | llm#2 | exact
        - | validator#2 | alone
        - | joiner#3 | alone
        - | llm#3 | alone
        validator#2 | validator#3 | content
        """)


def agent(server: OpenAIServer, *turns: Reply) -> PipelineRun:
    def script(request: Request) -> Reply:
        return turns[request.turn]

    server.script = script
    target = Agent(chat_generator=generator(server), tools=[look_up, measure])
    return record_run(target, {"messages": [ChatMessage.from_user("Look after the basil.")]})[1]


def looks_up(topic: str) -> Reply:
    return call(Call("look_up", {"topic": topic}))


def test_a_further_step_of_an_agent_stands_alone(openai_server: OpenAIServer) -> None:
    left = agent(openai_server, looks_up("water"), looks_up("light"), say("Done."))
    right = agent(
        openai_server, looks_up("water"), looks_up("soil"), looks_up("light"), say("Done.")
    )

    found = align(left, right)

    check(left, right, found)
    assert side_by_side(left, right, found) == undented("""
        root | root | exact
        step0 | step0 | exact
        step0/llm | step0/llm | exact
        step0/tool:look_up[0] | step0/tool:look_up[0] | exact
        - | step1 | alone
        - | step1/llm | alone
        - | step1/tool:look_up[0] | alone
        step1 | step2 | place
        step1/llm | step2/llm | place
        step1/tool:look_up[0] | step2/tool:look_up[0] | exact
        step2 | step3 | place
        step2/llm | step3/llm | place
        """)


def test_parallel_calls_of_tools_are_matched_in_any_order(openai_server: OpenAIServer) -> None:
    calls = [
        Call("look_up", {"topic": "water"}),
        Call("measure", {"sensor": "basil", "unit": "kelvin"}),
        Call("look_up", {"topic": "light"}),
    ]
    left = agent(openai_server, call(*calls), say("Done."))
    right = agent(openai_server, call(*reversed(calls)), say("Done."))

    found = align(left, right)

    check(left, right, found)
    tools = [line for line in side_by_side(left, right, found).splitlines() if "tool" in line]
    assert sorted(tools) == [
        "step0/tool:look_up[0] | step0/tool:look_up[2] | content",
        "step0/tool:look_up[2] | step0/tool:look_up[0] | content",
        "step0/tool:measure[1] | step0/tool:measure[1] | exact",
    ]


def test_a_tool_that_was_asked_something_else_is_paired_with_its_own_name(
    openai_server: OpenAIServer,
) -> None:
    left = agent(openai_server, looks_up("water"), say("Done."))
    right = agent(openai_server, looks_up("soil"), say("Done."))

    found = align(left, right)

    assert side_by_side(left, right, found, same=True) == undented("""
        root | root | exact
        step0 | step0 | place same
        step0/llm | step0/llm | exact
        step0/tool:look_up[0] | step0/tool:look_up[0] | place
        step1 | step1 | place same
        step1/llm | step1/llm | place
        """)


def test_another_tool_is_not_the_tool_that_was_called(openai_server: OpenAIServer) -> None:
    left = agent(openai_server, looks_up("water"), say("Done."))
    measured = call(Call("measure", {"sensor": "basil", "unit": "kelvin"}))
    right = agent(openai_server, measured, say("Done."))

    lines = side_by_side(left, right).splitlines()

    assert "step0/tool:look_up[0] | - | alone" in lines
    assert "- | step0/tool:measure[0] | alone" in lines


@component
class Upper:
    @component.output_types(text=str)
    def run(self, text: str) -> dict[str, str]:
        return {"text": text.upper()}


def test_a_sync_point_wins_over_everything() -> None:
    pipeline = Pipeline()
    pipeline.add_component("first", Upper())
    pipeline.add_component("second", Upper())
    _, left = record_run(pipeline, {"first": {"text": "a"}, "second": {"text": "b"}})
    _, right = record_run(pipeline, {"first": {"text": "a"}, "second": {"text": "b"}})

    found = align(left, right, sync=[("first#1", "s3")])

    check(left, right, found)
    assert side_by_side(left, right, found, same=True) == undented("""
        root | root | exact same
        - | first#1 | alone
        first#1 | second#1 | manual
        second#1 | - | alone
        """)


@pytest.mark.parametrize(
    ("sync", "said"),
    [
        ([("s9", "s1")], "The left run has no span “s9”."),
        ([("s1", "nowhere#1")], "The right run has no span “nowhere#1”."),
        ([("s1", "s1"), ("s2", "s1")], "Two sync points name the same span of the right run."),
    ],
)
def test_a_sync_point_that_makes_no_sense_is_refused(
    sync: list[tuple[str, str]], said: str
) -> None:
    pipeline = Pipeline()
    pipeline.add_component("first", Upper())
    _, run = record_run(pipeline, {"first": {"text": "a"}})

    with pytest.raises(InspectorError) as caught:
        align(run, run, sync=sync)

    assert str(caught.value) == said
