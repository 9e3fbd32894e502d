"""What is said where there is nothing to step to."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.widgets.visits_bar import VisitsBar
from tests.gui.conftest import open_file, run_window, write_run
from tests.helpers.drawn_runs import run_from_outline

SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def quiet(program: Program, tmp_path: Path, qtbot: QtBot) -> Program:
    """Return the program with a run in which nothing was called and nothing failed."""
    run = run_from_outline("pipeline 0-9\n  a 0-4\n  b 4-8")
    open_file(program, write_run(run, tmp_path / "quiet.run.json"), qtbot)
    return program


def said_after(program: Program, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> str:
    QTest.keyClick(program.window, key, held)
    line = run_window(program).findChild(StatusLine)
    assert isinstance(line, StatusLine)
    return line.words.text()


@pytest.mark.parametrize("held", [NONE, SHIFT], ids=["forward", "backward"])
@pytest.mark.parametrize(
    ("key", "words"),
    [
        (Qt.Key.Key_E, "Nothing failed in this run"),
        (Qt.Key.Key_T, "There is no tool call in this run"),
        (Qt.Key.Key_M, "There is no LLM call in this run"),
    ],
)
def test_where_there_is_none_at_all_that_is_said(
    quiet: Program, key: Qt.Key, words: str, held: Qt.KeyboardModifier
) -> None:
    assert said_after(quiet, key, held) == words


def test_where_there_was_one_there_is_no_further(opened: Program) -> None:
    said_after(opened, Qt.Key.Key_G, SHIFT)
    assert said_after(opened, Qt.Key.Key_E) == "No further failure"
    assert said_after(opened, Qt.Key.Key_T) == "No further tool call"


def test_a_range_without_any_is_said_as_a_range(opened: Program) -> None:
    open_run = opened.workspace.current
    assert open_run is not None
    open_run.range.set(91_000_000, 99_000_000)
    assert said_after(opened, Qt.Key.Key_E) == "Nothing failed in this range"


def test_without_a_span_there_is_no_bar_of_visits(opened: Program) -> None:
    bar = run_window(opened).findChild(VisitsBar)
    assert isinstance(bar, VisitsBar)
    assert bar.isVisible()
    open_run = opened.workspace.current
    assert open_run is not None
    open_run.selection.select(None)
    assert (bar.words, bar.isVisible()) == ("", False)
    open_run.selection.select("s2")
    assert bar.isVisible()
