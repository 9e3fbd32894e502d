"""A folder of recordings stays within its limits, and nothing else in it is touched."""

import fcntl
import gzip
import os
from pathlib import Path

import pytest

from inspector.recording.limits import DirectoryLimits
from inspector.runfile.journal import RunWriter
from tests.writing.writing import TIMEOUT_S, a_run, eventually, header, span


def a_file(folder: Path, name: str, *, age_s: float, padding: int = 0) -> Path:
    """Record a small run as it would be if it were that old."""
    path = folder / name
    with a_run(target=path) as writer:
        writer.start(span(pad="x" * padding))
    os.utime(path, (path.stat().st_atime, path.stat().st_mtime - age_s))
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_oldest_runs_go_when_there_are_too_many(tmp_path):
    for number in range(6):
        a_file(tmp_path, f"{number}.run.json{'.gz' if number % 2 else ''}", age_s=600 - number)
    removed = DirectoryLimits(max_files=2).enforce(tmp_path)
    assert [path.name for path in removed] == [
        "0.run.json", "1.run.json.gz", "2.run.json", "3.run.json.gz",
    ]  # fmt: skip
    assert names(tmp_path) == ["4.run.json", "5.run.json.gz"]


def test_runs_beyond_an_age_go(tmp_path):
    a_file(tmp_path, "old.run.json.zst", age_s=7_200)
    a_file(tmp_path, "new.run.json", age_s=10)
    DirectoryLimits(max_age_s=3_600).enforce(tmp_path)
    assert names(tmp_path) == ["new.run.json"]


def test_the_oldest_runs_go_when_they_are_too_large_together(tmp_path):
    for number in range(4):
        a_file(tmp_path, f"{number}.run.json", age_s=600 - number, padding=10_000)
    DirectoryLimits(max_bytes=25_000).enforce(tmp_path)
    assert names(tmp_path) == ["2.run.json", "3.run.json"]


def test_without_limits_nothing_goes(tmp_path):
    path = a_file(tmp_path, "a.run.json", age_s=10**6)
    limits = DirectoryLimits()
    limits.saved(path)
    assert limits.enforce(tmp_path) == ()


def test_foreign_files_are_never_touched_and_take_nobodys_place(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "foreign.run.json").write_text('{"format":"something else"}')
    (tmp_path / "broken.run.json.gz").write_bytes(b"\x1f\x8b broken")
    (tmp_path / "also.run.json.gz").write_bytes(gzip.compress(b'{"other": 1}'))
    (tmp_path / "link.run.json").symlink_to(tmp_path / "notes.txt")
    (tmp_path / "sub.run.json").mkdir()
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0), follow_symlinks=False)
    kept = {a_file(tmp_path, f"{number}.run.json", age_s=60).name for number in range(3)}
    DirectoryLimits(max_files=3, max_age_s=3_600).enforce(tmp_path)
    assert set(names(tmp_path)) == kept | {
        "notes.txt", "foreign.run.json", "broken.run.json.gz", "also.run.json.gz",
        "link.run.json", "sub.run.json",
    }  # fmt: skip


def test_a_journal_that_is_being_written_stays_and_an_abandoned_one_goes(tmp_path):
    writer = RunWriter(header(), target=tmp_path / "live.run.json")
    writer.start(span())
    assert eventually(lambda: any(tmp_path.glob("live*.run.jsonl")))
    (live,) = tmp_path.glob("live*.run.jsonl")
    (tmp_path / "dead.run.jsonl").write_bytes(live.read_bytes())
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    DirectoryLimits(max_age_s=3_600).enforce(tmp_path)
    assert names(tmp_path) == ["live.run.jsonl"]
    writer.finish({"status": "completed"})
    assert writer.wait(TIMEOUT_S)
    assert names(tmp_path) == ["live.run.json"]


def test_what_a_killed_writer_left_half_done_is_cleared_away(tmp_path):
    old = tmp_path / ".a.run.json.0123456789ab.tmp"
    new = tmp_path / ".b.run.json.gz.0123456789ab.tmp"
    other = tmp_path / ".c.tmp"
    for path in (old, new, other):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    DirectoryLimits(max_files=5).enforce(tmp_path)
    assert names(tmp_path) == [".b.run.json.gz.0123456789ab.tmp", ".c.tmp"]


def test_a_recorder_keeps_its_folder_within_the_limits_by_itself(tmp_path):
    limits = DirectoryLimits(max_files=3)
    for number in range(8):
        with a_run(target=tmp_path / f"{number}.run.json", saved=limits.saved) as writer:
            writer.start(span())
        os.utime(writer.path, (1_000_000 + number,) * 2)
    assert names(tmp_path) == ["5.run.json", "6.run.json", "7.run.json"]


def test_a_file_that_cannot_be_removed_is_logged_and_left(tmp_path, caplog, monkeypatch):
    path = a_file(tmp_path, "a.run.json", age_s=7_200)

    def refuse(_self: Path, **_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert DirectoryLimits(max_age_s=60).enforce(tmp_path) == ()
    monkeypatch.undo()
    assert path.exists()
    assert "Operation not permitted" in caplog.text


def test_the_lock_of_a_journal_ends_with_its_writer(tmp_path):
    writer = RunWriter(header(), target=tmp_path / "a.run.json")
    writer.start(span())
    assert eventually(lambda: any(tmp_path.glob("*.run.jsonl")))
    (journal,) = tmp_path.glob("*.run.jsonl")
    with journal.open("rb") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    writer.finish({"status": "completed"})
    assert writer.wait(TIMEOUT_S)
