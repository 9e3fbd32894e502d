from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.range_trail import IdleOffer
from inspector.gui.widgets.timeline import Timeline
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.conftest import open_file, wait_until_quiet, write_run
from tests.gui.stepping.conftest import Press
from tests.helpers.drawn_runs import run_from_table
from tests.helpers.tables import table_from_outline

S = 1_000_000_000
LEFT = Qt.MouseButton.LeftButton
WAITED = """
pipeline 0-300
  agent:component 0-300
    agent 0-300
      step 0-300
        llm 0-4
        ask:hook 4-200
        search:tool 200-204
        llm 290-300
"""
ASK = {"operation": "haystack.agent.hook.human_in_the_loop.strategy"}


@pytest.fixture
def waited(program: Program, tmp_path: Path, qtbot: QtBot) -> OpenRun:
    """A run that waited for a person, and then again for nobody knows what."""
    run = run_from_table(table_from_outline(WAITED, unit_ns=S), fields={"ask": ASK})
    return open_file(program, write_run(run, tmp_path / "waited.run.json"), qtbot)


def timeline_of(program: Program) -> Timeline:
    found = program.window.findChild(Timeline)
    assert isinstance(found, Timeline)
    return found


def offer_of(program: Program) -> IdleOffer:
    found = program.window.findChild(IdleOffer)
    assert isinstance(found, IdleOffer)
    return found


def width_of(program: Program, open_run: OpenRun, name: str) -> float:
    table = open_run.run.table
    row = next(row for row in range(len(table)) if table.name(row) == name)
    return timeline_of(program).canvas.rect_of(row).width()


def press_offer(program: Program, qtbot: QtBot) -> None:
    button = offer_of(program).findChild(QToolButton)
    assert isinstance(button, QToolButton)
    QTest.mouseClick(button, LEFT)
    wait_until_quiet(program, qtbot)


def test_idle_time_is_offered_to_be_folded_and_not_folded_silently(
    program: Program, waited: OpenRun, qtbot: QtBot
) -> None:
    button = offer_of(program).findChild(QToolButton)
    assert isinstance(button, QToolButton)
    said = button.accessibleName().replace("\u2009", " ").replace("\u202f", " ")
    assert said == "Fold idle time: 4 min 42 s, 94 % idle"
    assert offer_of(program).isVisible()
    before = width_of(program, waited, "search")
    press_offer(program, qtbot)
    assert width_of(program, waited, "search") > 5 * before
    press_offer(program, qtbot)
    assert width_of(program, waited, "search") == pytest.approx(before)


def test_a_busy_run_is_offered_nothing(opened: Program) -> None:
    assert not offer_of(opened).isVisible()
    opened.content.action("fold-idle").trigger()
    assert timeline_of(opened).canvas.gap_at(300) is None


def test_a_band_says_what_was_waited_for_and_unfolds_when_it_is_pressed(
    program: Program, waited: OpenRun, press: Press, qtbot: QtBot
) -> None:
    press(Qt.Key.Key_I)
    canvas = timeline_of(program).canvas
    bands = {canvas.gap_at(x): x for x in range(0, canvas.width(), 4) if canvas.gap_at(x)}
    words = [gap.words.replace("\u202f", " ") for gap in bands if gap is not None]
    assert words == ["waited 3 min 16 s for approval", "1 min 26 s idle"]
    first = next(iter(bands))
    QTest.mouseClick(canvas, LEFT, pos=QPoint(bands[first], canvas.height() // 2))
    wait_until_quiet(program, qtbot)
    left = {canvas.gap_at(x) for x in range(0, canvas.width(), 4)} - {None}
    assert len(left) == 1
    assert first not in left


def test_a_range_is_the_same_part_of_the_run_folded_or_not(
    program: Program, waited: OpenRun, press: Press, qtbot: QtBot
) -> None:
    press(Qt.Key.Key_I)
    overview = timeline_of(program).overview
    left, right = 20, overview.width() - 20
    y = overview.height() // 2
    QTest.mousePress(overview, LEFT, pos=QPoint(left, y))
    QTest.mouseMove(overview, QPoint(right, y))
    QTest.mouseRelease(overview, LEFT, pos=QPoint(right, y))
    bounds = waited.range.bounds
    assert bounds is not None
    assert bounds[1] > 290 * S  # the end of the run, and not where it is drawn
    press(Qt.Key.Key_I)
    assert waited.range.bounds == bounds
    assert overview.bounds == bounds


def test_folding_keeps_the_zoomed_part_of_the_run_on_the_screen(
    program: Program, waited: OpenRun, press: Press, qtbot: QtBot
) -> None:
    timeline = timeline_of(program)
    view = timeline.canvas.view
    timeline.canvas.show_view(view.showing(201 * S, 203 * S))
    press(Qt.Key.Key_I)
    folded = timeline.canvas.view
    assert folded.length_ns == pytest.approx(2 * S)
    assert folded.start_ns < 100 * S
    press(Qt.Key.Key_I)
    assert timeline.canvas.view.start_ns == pytest.approx(201 * S)


def test_playing_passes_over_what_is_folded(
    program: Program, waited: OpenRun, press: Press, qtbot: QtBot
) -> None:
    assert not waited.folds
    press(Qt.Key.Key_I)
    assert sum(gap.length_ns for gap in waited.folds.gaps) == 282 * S
    press(Qt.Key.Key_I)
    assert not waited.folds
