"""What the rules make of what is seldom recorded, and of files that are odd."""

from typing import Any

import pytest

from inspector.assets import asset
from inspector.findings import RULES, Severity, check
from inspector.findings.argument_schema import misfit
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline
from tests.helpers.span_runs import message, run_with


def rules(run: PipelineRun) -> list[str]:
    return [each.rule for each in check(run)]


def example(name: str) -> PipelineRun:
    return load_run(asset(f"examples/{name}.run.json").read_bytes())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("agent-tools", ["failed", "retried"]),
        ("crash", ["failed"]),
        ("untaken-branch", ["route-not-taken", "usage-missing"]),
        ("validator-loop", []),
        ("rag-answer", []),
        ("rag-other-prompt", []),
        ("rag-other-document", []),
        ("parallel-branches", []),
    ],
)
def test_the_examples_show_what_they_are_for_and_nothing_else(
    name: str, expected: list[str]
) -> None:
    assert rules(example(name)) == expected


def test_every_rule_has_a_name_of_its_own_and_a_line() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.says for rule in RULES)


def test_the_worst_comes_first_and_then_what_came_first() -> None:
    run = run_from_outline("""
        pipeline 0-100 failed
          early 0-5 failed
          late 10-20 failed
          last 30-100 failed
    """)
    found = check(run)
    assert [each.severity for each in found] == [Severity.ERROR] * 3
    starts = [run.span(each.spans[0]).start_ns for each in found]
    assert starts == sorted(starts)


def llm(content: list[Any] | None, **more: Any) -> dict[str, Any]:
    span: dict[str, Any] = {"kind": "llm", "name": "llm", "llm": {"name": "some-llm"}, **more}
    if content is not None:
        reply = {"$": "chat_message", "role": "assistant", "meta": {}, "content": content}
        span["outputs"] = {"replies": [reply]}
    return span


@pytest.mark.parametrize(
    ("content", "is_empty"),
    [
        ([], True),
        ([{"text": ""}], True),
        ([{"reasoning": {"text": "Hm."}}], True),
        ([{"text": "Yes"}], False),
        ([{"text": ""}, {"tool_call": {"id": "1", "name": "t", "arguments": {}}}], False),
        ([{"$": "image", "mime_type": "image/png"}], False),
        ([{"text": {"$": "truncated", "type": "str", "size": 9}}], False),
        (None, False),  # not recorded is not empty
    ],
)
def test_only_what_says_nothing_is_an_empty_answer(
    content: list[Any] | None, is_empty: bool
) -> None:
    found = [rule for rule in rules(run_with({}, llm(content))) if rule != "truncated-value"]
    assert found == (["empty-answer"] if is_empty else [])


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ("length", "cut-off"), ("MAX_TOKENS", "cut-off"), ("SAFETY", "content-filter"),
        ("guardrail_intervened", "content-filter"), ("stop", ""), ("end_turn", ""),
        ("tool_calls", ""), (7, ""), (None, ""),
    ],
)  # fmt: skip
def test_providers_words_for_the_end_are_known(reason: Any, rule: str) -> None:
    told = llm([{"text": "Yes"}], llm={"name": "some-llm", "finish_reason": reason})
    assert rules(run_with({}, told)) == ([rule] if rule else [])


def test_one_of_several_replies_that_is_cut_off_is_enough() -> None:
    replies = [message("assistant", "Whole.", finish_reason="stop")]
    replies.append(message("assistant", "Cut", finish_reason="length"))
    assert rules(run_with({}, {**llm(None), "outputs": {"replies": replies}})) == ["cut-off"]


def test_what_a_file_says_oddly_is_no_finding_and_no_failure() -> None:
    run = run_with(
        {},
        {**llm(None), "outputs": {"replies": [None, 3, {"content": 5}]}, "llm": {"name": 4}},
        {"kind": "tool", "name": "t", "inputs": [1, 2], "status": "ok"},
        {"kind": "agent", "name": "a", "outputs": {"exit_reason": ["odd"]}},
        budget={"exceeded": "patience"},
        findings=[{"kind": "replay", "report": {"drifts": [3, {"kind": 9}]}}, 7],
    )
    assert {each.rule for each in check(run)} <= {"replay-drift"}


def test_a_search_that_nobody_waits_for_stops() -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return True

    assert check(example("agent-tools"), cancelled=cancelled) == ()
    assert len(asked) == 1


SCHEMA = {
    "type": "object",
    "properties": {
        "bed": {"type": "string"},
        "litres": {"type": "number"},
        "times": {"type": "integer"},
        "unit": {"enum": ["l", "ml"]},
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "beds": {"type": "array", "items": {"$ref": "#/$defs/bed"}},
        "any": {"$ref": "elsewhere.json"},
    },
    "required": ["bed"],
    "additionalProperties": False,
    "$defs": {"bed": {"type": "object", "properties": {"row": {"type": "integer"}}}},
}


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"bed": "a"}, ""),
        ({"bed": "a", "litres": 2, "times": 2.0, "unit": "l", "when": None, "any": 1}, ""),
        ({"bed": "a", "beds": [{"row": 1}]}, ""),
        ({}, "`bed` is missing"),
        ({"bed": None}, "`bed` is null, not a text"),
        ({"bed": "a", "litres": "two"}, "`litres` is “two”, not a number"),
        ({"bed": "a", "litres": True}, "`litres` is true, not a number"),
        ({"bed": "a", "times": 2.5}, "`times` is 2.5, not a whole number"),
        ({"bed": "a", "unit": "cl"}, "`unit` is “cl”, not one of “l”, “ml”"),
        ({"bed": "a", "when": 3}, "`when` is 3, which fits none of what is allowed"),
        ({"bed": "a", "beds": [{"row": "x"}]}, "`beds[0].row` is “x”, not a whole number"),
        ({"bed": "a", "depth": 1}, "there is no `depth`"),
    ],
)
def test_a_misfit_is_said_in_words(arguments: dict[str, Any], wrong: str) -> None:
    assert misfit(arguments, SCHEMA) == wrong


def test_a_schema_that_goes_round_in_circles_forbids_nothing() -> None:
    assert misfit({"a": 1}, {"$ref": "#/x", "x": {"$ref": "#/x"}}) == ""


def test_a_long_run_in_which_all_is_well_is_not_decoded_span_by_span(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reply = {"replies": [message("assistant", "Yes.", finish_reason="stop")]}
    usage = {"input_tokens": 3, "output_tokens": 1}
    calls = [
        {"kind": "llm", "name": "llm", "outputs": reply, "llm": {"name": "a"}, "usage": usage}
        for _ in range(300)
    ]
    parts = [
        {"name": f"part{n}", "role": "other", "inputs": {"text": n}, "outputs": {"text": n},
         "senders": {"text": [None]}}
        for n in range(300)
    ]  # fmt: skip
    run = run_with({}, *calls, *parts)
    decoded = []
    record = PipelineRun.record

    def counted(self: PipelineRun, row: int) -> Any:
        decoded.append(row)
        return record(self, row)

    monkeypatch.setattr(PipelineRun, "record", counted)
    assert check(run) == ()
    assert len(set(decoded)) < 10
