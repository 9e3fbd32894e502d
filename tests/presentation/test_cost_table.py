"""The rows that a cost pane shows."""

import pytest

from inspector.cost import estimate
from inspector.presentation.cost_table import CostRowKind, cost_table, multiplication_words
from inspector.runfile.estimate import CostEstimate, Multiplication
from tests.cost.runs import call, openai, run_of
from tests.runfile.files import span


def said(text: str) -> str:
    return text.replace("\u202f", " ")


@pytest.fixture
def made() -> CostEstimate:
    run = run_of(
        span(1, kind="pipeline", name="p", path=""),
        call(2, 1, name="cheap", usage=openai(1_000, 0)),
        call(3, 1, name="dear", usage=openai(20_000, 0, cached=4_000)),
        call(4, 1, name="strange", llm="zorblax-9", usage=openai(1, 1)),
        call(5, 1, name="at_home", provider="ollama", llm="llama3.2", usage=openai(1, 1)),
        call(6, 1, name="again", usage=openai(1, 1), source="recorded"),
    )
    return estimate(run)


def test_the_dearest_is_first_and_what_has_no_price_last(made: CostEstimate) -> None:
    rows = cost_table(made).rows
    assert [row.label for row in rows] == ["dear", "cheap", "strange", "at_home", "again"]
    assert [said(row.cost) for row in rows] == [
        "≈ $0.0027", "≈ $0.00015", "no price", "local, no price", "not paid",
    ]  # fmt: skip
    assert [said(row.share_words) for row in rows] == ["95 %", "5 %", "", "", ""]
    assert rows[0].share + rows[1].share == pytest.approx(1)


def test_the_total_says_that_it_is_the_least_and_what_it_lacks(made: CostEstimate) -> None:
    table = cost_table(made)
    assert said(table.total) == "≥ $0.0028"
    assert said(table.calls) == "5 calls"
    assert "1 call is not known" in said(table.gaps)
    assert "zorblax-9" in table.gaps
    assert "estimate" in table.provenance
    assert "2026-11-10" in table.provenance
    assert "as they were on 2026-11-29" in table.provenance


def test_a_row_unfolds_to_a_call_and_its_multiplications(made: CostEstimate) -> None:
    (unfolded,) = cost_table(made).rows[0].children
    assert unfolded.kind is CostRowKind.CALL
    assert unfolded.label == "part3#1 · openai/gpt-4o-mini"
    assert unfolded.span_id == "s3"
    lines = [(said(row.label), row.cost) for row in unfolded.children]
    assert lines == [
        ("input tokens: 16 000 × $0.15 / million", "$0.0024"),
        ("input tokens from the cache: 4 000 × $0.075 / million", "$0.0003"),
    ]
    assert sum(row.amount for row in unfolded.children) == unfolded.amount


def test_an_estimate_from_a_file_is_shown_by_llm_and_unfolds_too(made: CostEstimate) -> None:
    stored = CostEstimate.from_dict(made.to_dict())
    table = cost_table(stored, "component")
    assert (table.by, table.has_calls) == ("llm", False)
    assert table.total == cost_table(made).total
    assert table.rows[0].label == "openai/gpt-4o-mini"
    assert {row.kind for row in table.rows[0].children} == {CostRowKind.LINE}


def test_steps_stay_in_order_and_what_is_in_none_is_named() -> None:
    run = run_of(
        span(1, kind="agent", name="a", path=""),
        span(2, 1, kind="step", path="step0"),
        call(3, 2, kind="llm", usage=openai(10, 0)),
        span(4, 1, kind="step", path="step1"),
        call(5, 4, kind="llm", usage=openai(10_000, 0)),
        call(6, 1, name="other", usage=openai(10, 0)),
    )
    rows = cost_table(estimate(run), "step").rows
    assert [row.label for row in rows] == ["step0", "step1", "outside of steps"]
    assert [row.label for row in cost_table(estimate(run), "tool").rows] == ["outside of tools"]


def test_a_price_is_told_to_its_last_digit() -> None:
    from decimal import Decimal

    line = Multiplication("input", 4_000, Decimal("0.0125"), 1_000_000)
    assert said(multiplication_words(line, "USD")) == "4 000 × $0.0125 / million"
    assert said(multiplication_words(line, "CHF")) == "4 000 × 0.0125 CHF / million"
    searches = Multiplication("web_search", 2, Decimal("10"), 1_000)
    assert said(multiplication_words(searches, "EUR")) == "2 × €10 / thousand"


def test_nothing_from_a_file_looks_like_ours() -> None:
    stored = CostEstimate.from_dict({
        "pricing_source": "a\x1b[31m\nlist", "currency": "USD",
        "llms": [{"llm": "x/\u202ey", "standings": {"unknown": 1}, "why": ["so\x07"]}],
    })  # fmt: skip
    table = cost_table(stored)
    texts = [table.provenance, table.gaps, table.rows[0].label, table.rows[0].note]
    assert not [text for text in texts if any(sign in text for sign in "\x1b\n\u202e\x07")]


def test_without_calls_there_are_no_rows() -> None:
    table = cost_table(estimate(run_of(span(1))))
    assert table.rows == ()
    assert said(table.total) == "≈ $0.00"
