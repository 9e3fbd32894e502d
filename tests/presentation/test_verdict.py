import json

import pytest

from inspector.presentation.first_look import first_look
from inspector.presentation.verdict import verdict
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline
from tests.runfile.files import run_file


def said(run: PipelineRun) -> list[str]:
    made = verdict(run)
    return [text.replace("\u202f", " ") for text in (made.ending, *(f.text for f in made.facts))]


def test_a_run_that_went_well_says_how_long_and_how_much() -> None:
    run = run_from_outline(
        "pipeline 0-4200\n  agent:component 0-4000\n    llm 0-900\n    search:tool 900-950",
        fields={"llm": {"usage": {"input_tokens": 2400, "output_tokens": 22}}},
    )
    assert said(run)[:3] == ["completed in 4.20 s", "1 LLM call", "1 tool call"]


def test_a_generator_that_stands_in_a_pipeline_counts_as_an_llm_call() -> None:
    run = run_from_outline("pipeline 0-9\n  writer 0-4\n  writer 4-8\n  other 8-9",
                           fields={"writer": {"role": "llm"}})  # fmt: skip
    assert "2 LLM calls" in said(run)


def test_tokens_that_some_call_did_not_report_are_a_lower_bound() -> None:
    run = run_from_outline(
        "agent 0-9\n  llm 0-4\n  other:llm 4-8",
        fields={"llm": {"usage": {"total_tokens": 100, "input_tokens": 100}}},
    )
    assert "≥ 100 tokens" in said(run)


def test_the_tokens_of_a_replay_are_those_of_all_its_answers() -> None:
    usage = {"usage": {"total_tokens": 100, "input_tokens": 100}}
    fields = {"llm": {**usage, "source": "recorded"}, "other": {**usage, "source": "live"}}
    drawn = run_from_outline("agent 0-9\n  llm 0-4\n  other:llm 4-8", fields=fields)
    header = {**drawn.header, "usage": {"total_tokens": 100, "input_tokens": 100}}
    spans = [each.raw for each in drawn.spans]
    assert "100 tokens" in said(load_run(run_file(spans, header=header)))
    assert "200 tokens" in said(load_run(run_file(spans, header={**header, "replay_of": "r1"})))


def test_unknown_tokens_are_not_zero_tokens() -> None:
    run = run_from_outline("agent 0-9\n  llm 0-4")
    assert not any("token" in text for text in said(run))


def test_a_failure_that_fails_everything_around_it_is_one_failure() -> None:
    run = run_from_outline(
        "pipeline 0-9 failed\n  a 0-2\n  agent:component 2-8 failed\n    search:tool 3-7 failed",
        status="failed",
    )
    assert said(run)[0] == "failed after 9.0 ms"
    assert said(run)[-1] == "1 failure"
    assert run.spans[first_look(run) or 0].name == "search"


def test_a_run_that_went_well_is_looked_at_from_its_beginning() -> None:
    run = run_from_outline("pipeline 0-9\n  a 0-2 failed\n  b 2-4")
    assert first_look(run) == 0


def test_a_run_without_spans_has_nothing_to_look_at() -> None:
    run = load_run(b'{"format":"haystack-run","version":1,"run":{"status":"failed"},"spans":[]}')
    assert first_look(run) is None
    assert verdict(run).ending == "failed"


def test_a_cut_off_run_says_how_far_it_got() -> None:
    run = run_from_outline("pipeline 0-\n  a 0-20", status="incomplete")
    assert said(run)[0] == "incomplete after at least 20 ms"


def test_a_run_that_goes_on_says_how_long_it_has() -> None:
    run = run_from_outline("pipeline 0-\n  a 0-20", status="running")
    assert said(run)[0] == "running, 20 ms so far"


def test_an_estimate_says_that_it_is_one_and_of_when_its_prices_are() -> None:
    header = (
        b'{"format":"haystack-run","version":1,"run":{"status":"completed","cost_estimate":'
        b'{"currency":"USD","total_usd":0.0013,"pricing_source":"a list",'
        b'"pricing_snapshot_date":"2026-11-20"}},"spans":[]}'
    )
    (cost,) = verdict(load_run(header)).facts
    assert cost.text == "≈ $0.0013 (prices of 2026-11-20)"
    assert "estimate" in cost.tip


def test_an_estimate_that_lacks_calls_is_the_least_it_can_be() -> None:
    header = (
        b'{"format":"haystack-run","version":1,"run":{"status":"completed","cost_estimate":'
        b'{"currency":"USD","total_usd":0.5,"calls":3,"unknown_calls":2}},"spans":[]}'
    )
    (cost,) = verdict(load_run(header)).facts
    assert cost.text == "\u2265 $0.50"
    assert "2\u202fcalls" in cost.tip or "2 calls" in cost.tip


@pytest.mark.parametrize(
    ("budget", "says", "tip"),
    [
        ({"usd": 0.05, "exceeded": "usd", "stopped": True, "spent": {"usd": 0.061}},
         "stopped by its budget", "$0.061 of $0.050"),
        ({"tokens": 2000, "exceeded": "tokens", "stopped": False, "spent": {"tokens": 2200}},
         "over its budget", "2 200 tokens of 2 000 tokens"),
        ({"exceeded": "calls", "spent": 5}, "over its budget", "– of –"),
    ],
)  # fmt: skip
def test_a_run_over_its_budget_says_so(budget: dict, says: str, tip: str) -> None:
    tree = {"format": "haystack-run", "version": 1, "spans": [],
            "run": {"status": "canceled", "budget": budget}}  # fmt: skip
    (fact,) = verdict(load_run(json.dumps(tree).encode())).facts
    assert (fact.key, fact.text) == ("budget", says)
    assert fact.tip.replace("\u202f", " ") == tip


@pytest.mark.parametrize("budget", [5, {}, {"exceeded": ["usd"]}, {"usd": 1, "action": "stop"}])
def test_a_budget_that_held_is_not_mentioned(budget: object) -> None:
    tree = {"format": "haystack-run", "version": 1, "spans": [],
            "run": {"status": "completed", "budget": budget}}  # fmt: skip
    assert verdict(load_run(json.dumps(tree).encode())).facts == ()


def test_without_an_estimate_in_the_file_no_money_is_named() -> None:
    assert not any("$" in text for text in said(run_from_outline("pipeline 0-1")))


def test_a_long_run_says_at_once_how_it_ended() -> None:
    run = run_from_outline("pipeline 0-9\n  llm 0-4")
    made = verdict(run, deep=False)
    assert made.ending.replace("\u202f", " ") == "completed in 9.0 ms"
    assert made.facts == ()
