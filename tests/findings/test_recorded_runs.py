"""Every rule finds what it is for in real recorded runs, and is silent about all others."""

from typing import Any

import pytest

pytest.importorskip("haystack", reason="these runs are recorded from real pipelines")

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.builders import ChatPromptBuilder
from haystack.components.routers import ConditionalRouter
from haystack.dataclasses import ChatMessage

from inspector import Budget, record_run
from inspector.findings import Finding, Severity, check
from inspector.replay.api import Replayer
from inspector.runfile.model import PipelineRun
from tests.helpers import agents, pipelines
from tests.helpers.openai_script import Call, call, say
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.tools import look_up, measure

pytestmark = pytest.mark.haystack


def recorded(case: pipelines.Case) -> PipelineRun:
    return record_run(case.target, case.data)[1]


def asked(server: OpenAIServer, reply: Any) -> PipelineRun:
    """Record one question to one model."""
    server.script = lambda _request: reply
    pipeline = Pipeline(metadata={"name": "one_question"})
    pipeline.add_component("llm", pipelines.generator(server))
    data = {"llm": {"messages": [ChatMessage.from_user("Which bed is dry?")]}}
    return record_run(pipeline, data)[1]


def only(run: PipelineRun) -> Finding:
    (found,) = check(run)
    return found


def by_rule(run: PipelineRun) -> dict[str, Finding]:
    found = check(run)
    assert len({each.rule for each in found}) == len(found)
    return {each.rule: each for each in found}


@pytest.mark.parametrize(
    "make",
    [
        pipelines.rag, pipelines.parallel_branches, pipelines.validator_loop, pipelines.router,
        pipelines.hybrid_embedding, pipelines.multi_query, pipelines.super_component,
        agents.agent_as_tool, agents.with_hook,
        lambda server: agents.many_steps(server, steps=3),
        lambda server: agents.human_in_the_loop(server)[0],
    ],
)  # fmt: skip
def test_nothing_is_found_in_a_run_that_went_well(make: Any, openai_server: OpenAIServer) -> None:
    assert check(recorded(make(openai_server))) == ()


def test_a_failure_is_found_where_it_began_and_says_what_it_came_from(
    openai_server: OpenAIServer,
) -> None:
    run = recorded(agents.three_tools(openai_server))
    found = by_rule(run)
    assert set(found) == {"failed", "retried"}
    failed = found["failed"]
    (span,) = (run.span(span_id) for span_id in failed.spans)
    assert (span.name, span.status) == ("measure", "failed")
    assert failed.severity is Severity.WARNING, "the agent went on"
    assert "`measure` failed in step 0: ValueError: Sensor" in failed.sentence
    assert "It began with KeyError: 'furlong'" in failed.hint


def test_a_call_that_was_made_again_says_what_changed(openai_server: OpenAIServer) -> None:
    run = recorded(agents.three_tools(openai_server))
    retried = by_rule(run)["retried"]
    assert [run.span(span_id).path for span_id in retried.spans] == [
        "step1/tool:measure[0]", "step0/tool:measure[1]",
    ]  # fmt: skip
    assert "was called again in step 1, with another `unit`: that worked." in retried.sentence
    assert retried.severity is Severity.NOTE


def test_another_call_of_a_tool_that_failed_is_no_retry(openai_server: OpenAIServer) -> None:
    def script(request: Any) -> Any:
        turns = (
            call(Call("measure", {"sensor": "first", "unit": "furlong"})),
            call(Call("measure", {"sensor": "second"})),
            say("Done."),
        )
        return turns[request.turn]

    openai_server.script = script
    agent = Agent(chat_generator=pipelines.generator(openai_server), tools=[measure])
    run = record_run(agent, {"messages": [ChatMessage.from_user("Look.")]})[1]
    assert [each.rule for each in check(run)] == ["failed"]


def test_what_fails_again_and_again_is_one_warning(openai_server: OpenAIServer) -> None:
    def script(request: Any) -> Any:
        if request.turn == 3:
            return say("I give up.")
        return call(Call("measure", {"sensor": "roof", "unit": "furlong"}))

    openai_server.script = script
    agent = Agent(chat_generator=pipelines.generator(openai_server), tools=[measure])
    run = record_run(agent, {"messages": [ChatMessage.from_user("Look.")]})[1]
    found = check(run)
    (retried,) = (each for each in found if each.rule == "retried")
    assert retried.severity is Severity.WARNING
    assert "2 more times in step 2, with the same inputs" in retried.sentence
    assert len(retried.spans) == 3
    assert [each.rule for each in found].count("failed") == 3


def test_a_failure_that_ends_the_run_is_an_error(openai_server: OpenAIServer) -> None:
    case = pipelines.llm_error(openai_server)
    from inspector import recording

    with recording() as recorder, pytest.raises(Exception, match="llm"):
        case.run()
    found = by_rule(recorder.runs[-1])
    assert set(found) == {"failed", "GENERATOR_FAILURE"}
    failed = found["failed"]
    assert failed.severity is Severity.ERROR
    assert recorder.runs[-1].span(failed.spans[0]).name == "llm"
    assert failed.hint.startswith("It ended the run.")


def test_a_model_that_stood_in_for_one_that_failed_is_a_second_try(
    openai_server: OpenAIServer,
) -> None:
    run = recorded(pipelines.fallback(openai_server))
    found = by_rule(run)
    assert set(found) == {"failed", "retried"}
    assert found["failed"].severity is Severity.WARNING
    assert found["retried"].severity is Severity.NOTE
    again, before = (run.span(span_id) for span_id in found["retried"].spans)
    assert (before.status, again.status) == ("failed", "ok")


@pytest.mark.parametrize("text", ["", " \n "])
def test_an_empty_answer_is_found(text: str, openai_server: OpenAIServer) -> None:
    found = only(asked(openai_server, say(text)))
    assert (found.rule, found.severity) == ("empty-answer", Severity.WARNING)
    assert "`llm` gave an empty answer" in found.sentence


@pytest.mark.parametrize("text", ["0", "No.", "."])
def test_a_short_answer_is_an_answer(text: str, openai_server: OpenAIServer) -> None:
    assert check(asked(openai_server, say(text))) == ()


@pytest.mark.parametrize("text", ["The bed with the", ""])
def test_an_answer_that_is_cut_off_is_found_once(text: str, openai_server: OpenAIServer) -> None:
    reply = say(text, finish_reason="length", usage={"completion": 1234})
    found = only(asked(openai_server, reply))
    assert found.rule == "cut-off"
    assert "after 1,234 tokens (finish reason `length`)" in found.sentence


@pytest.mark.parametrize("text", ["The bed", ""])
def test_a_filtered_answer_is_found_once(text: str, openai_server: OpenAIServer) -> None:
    found = only(asked(openai_server, say(text, finish_reason="content_filter")))
    assert found.rule == "content-filter"


def two_routes() -> Pipeline:
    """A router whose second branch has a default for what the route would bring."""
    routes: list[Any] = [
        {
            "condition": f"{{{{ question | length {sign} 30 }}}}",
            "output": "{{ question }}",
            "output_name": name,
            "output_type": str,
        }
        for sign, name in (("<", "short"), (">=", "long"))
    ]
    pipeline = Pipeline(metadata={"name": "two_routes"})
    pipeline.add_component("router", ConditionalRouter(routes))
    for name in ("desk", "specialist"):
        template = [ChatMessage.from_user("Answer: {{ question }}")]
        pipeline.add_component(name, ChatPromptBuilder(template, required_variables=[]))
    pipeline.connect("router.short", "desk.question")
    pipeline.connect("router.long", "specialist.question")
    return pipeline


def test_an_untaken_route_that_ran_is_found_with_the_input_that_started_it() -> None:
    given: dict[str, Any] = {"router": {"question": "Short?"}}
    assert check(record_run(two_routes(), given)[1]) == ()
    given["specialist"] = {"template_variables": {"name": "Ada"}}
    run = record_run(two_routes(), given)[1]
    found = only(run)
    assert found.rule == "route-not-taken"
    assert "`specialist` ran although `router` did not choose it (it chose `short`)" in (
        found.sentence
    )
    assert "run-time input `template_variables` started it." in found.sentence
    assert [run.span(span_id).name for span_id in found.spans] == ["specialist", "router"]


def test_a_route_that_was_taken_may_have_run_time_inputs(openai_server: OpenAIServer) -> None:
    case = pipelines.router(openai_server)
    run_time = {
        "streaming_callback": pipelines.ignore_chunk,
        "generation_kwargs": pipelines.USAGE_IN_STREAMS,
    }
    run = record_run(case.target, {**case.data, "llm": run_time})[1]
    assert run.at("llm#1") is not None
    assert check(run) == ()


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({}, "`topic` is missing"),
        ({"topic": 7}, "`topic` is 7, not a text"),
    ],
)
def test_arguments_that_the_schema_forbids_are_found(
    arguments: dict[str, Any], wrong: str, openai_server: OpenAIServer
) -> None:
    openai_server.script = lambda request: (
        say("Done.") if request.turn else call(Call("look_up", arguments))
    )
    agent = Agent(chat_generator=pipelines.generator(openai_server), tools=[look_up])
    run = record_run(agent, {"messages": [ChatMessage.from_user("Look.")]})[1]
    (found,) = (each for each in check(run) if each.rule == "arguments-misfit")
    assert wrong in found.sentence
    assert [run.span(span_id).kind for span_id in found.spans] == ["tool", "llm"]


def test_an_agent_that_ran_out_of_steps_is_found(openai_server: OpenAIServer) -> None:
    case = agents.many_steps(openai_server, steps=3)
    case.target.max_agent_steps = 2
    found = only(recorded(case))
    assert found.rule == "step-limit"
    assert "limit of 2 steps" in found.sentence


def test_an_agent_that_answers_in_its_last_step_is_well(openai_server: OpenAIServer) -> None:
    case = agents.many_steps(openai_server, steps=3)
    case.target.max_agent_steps = 4
    assert check(recorded(case)) == ()


def test_a_run_that_its_budget_stopped_is_found(openai_server: OpenAIServer) -> None:
    case = agents.many_steps(openai_server, steps=3)
    _, run = record_run(case.target, case.data, budget=Budget(calls=2))
    found = only(run)
    assert found.rule == "budget-stop"
    assert "stopped by its budget: it used 2 calls of 2 calls" in found.sentence
    assert run.span(found.spans[0]).kind == "llm"


def test_a_run_within_its_budget_is_well(openai_server: OpenAIServer) -> None:
    case = agents.many_steps(openai_server, steps=3)
    assert check(record_run(case.target, case.data, budget=Budget(calls=20))[1]) == ()


def test_a_replay_that_drifted_is_found_and_one_that_did_not_is_well(
    openai_server: OpenAIServer,
) -> None:
    case = pipelines.rag(openai_server)
    run = recorded(case)
    same = Replayer(case.target, run)
    same.play()
    assert same.run is not None
    assert check(same.run) == ()
    drifted = Replayer(case.target, run, mode="drift_ok", allow_live=True)
    drifted.play({**case.data, "prompt_builder": {"query": "Another question?"}})
    assert drifted.run is not None
    found = [each for each in check(drifted.run) if each.rule == "replay-drift"]
    assert found
    assert all(each.sentence.startswith("The replay drifted (") for each in found)
    assert any(each.spans for each in found)
