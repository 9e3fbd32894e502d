"""`diff` compares two runs for people and for programs, with an exit code for scripts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.assets import asset
from tests.cli.commands import ROOT, called

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
    answer = called(capsys, "diff", BEFORE, AFTER, "--extract", "regex:")
    assert (answer.code, "is empty" in answer.err) == (2, True)
    answer = called(capsys, "diff", BEFORE, AFTER, "--html", "")
    assert (answer.code, "names no file" in answer.err) == (2, True)


@pytest.mark.parametrize("form", [["--json"], ["--markdown"], ["--html", "-"], ["--all"]])
@pytest.mark.parametrize(("right", "code"), [(BEFORE, 0), (AFTER, 1)])
def test_who_stops_reading_gets_the_exit_code_all_the_same(form, right, code):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        ran = subprocess.run(
            [sys.executable, "-m", "inspector.cli.main", "diff", BEFORE, right, *form],
            stdout=nobody, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (code, b"")


TRACES = ROOT / "tests/data/foreign/hayhooks_traces/hayhooks_traces_limit3_has_more.json"


def test_two_runs_of_one_file_are_named_by_their_numbers(capsys):
    answer = called(capsys, "diff", f"{TRACES}#1", f"{TRACES}#1")
    assert (answer.code, answer.err) == (0, "")
    answer = called(capsys, "diff", f"{TRACES}#1", f"{TRACES}#3", "--json")
    found = json.loads(answer.out)
    assert answer.code == 1
    names = [found[side]["name"] for side in ("left", "right")]
    assert names == ["qa", "agent"]


def test_a_number_for_all_and_one_for_each(capsys):
    answer = called(capsys, "diff", str(TRACES), str(TRACES), "--run", "2")
    assert (answer.code, answer.err) == (0, "")
    answer = called(capsys, "diff", str(TRACES), f"{TRACES}#3", "--run", "2")
    assert (answer.code, answer.err) == (1, "")
    answer = called(capsys, "diff", f"{TRACES}#9", str(TRACES))
    assert (answer.code, "There is no run 9" in answer.err) == (2, True)


def test_a_file_that_is_called_so_comes_first(capsys, tmp_path):
    named = tmp_path / "a.run.json#2"
    named.write_bytes(Path(BEFORE).read_bytes())
    assert called(capsys, "diff", str(named), BEFORE).code == 0
    answer = called(capsys, "diff", f"{tmp_path / 'b'}#x", BEFORE)
    assert (answer.code, "b#x" in answer.err) == (2, True)


def test_several_runs_of_one_file_stand_in_a_table(capsys):
    answer = called(capsys, "diff", *(f"{TRACES}#{n}" for n in (1, 2, 3)), "--json")
    assert (answer.code, answer.err) == (1, "")
