"""Runs beside each other: what each decides otherwise than the first, and what that took."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from inspector.assets import asset
from inspector.diff.cohort import cohort, schema
from inspector.errors import InspectorError
from inspector.runfile.load import load_run


def example(name: str) -> Path:
    return Path(str(asset(f"examples/{name}.run.json")))


PROMPTS = [example(name) for name in ("rag-answer", "rag-other-prompt", "rag-other-document")]


def test_each_run_is_measured_by_the_first() -> None:
    found = cohort(PROMPTS, labels=["as it was", "friendlier", "newer page"])
    assert found.baseline.origin == "rag-answer.run.json"
    one, other = found.members
    assert (one.label, other.label) == ("friendlier", "newer page")
    assert {each.kind for each in one.decisions} == {"prompt", "answer"}
    assert {each.kind for each in other.decisions} >= {"documents", "prompt", "answer"}
    assert "another prompt" in one.divergence
    assert "other content" in other.divergence
    assert not found.same


def test_the_kinds_of_decisions_that_differ_anywhere_are_named_once_the_worst_first() -> None:
    found = cohort(PROMPTS)
    assert len(set(found.kinds)) == len(found.kinds)
    assert {"documents", "prompt", "answer"} <= set(found.kinds)
    severities = ["critical", "major", "minor", "note"]
    worst = [
        min(
            severities.index(each.severity)
            for member in found.members
            for each in member.decisions
            if each.kind == kind
        )
        for kind in found.kinds
    ]
    assert worst == sorted(worst)


def test_runs_that_decide_alike_are_the_same() -> None:
    found = cohort([PROMPTS[0], PROMPTS[0], PROMPTS[0]])
    assert found.same
    assert found.kinds == ()
    assert all(member.answer_kind == "same" for member in found.members)


def test_figures_are_held_against_the_baseline_s() -> None:
    found = cohort(PROMPTS)
    tokens = {member.run.origin: next(f for f in member.figures if f.name == "tokens")
              for member in found.members}  # fmt: skip
    baseline = load_run(PROMPTS[0]).usage
    assert baseline is not None
    for metric in tokens.values():
        assert metric.left == baseline["total_tokens"]
        assert metric.delta == metric.right - metric.left
    assert found.figure("tokens") is not None


def test_what_cannot_be_compared_says_so() -> None:
    found = cohort([example("rag-answer"), example("untaken-branch")])
    (member,) = found.members
    tokens = next(each for each in member.figures if each.name == "tokens")
    assert tokens.delta is None
    assert tokens.not_comparable == "some calls did not report their tokens"


def test_what_is_taken_out_of_the_answers_stands_beside_each_other() -> None:
    found = cohort(PROMPTS, extract=r"regex:(\w+)")
    assert found.extract == "Look"
    assert [member.extract for member in found.members] == ["Please", "Check"]


def test_a_cohort_needs_two_runs() -> None:
    with pytest.raises(InspectorError, match="only one run"):
        cohort([PROMPTS[0]])


def test_comparing_many_runs_is_told_of_as_one_and_can_be_stopped() -> None:
    seen: list[float] = []
    cohort(PROMPTS, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    with pytest.raises(InspectorError, match="stopped"):
        cohort(PROMPTS, cancelled=lambda: True)


def test_the_json_is_what_the_schema_says() -> None:
    kept = json.loads(asset("schema/cohort.schema.json").read_text(encoding="utf-8"))
    assert kept == schema()
    Draft202012Validator(kept).validate(json.loads(json.dumps(cohort(PROMPTS).to_dict())))
