"""What a killed window leaves in the temporary directory goes at a later start; nothing else."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from inspector.gui.tasks.own_folder import PREFIX, OwnFolder, sweep, sweep_beside
from inspector.gui.tasks.runner import TaskRunner

WINDOW = """
import sys
from inspector.gui.tasks.own_folder import OwnFolder
folder = OwnFolder()
(folder.path / "replay-1.run.json").write_text("{}")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a temporary directory of one's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def killed(place: Path, qtbot: QtBot) -> Path:
    """Return the folder of a process that was killed; while it lived, nobody took it."""
    with subprocess.Popen(
        [sys.executable, "-c", WINDOW],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(place), "TEMP": str(place)},
    ) as other:  # fmt: skip
        assert other.stdout is not None
        folder = Path(other.stdout.readline().strip())
        assert sweep() == []
        assert (folder / "replay-1.run.json").exists()
        other.kill()
    assert other.returncode == (1 if sys.platform == "win32" else -signal.SIGKILL)
    assert folder.exists()
    return folder


def test_the_folder_of_a_window_that_was_killed_is_taken_away(killed: Path) -> None:
    mine = OwnFolder()
    assert sweep() == [killed]
    assert not killed.exists()
    assert mine.path.exists(), "its window is open"
    mine.close()
    assert not mine.path.exists()


def test_it_is_taken_away_beside_the_window(killed: Path, qtbot: QtBot) -> None:
    tasks = TaskRunner()
    sweep_beside(tasks)
    qtbot.waitUntil(lambda: not tasks.busy)
    tasks.close()
    assert not killed.exists()


def test_what_is_not_known_to_be_left_stays(place: Path) -> None:
    without_lock = place / f"{PREFIX}a"
    without_lock.mkdir()
    (place / f"{PREFIX}b").write_text("a file")
    assert sweep() == []
    assert sorted(each.name for each in place.iterdir()) == [f"{PREFIX}a", f"{PREFIX}b"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")
def test_what_others_can_write_to_or_lead_to_stays(killed: Path, place: Path) -> None:
    elsewhere = place / "elsewhere"
    killed.rename(elsewhere)
    killed.symlink_to(elsewhere)
    assert sweep() == [], "a link"
    killed.unlink()
    elsewhere.rename(killed)
    killed.chmod(0o777)
    assert sweep() == [], "anybody may have put something there"
    killed.chmod(0o700)
    lock = next(killed.glob("*.lock"))
    lock.rename(place / "lock")
    lock.symlink_to(place / "lock")
    assert sweep() == [], "a lock that is a link"
    assert (killed / "replay-1.run.json").exists()
