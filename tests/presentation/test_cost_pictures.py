"""The course and the shares of a cost: every figure is one of the estimate's."""

import pytest

from inspector.cost import estimate
from inspector.presentation.cost_pictures import SLOTS, cost_in_time, shares
from inspector.presentation.cost_table import cost_table, stored_words
from inspector.presentation.verdict import verdict, with_estimate
from inspector.runfile.model import PipelineRun
from tests.cost.runs import call, openai, run_of
from tests.runfile.files import span

S = 1_000_000_000


def timed(*calls: tuple[str, int, int], llm: str = "gpt-4o-mini") -> PipelineRun:
    """Return calls of a name, at a second, with so many tokens sent."""
    return run_of(
        span(1, kind="pipeline", name="p", path="", start_ns=0, end_ns=60 * S),
        *(
            call(number, 1, name=name, llm=llm, usage=openai(sent, 0), start_ns=at * S,
                 end_ns=(at + 1) * S)
            for number, (name, at, sent) in enumerate(calls, 2)
        ),
        duration_ns=60 * S,
    )  # fmt: skip


def tokens_of(run: PipelineRun) -> dict[str, int]:
    found = {each.id: each.usage.total_tokens for each in run.spans if each.usage is not None}
    return {span_id: total for span_id, total in found.items() if total is not None}


def test_a_call_counts_in_the_slot_in_which_it_began() -> None:
    run = timed(("a", 0, 1_000), ("b", 30, 4_000), ("c", 30, 4_000), ("d", 59, 2_000))
    course = cost_in_time(run, estimate(run), tokens_of(run))
    used = {place: slot for place, slot in enumerate(course.slots) if slot.span_ids}
    assert len(course.slots) == SLOTS == 60
    assert {place: slot.span_ids for place, slot in used.items()} == {
        0: ("s2",), 30: ("s3", "s4"), 59: ("s5",),
    }  # fmt: skip
    assert [used[place].height for place in used] == pytest.approx([1 / 8, 1, 2 / 8])
    assert course.slot_of("s4") == 30
    assert course.slot_of("s1") is None
    assert course.top.replace("\u202f", " ") == "≈ $0.0012"
    assert "The highest: 30.0\u202fs to 31.0\u202fs · ≈ $0.0012 · 2\u202fcalls" in course.told


def test_what_has_no_price_is_marked_and_tokens_stand_in_where_nothing_has_one() -> None:
    run = run_of(
        span(1, kind="pipeline", name="p", path="", start_ns=0, end_ns=60 * S),
        call(2, 1, name="a", usage=openai(10, 0), start_ns=S),
        call(3, 1, name="b", llm="zorblax-9", usage=openai(10, 0), start_ns=S),
        duration_ns=60 * S,
    )
    slot = cost_in_time(run, estimate(run), tokens_of(run)).slots[1]
    assert slot.has_unknown
    assert "≥ $" in slot.words
    unknown = timed(("a", 0, 100), ("b", 30, 300), llm="zorblax-9")
    course = cost_in_time(unknown, estimate(unknown), tokens_of(unknown))
    assert course.title == "Tokens over time (no price is known)"
    assert [slot.height for slot in course.slots if slot.span_ids] == pytest.approx([1 / 3, 1])
    assert not any(slot.has_unknown for slot in course.slots)


def test_small_parts_stand_together_and_all_parts_make_a_whole() -> None:
    small = [(f"small_{number}", number, 10) for number in range(20)]
    run = timed(("large", 40, 50_000), ("middle", 50, 10_000), *small)
    parts = shares(cost_table(estimate(run)))
    assert [each.label for each in parts.slices] == ["large", "middle", "20 more"]
    assert sum(each.share for each in parts.slices) == pytest.approx(1)
    assert parts.slices[2].key == ""
    assert parts.told.startswith("Share of the estimated cost by component: large · ≈ $0.0075 ·")


def test_without_prices_the_parts_are_of_the_tokens() -> None:
    run = timed(("a", 0, 100), ("b", 30, 300), llm="zorblax-9")
    table = cost_table(estimate(run), tokens=tokens_of(run))
    parts = shares(table)
    assert [(each.label, each.share) for each in parts.slices] == [("b", 0.75), ("a", 0.25)]
    assert "no price is known" in parts.title
    assert [row.tokens for row in table.rows] == [300, 100], "what is known is sorted by"


def test_tokens_that_were_not_reported_make_a_sum_the_least() -> None:
    run = run_of(
        span(1, kind="pipeline", name="p", path=""),
        call(2, 1, name="a", usage=openai(10, 0), path="a#1"),
        call(3, 1, name="a", path="a#2"),
    )
    (row,) = cost_table(estimate(run), tokens=tokens_of(run)).rows
    assert row.tokens_words == "≥ 10\u202ftok"
    assert [each.tokens_words for each in row.children] == ["10\u202ftok", "–"]


def test_the_file_is_quoted_only_where_it_says_something_else() -> None:
    run = timed(("a", 0, 1_000))
    made = estimate(run)
    assert stored_words(made.to_dict(), made) == ""
    assert stored_words(None, made) == ""
    other = {**made.to_dict(), "total": 0.5, "pricing_source": "other", "unknown_calls": 1}
    told = stored_words(other, made)
    assert told.startswith("When it was recorded, it was estimated at ≥ $0.50 (other of 2026")


def test_the_verdict_says_the_price_that_is_shown() -> None:
    run = timed(("a", 0, 10_000))
    shown = with_estimate(verdict(run), estimate(run))
    (fact,) = (fact for fact in shown.facts if fact.key == "cost")
    assert fact.text == "≈ $0.0015 (prices of 2026-11-10)"
    unknown = timed(("a", 0, 10), llm="zorblax-9")
    (fact,) = (
        fact for fact in with_estimate(verdict(unknown), estimate(unknown)).facts
        if fact.key == "cost"
    )  # fmt: skip
    assert fact.text == "no price"
    at_home = run_of(
        span(1, kind="pipeline", name="p", path=""),
        call(2, 1, provider="ollama", llm="llama3.2", usage=openai(1, 1)),
    )
    assert not [
        fact for fact in with_estimate(verdict(at_home), estimate(at_home)).facts
        if fact.key == "cost"
    ]  # fmt: skip
