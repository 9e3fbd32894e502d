"""What happens to a run when its file changes under it: never a crash, never another run."""

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from inspector.runfile.load import load_run
from inspector.runfile.source import held
from tests.runfile.files import SAMPLE

TEXT = SAMPLE.read_bytes()


def test_a_file_that_becomes_shorter_while_open_is_said_and_kills_nobody(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    path.write_bytes(TEXT[:500])
    assert run.span("s2").inputs is None
    assert run.span("s2").problems == ("a.run.json became shorter while it was open.",)
    assert "became shorter" in run.problems[-1].message


def test_a_file_that_is_written_over_while_open_is_not_passed_off_as_the_run(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    with path.open("r+b") as file:
        file.seek(len(TEXT) - 20)
        file.write(b"0123456789")
    os.utime(path, ns=(1, 1))
    assert run.span("s2").inputs is None
    assert "was changed by another program" in run.span("s2").problems[0]


def test_a_run_whose_file_is_gone_answers_every_question(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    digest = next(run.values.digests())
    path.write_bytes(b"gone")
    assert run.at("agent#1") is None
    assert run.usage == {"calls": 2, "unknown_calls": 2}
    assert len(run.timeline) == 9
    for each in run.spans:
        assert each.inputs is None
        assert dict(each.raw) == {}
    assert run.values.get(digest)["why"] == "a.run.json became shorter while it was open."


def test_a_file_that_is_held_gives_what_it_said_until_the_last_lets_go(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    with held(run.parts.source):
        with held(run.parts.source):
            path.write_bytes(b"gone")
        assert run.span("s2").inputs == {"query": "who lives in Paris?", "top_k": 2}
    assert run.span("s3").problems == ("a.run.json became shorter while it was open.",)


def test_a_file_that_changed_before_it_is_held_is_not_passed_off_as_the_run(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    path.write_bytes(TEXT[:500])
    with held(run.parts.source):
        assert run.span("s2").inputs is None
    assert "became shorter" in run.problems[-1].message


def test_a_file_that_is_only_touched_stays_readable(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    os.utime(path, ns=(1, 1))
    assert run.span("s2").inputs == {"query": "who lives in Paris?", "top_k": 2}


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let go of open files")
def test_a_file_that_is_deleted_or_replaced_while_open_stays_readable(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    run = load_run(path)
    other = tmp_path / "b"
    other.write_bytes(b"something else")
    other.replace(path)
    assert run.span("s2").inputs["top_k"] == 2
    path.unlink()
    assert run.span("s3").inputs["question"].startswith("What is the weather")
    assert run.problems == ()


def test_a_run_does_not_keep_its_file_open_for_ever(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    before = open_files()
    run = load_run(path)
    assert open_files() > before or sys.platform != "linux"
    del run
    assert open_files() == before


def open_files():
    if sys.platform != "linux":
        return 0
    count = 0
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            count += path.is_file()
    return count


def test_a_file_knows_whether_a_path_still_leads_to_it(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(TEXT)
    source = load_run(path).parts.source
    assert source.is_at(path)
    os.utime(path, ns=(1, 1))
    assert source.is_at(path), "only touched"
    path.replace(tmp_path / "b.run.json")
    assert source.is_at(tmp_path / "b.run.json")
    assert not source.is_at(path)
    path.write_bytes(TEXT)
    assert not source.is_at(path), "another file with the same in it"
    (tmp_path / "b.run.json").write_bytes(TEXT[:500])
    assert not source.is_at(tmp_path / "b.run.json")
