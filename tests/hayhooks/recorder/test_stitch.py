"""Segments put together where there is neither Haystack nor Hayhooks."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from inspector import load_run, load_runs
from inspector.cli.main import main
from inspector.errors import RunFileError
from inspector.hayhooks.recorder import executions_in, stitched
from inspector.hayhooks.recorder.layout import segments_in
from tests.helpers.segments import EXECUTION, killed_and_done_again


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return killed_and_done_again(tmp_path)


def test_attempts_stand_where_they_were_in_time(place: Path) -> None:
    run = stitched(place)
    first, second = run.extensions["hayhooks"]["attempts"]
    assert (first["start_ns"], first["end_ns"]) == (0, 40_000_000)
    assert (second["start_ns"], second["end_ns"]) == (5_000_000_000, 5_095_000_000)
    assert run.at("charge#1").end_ns == 40_000_000
    assert run.at("charge#2").start_ns == 5_030_000_000
    assert run.duration_ns == 5_095_000_000
    assert (first["ended"], second["ended"]) == ("killed", "completed")


def test_of_the_last_attempt_of_another_machine_nobody_says_that_it_was_killed(place: Path) -> None:
    segments_in(place)[1].path.unlink()
    run = stitched(place)
    assert [each["ended"] for each in run.extensions["hayhooks"]["attempts"]] == ["silent"]
    assert str(run.status) == "incomplete"


def test_the_same_execution_always_becomes_the_same_run(place: Path, tmp_path: Path) -> None:
    stitched(place).save(tmp_path / "one.run.json")
    stitched(place).save(tmp_path / "two.run.json")
    assert (tmp_path / "one.run.json").read_bytes() == (tmp_path / "two.run.json").read_bytes()


def test_a_folder_without_attempts_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(RunFileError, match="directory"):
        load_run(tmp_path)
    assert executions_in(tmp_path) == []
    with pytest.raises(RunFileError, match="no recorded attempt"):
        stitched(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_nobody_waits_for_what_is_no_file(place: Path) -> None:
    """A stranger's folder may hold a pipe, which says nothing and never ends."""
    (place / "execution.json").unlink()
    os.mkfifo(place / "execution.json")
    os.mkfifo(place / "attempt-0003-aaaaaaaa.run.jsonl")
    assert [each.attempts for each in executions_in(place.parent)] == [2]
    assert len(stitched(place).extensions["hayhooks"]["attempts"]) == 2


def test_a_folder_of_too_many_executions_is_not_opened_at_once(tmp_path: Path) -> None:
    for number in range(101):
        killed_and_done_again(tmp_path / "each").rename(tmp_path / f"execution{number}")
    (tmp_path / "each").rmdir()
    with pytest.raises(RunFileError, match="101 executions"):
        load_runs(tmp_path)


def test_the_command_lists_what_it_could_put_together(
    place: Path, tmp_path: Path, capsys: Any
) -> None:
    assert main(["hayhooks", "stitch", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{EXECUTION}  bills  2 attempts\n"
    assert main(["hayhooks", "stitch", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == EXECUTION
    target = tmp_path / "run.json"
    given = ["hayhooks", "stitch", str(tmp_path), "--execution", "5f3c", "-o", str(target)]
    assert main(given) == 0
    assert "attempt 1: killed, on bench (process 1)" in capsys.readouterr().out
    assert load_run(target).verify().state == "ok"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["gone"], "There is no folder gone"),
        (["--execution", "zzz"], "no recorded execution of that id"),
    ],
)
def test_the_command_says_what_it_cannot_do(
    more: list[str], said: str, place: Path, tmp_path: Path, capsys: Any
) -> None:
    given = more if more[0] == "gone" else [str(tmp_path), *more]
    assert main(["hayhooks", "stitch", *given]) == 2
    assert said in capsys.readouterr().err
    assert main(["hayhooks", "stitch", str(place)]) == 2
    assert "-o" in capsys.readouterr().err
