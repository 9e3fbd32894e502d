"""A disk that fails costs the host nothing and the run as little as can be."""

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inspector.errors import RunFileError
from inspector.runfile import completion
from inspector.runfile.interned import Interned
from inspector.runfile.journal import RunWriter
from inspector.runfile.load import load_run
from tests.writing.writing import TIMEOUT_S, a_run, eventually, header, span

LONG = "The vents opened at noon. " * 20


@pytest.fixture(autouse=True)
def nothing_was_said_before():
    completion._SAID.clear()


def a_slow_run(target: Path, trouble: Any) -> RunWriter:
    """Begin a run, let `trouble` happen once it has a journal, and finish it."""
    writer = RunWriter(header(), target=target)
    writer.start(span(1, inputs={"text": Interned(LONG)}))
    assert eventually(lambda: any(target.parent.glob("*.run.jsonl")))
    trouble()
    for number in range(2, 6):
        writer.start(span(number, "s1", inputs={"text": Interned(f"{number} {LONG}")}))
        writer.end(f"s{number}", number * 1_000, "ok", {})
    writer.end("s1", 9_000, "ok", {})
    writer.finish({"status": "completed"})
    assert writer.wait(TIMEOUT_S)
    return writer


def is_whole(writer: RunWriter) -> bool:
    run = writer.load()
    texts = [one.inputs["text"] for one in run.spans]
    return str(run.status) == "completed" and texts == [
        LONG, *(f"{number} {LONG}" for number in range(2, 6)),
    ]  # fmt: skip


@pytest.fixture
def disk(monkeypatch):
    """Return a function after which the system refuses files with certain suffixes."""

    def refuse(call: str, error: int, *suffixes: str) -> None:
        real = getattr(os, call)

        def failing(descriptor: int, *arguments: Any) -> Any:
            if str(Path(f"/proc/self/fd/{descriptor}").readlink()).endswith(suffixes):
                raise OSError(error, os.strerror(error))
            return real(descriptor, *arguments)

        monkeypatch.setattr(os, call, failing)

    return refuse


def test_a_folder_that_cannot_be_made_leaves_the_run_in_memory(tmp_path, caplog):
    (tmp_path / "file").write_text("not a folder")
    with caplog.at_level(logging.WARNING, "inspector.recording"):
        with a_run(target=tmp_path / "file" / "a.run.json") as writer:
            writer.start(span())
        with a_run(target=tmp_path / "file" / "b.run.json"):
            pass
    assert writer.path is None
    assert len(writer.load().spans) == 1
    (said,) = caplog.messages
    assert str(tmp_path / "file") in said
    assert "could not be saved" in said


def test_a_folder_that_vanishes_is_made_again(tmp_path):
    folder = tmp_path / "runs"
    writer = a_slow_run(folder / "a.run.json", lambda: shutil.rmtree(folder))
    assert writer.path == folder / "a.run.json"
    assert is_whole(writer)


def test_a_full_disk_under_the_journal_keeps_the_rest_in_memory(tmp_path, disk, caplog):
    writer = a_slow_run(tmp_path / "a.run.json", lambda: disk("write", errno.ENOSPC, ".run.jsonl"))
    assert writer.path == tmp_path / "a.run.json"
    assert is_whole(writer)
    assert writer.load().not_recorded[0]["what"] == "journal"
    assert "No space left" in writer.load().not_recorded[0]["why"]
    assert [path.name for path in tmp_path.iterdir()] == ["a.run.json"]
    assert "has no journal any more" in caplog.text


def test_a_full_disk_at_the_end_leaves_the_journal_which_holds_the_whole_run(
    tmp_path, disk, caplog
):
    writer = a_slow_run(tmp_path / "a.run.json", lambda: disk("write", errno.ENOSPC, ".tmp"))
    assert writer.path == tmp_path / "a.run.jsonl"
    assert is_whole(writer)
    assert [path.name for path in tmp_path.iterdir()] == ["a.run.jsonl"]
    assert "No space left" in caplog.text


def test_a_disk_that_is_full_for_everything_leaves_the_run_in_memory(tmp_path, disk):
    writer = a_slow_run(
        tmp_path / "a.run.json", lambda: disk("write", errno.ENOSPC, ".run.jsonl", ".tmp")
    )
    assert writer.path is None
    assert is_whole(writer)
    assert not (tmp_path / "a.run.json").exists()
    assert str(load_run(tmp_path / "a.run.jsonl").status) == "incomplete"


def test_a_disk_that_does_not_give_the_journal_back_leaves_it_for_later(
    tmp_path, disk, monkeypatch
):
    writer = a_slow_run(tmp_path / "a.run.json", lambda: disk("pread", errno.EIO, ".run.jsonl"))
    monkeypatch.undo()
    assert writer.path == tmp_path / "a.run.jsonl"
    assert is_whole(writer)
    assert not (tmp_path / "a.run.json").exists()


def test_a_folder_without_permission_is_said_once_and_changes_nothing(tmp_path):
    script = """
import logging, os, sys
logging.basicConfig(format="%(message)s")
from tests.writing.writing import a_run, span
with a_run() as writer:
    writer.start(span())
writer.load().spans[0].inputs  # imports everything, while that is allowed
if os.getuid() == 0:  # who may do everything
    os.setuid(65534)
for name in ("a", "b"):
    with a_run(target=f"{sys.argv[1]}/{name}.run.json") as writer:
        writer.start(span())
    assert writer.path is None and len(writer.load().spans) == 1
"""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    tmp_path.chmod(0o755)
    for parent in list(tmp_path.parents)[:2]:
        parent.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", script, str(closed)], capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Permission denied") == 1
    assert list(closed.iterdir()) == []


def test_a_file_size_limit_of_the_system_is_survived(tmp_path):
    script = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from inspector.runfile.interned import Interned
from tests.writing.writing import a_run, span
import random
with a_run(target=sys.argv[1]) as writer:
    for number in range(1, 60):
        noise = "".join(random.choices("abcdefgh", k=1_000))
        writer.start(span(number, inputs={"text": Interned(noise)}))
assert writer.path is None
assert len(writer.load().spans) == 59
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a.run.json")], capture_output=True,
        text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "could not be saved" in done.stderr
    assert not (tmp_path / "a.run.json").exists()
    assert not list(tmp_path.glob("*.tmp"))


def test_a_file_that_was_there_stays_as_it_was_until_the_new_one_is_whole(
    tmp_path, disk, monkeypatch
):
    target = tmp_path / "a.run.json"
    with a_run(target=target) as writer:
        writer.start(span(name="first"))
    target.chmod(0o640)
    before = target.read_bytes()
    disk("write", errno.ENOSPC, ".tmp")
    with a_run(target=target):
        pass
    monkeypatch.undo()
    assert target.read_bytes() == before
    with a_run(target=target) as writer:
        writer.start(span(name="second"))
    assert json.loads(target.read_text())["spans"][0]["name"] == "second"
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.run.json"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.run.json").symlink_to(tmp_path / "real" / "a.run.json")
    with a_run(target=tmp_path / "link.run.json") as writer:
        writer.start(span())
    assert (tmp_path / "link.run.json").is_symlink()
    assert load_run(tmp_path / "real" / "a.run.json").id == writer.load().id


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
def test_what_is_no_ordinary_file_is_not_replaced(tmp_path):
    """Root could put a file in the place of a device, such as /dev/null."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    with a_run() as writer:
        writer.start(span())
    run = writer.load()
    for path in (pipe, tmp_path / "link"):
        with pytest.raises(RunFileError, match="It is not an ordinary file"):
            run.save(path)
    assert pipe.is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]
