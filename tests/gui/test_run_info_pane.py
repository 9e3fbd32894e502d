import pytest
from PySide6.QtWidgets import QTreeWidget
from pytestqt.qtbot import QtBot

from inspector.gui.panes.run_info_pane import RunInfoPane
from inspector.gui.widgets.labels import Words
from inspector.gui.workspace.open_run import Freshness, OpenRun
from tests.helpers.drawn_runs import run_from_outline


@pytest.fixture
def pane(open_run: OpenRun, qtbot: QtBot) -> RunInfoPane:
    pane = RunInfoPane(open_run)
    qtbot.addWidget(pane)
    pane.resize(400, 120)
    pane.show()
    return pane


def words_in(pane: RunInfoPane) -> str:
    return " ".join(label.text() for label in pane.findChildren(Words))


def test_a_run_that_is_followed_is_not_said_to_be_checked(
    open_run: OpenRun, pane: RunInfoPane
) -> None:
    assert "Checking" in words_in(pane)
    open_run.set_freshness(Freshness.LIVE)
    assert "Still being recorded" in words_in(pane)
    open_run.set_freshness(Freshness.READ_ONLY)
    assert "Checking" in words_in(pane)


def test_what_is_read_stays_in_sight_while_the_run_grows(
    open_run: OpenRun, pane: RunInfoPane
) -> None:
    view = pane.findChild(QTreeWidget)
    assert view is not None
    view.expandAll()
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum())
    before = bar.value()
    assert before > 0
    open_run.replace_run(run_from_outline("pipeline 0-100\n  prompt_builder 0-2"))
    assert bar.value() == before
