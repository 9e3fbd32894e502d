"""What is said of recorded agents turn by turn, where tools run otherwise than LLMs asked for."""

from typing import Any

import pytest

from inspector import record_run
from inspector.presentation.agent_retries import ArgumentChange
from inspector.presentation.agent_turns import AgentTurns, agent_row, agent_turns
from tests.helpers import agents
from tests.helpers.openai_server import OpenAIServer

pytestmark = pytest.mark.haystack


def turns_of(target: Any, data: Any) -> AgentTurns:
    _result, run = record_run(target, data)
    row = agent_row(run.table, 0)
    assert row is not None
    return agent_turns(run, row, 0)


def test_what_a_person_changed_and_what_a_person_rejected_stand_beside_the_calls(
    openai_server: OpenAIServer,
) -> None:
    case, _person = agents.human_in_the_loop(openai_server)
    changed, rejected = turns_of(case.target, case.data).turns[0].calls
    assert ("unit", "celsius") in changed.call.arguments
    assert changed.ran_with == (ArgumentChange("unit", "celsius", "kelvin"),)
    assert not changed.did_not_run
    assert rejected.did_not_run
    assert rejected.call.outcome is not None
    assert "Not now." in (rejected.call.outcome.text or "")


def test_what_the_agent_put_in_from_its_state_is_told_from_what_the_llm_asked_for(
    openai_server: OpenAIServer,
) -> None:
    case = agents.three_tools(openai_server)
    turns = turns_of(case.target, case.data).turns
    assert [call.ran_with for turn in turns[:2] for call in turn.calls] == [()] * 4
    (note,) = turns[2].calls
    assert dict(note.call.arguments).keys() == {"text"}
    assert note.ran_with == (ArgumentChange("author", "", "Ada"),)


def test_of_an_agent_that_is_a_tool_the_result_is_what_the_llm_was_told(
    openai_server: OpenAIServer,
) -> None:
    case = agents.agent_as_tool(openai_server)
    calls = turns_of(case.target, case.data).turns[0].calls
    told = [call.call.outcome.text for call in calls if call.call.outcome is not None]
    assert told == [f"Found: {word} {case.token}" for word in ("first", "second")]


def test_a_hook_that_changed_messages_says_what_it_changed(openai_server: OpenAIServer) -> None:
    case = agents.with_hook(openai_server)
    (change,) = turns_of(case.target, case.data).turns[0].state
    assert change.key == "messages"
    assert change.words.replace("\u202f", " ") == "1 item, [0].meta.seen: (none) → 1"
