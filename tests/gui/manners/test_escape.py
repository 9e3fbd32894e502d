"""Esc closes the innermost thing first, wherever the focus is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.difference_view import DifferenceView
from inspector.gui.widgets.origins_view import OriginsView
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.conftest import open_file, run_window, wait_until_quiet

EXAMPLE = Path(__file__).parents[3] / "resources" / "examples" / "agent-tools.run.json"
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def run(program: Program, qtbot: QtBot) -> OpenRun:
    return open_file(program, EXAMPLE, qtbot)


@pytest.fixture
def escape(program: Program, run: OpenRun, qtbot: QtBot) -> Callable[[], None]:
    """Return a function that presses Esc in the tree."""

    def pressed() -> None:
        tree = run_window(program).tree_pane.view
        tree.setFocus()
        QTest.keyClick(tree, Qt.Key.Key_Escape)
        wait_until_quiet(program, qtbot)

    return pressed


def is_seen(program: Program, kind: type[QWidget]) -> bool:
    return any(one.isVisible() for one in program.window.findChildren(kind))


def test_an_answer_the_search_and_the_range_go_one_after_the_other(
    program: Program, run: OpenRun, escape: Callable[[], None], qtbot: QtBot
) -> None:
    run.range.set(0, 3_000_000_000)
    run.range.commit()
    run.range.set(0, 2_000_000_000)
    run.search.open()
    run.selection.select("s8", "inputs.bed")
    wait_until_quiet(program, qtbot)
    run_window(program).span_pane.ask_where_from()
    wait_until_quiet(program, qtbot)
    assert is_seen(program, OriginsView)
    escape()
    assert not is_seen(program, OriginsView)
    assert run.search.is_open
    escape()
    assert not run.search.is_open
    assert run.range.bounds == (0, 2_000_000_000)
    escape()
    assert run.range.bounds == (0, 3_000_000_000)
    escape()
    assert run.range.bounds is None
    selected = run.selection.span_id
    escape()
    assert run.selection.span_id == selected


def test_the_changes_since_the_visit_before_go_first(
    program: Program, run: OpenRun, escape: Callable[[], None], qtbot: QtBot
) -> None:
    run.search.open()
    run.selection.select("s8")
    wait_until_quiet(program, qtbot)
    run_window(program).span_pane.toggle_difference()
    wait_until_quiet(program, qtbot)
    assert is_seen(program, DifferenceView)
    escape()
    assert not is_seen(program, DifferenceView)
    assert run.search.is_open
    escape()
    assert not run.search.is_open


def test_while_a_run_is_played_esc_only_stops_that(
    program: Program, run: OpenRun, escape: Callable[[], None]
) -> None:
    run.range.set(0, 3_000_000_000)
    program.content.action("play").trigger()
    assert run.playhead.moment is not None
    escape()
    assert run.playhead.moment is None
    assert run.range.bounds == (0, 3_000_000_000)
