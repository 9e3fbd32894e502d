"""A run with cached, reasoning, batch, embedding and unknown calls, against figures by hand.

The prices are those that the bundled list has for 2026-11-29, in dollars for a million:

    gpt-4o-mini                     input 0.15   cached 0.075   output 0.60
    o3-mini                         input 1.10   cached 0.55    output 4.40
    claude-haiku-4-5                input 1.00   cached 0.10    written 1.25, for 1 h 2.00
                                    output 5.00; in a batch half of each
    text-embedding-3-small          input 0.02
"""

from decimal import Decimal

import pytest

from inspector.cost import estimate
from inspector.runfile.estimate import Standing
from inspector.runfile.load import load_run
from tests.cost.runs import STARTED_AT, call, openai, run_of
from tests.runfile.files import HEADER, by_name, ref, run_file, span

CACHED = (
    (10_000 - 6_000) * Decimal("0.15") + 6_000 * Decimal("0.075") + 500 * Decimal("0.60")
) / 1_000_000
REASONING = (
    2_000 * Decimal("1.10") + (3_000 - 2_500) * Decimal("4.40") + 2_500 * Decimal("4.40")
) / 1_000_000
# A batch: 100 tokens plain, 2,000 from the cache, 300 written for five minutes, 700 for an hour.
BATCH = (
    100 * Decimal("0.50")
    + 2_000 * Decimal("0.05")
    + 300 * Decimal("0.625")
    + 700 * Decimal("1.00")
    + 400 * Decimal("2.50")
) / 1_000_000
EMBEDDING = 12_345 * Decimal("0.02") / 1_000_000


@pytest.fixture
def run():
    batch = {
        "prompt_tokens": 3_100, "completion_tokens": 400, "cache_read_input_tokens": 2_000,
        "cache_creation_input_tokens": 1_000, "service_tier": "batch",
        "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 700},
    }  # fmt: skip
    return run_of(
        span(1, kind="pipeline", name="support", path=""),
        call(2, 1, name="writer", usage=openai(10_000, 500, cached=6_000)),
        call(3, 1, name="thinker", llm="o3-mini", usage=openai(2_000, 3_000, reasoning=2_500)),
        call(4, 1, name="batch", llm="claude-haiku-4-5", provider="anthropic", usage=batch),
        call(5, 1, name="embedder", llm="text-embedding-3-small", role="embedding",
             usage={"prompt_tokens": 12_345, "total_tokens": 12_345}),
        call(6, 1, name="stranger", llm="zorblax-9", usage=openai(1_000, 1_000)),
        call(7, 1, name="writer", usage=None),
        call(8, 1, name="at home", llm="llama3.2", provider="ollama", usage=openai(900, 90)),
    )  # fmt: skip


def test_each_call_comes_to_what_was_worked_out_by_hand(run) -> None:
    found = {call.span_id: call for call in estimate(run).calls}
    assert found["s2"].amount == CACHED == Decimal("0.00135")
    assert found["s3"].amount == REASONING == Decimal("0.0154")
    assert found["s4"].amount == BATCH == Decimal("0.0020375")
    assert found["s4"].tier == "batch"
    assert found["s5"].amount == EMBEDDING == Decimal("0.0002469")
    assert found["s6"].amount is None
    assert found["s6"].standing is Standing.UNKNOWN
    assert "no price for openai/zorblax-9" in found["s6"].why
    assert found["s7"].amount is None
    assert found["s7"].why == "what it used was not reported"
    assert found["s8"].amount is None
    assert found["s8"].standing is Standing.LOCAL


def test_the_total_is_their_sum_and_only_the_least_it_can_be(run) -> None:
    made = estimate(run)
    assert made.total == CACHED + REASONING + BATCH + EMBEDDING == Decimal("0.0190344")
    assert not made.complete
    assert made.unknown_calls == 2  # what runs at home has no price, and lacks none
    assert made.call_count == 7


def test_a_call_unfolds_to_its_multiplications(run) -> None:
    thinker = next(call for call in estimate(run).calls if call.component == "thinker")
    told = [(line.what, line.count, line.price, line.amount) for line in thinker.lines]
    assert told == [
        ("input", 2_000, Decimal("1.1"), Decimal("0.0022")),
        ("output", 500, Decimal("4.4"), Decimal("0.0022")),
        ("reasoning", 2_500, Decimal("4.4"), Decimal("0.011")),
    ]
    batch = next(call for call in estimate(run).calls if call.component == "batch")
    assert {line.what: line.count for line in batch.lines} == {
        "input": 100, "cached_input": 2_000, "cache_write_5m": 300, "cache_write_1h": 700,
        "output": 400,
    }  # fmt: skip


def test_what_stands_in_a_file(run) -> None:
    tree = estimate(run).to_dict()
    assert tree["openai/gpt-4o-mini"] == 0.00135
    assert tree["openai/o3-mini"] == 0.0154
    assert tree["anthropic/claude-haiku-4-5"] == 0.0020375
    assert tree["openai/text-embedding-3-small"] == 0.0002469
    assert tree["openai/zorblax-9"] is None
    assert tree["ollama/llama3.2"] is None
    assert tree["total_usd"] == 0.0190344
    assert tree["currency"] == "USD"
    assert tree["pricing_source"].startswith("genai-prices 0.2.")
    assert tree["pricing_snapshot_date"] >= "2026-11-10"
    assert (tree["calls"], tree["unknown_calls"]) == (7, 2)


def test_by_component_the_visits_of_one_are_together(run) -> None:
    groups = {group.key: group for group in estimate(run).by("component")}
    assert groups["writer"].amount == CACHED
    assert (groups["writer"].calls, groups["writer"].unknown_calls) == (2, 1)
    assert groups["at home"].amount is None
    assert groups["at home"].complete


def test_an_agent_counts_its_calls_once_by_step_and_by_tool() -> None:
    used = openai(1_000, 0)  # 0.00015 dollars
    run = run_of(
        span(1, kind="pipeline", name="p", path=""),
        # An agent repeats what its calls reported, and is not asked.
        span(2, 1, name="agent", role="agent", usage={"raw": openai(3_000, 0)}),
        span(3, 2, kind="agent", name="agent", role="agent", usage={"raw": openai(3_000, 0)}),
        span(4, 3, kind="step", name="step", path="agent#1/step0"),
        call(5, 4, kind="llm", name="llm", usage=used),
        span(6, 4, kind="tool", name="look_up", role="tool"),
        span(7, 6, kind="pipeline", name="inner"),
        call(8, 7, name="helper", usage=used),
        span(9, 3, kind="step", name="step", path="agent#1/step1"),
        call(10, 9, kind="llm", name="llm", usage=used),
        call(11, 1, name="summary", usage=used),
    )
    made = estimate(run)
    assert made.call_count == 4
    assert made.total == Decimal("0.0006")
    by = {what: {g.key: g.amount for g in made.by(what)} for what in ("step", "tool", "component")}
    assert by["step"] == {"agent#1/step0": Decimal("0.0003"), "agent#1/step1": Decimal("0.00015"),
                          "": Decimal("0.00015")}  # fmt: skip
    assert by["tool"] == {"": Decimal("0.00045"), "look_up": Decimal("0.00015")}
    assert by["component"] == {"agent": Decimal("0.0003"), "agent / helper": Decimal("0.00015"),
                               "summary": Decimal("0.00015")}  # fmt: skip


def test_what_a_replay_answered_was_not_paid() -> None:
    run = run_of(
        call(1, usage=openai(1_000, 0), source="recorded"),
        call(2, usage=openai(1_000, 0), source="live"),
    )
    made = estimate(run)
    assert [call.standing for call in made.calls] == [Standing.ANSWERED, Standing.PRICED]
    assert made.total == Decimal("0.00015")
    assert made.complete


def test_usage_that_is_kept_once_for_several_calls_is_priced_for_each() -> None:
    used = {"raw": openai(1_000, 0)}
    spans = [call(1), call(2), call(3)]
    for each in spans[:2]:
        each["usage"] = ref(used)
    made = estimate(load_run(run_file(spans, by_name(used), {**HEADER, "started_at": STARTED_AT})))
    assert made.total == Decimal("0.0003")
    assert [call.standing for call in made.calls[:2]] == [Standing.PRICED] * 2
    assert made.unknown_calls == 1, "the third said nothing"


def test_a_run_without_calls_of_models_costs_nothing() -> None:
    made = estimate(run_of(span(1), span(2, 1)))
    assert made.total == 0
    assert made.complete
    assert made.call_count == 0
