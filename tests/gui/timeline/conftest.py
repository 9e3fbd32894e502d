import pytest

from inspector.gui.panes.timeline_pane import TimelinePane
from inspector.gui.workspace.open_run import OpenRun
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


@pytest.fixture
def open_run(qapp):
    open_run = OpenRun(run_from_outline(AGENT))
    yield open_run
    open_run.close()


@pytest.fixture
def pane(open_run, qtbot):
    pane = TimelinePane(open_run)
    qtbot.addWidget(pane)
    pane.resize(1000, 300)
    pane.show()
    qtbot.waitExposed(pane)
    return pane


@pytest.fixture
def canvas(pane):
    return pane.timeline.canvas


@pytest.fixture
def overview(pane):
    return pane.timeline.overview
