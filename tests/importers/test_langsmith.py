"""Runs of LangSmith in each of their shapes."""

import json

import pytest

from inspector import load_run
from tests.importers.files import drawn, import_note, total_tokens
from tests.importers.made_langsmith import langsmith_rows, rows


@pytest.mark.parametrize("shape", ["list", "lines", "dotted", "ingested", "nested"])
def test_runs_are_read_in_every_shape(shape):
    run = load_run(langsmith_rows(shape))
    assert import_note(run)["format"] == "langsmith"
    assert drawn(run) == "harbour(ask gauge search)"
    assert run.duration_ns == 9_000_000_000
    assert [span.kind for span in run.spans[1:3]] == ["llm", "tool"]
    assert [span.status for span in run.spans] == ["ok", "ok", "failed", "ok"]
    assert total_tokens(run) == 7
    assert run.spans[1].llm["name"] == "m"
    assert run.spans[0].outputs == {"answer": "low"}
    error = run.spans[2].error
    assert (error.type, error.message) == ("ValueError", "no gauge")


def test_an_error_in_one_line_is_told_apart():
    made = rows()
    made[2]["error"] = "ValueError('no gauge')"
    error = load_run(json.dumps(made).encode()).spans[2].error
    assert (error.type, error.message) == ("ValueError", "no gauge")


def test_sums_that_a_chain_repeats_are_not_added():
    made = rows()
    made[0] |= {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}
    assert total_tokens(load_run(json.dumps(made).encode())) == 7


def test_a_run_that_goes_on_is_unfinished():
    made = rows()
    made[0]["end_time"] = None
    assert load_run(json.dumps(made).encode()).status == "incomplete"


def test_what_is_no_run_and_what_is_cut_is_counted():
    made = [*rows(), {"run_type": "llm"}]
    assert import_note(load_run(json.dumps(made).encode()))["skipped"][0]["count"] == 1
    run = load_run(langsmith_rows("lines")[:-20])
    assert len(run.spans) == 3
    assert import_note(run)["skipped"][0]["count"] == 1


def test_a_list_that_is_cut_off_keeps_its_whole_runs():
    run = load_run(langsmith_rows()[:-20])
    assert len(run.spans) == 3
    assert import_note(run)["skipped"][0]["count"] == 1
