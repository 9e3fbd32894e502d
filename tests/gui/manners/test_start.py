"""A whole program, started as a person starts it."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.presentation.links import Link, link_text

# Ends by itself once a run is shown; says where it is looked at.
SCRIPT = """
import sys
from PySide6.QtCore import QTimer
from inspector.gui import app, app_program
furnish = app_program.furnish
def watch(*given, **named):
    program = furnish(*given, **named)
    def shown(run):
        QTimer.singleShot(0, program.window, lambda: leave(run))
    def leave(run):
        print(run.title, *run.selection.focus, flush=True)
        program.window.close()
    program.workspace.added.connect(shown)
    return program
app_program.furnish = watch
sys.exit(app.main(sys.argv[1:2], at=sys.argv[2] if len(sys.argv) > 2 else None,
                  field=sys.argv[3] if len(sys.argv) > 3 else None))
"""


@pytest.fixture
def home() -> Iterator[Path]:
    # Not tmp_path: the path of a socket may only be so long.
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def start(home: Path, *words: str) -> str:
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "c"),
        "XDG_DATA_HOME": str(home / "d"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_place_is_opened_from_the_command_line(home: Path, run_file: Path) -> None:
    said = start(home, str(run_file), "s6", "outputs.replies[0]")
    assert said == "looping.run.json s6 outputs.replies[0]"


def test_a_link_is_opened_from_the_command_line(home: Path, run_file: Path) -> None:
    said = start(home, link_text(Link(run_file, "s7", "inputs")))
    assert said == "looping.run.json s7 inputs"


def test_what_was_open_comes_back_when_started_without_files(home: Path, run_file: Path) -> None:
    start(home, str(run_file), "s6", "outputs")
    assert start(home) == "looping.run.json s6 outputs"


def test_notes_are_kept_in_the_state_folder(home: Path, run_file: Path) -> None:
    noting = SCRIPT.replace("print(", "run.notes.toggle_bookmark('s3'); print(")
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "c")}
    environment |= {"XDG_DATA_HOME": str(home / "d"), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run(
        [sys.executable, "-c", noting, str(run_file)], env=environment, check=True, timeout=120
    )
    (kept,) = (home / "d").rglob("notes/*.json")
    assert json.loads(kept.read_text())["spans"]["s3"]["bookmarked"] is True
