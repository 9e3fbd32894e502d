"""The window is started from a terminal: with several files, and with what is piped into it."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

# Says what is open once everything is that was asked for, and ends.
SCRIPT = """
import sys
from PySide6.QtCore import QTimer
from inspector.gui import app_program
furnish = app_program.furnish
def watch(*given, **named):
    program = furnish(*given, **named)
    def look():
        runs = program.workspace.open_runs
        if len(runs) == int(sys.argv[1]) and program.window.isVisible():
            for run in runs:
                print(run.title, run.selection.span_id, len(run.run.spans))
            program.window.close()
    program.workspace.added.connect(lambda run: QTimer.singleShot(0, program.window, look))
    return program
app_program.furnish = watch
from inspector.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture
def home() -> Iterator[Path]:
    # Not tmp_path: the path of a socket may only be so long.
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def start(home: Path, runs: int, *words: str, piped: bytes = b"") -> list[str]:
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "c"),
        "XDG_DATA_HOME": str(home / "d"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(runs), *words],
        env=environment, input=piped, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return sorted(done.stdout.decode().splitlines())


def test_two_files_open_in_two_tabs_and_the_place_is_of_the_first(
    home: Path, run_file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    first, second = start(home, 2, str(run_file), str(other), "--at", "s7")
    assert first == "looping.run.json s7 11"
    assert second.startswith("other.run.json s")
    assert not second.startswith("other.run.json s7")


def test_what_is_piped_in_is_opened(home: Path, run_file: Path) -> None:
    (said,) = start(home, 1, "-", piped=run_file.read_bytes())
    assert said.startswith("standard input s")
    assert said.endswith(" 11")
