"""Long conversations are compared turn by turn, and messages are known again but for call ids."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.diff.call_ids import alike_but_for_ids
from inspector.diff.compare import diff_runs
from inspector.runfile.fingerprint import fingerprint
from inspector.runfile.load import load_run
from tests.benchmarks.made_runs import agent_file
from tests.helpers.span_runs import call, message, result

IDS = st.sampled_from(["call_1", "call_2", "call_3"])


def turns(*ids: str) -> list[dict[str, Any]]:
    """Return calls with the first half of the ids, and results for the others."""
    half = len(ids) // 2
    asked = [message("assistant", call(each, "search", topic="beds")) for each in ids[:half]]
    return [*asked, *(result(each, "search", "dry") for each in ids[half:])]


def test_other_call_ids_make_no_other_conversation() -> None:
    assert alike_but_for_ids(turns("a", "b", "a", "b"), turns("x", "y", "x", "y"))


def test_results_that_answer_the_other_call_make_another_conversation() -> None:
    assert not alike_but_for_ids(turns("a", "b", "a", "b"), turns("x", "y", "y", "x"))


def test_an_id_that_a_tool_was_given_counts() -> None:
    one, other = (
        [message("assistant", call("a", "open", call={"id": each, "arguments": {}}))]
        for each in ("door", "gate")
    )
    assert not alike_but_for_ids(one, other)


@given(st.lists(IDS, min_size=4, max_size=4), st.lists(IDS, min_size=4, max_size=4))
def test_what_is_alike_but_for_ids_has_one_fingerprint(left: list[str], right: list[str]) -> None:
    one, other = turns(*left), turns(*right)
    if alike_but_for_ids(one, other):
        assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize("steps", [30, 400])
def test_an_agent_that_called_its_calls_otherwise_did_the_same(steps: int) -> None:
    left, right = (load_run(agent_file(steps, seed=seed), use_cache=False) for seed in (1, 2))
    found = diff_runs(left, right)
    assert found.equal
    assert not any(decision.differs for decision in found.decisions)


def test_what_an_agent_ended_with_leaves_out_the_turns_that_its_llm_was_sent() -> None:
    short, long = (
        diff_runs(*(load_run(agent_file(steps, seed=seed), use_cache=False) for seed in (1, 2)))
        for steps in (30, 400)
    )
    # A short one is told whole: each call and each result has another id.
    assert len(short.spans[0].outputs) == 2 * 30
    assert short.spans[0].note is None
    assert len(long.spans[0].outputs) == 2
    assert long.spans[0].note == "What was sent in earlier turns is left out."


def test_one_other_call_in_a_long_conversation_is_found_where_it_was_made() -> None:
    left = load_run(agent_file(300, seed=1), use_cache=False)
    right = load_run(agent_file(300, seed=2, edited={150}), use_cache=False)
    divergence = diff_runs(left, right).divergence
    assert divergence is not None
    assert 'topic="topic 150 again"' in divergence.sentence
