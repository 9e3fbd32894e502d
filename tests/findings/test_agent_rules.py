"""What agents make up, do not see, or do again."""

from typing import Any

import pytest

pytest.importorskip("haystack", reason="these runs are recorded from real agents")

from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage
from haystack.tools.from_function import create_tool_from_function

from inspector import record_run
from inspector.findings import Finding, check
from inspector.runfile.model import PipelineRun
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import Call, Reply, call, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.tools import look_up, measure

pytestmark = pytest.mark.haystack


def talk(server: OpenAIServer, *turns: Reply, tools: Any = None, text: str = "") -> PipelineRun:
    """Record an agent whose model says these things, one after the other."""
    server.script = lambda request: turns[request.turn]
    agent = Agent(
        chat_generator=pipelines.generator(server), tools=tools or [look_up, measure],
        raise_on_tool_invocation_failure=False,
    )  # fmt: skip
    message = ChatMessage.from_user(text or "Look after the beds.")
    return record_run(agent, {"messages": [message]})[1]


def found(run: PipelineRun, rule: str) -> list[Finding]:
    return [each for each in check(run) if each.rule == rule]


def test_a_tool_that_nobody_offered_is_found(openai_server: OpenAIServer) -> None:
    run = talk(openai_server, call(Call("water", {"bed": "a"})), say("I am sorry, no such tool."))
    (made_up,) = found(run, "hallucinated-tool")
    assert "asked for `water` in step 0, which it was not offered" in made_up.sentence
    assert "there are `look_up` and `measure`." in made_up.sentence
    assert run.span(made_up.spans[0]).kind == "llm"


def test_a_tool_that_was_offered_is_well(openai_server: OpenAIServer) -> None:
    run = talk(openai_server, call(Call("look_up", {"topic": "water"})), say("Done."))
    assert check(run) == ()


BROKEN = Call("measure", {"sensor": "roof", "unit": "furlong"})


def test_an_answer_that_keeps_quiet_about_a_failure_is_found(openai_server: OpenAIServer) -> None:
    run = talk(openai_server, call(BROKEN), say("The roof is pleasantly warm."))
    (swallowed,) = found(run, "tool-error-swallowed")
    assert swallowed.possible
    assert "`measure` did not work in step 0 (ValueError: Sensor roof" in swallowed.sentence
    assert [run.span(span_id).kind for span_id in swallowed.spans] == ["tool", "agent"]


@pytest.mark.parametrize(
    "turns",
    [
        (call(BROKEN), say("The sensor of the roof could not be read.")),
        (call(BROKEN), call(Call("measure", {"sensor": "roof"})), say("It is warm.")),
    ],
    ids=["it says so", "it tried again"],
)
def test_a_failure_that_is_told_of_or_mended_is_not_swallowed(
    turns: tuple[Reply, ...], openai_server: OpenAIServer
) -> None:
    assert found(talk(openai_server, *turns), "tool-error-swallowed") == []


def probe(bed: str) -> dict[str, Any]:
    """Read the probe of a bed.

    Args:
        bed: Which one.
    """
    return {"error": "F12: it does not answer."} if bed == "far" else {"error": None, "wet": True}


def test_an_error_that_a_tool_hands_back_as_its_result_can_be_swallowed_too(
    openai_server: OpenAIServer,
) -> None:
    tools = [create_tool_from_function(probe)]
    run = talk(
        openai_server, call(Call("probe", {"bed": "far"})), say("The bed is wet."), tools=tools
    )
    (swallowed,) = found(run, "tool-error-swallowed")
    assert "(F12: it does not answer.)" in swallowed.sentence
    near = talk(
        openai_server, call(Call("probe", {"bed": "near"})), say("The bed is wet."), tools=tools
    )
    assert check(near) == ()


def test_the_same_call_again_with_the_same_result_is_found(openai_server: OpenAIServer) -> None:
    same = call(Call("look_up", {"topic": "basil"}))
    run = talk(openai_server, same, same, same, say("Done."))
    (again,) = found(run, "same-call-repeated")
    assert "`look_up` was called 3 times with the same arguments (in steps 0, 1, 2)" in (
        again.sentence
    )
    assert again.severity == "warning"
    assert len(again.spans) == 3


def test_the_same_call_at_once_or_with_another_topic_is_well(openai_server: OpenAIServer) -> None:
    at_once = call(Call("look_up", {"topic": "basil"}), Call("look_up", {"topic": "basil"}))
    other = call(Call("look_up", {"topic": "beans"}))
    assert check(talk(openai_server, at_once, other, say("Done."))) == ()


READS = call(Call("measure", {"sensor": "roof"}))  # 24.5


def test_figures_that_no_tool_gave_are_possibly_made_up(openai_server: OpenAIServer) -> None:
    run = talk(openai_server, READS, say("The roof has 312 degrees."))
    (made_up,) = found(run, "answer-not-from-tool")
    assert made_up.possible
    assert "`312` stands neither in a result nor in a question" in made_up.sentence
    assert [run.span(span_id).kind for span_id in made_up.spans] == ["agent", "llm"]


@pytest.mark.parametrize(
    ("says", "asked"),
    [
        ("The roof has 24.5 degrees.", ""),
        ("The roof has 24,5 °C.", ""),
        ("The roof has about 25 degrees.", ""),
        ("It is 14.5 warmer than the 10 you asked for.", "Is it above 10 degrees?"),
        ("It is warm.", ""),
        ("It is 24.5, whatever 312 may mean.", ""),
    ],
)
def test_figures_that_follow_from_what_was_said_are_well(
    says: str, asked: str, openai_server: OpenAIServer
) -> None:
    assert check(talk(openai_server, READS, say(says), text=asked)) == ()


def growing(openai_server: OpenAIServer, *tokens: int) -> PipelineRun:
    look = [call(Call("look_up", {"topic": f"{n}"}), usage={"prompt": tokens[n], "cached": 1})
            for n in range(len(tokens) - 1)]  # fmt: skip
    return talk(openai_server, *look, say("Done.", usage={"prompt": tokens[-1], "cached": 1}))


def test_a_context_that_is_nearly_full_is_found(openai_server: OpenAIServer) -> None:
    (full,) = found(growing(openai_server, 20_000, 60_000, 110_000), "context-growing")
    assert "grew from 20,000 to 110,000 tokens, 85 % of the 128,000" in full.sentence


def test_a_context_with_room_left_is_well(openai_server: OpenAIServer) -> None:
    assert check(growing(openai_server, 20_000, 60_000, 100_000)) == ()


def uncached(openai_server: OpenAIServer, *cached: int) -> PipelineRun:
    look = [
        call(Call("look_up", {"topic": f"{n}"}), usage={"prompt": 2_000 + n, "cached": figure})
        for n, figure in enumerate(cached)
    ]
    return talk(openai_server, *look, say("Done.", usage={"prompt": 900, "cached": 0}))


def test_long_prompts_that_never_come_from_a_cache_are_found(openai_server: OpenAIServer) -> None:
    (never,) = found(uncached(openai_server, 0, 0, 0), "cache-never-hit")
    assert "3 LLM calls of `Agent` sent 6,003 tokens" in never.sentence


@pytest.mark.parametrize("cached", [(0, 0), (0, 0, 0, 1_024)], ids=["too few", "one hit"])
def test_a_cache_that_was_hit_once_or_had_no_chance_is_well(
    cached: tuple[int, ...], openai_server: OpenAIServer
) -> None:
    assert check(uncached(openai_server, *cached)) == ()


def test_streams_that_report_no_tokens_are_found(openai_server: OpenAIServer) -> None:
    case = pipelines.rag(openai_server, stream=True)
    run = record_run(case.target, case.data)[1]
    assert found(run, "usage-missing") == []
    case.target.get_component("llm").generation_kwargs = {}
    run = record_run(case.target, case.data)[1]
    (missing,) = found(run, "usage-missing")
    assert missing.sentence.startswith("1 of 1 LLM call reported no tokens, such as that of `llm`")
    assert "include_usage" in missing.hint


def test_the_agents_of_the_other_tests_are_well(openai_server: OpenAIServer) -> None:
    case = agents.many_steps(openai_server, steps=6)
    assert check(record_run(case.target, case.data)[1]) == ()
