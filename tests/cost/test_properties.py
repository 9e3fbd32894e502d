"""What holds of every estimate: sums are the sums of their parts, unknown is never 0."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.cost import estimate
from inspector.cost.estimating import estimate_in_total
from inspector.runfile.estimate import (
    CallCost,
    CostEstimate,
    Multiplication,
    Standing,
    amount_of,
    grouped,
)
from tests.cost.runs import call, openai, run_of

PRICES = st.decimals(0, 10_000, places=6)
LINES = st.lists(
    st.builds(
        Multiplication,
        what=st.sampled_from(("input", "output", "cached_input")),
        count=st.integers(0, 10**9),
        price=PRICES,
        per=st.sampled_from((1_000, 1_000_000)),
    ),
    min_size=1, max_size=4,
).map(tuple)  # fmt: skip
PLACES = {name: st.sampled_from(("", "a", "b")) for name in ("component", "step", "tool")}
PRICED = st.builds(CallCost, llm=st.sampled_from(("x/1", "x/2")), lines=LINES, **PLACES,
                   standing=st.sampled_from((Standing.PRICED, Standing.PARTLY)))  # fmt: skip
OTHERS = st.builds(
    CallCost, llm=st.sampled_from(("x/1", "y/3")), why=st.just("so"), **PLACES,
    standing=st.sampled_from((Standing.UNKNOWN, Standing.LOCAL, Standing.ANSWERED)),
)  # fmt: skip
CALLS = st.lists(PRICED | OTHERS, max_size=12).map(tuple)


def made_of(calls) -> CostEstimate:
    return CostEstimate(llms=grouped((call.llm, call) for call in calls), calls=calls)


@settings(deadline=None)  # the machine may be busy
@given(CALLS)
def test_every_way_to_group_comes_to_the_total(calls) -> None:
    made = made_of(calls)
    parts = sum((call.amount for call in calls if call.amount is not None), Decimal(0))
    known = any(call.amount is not None for call in calls)
    for what in ("llm", "component", "step", "tool"):
        groups = made.by(what)
        amounts = [group.amount for group in groups if group.amount is not None]
        assert sum(amounts, Decimal(0)) == parts
        assert sum(group.calls for group in groups) == len(calls)
        assert bool(amounts) == known
    assert (made.total or 0) == parts
    assert all(amount_of(call.lines) == call.amount for call in calls if call.amount is not None)


@settings(deadline=None)  # the machine may be busy
@given(CALLS)
def test_unknown_is_never_nothing(calls) -> None:
    made = made_of(calls)
    unknown = [c for c in calls if c.standing in (Standing.UNKNOWN, Standing.PARTLY)]
    assert made.complete == (not unknown)
    assert made.unknown_calls == len(unknown)
    assert all(call.amount is None for call in calls if call.standing is Standing.UNKNOWN)
    if unknown and all(call.amount is None for call in calls):
        assert made.total is None
        assert made.to_dict()["total_usd"] is None
    for group in made.llms:
        if all(c.amount is None for c in calls if c.llm == group.key):
            assert group.amount is None
            assert made.to_dict()[group.key] is None


@settings(deadline=None)  # the machine may be busy
@given(CALLS)
def test_what_is_written_is_what_is_read(calls) -> None:
    made = made_of(calls)
    back = CostEstimate.from_dict(made.to_dict())
    assert back.llms == made.llms
    assert back.total == made.total
    assert back.complete == made.complete
    assert back.to_dict() == made.to_dict()


RAWS = st.dictionaries(
    st.sampled_from(("prompt_tokens", "completion_tokens", "total_tokens", "input_tokens",
                     "cache_read_input_tokens", "thoughts_token_count", "billed_units")),
    st.none() | st.integers(-5, 10**7) | st.floats() | st.text(max_size=3)
    | st.dictionaries(st.sampled_from(("input_tokens", "output_tokens")), st.integers(-1, 99)),
)  # fmt: skip


@settings(deadline=None)  # the machine may be busy
@given(RAWS, st.sampled_from(("openai", "anthropic", "amazon_bedrock", "google_genai", None)))
def test_no_report_breaks_an_estimate_or_makes_it_negative(raw, provider) -> None:
    raw = {key: value if value == value else None for key, value in raw.items()}  # no NaN in JSON
    raw = {key: None if value in (float("inf"), float("-inf")) else value
           for key, value in raw.items()}  # fmt: skip
    made = estimate(run_of(call(1, provider=provider, usage=raw), call(2, usage=openai(10, 1))))
    assert all(line.count >= 0 for each in made.calls for line in each.lines)
    assert made.total is not None
    assert made.total >= made.calls[1].amount > 0


def test_what_stands_in_a_strange_file_is_read_as_far_as_it_goes() -> None:
    assert CostEstimate.from_dict({"total_usd": 0.0013}) is None
    made = CostEstimate.from_dict({
        "currency": 5, "pricing_source": None, "llms": [
            7,
            {"llm": "a/b", "standings": {"priced": 1, "sold": 3, "unknown": -1, "local": True},
             "multiplications": [
                 5, {"what": "input", "count": 10, "price": "1", "per": 1000},
                 {"what": "input", "count": -1, "price": "1", "per": 1000},
                 {"what": "input", "count": 1, "price": "NaN", "per": 1000},
                 {"what": "input", "count": 1, "price": "x", "per": 1000},
                 {"what": "input", "count": 1, "price": "1", "per": 0},
                 {"what": "input", "count": 10**400, "price": "1", "per": 1000},
                 {"what": "input", "count": 1, "price": "1e999999", "per": 1000},
                 {"what": "input", "count": 1, "price": "9" * 10**6, "per": 1000},
             ], "why": "so"},
        ],
    })  # fmt: skip
    assert made.currency == "USD"
    assert made.total == Decimal("0.01")
    assert made.llms[0].calls == 1


def test_a_total_does_not_depend_on_whether_calls_say_where_they_were() -> None:
    run = run_of(
        call(1, usage=openai(1_000, 200, cached=100)),
        call(2, usage=openai(5, 7), llm="gpt-4o"),
        call(3, llm="nobody-knows-it", usage=openai(3, 4)),
        call(4),
    )
    whole, total = estimate(run), estimate_in_total(run)
    assert total.total == whole.total
    assert total.total
    assert (total.llms, total.pricing_source) == (whole.llms, whole.pricing_source)
    assert [call.standing for call in total.calls] == [call.standing for call in whole.calls]
