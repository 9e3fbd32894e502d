"""An execution in the window becomes a run, and goes on from its checkpoint beside it."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.fork_dialog import ForkDialog
from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow
from inspector.gui.panes.run_window import RunWindow
from inspector.gui.tasks import execution_runs
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.model import Server
from inspector.hayhooks.client.servers import add_server
from tests.gui.hayhooks.conftest import execution_tab, opened_tab
from tests.gui.hayhooks.hands import click
from tests.helpers.hayhooks_server import PIPELINES, HayhooksCluster


def run_in_front(program: Program, qtbot: QtBot) -> RunWindow:
    qtbot.waitUntil(
        lambda: isinstance(program.content.tabs.currentWidget(), RunWindow), timeout=60_000
    )
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, RunWindow)
    return shown


@pytest.fixture
def waiting(
    hayhooks: HayhooksCluster, program: Program, qtbot: QtBot, tmp_path: Path
) -> HayhooksExecutionWindow:
    """Return the tab of a real execution that waits for somebody."""
    pytest.importorskip("haystack", reason="what runs is an agent of Haystack")
    server = Server("real", hayhooks.replicas[0].url, redis_url=hayhooks.redis.url)
    add_server(server)
    client = HayhooksClient(server, Access(hayhooks.token))
    given = {"task": "Settle. steps=1 charge=20", "ledger": str(tmp_path / "ledger")}
    row = client.submit("approver", given).execution.row
    client.close()
    opened_tab(program, qtbot)
    program.content._variants.hayhooks.controller.open_execution(server, row.deployment, row.id)
    shown = execution_tab(program, qtbot)
    opened = shown.open_execution
    qtbot.waitUntil(lambda: opened.execution.waiting is not None, timeout=30_000)
    return shown


def test_an_execution_opens_as_a_run_and_forks_from_its_checkpoint_by_mouse(
    waiting: HayhooksExecutionWindow, program: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    qtbot.waitUntil(lambda: waiting.findChild(QPushButton, "open-run").isVisible())
    click(waiting, "open-run")
    run = run_in_front(program, qtbot).open_run.run
    assert run.extensions["hayhooks"]["skeleton"]
    assert run.inputs["task"] == "Settle. steps=1 charge=20"

    program.content.tabs.setCurrentWidget(waiting)
    click(waiting, "fork")
    qtbot.waitUntil(lambda: program.window.findChild(ForkDialog) is not None)
    dialog = program.window.findChild(ForkDialog)
    assert dialog.findChild(QLineEdit, "store").text().startswith("redis://")
    go = dialog.findChild(QPushButton, "go")
    dialog.findChild(QLineEdit, "target").setText(str(PIPELINES / "approver"))
    assert not go.isEnabled()  # nobody has agreed yet
    dialog.findChild(QCheckBox, "agreed").setChecked(True)
    dialog.findChild(QPlainTextEdit, "answer").setPlainText("not json")
    click(dialog, "go")
    said = dialog.findChild(object, "said")
    qtbot.waitUntil(lambda: "no JSON" in said.text(), timeout=20_000)
    dialog.findChild(QPlainTextEdit, "answer").setPlainText('{"approved": true}')
    click(dialog, "go")
    forked = run_in_front(program, qtbot).open_run.run
    assert forked.status == "completed"
    assert "approver" in forked.origin.name
    done = (tmp_path / "ledger").read_text().splitlines()
    assert [line.split()[0] for line in done] == ["charge"]
    assert waiting.open_execution.execution.row.status == "waiting"
    waiting.open_execution.cancel()


def test_without_hayhooks_a_fork_says_what_to_install(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspector.gui.dialogs import fork_dialog

    monkeypatch.setattr(fork_dialog, "has_hayhooks", lambda: False)
    request = execution_runs.ForkRequest("redis://localhost/0", "wrappers")
    dialog = ForkDialog("Fork one", request, "", None)
    qtbot.addWidget(dialog)
    dialog.findChild(QCheckBox, "agreed").setChecked(True)
    assert not dialog.findChild(QPushButton, "go").isEnabled()
    assert "pip install" in dialog.findChild(object, "said").text()
