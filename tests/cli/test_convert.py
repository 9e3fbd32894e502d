"""Run files are made of what other programs wrote, and every command reads that."""

import json
from pathlib import Path

import pytest

from inspector import load_run
from tests.cli.commands import called

FOREIGN = Path(__file__).parents[1] / "data" / "foreign"
TRACE = FOREIGN / "otlp_json" / "haystack_rag.otlp.jsonl"
TWO = FOREIGN / "otlp_json" / "haystack_two_async_concurrent.otlp.jsonl"
SNAPSHOT = FOREIGN / "haystack_snapshot" / "hs3.4.1_rag_crash_llm_500.json"


def test_a_trace_becomes_a_run_file(capsys, tmp_path):
    output = tmp_path / "a.run.json"
    answer = called(capsys, "convert", TRACE, "-o", output)
    assert answer.code == 0
    assert "pipeline, 4 spans" in answer.out
    assert load_run(output).usage["total_tokens"] == 51
    assert called(capsys, "verify", output).code == 0


def test_a_snapshot_says_what_is_not_in_it(capsys, tmp_path):
    answer = called(capsys, "convert", SNAPSHOT, "-o", tmp_path / "a.run.json")
    assert answer.code == 0
    assert "a snapshot holds no times" in answer.err


def test_all_runs_of_a_file_become_files(capsys, tmp_path):
    answer = called(capsys, "convert", TWO, "--all", "-o", tmp_path / "a.run.json.gz", "--json")
    told = json.loads(answer.out)
    assert [Path(each["file"]).name for each in told] == ["a-1.run.json.gz", "a-2.run.json.gz"]
    assert [each["usage"]["total_tokens"] for each in told] == [28, 28]
    assert [load_run(each["file"]).id for each in told] == [each["id"] for each in told]


def test_one_run_of_several_is_chosen(capsys, tmp_path):
    output = tmp_path / "b.run.json"
    assert called(capsys, "convert", TWO, "--run", "2", "-o", output).code == 0
    assert "Q two" in json.dumps(load_run(output).inputs)


def test_a_run_that_is_not_there_is_said(capsys):
    answer = called(capsys, "show", TWO, "--run", "3")
    assert answer.code == 2
    assert "There is no run 3" in answer.err
    assert "holds 2 runs" in answer.err


def test_the_original_is_never_written_over(capsys, tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(TRACE.read_bytes())
    answer = called(capsys, "convert", path, "-o", path)
    assert answer.code == 2
    assert path.read_bytes() == TRACE.read_bytes()


def test_the_first_of_several_is_shown_and_that_is_said(capsys):
    answer = called(capsys, "show", TWO)
    assert answer.code == 0
    assert "holds 2 runs; this is the first" in answer.err
    assert "retriever" in answer.out


@pytest.mark.parametrize("command", ["show", "cost", "check", "verify"])
@pytest.mark.parametrize("path", [TRACE, SNAPSHOT], ids=["trace", "snapshot"])
def test_every_command_reads_what_other_programs_wrote(capsys, command, path):
    answer = called(capsys, command, path)
    assert answer.code in (0, 1)
    assert answer.out


def test_a_trace_is_compared_with_a_trace(capsys):
    other = FOREIGN / "otlp_json" / "haystack_rag_stream_usage.otlp.jsonl"
    answer = called(capsys, "diff", TRACE, other)
    assert answer.code in (0, 1)
    assert answer.out


def test_a_trace_is_redacted_into_a_run_file(capsys, tmp_path):
    output = tmp_path / "a.run.json"
    answer = called(capsys, "redact", TRACE, "--term", "Jean", "-o", output)
    assert answer.code == 0
    assert "Jean" not in output.read_text()
    assert load_run(output).usage["total_tokens"] == 51


def test_a_snapshot_is_shown_without_times(capsys):
    answer = called(capsys, "show", SNAPSHOT)
    assert "snapshot at llm" in answer.out
    assert "0 ns" not in answer.out
