"""What happened is in the file: every step, LLM call, tool call and decision of an agent.

Each test compares a run file with two logs that nothing of the product has touched: what
the server saw, and what the witness saw from inside the components' classes.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from inspector import record_run, record_run_async
from tests.end_to_end.assertions import (
    assert_agent_llm_calls,
    assert_tool_calls,
    assert_total_usage,
    llm_calls,
    reopened,
    seen,
    values,
)
from tests.helpers import agents
from tests.helpers.openai_server import OpenAIServer
from tests.helpers.tools import DIARY
from tests.helpers.witness import Witness

pytestmark = pytest.mark.haystack


@pytest.mark.parametrize("in_pipeline", [False, True], ids=["alone", "in a pipeline"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_an_agent_with_three_tools_is_recorded_whole(
    openai_server: OpenAIServer, tmp_path: Path, way: str, in_pipeline: bool
) -> None:
    case = agents.three_tools(openai_server, in_pipeline=in_pipeline)
    with Witness(case.target) as witness:
        if way == "sync":
            _result, run = record_run(case.target, case.data)
        else:
            _result, run = asyncio.run(record_run_async(case.target, case.data))

    run = reopened(run, tmp_path)
    assert run.status == "completed"
    assert_agent_llm_calls(run, witness, openai_server.log)
    assert_total_usage(run, openai_server.log)
    assert_tool_calls(run, DIARY.mentioning(case.token), openai_server.log)
    steps = [span for span in run.spans if span.kind == "step"]
    assert [span.step for span in steps] == [0, 1, 2, 3]


@pytest.mark.parametrize("build", [agents.pipeline_as_tool, agents.agent_as_tool])
def test_tools_that_hold_pipelines_and_agents_are_recorded_inside_out(
    openai_server: OpenAIServer, tmp_path: Path, build: Any
) -> None:
    case = build(openai_server)
    _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    assert len(llm_calls(run)) == len(openai_server.log)
    assert_total_usage(run, openai_server.log)
    tools = [span for span in run.spans if span.kind == "tool"]
    inner = [span for tool in tools for span in run.children(tool)]
    assert inner, "what a tool ran hangs below the tool"
    looked = [span for span in tools if span.name == "look_up"]
    assert len(looked) == len(DIARY.mentioning(case.token))


def test_what_a_person_decided_is_recorded(openai_server: OpenAIServer, tmp_path: Path) -> None:
    case, person = agents.human_in_the_loop(openai_server)
    _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    (entry,) = DIARY.mentioning(case.token)
    assert sorted(name for name, _asked in person.asked) == ["look_up", "measure"]
    (measured,) = (span for span in run.spans if span.kind == "tool")
    assert values(measured.arguments) == entry.arguments
    assert values(measured.outputs) == entry.result
    hooks = [span for span in run.spans if span.kind == "hook"]
    decisions = {
        value for span in hooks for key, value in span.tags.items() if key.endswith("decision")
    }
    assert decisions == {"modify", "reject"}


def test_a_history_that_a_hook_changes_later_stays_as_it_was_sent(
    openai_server: OpenAIServer, tmp_path: Path
) -> None:
    case = agents.with_hook(openai_server)
    with Witness(case.target) as witness:
        _result, run = record_run(case.target, case.data)
    run = reopened(run, tmp_path)
    spans = [span for span in run.spans if span.kind == "llm"]
    for span, visit in zip(spans, witness.of("chat_generator"), strict=True):
        assert values(span.inputs)["messages"] == seen(visit.inputs)["messages"]
