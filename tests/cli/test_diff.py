"""`diff` compares two runs for people and for programs, with an exit code for scripts."""

import json

from inspector.assets import asset
from tests.cli.commands import called

BEFORE = str(asset("examples/rag-answer.run.json"))
AFTER = str(asset("examples/rag-other-document.run.json"))


def test_two_runs_that_decide_alike_end_with_0(capsys):
    answer = called(capsys, "diff", BEFORE, BEFORE)
    assert answer.code == 0
    assert answer.out.startswith("The answer is the same, and no decision differs.\n")


def test_the_verdict_comes_first_and_figures_last(capsys):
    answer = called(capsys, "diff", BEFORE, AFTER)
    assert answer.code == 1
    lines = answer.out.splitlines()
    assert lines[0].startswith("The answer changed. First divergence: retriever returned")
    assert lines.index("From there to the answer") < lines.index("Figures")
    assert not [line for line in lines if "= " in line[:5]]


def test_all_decisions_on_request(capsys):
    answer = called(capsys, "diff", BEFORE, AFTER, "--all")
    assert any(line.startswith("  = ") for line in answer.out.splitlines())


def test_json_for_programs(capsys):
    answer = called(capsys, "diff", BEFORE, AFTER, "--json")
    found = json.loads(answer.out)
    assert (answer.code, found["same"], found["format"]) == (1, False, "run-comparison")


def test_a_page_for_a_pull_request(capsys):
    answer = called(capsys, "diff", BEFORE, AFTER, "--markdown")
    assert answer.out.startswith("## Comparison of two runs of manual")


def test_an_answer_that_flipped(capsys):
    answer = called(capsys, "diff", BEFORE, AFTER, "--extract", "regex:(?i)two weeks|six weeks")
    assert answer.out.startswith("The answer flipped from “six weeks” to “two weeks”.") or (
        "flipped from “six weeks” to “two weeks”" in answer.out.splitlines()[0]
    )


def test_what_makes_no_sense_is_said_in_words(capsys):
    answer = called(capsys, "diff", BEFORE, AFTER, "--sync", "s3")
    assert (answer.code, "names no two spans" in answer.err) == (2, True)
    answer = called(capsys, "diff", BEFORE, AFTER, "--sync", "s3=nowhere")
    assert (answer.code, "no span" in answer.err) == (2, True)
    answer = called(capsys, "diff", BEFORE, AFTER, "--extract", "regex:(")
    assert (answer.code, "cannot be read" in answer.err) == (2, True)
    answer = called(capsys, "diff", "-", "-")
    assert (answer.code, "standard input" in answer.err) == (2, True)
    answer = called(capsys, "diff", BEFORE, "missing.run.json")
    assert answer.code == 2
