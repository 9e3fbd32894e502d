"""A run whose calls cost different amounts, and its cost pane."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.panes.cost_pane import CostPane
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.model import PipelineRun
from tests.cost.runs import call, openai, run_of
from tests.runfile.files import span


def priced_run() -> PipelineRun:
    """Return four calls: a dear one, a cheap one, one at home and one nobody has a price for."""
    at = 1_000_000_000
    return run_of(
        span(1, kind="pipeline", name="p", path="", start_ns=0, end_ns=10 * at),
        call(2, 1, name="cheap", usage=openai(1_000, 0), start_ns=at, end_ns=2 * at),
        call(3, 1, name="dear", usage=openai(20_000, 0, cached=4_000), start_ns=5 * at,
             end_ns=6 * at),
        call(4, 1, name="strange", llm="zorblax-9", usage=openai(7, 1), start_ns=7 * at,
             end_ns=8 * at),
        call(5, 1, name="at_home", provider="ollama", llm="llama3.2", usage=openai(1, 1),
             start_ns=9 * at, end_ns=10 * at),
        duration_ns=10 * at,
    )  # fmt: skip


@pytest.fixture
def open_run(qapp: QApplication) -> Iterator[OpenRun]:
    """Yield that run, open."""
    opened = OpenRun(priced_run(), title="priced.run.json")
    yield opened
    opened.close()


@pytest.fixture
def pane(open_run: OpenRun, qtbot: QtBot) -> CostPane:
    """Return the pane of that run, with the estimate in it."""
    return shown_pane(open_run, qtbot)


def shown_pane(open_run: OpenRun, qtbot: QtBot) -> CostPane:
    pane = CostPane(open_run)
    qtbot.addWidget(pane)
    pane.resize(760, 620)
    with qtbot.waitExposed(pane):
        pane.show()
    settle(open_run, qtbot)
    return pane


def settle(open_run: OpenRun, qtbot: QtBot) -> None:
    """Wait until nothing is worked out any more."""
    qtbot.waitUntil(lambda: not open_run.tasks.busy and not open_run.pricing.is_busy)
