"""The program as it is started: in a process of its own, without a display."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.single_instance import may_be_running, server_name

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="where settings and sockets are kept is known for Linux here"
)

QUITS = """
import sys
from PySide6.QtCore import QTimer
from inspector.gui import app
from inspector.gui.main_window import MainWindow
def quit_when_furnished(window):
    if window.menuBar().actions():
        window.close()
    else:
        QTimer.singleShot(20, lambda: quit_when_furnished(window))
shown = MainWindow.show
def show(self):
    shown(self)
    quit_when_furnished(self)
MainWindow.show = show
sys.exit(app.main(sys.argv[1:]))
"""
STAYS = "import sys; from inspector.gui import app; sys.exit(app.main(sys.argv[1:]))"

COMPARES = """
import sys
from PySide6.QtCore import QTimer
from inspector.gui import app
from inspector.gui.main_window import MainWindow
def tell(window):
    from inspector.gui.widgets.comparison_band import ComparisonBand
    bands = window.findChildren(ComparisonBand)
    if bands and "Nothing but noise differs." == bands[0].sentence:
        print("compared", file=sys.stderr)
        window.close()
    else:
        QTimer.singleShot(20, lambda: tell(window))
shown = MainWindow.show
def show(self):
    shown(self)
    tell(self)
MainWindow.show = show
sys.exit(app.main(sys.argv[1:], compare=True))
"""


@pytest.fixture
def home() -> Iterator[Path]:
    # Not tmp_path: the path of a socket may only be so long.
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def launch(script: str, home: Path, *files: Path) -> "subprocess.Popen[str]":
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "c"),
        "XDG_DATA_HOME": str(home / "d"),
        "QT_QPA_PLATFORM": "offscreen",
    }
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, files)],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_window_that_is_closed_ends_well_and_is_remembered(home: Path, run_file: Path) -> None:
    program = launch(QUITS, home, run_file)
    _out, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    assert "Traceback" not in errors
    assert "geometry" in (home / "c/run-inspector/run-inspector.ini").read_text()


def test_two_files_are_compared_when_asked_to(home: Path, run_file: Path) -> None:
    program = launch(COMPARES, home, run_file, run_file)
    _out, errors = program.communicate(timeout=60)
    assert program.returncode == 0, errors
    assert "compared" in errors
    assert "Traceback" not in errors


def test_a_second_launch_leaves_its_file_to_the_window_that_is_there(
    home: Path, run_file: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    name = server_name(home / "d/run-inspector/run-inspector")
    first = launch(STAYS, home, run_file)
    try:
        qtbot.waitUntil(lambda: may_be_running(name), timeout=60_000)
        second = launch(STAYS, home, run_file)
        _out, errors = second.communicate(timeout=60)
        assert second.returncode == 0, errors
        assert first.poll() is None
    finally:
        first.kill()
        first.communicate()


def test_a_second_launch_says_that_its_file_is_missing_and_the_window_is_not_troubled(
    home: Path, run_file: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    name = server_name(home / "d/run-inspector/run-inspector")
    command = "import sys; from inspector.cli.main import main; sys.exit(main(sys.argv[1:]))"
    first = launch(STAYS, home, run_file)
    try:
        qtbot.waitUntil(lambda: may_be_running(name), timeout=60_000)
        second = launch(command, home, run_file, run_file.parent / "missing.json")
        _out, errors = second.communicate(timeout=60)
        assert second.returncode == 2
        assert "Cannot open missing.json: there is no such file." in errors
        assert "Traceback" not in errors
        assert first.poll() is None
    finally:
        first.kill()
        first.communicate()


def test_a_second_launch_has_two_files_compared_in_the_window_that_is_there(
    home: Path, run_file: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    name = server_name(home / "d/run-inspector/run-inspector")
    # The first window ends by itself, once it shows a comparison that it was handed.
    first = launch(COMPARES.replace(", compare=True", ""), home, run_file)
    try:
        qtbot.waitUntil(lambda: may_be_running(name), timeout=60_000)
        comparing = STAYS.replace("argv[1:])", "argv[1:], compare=True)")
        second = launch(comparing, home, run_file, run_file)
        _out, errors = second.communicate(timeout=60)
        assert second.returncode == 0, errors
        _out, errors = first.communicate(timeout=60)
        assert "compared" in errors
    finally:
        first.kill()
        first.communicate()
