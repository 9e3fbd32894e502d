"""A run that has used up its budget makes no further calls, and its file says so."""

import copy
import json
import logging
import threading
from dataclasses import replace
from decimal import Decimal

import pytest
from haystack.core.errors import PipelineRuntimeError

from inspector import (
    Budget,
    BudgetExceededError,
    PipelineRecorder,
    record_run,
    record_run_async,
    recording,
)
from inspector.errors import RecordingError
from inspector.recording.agent_stop import GuardedHooks, unguard
from tests.helpers import agents, pipelines
from tests.helpers.openai_server import OpenAIServer

# What the local OpenAI says that each call used.
PER_CALL = {"prompt": 1_000, "completion": 100}


def with_usage(server: OpenAIServer) -> None:
    """Let every reply report the same figures."""
    said = server.script

    def script(request):
        reply = said(request)
        return replace(reply, usage=PER_CALL)

    server.script = script


@pytest.fixture
def agent(openai_server: OpenAIServer):
    """An agent that takes five steps of one tool call each when nobody stops it."""
    case = agents.many_steps(openai_server, steps=5)
    with_usage(openai_server)
    return case


def test_an_agent_ends_at_a_step_once_its_tokens_are_used_up(agent, openai_server) -> None:
    hooks = agent.target.hooks
    result, run = record_run(agent.target, agent.data, budget=Budget(tokens=2_000))
    assert openai_server.count() == 2  # 1,100 tokens are under 2,000; 2,200 are not
    assert result["exit_reason"] == "budget_exceeded"
    assert run.status == "canceled"
    told = run.header["budget"]
    assert told["tokens"] == 2_000
    assert told["action"] == "stop"
    assert told["spent"] == {"tokens": 2_200, "calls": 2}
    assert (told["exceeded"], told["stopped"]) == ("tokens", True)
    assert run.span(told["at"]).kind == "llm"
    assert run.outputs["exit_reason"] == "budget_exceeded"
    assert [span.name for span in run.spans if span.kind == "hook"] == ["BudgetHook"]
    assert agent.target.hooks is hooks
    assert type(hooks) is dict


async def test_an_agent_in_an_event_loop_ends_the_same_way(agent, openai_server) -> None:
    result, run = await record_run_async(agent.target, agent.data, budget=Budget(calls=3))
    assert openai_server.count() == 3
    assert result["exit_reason"] == "budget_exceeded"
    assert run.status == "canceled"
    assert run.header["budget"]["exceeded"] == "calls"


def test_agents_that_run_by_themselves_in_threads_end_at_a_step_each(agent, openai_server) -> None:
    hooks, ended = agent.target.hooks, []
    with recording(budget=Budget(calls=2)) as recorder:
        threads = [
            threading.Thread(target=lambda: ended.append(agent.target.run(**agent.data)))
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [each["exit_reason"] for each in ended] == ["budget_exceeded"] * 4
    assert openai_server.count() == 8
    assert [run.status for run in recorder.runs] == ["canceled"] * 4
    assert agent.target.hooks is hooks


def test_an_agent_inside_of_a_pipeline_hands_on_what_it_has(openai_server) -> None:
    case = agents.three_tools(openai_server, in_pipeline=True)
    with recording(budget=Budget(calls=1)) as recorder:
        result = case.target.run(case.data)
    assert result["support_agent"]["exit_reason"] == "budget_exceeded"
    assert recorder.runs[0].status == "canceled"


def test_runs_that_are_not_kept_have_a_budget_as_well(agent, openai_server) -> None:
    with recording(keep="on_failure", budget=Budget(calls=1)) as recorder:
        assert agent.target.run(**agent.data)["exit_reason"] == "budget_exceeded"
    with recording(keep=0.0, budget=Budget(calls=1)) as none_kept:
        assert agent.target.run(**agent.data)["exit_reason"] == "budget_exceeded"
    assert openai_server.count() == 2
    assert none_kept.runs == ()
    assert len(recorder.runs) == 1  # it did not end well


def test_money_is_counted_by_the_estimate(agent, openai_server) -> None:
    # gpt-4o-mini: 1,000 x 0.15 + 100 x 0.60 dollars for a million = 0.00021 a call
    _result, run = record_run(agent.target, agent.data, budget=Budget(usd=0.0004))
    assert openai_server.count() == 2
    told = run.header["budget"]
    assert told["exceeded"] == "usd"
    assert told["spent"]["usd"] == 0.00042
    assert run.cost_estimate["total_usd"] == 0.00042


def test_a_budget_that_is_not_reached_changes_nothing(agent, openai_server) -> None:
    result, run = record_run(agent.target, agent.data, budget=Budget(usd=1, tokens=100_000))
    assert openai_server.count() == 6
    assert result["exit_reason"] == "text"
    assert run.status == "completed"
    assert "exceeded" not in run.header["budget"]
    assert not [span for span in run.spans if span.kind == "hook"]


def test_a_pipeline_raises_before_its_next_call(openai_server) -> None:
    case = pipelines.validator_loop(openai_server)
    with_usage(openai_server)
    recorder = PipelineRecorder(budget=Budget(tokens=1_000))
    with recorder, pytest.raises(PipelineRuntimeError) as raised:
        case.target.run(case.data)
    assert isinstance(raised.value.__cause__, BudgetExceededError)
    assert "1,100 of 1,000 tokens are used up" in str(raised.value.__cause__)
    assert openai_server.count() == 1
    (run,) = recorder.runs
    assert run.status == "canceled"
    assert run.header["budget"]["stopped"] is True
    refused = [span for span in run.spans if span.error and span.role == "llm"]
    assert [span.status for span in refused] == ["canceled"]
    assert recorder.failures == ()


def test_each_run_has_a_budget_of_its_own(openai_server) -> None:
    case = pipelines.rag(openai_server)
    with_usage(openai_server)
    with recording(budget=Budget(tokens=1_000)) as recorder:
        case.target.run(case.data)
        case.target.run(case.data)
    assert openai_server.count() == 2
    assert [run.status for run in recorder.runs] == ["completed", "completed"]
    # Reached by the only call: nothing had to be stopped.
    assert [run.header["budget"]["stopped"] for run in recorder.runs] == [False, False]


def test_an_empty_budget_lets_nothing_be_called(openai_server) -> None:
    case = pipelines.rag(openai_server)
    with pytest.raises(PipelineRuntimeError):
        record_run(case.target, case.data, budget=Budget(calls=0))
    assert openai_server.count() == 0


def test_a_warning_lets_the_run_go_on(agent, openai_server, caplog) -> None:
    with caplog.at_level(logging.WARNING, logger="inspector.recording"):
        _result, run = record_run(
            agent.target, agent.data, budget=Budget(tokens=2_000, action="warn")
        )
    assert openai_server.count() == 6
    assert run.status == "completed"
    assert run.header["budget"]["exceeded"] == "tokens"
    assert run.header["budget"]["stopped"] is False
    said = [record.getMessage() for record in caplog.records]
    assert said == ["A run reached its budget: 2,200 of 2,000 tokens are used up."]


def test_a_tool_that_is_a_pipeline_counts_once_and_is_stopped_too(openai_server) -> None:
    case = agents.pipeline_as_tool(openai_server)
    with_usage(openai_server)
    result, run = record_run(case.target, case.data, budget=Budget(calls=1))
    assert openai_server.count() == 1
    assert run.header["budget"]["spent"]["calls"] == 1
    assert run.status == "canceled"
    assert result["exit_reason"] == "budget_exceeded"


def test_a_call_without_usage_is_counted_as_unknown(openai_server) -> None:
    case = pipelines.rag(openai_server, stream=False)
    said = openai_server.script
    openai_server.script = lambda request: replace(said(request), usage=None)
    _result, run = record_run(case.target, case.data, budget=Budget(usd=1))
    assert run.header["budget"]["spent"] == {"tokens": 0, "calls": 1, "usd": 0.0,
                                             "unknown_calls": 1}  # fmt: skip
    assert run.cost_estimate["total_usd"] is None
    assert run.cost_estimate["unknown_calls"] == 1


def test_copies_and_serialisations_of_a_guarded_agent_know_nothing_of_it(agent) -> None:
    seen = []

    def look(_message) -> None:
        seen.append((type(agent.target.hooks), copy.deepcopy(agent.target.hooks),
                     json.dumps(agent.target.to_dict())))  # fmt: skip

    before = json.dumps(agent.target.to_dict())
    record_run(agent.target, {**agent.data, "streaming_callback": look}, budget=Budget(calls=9))
    kinds, copies, texts = zip(*seen, strict=True)
    assert set(kinds) == {GuardedHooks}
    assert {type(each) for each in copies} == {dict}
    assert set(texts) == {before}
    assert type(agent.target.hooks) is dict


def test_what_was_put_among_the_hooks_meanwhile_stays(agent) -> None:
    original = agent.target.hooks
    guarded = GuardedHooks(original)
    agent.target.hooks = guarded
    guarded["on_exit"] = []
    original["before_run"] = []  # by somebody who holds the dictionary itself
    unguard(agent.target)
    assert agent.target.hooks is original
    assert original == {"on_exit": [], "before_run": []}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({}, "has to limit something"),
        ({"usd": "much"}, "`usd` of a budget has to be a number"),
        ({"usd": -1}, "not negative"),
        ({"usd": float("nan")}, "`usd` of a budget"),
        ({"usd": True}, "`usd` of a budget"),
        ({"tokens": 1.5}, "`tokens` of a budget has to be a whole number"),
        ({"calls": -1}, "`calls` of a budget"),
        ({"calls": 1, "action": "explode"}, "cannot 'explode'"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(wrong, says) -> None:
    with pytest.raises(RecordingError, match=says):
        Budget(**wrong)


def test_what_is_no_budget_is_refused_before_anything_runs(openai_server) -> None:
    case = pipelines.rag(openai_server)
    with pytest.raises(RecordingError, match="has to be a Budget"):
        record_run(case.target, case.data, budget=0.05)
    with pytest.raises(RecordingError, match="through tracing alone"):
        PipelineRecorder(wrappers=False, budget=Budget(calls=1))
    without = PipelineRecorder(wrappers=False)
    with pytest.raises(RecordingError, match="through tracing alone"):
        record_run(case.target, case.data, recorder=without, budget=Budget(calls=1))
    PipelineRecorder(wrappers=False, budget=Budget(calls=1, action="warn"))
    assert openai_server.count() == 0


def test_a_budget_in_dollars_needs_prices_in_dollars(tmp_path) -> None:
    listed = tmp_path / "prices.toml"
    listed.write_text('currency = "EUR"\n[prices."openai/*"]\ninput = 1\noutput = 1\n')
    with pytest.raises(RecordingError, match="cannot go by prices in EUR"):
        PipelineRecorder(budget=Budget(usd=1, prices=listed))


def test_the_own_price_list_counts(agent, openai_server, tmp_path) -> None:
    listed = tmp_path / "prices.toml"
    listed.write_text('[prices."openai/*"]\ninput = 1000\noutput = 0\n')
    # 1,000 tokens at 1,000 dollars a million are one dollar a call
    _result, run = record_run(agent.target, agent.data, budget=Budget(usd=3, prices=listed))
    assert openai_server.count() == 3
    assert run.header["budget"]["spent"]["usd"] == 3.0


def test_a_number_means_what_a_person_reads() -> None:
    assert Budget(usd=0.05).usd == Decimal("0.05")
