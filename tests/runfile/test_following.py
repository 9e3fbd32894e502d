"""A run that is being recorded can be watched from its first line to its finished file."""

import os

import pytest

from inspector.errors import RunFileError
from inspector.runfile.load import follow_run
from inspector.runfile.model import RunStatus
from tests.runfile.files import journal, run_file, span
from tests.runfile.test_journals import BIG, RECORDS, chunk, end, start, value

pytestmark = pytest.mark.skipif(os.name == "nt", reason="journals cannot be replaced while open")


@pytest.fixture
def writer(tmp_path):
    """A journal with a writer: append with `.write`, and `.close` it to let go."""
    import fcntl

    file = (tmp_path / "a.run.jsonl").open("ab", buffering=0)
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(journal())
    yield file
    file.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.run.jsonl"


def lines(*records):
    return journal(*records).split(b"\n", 1)[1]


def test_what_is_added_is_seen_and_what_was_handed_out_stays_as_it_was(writer, path):
    follower = follow_run(path)
    before = follower.refresh()
    assert (len(before.spans), before.status) == (0, RunStatus.RUNNING)
    writer.write(lines(start(1), value(BIG), start(2, 1, inputs={"q": 1}), chunk(2, 21, "a")))
    middle = follower.refresh()
    writer.write(lines(chunk(2, 22, "b"), end(2, outputs={"r": 2})))
    after = follower.refresh()
    assert [len(run.spans) for run in (before, middle, after)] == [0, 2, 2]
    assert (middle.span("s2").end_ns, after.span("s2").end_ns) == (None, 30)
    assert (middle.span("s2").outputs, after.span("s2").outputs) == (None, {"r": 2})
    assert [len(run.span("s2").chunks) for run in (middle, after)] == [1, 2]
    assert middle.span("s2") == after.span("s2")
    assert not follower.finished


def test_nothing_new_is_the_same_object(writer, path):
    follower = follow_run(path)
    writer.write(lines(start(1)))
    run = follower.refresh()
    assert follower.refresh() is run
    assert follower.run is run


def test_half_a_line_waits_for_its_other_half(writer, path):
    follower = follow_run(path)
    line = lines(start(1))
    writer.write(line[:40])
    assert len(follower.refresh().spans) == 0
    assert follower.refresh().problems == ()
    writer.write(line[40:])
    assert len(follower.refresh().spans) == 1


def test_the_finished_file_takes_the_place_of_the_journal(writer, path, tmp_path):
    follower = follow_run(path)
    writer.write(lines(start(1)))
    follower.refresh()
    finished = tmp_path / "a.run.json"
    finished.write_bytes(run_file([span(1), span(2, 1)]))
    assert not follower.finished
    path.unlink()
    run = follower.refresh()
    assert (len(run.spans), run.status) == (2, RunStatus.COMPLETED)
    assert run.origin == finished
    assert follower.finished
    assert follower.refresh() is run


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_the_finished_file_may_be_compressed(writer, path, tmp_path, suffix):
    from inspector.runfile.load import load_run

    follower = follow_run(path)
    load_run(run_file([span(1)])).save(tmp_path / f"a.run.json{suffix}")
    path.unlink()
    assert len(follower.refresh().spans) == 1
    assert follower.finished


def test_a_file_that_is_followed_by_its_later_name_is_found_as_a_journal(writer, tmp_path):
    writer.write(lines(start(1)))
    follower = follow_run(tmp_path / "a.run.json")
    assert follower.refresh().status is RunStatus.RUNNING
    assert len(follower.run.spans) == 1


def test_a_journal_whose_writer_dies_becomes_incomplete(writer, path):
    writer.write(lines(start(1)))
    follower = follow_run(path)
    assert follower.run.status is RunStatus.RUNNING
    writer.close()
    assert follower.refresh().status is RunStatus.INCOMPLETE
    assert follower.finished


def test_a_finish_record_ends_it(writer, path):
    follower = follow_run(path)
    writer.write(lines(*RECORDS))
    assert follower.refresh().status is RunStatus.COMPLETED
    assert follower.finished


def test_a_journal_that_vanishes_leaves_what_was_read(writer, path):
    writer.write(lines(start(1, inputs={"q": 1})))
    follower = follow_run(path)
    path.unlink()
    run = follower.refresh()
    assert run.span("s1").inputs == {"q": 1}
    assert follower.finished


def test_a_new_recording_under_the_same_name_is_read_from_its_beginning(writer, path, tmp_path):
    writer.write(lines(start(1), start(2, 1)))
    follower = follow_run(path)
    other = tmp_path / "b"
    other.write_bytes(journal(start(1, name="another")))
    other.replace(path)
    assert [each.name for each in follower.refresh().spans] == ["another"]


def test_a_journal_that_is_cut_short_is_read_from_its_beginning(writer, path):
    writer.write(lines(start(1), start(2, 1)))
    follower = follow_run(path)
    text = journal(start(1, name="another"))
    path.write_bytes(text)
    assert [each.name for each in follower.refresh().spans] == ["another"]


def test_a_finished_file_is_read_again_when_it_is_replaced(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(run_file([span(1)]))
    follower = follow_run(path)
    assert follower.finished
    run = follower.refresh()
    assert follower.refresh() is run
    other = tmp_path / "b"
    other.write_bytes(run_file([span(1), span(2, 1)]))
    other.replace(path)
    assert len(follower.refresh().spans) == 2


def test_a_finished_file_that_vanishes_or_breaks_leaves_what_was_read(tmp_path):
    path = tmp_path / "a.run.json"
    path.write_bytes(run_file([span(1)]))
    follower = follow_run(path)
    path.unlink()
    assert len(follower.refresh().spans) == 1


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(RunFileError, match="there is no such file"):
        follow_run(tmp_path / "gone.run.jsonl")


def test_looking_costs_what_was_added_and_not_what_was_there(writer, path):
    follower = follow_run(path)
    text = b"".join(lines(start(n, inputs={"text": "y" * 100})) for n in range(1, 3000))
    writer.write(text)
    follower.refresh()
    # What was read already is not looked at again: spoil it, and nobody notices.
    with path.open("r+b") as file:
        file.seek(len(journal()))
        file.write(b"#" * 1000)
    writer.write(lines(start(3000)))
    assert len(follower.refresh().spans) == 3000
