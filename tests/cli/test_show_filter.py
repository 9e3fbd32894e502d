"""`show --filter` prints what a query asks for, with where its words stand."""

import json

import pytest

from tests.cli.commands import SAMPLE, called
from tests.runfile.files import run_file, span


def test_the_spans_that_a_query_asks_for_are_printed(capsys):
    answer = called(capsys, "show", SAMPLE, "--filter", "kind:tool status:failed")
    assert answer.code == 0
    head, _, line, *rest = answer.out.splitlines()
    assert head == "1 of 11 spans · filter kind:tool status:failed"
    assert line.startswith("s9  agent#1/step0/tool:directory[1] · Tool call · 9.2 ms · ✕ ")
    assert rest == []


def test_words_are_shown_with_their_field_and_what_stands_around(capsys):
    answer = called(capsys, "show", SAMPLE, "--filter", "SUNDAYS kind:tool")
    assert "  error: the directory is closed on Sundays\n" in answer.out


def test_nothing_found_is_no_failure(capsys):
    answer = called(capsys, "show", SAMPLE, "--filter", "no-such-words")
    assert answer.code == 0
    assert answer.out == "0 of 11 spans · filter no-such-words\n\n"


def test_values_can_be_printed_with_what_was_found(capsys):
    answer = called(capsys, "show", SAMPLE, "--filter", "has:error kind:tool", "--values")
    assert '"city": "Paris"' in answer.out


def test_json_holds_the_spans_found_and_what_was_asked(capsys):
    said = called(capsys, "show", SAMPLE, "--filter", "kind:tool -status:ok", "--json").out
    tree = json.loads(said)
    assert tree["filter"] == "kind:tool -status:ok"
    assert tree["spans_of_run"] == 11
    assert [each["id"] for each in tree["spans"]] == ["s9"]
    assert "inputs" not in tree["spans"][0]


@pytest.mark.parametrize(
    ("query", "place", "words"),
    [
        ("knd:tool", "At character 1 of the query: knd", "Did you mean kind:?"),
        ("a kind:tol", "At character 8 of the query: tol", "kind:tool"),
        ("duration:>1", "At character 11 of the query: 1", "ms, s, min"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_with_its_place(capsys, query, place, words):
    answer = called(capsys, "show", SAMPLE, "--filter", query)
    assert answer.code == 2
    assert answer.out == ""
    assert place in answer.err
    assert words in answer.err


def test_a_span_and_a_filter_do_not_go_together(capsys):
    answer = called(capsys, "show", SAMPLE, "--filter", "kind:tool", "--span", "s9")
    assert answer.code == 2
    assert "--span names one span already" in answer.err


def test_nothing_that_was_found_acts_on_the_terminal(capsys, tmp_path):
    path = tmp_path / "a.run.json"
    evil = "before needle \x1b[31m \u202e after"
    path.write_bytes(run_file([span(1), span(2, parent=1, inputs={"q": evil})]))
    answer = called(capsys, "show", path, "--filter", "needle")
    assert "inputs.q: before needle" in answer.out
    assert "\x1b" not in answer.out
    assert "\u202e" not in answer.out
