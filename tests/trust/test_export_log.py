"""The log of exports holds what left, and shows when somebody has been at it."""

import json
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from inspector.errors import InspectorError
from inspector.redaction.run import redact_run
from inspector.redaction.settings import Redaction
from inspector.runfile.load import load_run
from inspector.trust.export_log import BEGINNING, log_place, note_export, read_log

SAMPLE = Path(__file__).parents[1] / "data" / "runs" / "sample-1.run.json"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    place = tmp_path / "state" / "exports.jsonl"
    run = load_run(SAMPLE)
    for number in range(3):
        data = f"page {number}".encode()
        assert note_export(run, "export html", {"a.html": data}, ["email"], place=place) == ""
    return place


def test_a_line_says_who_exported_what_as_what_and_what_was_taken_out(log: Path) -> None:
    checked = read_log(log)
    run = load_run(SAMPLE)
    first = checked.entries[0]
    assert checked.trouble == ""
    assert len(checked.entries) == 3
    assert "@" in first["who"]
    assert first["what"] == "export html"
    assert first["run"] == {
        "id": run.id, "name": "support", "started_at": run.started_at, "recorder": "0.1.0",
        "file": "sample-1.run.json", "digest": run.parts.digest, "redacted_by": None,
    }  # fmt: skip
    digest = sha256(b"page 0").hexdigest()
    assert first["files"] == [{"name": "a.html", "sha256": digest, "bytes": 6}]
    assert first["rules"] == ["email"]
    assert first["before"] == BEGINNING


def test_each_line_holds_the_digest_of_the_one_before(log: Path) -> None:
    lines = log.read_bytes().splitlines()
    for earlier, later in pairwise(lines):
        assert json.loads(later)["before"] == sha256(earlier).hexdigest()
    assert read_log(log).last == sha256(lines[-1]).hexdigest()


@pytest.mark.parametrize(
    ("harm", "line"),
    [
        (lambda lines: [lines[0].replace(b"email", b"other"), *lines[1:]], 2),
        (lambda lines: [lines[0], lines[2]], 2),
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[1], lines[0], lines[2]], 1),
        (lambda lines: [lines[0], lines[1], lines[1], lines[2]], 3),
        (lambda lines: [lines[0], b"hello", lines[2]], 2),
    ],
)
def test_whatever_is_done_to_a_line_is_found(log: Path, harm: object, line: int) -> None:
    lines = log.read_bytes().splitlines()
    log.write_bytes(b"".join(each + b"\n" for each in harm(lines)))  # type: ignore[operator]
    assert f"Line {line} " in read_log(log).trouble


def test_a_last_line_that_was_cut_off_is_found_also_after_the_next(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-20])
    assert "cut off" in read_log(log).trouble
    note_export(load_run(SAMPLE), "seal", {}, None, place=log)
    checked = read_log(log)
    assert "Line 3 is damaged" in checked.trouble
    assert checked.entries[-1]["what"] == "seal"


def test_a_line_longer_than_a_look_back_is_followed(log: Path) -> None:
    files = {f"{number}.json": b"" for number in range(2_000)}
    note_export(load_run(SAMPLE), "export", files, None, place=log)
    note_export(load_run(SAMPLE), "seal", {}, None, place=log)
    assert read_log(log).trouble == ""


def test_no_value_of_the_run_is_in_the_log(log: Path) -> None:
    text = log.read_text()
    assert "Paris" in SAMPLE.read_text()
    assert "Paris" not in text.replace("Europe/Paris", "")


def test_a_log_that_cannot_be_written_is_said_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    said = note_export(load_run(SAMPLE), "x", {}, None, place=tmp_path / "taken" / "log.jsonl")
    assert said.startswith("This is not in the log of exports")


def test_the_log_is_for_its_owner_only(log: Path) -> None:
    assert log.stat().st_mode & 0o077 == 0


def test_where_the_log_is_can_be_said_and_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(tmp_path / "x"))
    assert log_place() == tmp_path / "x"
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", "off")
    assert log_place() is None
    assert note_export(load_run(SAMPLE), "x", {}, None) == ""
    monkeypatch.delenv("RUN_INSPECTOR_EXPORT_LOG")
    place = log_place()
    assert place is not None
    assert place.name == "exports.jsonl"


def test_a_log_that_is_not_there_is_empty_and_a_folder_is_none(tmp_path: Path) -> None:
    assert read_log(tmp_path / "gone").entries == ()
    with pytest.raises(InspectorError, match="Cannot read"):
        read_log(tmp_path)


def test_a_run_that_was_redacted_earlier_is_told_from_one_that_was_not(tmp_path: Path) -> None:
    run, _report = redact_run(load_run(SAMPLE), Redaction(terms=("Paris",)))
    note_export(run, "seal", {}, None, place=tmp_path / "log")
    entry = read_log(tmp_path / "log").entries[0]
    assert entry["rules"] is None
    assert entry["run"]["redacted_by"] == ["term"]
