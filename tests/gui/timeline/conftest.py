from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.panes.timeline_pane import TimelinePane
from inspector.gui.widgets.timeline_canvas import TimelineCanvas
from inspector.gui.widgets.timeline_overview import TimelineOverview
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.model import PipelineRun
from tests.helpers.drawn_runs import run_from_outline

AGENT = """
pipeline 0-1000
  retriever 10-60
  agent 100-1000
    step 100-500
      llm 100-300
      search:tool 300-450 failed
      fetch:tool 300-500
    step 500-1000
      llm 500-900
"""

Show = Callable[[PipelineRun], TimelinePane]


@pytest.fixture
def show(qtbot: QtBot) -> Iterator[Show]:
    """Return a function that opens a run and shows its timeline."""
    opened: list[OpenRun] = []

    def shown(run: PipelineRun) -> TimelinePane:
        open_run = OpenRun(run)
        opened.append(open_run)
        pane = TimelinePane(open_run)
        qtbot.addWidget(pane)
        pane.resize(1000, 300)
        pane.show()
        qtbot.waitExposed(pane)
        return pane

    yield shown
    for open_run in opened:
        open_run.close()


@pytest.fixture
def open_run(qapp: QApplication) -> Iterator[OpenRun]:
    open_run = OpenRun(run_from_outline(AGENT))
    yield open_run
    open_run.close()


@pytest.fixture
def pane(open_run: OpenRun, qtbot: QtBot) -> TimelinePane:
    pane = TimelinePane(open_run)
    qtbot.addWidget(pane)
    pane.resize(1000, 300)
    pane.show()
    qtbot.waitExposed(pane)
    return pane


@pytest.fixture
def canvas(pane: TimelinePane) -> TimelineCanvas:
    return pane.timeline.canvas


@pytest.fixture
def overview(pane: TimelinePane) -> TimelineOverview:
    return pane.timeline.overview


def shown(canvas: TimelineCanvas) -> tuple[float, float]:
    """Return from when to when the lanes are seen."""
    return canvas.view.start_ns, canvas.view.end_ns
