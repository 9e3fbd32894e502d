"""`show` prints a run, one span, or both as JSON; nothing in a file can act on the terminal."""

import json
import re

import pytest

from tests.cli.commands import SAMPLE, called, program
from tests.runfile.files import HEADER, journal, run_file, span
from tests.runfile.test_journals import RECORDS


@pytest.fixture
def file(tmp_path):
    def write(spans, **kwargs):
        path = tmp_path / "a.run.json"
        path.write_bytes(run_file(spans, **kwargs))
        return path

    return write


def test_a_run_is_an_outline_with_times_tokens_and_errors(capsys):
    answer = called(capsys, "show", SAMPLE)
    assert answer.code == 0
    assert answer.err == ""
    assert answer.out.startswith("support: completed in 900 ms · 2 LLM calls")
    assert "479 tokens" in answer.out
    assert re.search(r"chat_generator +LLM call +415 ms +189 tok", answer.out)
    assert "✕ ToolInvocationError: Failed to invoke Tool `directory`" in answer.out


def test_standard_input_is_a_file_too():
    answer = program("show", "-", sent=SAMPLE.read_bytes())
    assert answer.code == 0
    assert answer.out == program("show", SAMPLE).out


@pytest.mark.parametrize("wanted", ["s9", "agent#1/step0/tool:directory[1]"])
def test_one_span_is_found_by_its_id_and_by_its_path(capsys, wanted):
    answer = called(capsys, "show", SAMPLE, "--span", wanted)
    assert answer.code == 0
    assert answer.out.startswith("s9  directory · Tool call · 9.2 ms · failed\n")
    assert '"city": "Paris"' in answer.out
    assert "outputs: not recorded (the tool raised)" in answer.out
    assert "office.ClosedError: the directory is closed on Sundays" in answer.out


def test_a_span_that_is_not_there_is_said(capsys):
    answer = called(capsys, "show", SAMPLE, "--span", "s99")
    assert answer.code == 2
    assert "The run has no span with the id or path 's99'." in answer.err


def test_values_can_be_printed_with_the_outline(capsys):
    answer = called(capsys, "show", SAMPLE, "--values")
    assert '    "query": "who lives in Paris?"' in answer.out
    assert "s11  agent#1/step1/llm" in answer.out


def test_json_says_the_same(capsys):
    tree = json.loads(called(capsys, "show", SAMPLE, "--json").out)
    assert tree["usage"]["total_tokens"] == 479
    assert [each["id"] for each in tree["spans"]] == [f"s{n}" for n in range(1, 12)]
    failed = tree["spans"][8]
    assert failed["error"]["cause"]["message"] == "the directory is closed on Sundays"
    assert "inputs" not in failed
    with_values = json.loads(called(capsys, "show", SAMPLE, "--json", "--values").out)
    assert with_values["spans"][8]["inputs"] == {"city": "Paris", "limit": 5}
    assert "outputs" not in with_values["spans"][8]


def test_json_of_one_span(capsys):
    tree = json.loads(called(capsys, "show", SAMPLE, "--json", "--span", "s8").out)
    assert tree["outputs"]["result"]["temperature_c"] == 14


def test_a_journal_shows_what_there_is(tmp_path, capsys):
    path = tmp_path / "a.run.jsonl"
    path.write_bytes(journal(*RECORDS[:3]))
    answer = called(capsys, "show", path)
    assert answer.code == 0
    assert answer.out.startswith("drawn: incomplete")


def test_what_could_not_be_read_is_said_beside_the_rest(tmp_path, capsys):
    path = tmp_path / "a.run.json"
    path.write_bytes(SAMPLE.read_bytes()[:7000])
    answer = called(capsys, "show", path)
    assert answer.code == 0
    assert "retriever" in answer.out
    assert "note: The file is cut off after" in answer.err


EVIL = "\x1b[31mred\x1b]0;title\x07 \u202egnp.exe \x9b2J \ud800 line\nbreak\r\x00"


def no_signs_that_act(text):
    return not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_nothing_in_a_file_acts_on_the_terminal(capsys, file):
    evil = EVIL.replace("\ud800", "")
    error = {"type": evil, "message": evil, "traceback": evil}
    each = span(1, name=evil, path=evil, type=evil, thread=evil, inputs={evil: evil}, error=error,
                status="failed", llm={"name": evil}, not_recorded={evil: evil})  # fmt: skip
    path = file([each], header={**HEADER, "name": evil, "status": "failed"})
    questions = ((), ("--values",), ("--span", "s1"), ("--json", "--values"), ("--span", evil))
    for arguments in questions:
        answer = called(capsys, "show", path, *arguments)
        assert no_signs_that_act(answer.out), arguments
        assert no_signs_that_act(answer.err), arguments
    text = called(capsys, "show", path, "--span", "s1").out
    assert "␛[31mred" in text
    assert "⟨U+202E⟩" in text


def test_json_of_evil_text_is_still_the_same_text(capsys, file):
    evil = EVIL.replace("\ud800", "")
    path = file([span(1, name=evil, inputs={evil: evil})])
    tree = json.loads(called(capsys, "show", path, "--json", "--values").out)
    assert tree["spans"][0]["name"] == evil
    assert tree["spans"][0]["inputs"] == {evil: evil}


def test_evil_file_names_are_shown_as_text(capsys, tmp_path):
    answer = called(capsys, "show", tmp_path / "a\x1b[31m\nb.json")
    assert answer.code == 2
    assert no_signs_that_act(answer.err)
    assert "␛[31m" in answer.err


def test_a_thousand_spans_come_one_after_the_other(capsys, file):
    path = file([span(1), *(span(n, 1) for n in range(2, 1001))])
    assert len(json.loads(called(capsys, "show", path, "--json").out)["spans"]) == 1000
    assert called(capsys, "show", path).out.count("\n") == 1002
