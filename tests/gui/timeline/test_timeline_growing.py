import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QScrollBar
from pytestqt.qtbot import QtBot

from inspector.presentation.words import plural
from tests.gui.timeline.conftest import AGENT, Show, shown
from tests.helpers.drawn_runs import run_from_outline, run_from_table
from tests.helpers.synthetic_tables import synthetic_table

EARLY = """
pipeline 0-
  retriever 10-60
  agent 100-
    step 100-
      llm 100-300
"""


def test_a_growing_run_keeps_zoom_and_selection(show: Show) -> None:
    pane = show(run_from_outline(EARLY))
    open_run = pane.open_run
    canvas = pane.timeline.canvas
    open_run.selection.select("s5")
    canvas.zoom(3, 300)
    before = shown(canvas)
    open_run.replace_run(run_from_outline(AGENT))
    assert shown(canvas) == pytest.approx(before)
    assert open_run.selection.span_id == "s5"


def test_a_growing_run_that_is_seen_whole_stays_whole(show: Show) -> None:
    pane = show(run_from_outline(EARLY))
    open_run = pane.open_run
    open_run.replace_run(run_from_outline(AGENT))
    canvas = pane.timeline.canvas
    assert canvas.view.shows_all
    assert canvas.view.end_ns > 1_000_000_000


def test_more_lanes_than_fit_can_be_scrolled(show: Show) -> None:
    tools = "\n".join(f"  t{n}:tool {n}-{500 + n}" for n in range(60))
    pane = show(run_from_outline(f"pipeline 0-1000\n{tools}"))
    open_run = pane.open_run
    canvas = pane.timeline.canvas
    bar = pane.findChild(QScrollBar)
    assert isinstance(bar, QScrollBar)
    assert bar.isVisible()
    open_run.selection.select("s61")
    rect = canvas.rect_of(60)
    assert 0 < rect.top() < canvas.height()
    assert bar.value() == canvas.scroll_px > 0
    QTest.keyClick(canvas, Qt.Key.Key_PageUp)
    assert bar.value() == canvas.scroll_px < bar.maximum()


def test_a_large_run_is_laid_out_beside_the_window(show: Show, qtbot: QtBot) -> None:
    run = run_from_table(synthetic_table(15_000))
    pane = show(run)
    words = f"Laying out {plural(len(run.table), 'span')}"
    assert any(words in label.text() for label in pane.findChildren(QLabel))
    canvas = pane.timeline.canvas
    qtbot.waitUntil(canvas.isVisible)
    assert canvas.view.end_ns >= run.table.end_of_run()


def test_a_run_that_grows_faster_than_it_is_laid_out_is_shown_all_the_same(
    show: Show, qtbot: QtBot
) -> None:
    sizes = (13_000, 13_500, 14_000)
    early, later, newest = (run_from_table(synthetic_table(size)) for size in sizes)
    pane = show(early)
    pane.open_run.replace_run(later)
    pane.open_run.replace_run(newest)
    canvas = pane.timeline.canvas
    qtbot.waitUntil(lambda: canvas.view.end_ns >= newest.table.end_of_run())
    assert not pane.open_run.tasks.busy or canvas.isVisible()
