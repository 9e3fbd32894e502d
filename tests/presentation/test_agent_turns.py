from typing import Any

import orjson
import pytest

from inspector.presentation.agent_retries import ArgumentChange
from inspector.presentation.agent_turns import (
    MOST_TURNS,
    Again,
    AgentTurns,
    agent_row,
    agent_turns,
    step_at,
    step_rows,
)
from inspector.presentation.agent_words import state_words
from inspector.presentation.examples import bundled_examples
from inspector.presentation.transcript import ToolOutcome
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline

TWO_TURNS = """
pipeline 0-100
  agent:component 0-100
    agent 0-100
      step 0-50
        llm 0-20
        search:tool 20-40 failed
        search:tool 20-50
      step 50-100
        llm 50-60
        search:tool 60-100
"""
ERROR = {"error": {"type": "builtins.ValueError", "message": "no such page"}}


@pytest.fixture
def example() -> PipelineRun:
    """The bundled run of an agent whose tool failed once."""
    path = next(one.path for one in bundled_examples() if "agent" in one.path.name)
    return load_run(path)


@pytest.fixture
def turns(example: PipelineRun) -> AgentTurns:
    agent = agent_row(example.table, 0 if example.spans[0].kind == "agent" else 1)
    assert agent is not None
    return agent_turns(example, agent, 0)


def long_agent(steps: int, **fields: Any) -> PipelineRun:
    lines = ["agent 0-100000"]
    for number in range(steps):
        start = number * 10
        lines.append(f"  step {start}-{start + 10}")
        lines.append(f"    llm {start}-{start + 5}")
    return run_from_outline("\n".join(lines), fields=fields)


def test_a_span_of_an_agent_knows_its_agent_and_others_know_none(example: PipelineRun) -> None:
    table = example.table
    found = {row: agent_row(table, row) for row in range(len(table))}
    agent = next(row for row in found if example.spans[row].kind == "agent")
    assert found[0] is None
    assert {row for row, one in found.items() if one == agent} >= set(step_rows(table, agent))
    inside = [row for row, span in enumerate(example.spans) if span.kind in ("tool", "llm")]
    assert all(found[row] == agent for row in inside)


def test_each_turn_says_only_what_is_new_in_its_prompt(turns: AgentTurns) -> None:
    roles = [[turn.role for turn in one.new] for one in turns.turns]
    assert roles[0] == ["system", "user"]
    assert all(set(of_turn) == {"tool"} for of_turn in roles[1:])
    assert [one.earlier for one in turns.turns] == [0, 3, 7, 10]


def test_calls_stand_with_their_arguments_and_what_became_of_them(turns: AgentTurns) -> None:
    peppers = turns.turns[0].calls[1]
    assert peppers.call.arguments == (("bed", "peppers"),)
    assert isinstance(peppers.call.outcome, ToolOutcome)
    assert peppers.call.outcome.failed
    assert "does not answer" in (peppers.call.outcome.text or "")
    assert turns.turns[0].failed
    assert not turns.turns[1].failed


def test_a_call_after_a_failed_one_says_what_it_changed(turns: AgentTurns) -> None:
    failed = turns.turns[0].calls[1]
    retry = turns.turns[1].calls[0].retry
    assert retry is not None
    assert (retry.failed_id, retry.failed_step) == (failed.span_id, 0)
    assert retry.changes == (ArgumentChange("wake", "", "true"),)
    assert retry.worked is True
    # And the failed one says where that was.
    assert failed.again == Again(turns.turns[1].calls[0].span_id or "", 1, worked=True)
    assert turns.turns[1].calls[0].again is None


def test_calls_of_the_same_turn_are_not_each_others_second_try() -> None:
    run = run_from_outline(TWO_TURNS, fields={"search": {"inputs": {"page": 1}}})
    found = agent_turns(run, 2, 0).turns
    assert [call.retry is not None for call in found[0].calls] == [False, False]
    again = found[1].calls[0].retry
    assert again is not None
    assert again.changes == ()


def test_a_failure_before_the_first_shown_turn_is_remembered() -> None:
    lines = ["agent 0-100000"]
    for number in range(20):
        start = number * 10
        lines += [f"  step {start}-{start + 10}", f"    llm {start}-{start + 5}"]
        if number in (5, 12):
            ending = " failed" if number == 5 else ""
            lines.append(f"    search:tool {start + 5}-{start + 10}{ending}")
    shown = agent_turns(run_from_outline("\n".join(lines)), 0, 18)
    assert shown.first > 5
    retry = shown.turns[12 - shown.first].calls[0].retry
    assert retry is not None
    assert retry.failed_step == 5


def test_of_a_long_agent_the_turns_around_one_are_read() -> None:
    run = long_agent(100)
    shown = agent_turns(run, 0, 50)
    assert (shown.total, len(shown.turns)) == (100, MOST_TURNS)
    assert shown.first <= 50 < shown.first + MOST_TURNS
    assert agent_turns(run, 0, 0).first == 0
    assert agent_turns(run, 0, 99).turns[-1].number == 99


def test_a_span_is_in_the_turn_of_its_step() -> None:
    run = long_agent(5)
    steps = step_rows(run.table, 0)
    assert [step_at(run.table, steps, row) for row in steps] == [0, 1, 2, 3, 4]
    llm = run.table.children(steps[3])[0]
    assert step_at(run.table, steps, llm) == 3
    assert step_at(run.table, steps, 0) == 0


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("text", "It stopped because it answered without calling a tool."),
        ("max_agent_steps", "It stopped because it may take no more than 2 steps."),
        ("search", "It stopped because search was called, which ends it."),
        ("length", "It stopped because its last answer was cut off at the limit of its length."),
        ("content_filter", "It stopped because the provider's filter stopped its last answer."),
        ("budget_exceeded", "It stopped because the budget of the run was used up."),
        ("boredom", "It stopped because a hook asked it to: boredom."),
    ],
)
def test_why_an_agent_stopped_is_said_in_words(reason: str, words: str) -> None:
    drawn = TWO_TURNS.replace("  agent:component", "  writer:component")
    run = run_from_outline(drawn, fields={"agent": {"outputs": {"exit_reason": reason}}})
    said = agent_turns(run, 2, 0).ended
    assert said.replace("\u202f", " ").replace("\u2009", " ") == words


def test_an_agent_that_failed_says_with_what() -> None:
    run = run_from_outline("agent 0-10 failed\n  step 0-10 failed", fields={"agent": ERROR})
    shown = agent_turns(run, 0, 0)
    assert shown.ended == "It failed: no such page"
    assert shown.failed


def test_what_a_tool_changed_in_the_state_is_part_of_its_turn() -> None:
    changes = {"state_changes": {"pages": {"before": [1], "after": [1, 2, 3]}, "new": {"after": 5}}}
    run = run_from_outline(TWO_TURNS, fields={"search": changes})
    said = [(change.key, change.words) for change in agent_turns(run, 2, 0).turns[1].state]
    assert [(key, words.replace("\u202f", " ")) for key, words in said] == [
        ("pages", "1 → 3 items, new last: 3"), ("new", "new: 5"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([1], [1, 2], "1 → 2 items, new: 2"),
        ([1, 2], [1], "2 → 1 item, removed: 2"),
        ([{"a": 1}], [{"a": 2}], "1 item, [0].a: 1 → 2"),
        ([{"a": 1}], [{"a": 1, "b": 2}], "1 item, [0].b: (none) → 2"),
        ([1, 2, 3], [4, 5, 6], "3 items, [0]: 1 → 4, [1]: 2 → 5, and 1 more"),
        ([0] * 500, [1] * 500, "500 → 500 items, changed inside"),
        ({"n": 1}, {"n": 2}, "{n: 1} → {n: 2}"),
    ],
)
def test_what_became_of_a_key_of_the_state_is_said(before: Any, after: Any, words: str) -> None:
    said = state_words({"before": before, "after": after})
    assert said.replace("\u202f", " ") == words


def test_of_two_failed_calls_a_try_belongs_to_the_one_it_is_most_like() -> None:
    drawn = """
agent 0-100
  step 0-50
    llm 0-20
    search:tool 20-40 failed
    search:tool 21-50 failed
  step 50-100
    llm 50-60
    search:tool 60-100
"""
    run = run_from_outline(drawn)
    pages = iter([{"page": 1, "size": 9}, {"page": 2, "size": 5}, {"page": 2, "size": 6}])
    spans = [dict(span.raw) for span in run.spans]
    for span in spans:
        if span["name"] == "search":
            span["inputs"] = next(pages)
    text = {"format": "haystack-run", "version": 1, "run": dict(run.header), "spans": spans}
    run = load_run(orjson.dumps({**text, "values": {}}), use_cache=False)
    retry = agent_turns(run, 0, 0).turns[1].calls[0].retry
    assert retry is not None
    assert retry.failed_id == spans[4]["id"]
    assert retry.changes == (ArgumentChange("size", "5", "6"),)
