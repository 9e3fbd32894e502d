"""What tests of the window share."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("PySide6", reason="there is no window without PySide6")

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.panes.run_window import RunWindow
from inspector.gui.settings import Memory, SettingsStore
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline

# What is waited for comes, or the test fails; a busy machine alone is no failure.
_PATIENCE_MS = 30_000
for _wait in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitSignals, QtBot.waitExposed):
    _wait.__kwdefaults__["timeout"] = _PATIENCE_MS

LOOPING = """
pipeline 0-100
  prompt_builder 0-2
  agent:component 10-90
    agent 11-89
      step 12-50
        llm 12-40
        search:tool 40-50 failed
      step 50-88
        llm 50-70
        search:tool 70-88
  prompt_builder 92-95
"""


@pytest.fixture
def looping_run() -> PipelineRun:
    """Return an agent that calls a tool, which fails, and calls it again."""
    return run_from_outline(
        LOOPING,
        fields={
            "llm": {"usage": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}},
            "search": {"error": {"type": "builtins.TimeoutError", "message": "no answer"}},
        },
    )


@pytest.fixture
def open_run(looping_run: PipelineRun, qapp: QApplication) -> Iterator[OpenRun]:
    """Yield that run, open."""
    opened = OpenRun(looping_run, title="looping.run.json")
    yield opened
    opened.close()


@pytest.fixture
def run_file(looping_run: PipelineRun, tmp_path: Path) -> Path:
    """Return that run in a file."""
    return write_run(looping_run, tmp_path / "looping.run.json")


@pytest.fixture
def disk(tmp_path: Path) -> QSettings:
    """Return an empty place for settings."""
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def settings(disk: QSettings) -> SettingsStore:
    return SettingsStore(disk)


@pytest.fixture
def memory(disk: QSettings) -> Memory:
    return Memory(disk)


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    runner = TaskRunner()
    yield runner
    runner.close()


@pytest.fixture
def program(qapp: QApplication, disk: QSettings, qtbot: QtBot) -> Iterator[Program]:
    """Yield the whole program, its window shown."""
    made = build(qapp, disk)
    qtbot.addWidget(made.window)
    made.window.show()
    qtbot.waitExposed(made.window)
    yield made
    made.close()


@pytest.fixture
def opened(program: Program, run_file: Path, qtbot: QtBot) -> Program:
    """Return the program with the looping run open."""
    open_file(program, run_file, qtbot)
    return program


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[Program], None]:
    """Return a function that waits for the background."""
    return lambda program: wait_until_quiet(program, qtbot)


def write_run(run: PipelineRun, path: Path) -> Path:
    """Write a drawn run as a file, one record a line."""
    spans = ",\n".join(json.dumps(span.raw) for span in run.spans)
    head = f'{{"format":"haystack-run","version":1,"run":{json.dumps(run.header)},\n"spans":[\n'
    path.write_text(f'{head}{spans}\n],\n"values":{{\n}}}}\n', encoding="utf-8")
    return path


def open_file(program: Program, path: Path, qtbot: QtBot, at: str | None = None) -> OpenRun:
    """Open a file and wait for its run."""
    with qtbot.waitSignal(program.workspace.added) as caught:
        program.opener.open([path], at=at)
    wait_until_quiet(program, qtbot)
    return caught.args[0]


def wait_until_quiet(program: Program, qtbot: QtBot) -> None:
    """Wait until nothing runs beside the window."""
    qtbot.waitUntil(
        lambda: (
            not program.tasks.busy
            and not any(one.tasks.busy for one in program.workspace.open_runs)
            and ((shown := program.content.tabs.current_window) is None or shown.is_whole)
        )
    )


def opened_run(program: Program) -> PipelineRun:
    """Return the run that is seen."""
    assert program.workspace.current is not None
    return program.workspace.current.run


def run_window(program: Program) -> RunWindow:
    """Return the window of the run that is seen."""
    window = program.content.tabs.current_window
    assert window is not None
    return window
