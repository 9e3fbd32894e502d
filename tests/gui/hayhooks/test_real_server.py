"""The window against real Hayhooks servers on a real Redis, by mouse and keys."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow
from inspector.gui.panes.hayhooks_window import HayhooksWindow
from inspector.hayhooks.client.model import ExecutionStatus
from tests.gui.hayhooks.conftest import execution_tab
from tests.gui.hayhooks.hands import choose, click, dialog, write
from tests.helpers.hayhooks_server import HayhooksCluster, HayhooksReplica

pytest.importorskip("hayhooks", reason="there are no durable executions without hayhooks")

LONG_MS = 60_000
Submits = Callable[..., HayhooksExecutionWindow]


@pytest.fixture
def table(hayhooks: HayhooksCluster, program: Program, qtbot: QtBot) -> HayhooksWindow:
    """Add the servers in the dialog, with their token, and return their tab."""
    first, second = hayhooks.replicas
    program.content.action("hayhooks-add").trigger()
    asked = dialog(program)
    for name, text in (
        ("Name", "cluster"), ("Address", first.url),
        ("Further addresses on the same store", second.url), ("Operator token", hayhooks.token),
    ):  # fmt: skip
        write(asked, name, text)
    click(asked, "save")
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, HayhooksWindow)
    qtbot.waitUntil(lambda: shown.freshness.startswith("LIVE"), timeout=LONG_MS)
    return shown


@pytest.fixture
def submits(table: HayhooksWindow, program: Program, qtbot: QtBot) -> Submits:
    """Return a function that submits by the form, and returns the tab that opens."""

    def submit(deployment: str, **given: str) -> HayhooksExecutionWindow:
        program.workspace.make_current(table.open_hayhooks)
        click(table, "submit")
        asked = dialog(program)
        choose(asked, "deployment", deployment)
        for name, text in given.items():
            write(asked, name, text)
        click(asked, "send")
        tabs = program.content.tabs
        qtbot.waitUntil(
            lambda: isinstance(tabs.currentWidget(), HayhooksExecutionWindow), timeout=LONG_MS
        )
        return execution_tab(program, qtbot)

    return submit


def ends(tab: HayhooksExecutionWindow, state: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: tab.head.state == state, timeout=LONG_MS)


def test_what_is_submitted_is_watched_detached_from_and_attached_to_again(
    submits: Submits, table: HayhooksWindow, program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    gate = tmp_path / "gate"
    tab = submits("rag", Question="What is it?", Chunks="12", Gate=str(gate))
    qtbot.waitUntil(lambda: tab.stream.text == "word0 word1 word2 ", timeout=LONG_MS)
    assert tab.head.connection == "LIVE"
    execution = tab.open_execution.execution_id
    program.content.action("close").trigger()
    gate.touch()

    def is_done() -> bool:
        found = [one.row for one in table.model.rows if one.row.id == execution]
        return bool(found) and found[0].status is ExecutionStatus.COMPLETED

    qtbot.waitUntil(is_done, timeout=LONG_MS)
    row = [one.row.id for one in table.model.rows].index(execution)
    table.table.setFocus()
    table.table.setCurrentIndex(table.model.index(row, 0))
    QTest.keyClick(table.table, Qt.Key.Key_Return)
    again = execution_tab(program, qtbot)
    ends(again, "Completed", qtbot)
    assert again.stream.text == "".join(f"word{number} " for number in range(12))
    assert again.open_execution.live.chunks == 12
    assert "pipeline" in again.head.facts


def test_a_wait_is_answered_in_its_form_once_the_answer_is_one(
    submits: Submits, qtbot: QtBot
) -> None:
    tab = submits("approver")
    qtbot.waitUntil(lambda: tab.resume_pane.is_asking, timeout=LONG_MS)
    assert tab.head.state == "Waiting for approval"
    pane = tab.resume_pane
    click(pane, "resume")
    assert pane.form.problems == {("approved",): "Choose yes or no: it is required."}
    click(pane, "as-json")  # where nothing of ours stands between the text and the server
    text = pane.findChild(QPlainTextEdit, "whole-json")
    assert text is not None
    text.setPlainText('{"approved": "perhaps"}')
    click(pane, "resume")
    qtbot.waitUntil(lambda: "approved" in pane.form.json_problem, timeout=LONG_MS)
    text.setPlainText('{"note": "as agreed"}')
    click(pane, "as-json")
    click(pane, "yes")
    click(pane, "resume")
    ends(tab, "Completed", qtbot)
    story = tab.timeline.story
    assert story is not None
    kinds = [moment.kind for moment in story.moments]
    assert kinds.index("waits") < kinds.index("resumed") < kinds.index("completed")
    assert "Done after 2 calls." in tab.stream.text


def test_a_running_pipeline_is_canceled_when_its_work_is_done(
    submits: Submits, program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    gate = tmp_path / "gate"
    tab = submits("rag", Question="What is it?", Gate=str(gate))
    qtbot.waitUntil(lambda: "word2" in tab.stream.text, timeout=LONG_MS)
    click(tab.head, "cancel")
    asked = dialog(program)
    assert "not interrupted" in asked.accessibleDescription()
    click(asked, "agree")
    ends(tab, "Running, cancel asked for", qtbot)
    gate.touch()
    ends(tab, "Canceled", qtbot)


def test_both_attempts_are_seen_when_the_server_that_ran_the_first_is_killed(
    hayhooks: HayhooksCluster,
    submits: Submits,
    table: HayhooksWindow,
    program: Program,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    gate, ledger = tmp_path / "gate", tmp_path / "ledger"
    tab = submits("rag", Question="What is it?", Gate=str(gate), Ledger=str(ledger))
    qtbot.waitUntil(lambda: tab.stream.text == "word0 word1 word2 ", timeout=LONG_MS)
    victim, survivor = _who_ran(hayhooks, ledger)
    victim.kill()
    qtbot.waitUntil(lambda: "● Attempt 2" in tab.stream.text, timeout=LONG_MS)
    gate.touch()
    ends(tab, "Completed", qtbot)
    first, second = tab.stream.text.split("● Attempt 2")
    assert first.split("\n")[:2] == [
        "⊘ Attempt 1 · abandoned after 3\u202fchunks: nothing of it counts", "word0 word1 word2 ",
    ]  # fmt: skip
    assert second.strip() == "".join(f"word{number} " for number in range(8)).strip()
    story = tab.timeline.story
    assert story is not None
    assert story.attempts == 2
    running = [one.attempt for one in story.stretches if one.state == "running"]
    assert set(running) == {1, 2}
    assert "interrupted" in {moment.kind for moment in story.moments}

    program.workspace.make_current(table.open_hayhooks)
    survivor.kill()
    table.refresh_requested.emit("")
    qtbot.waitUntil(lambda: table.freshness.startswith("STALE"), timeout=LONG_MS)
    assert any(one.row.id == tab.open_execution.execution_id for one in table.model.rows)
    assert "cannot be reached" in table.trouble.text
    survivor.start()
    qtbot.waitUntil(lambda: table.freshness.startswith("LIVE"), timeout=LONG_MS)


def _who_ran(hayhooks: HayhooksCluster, ledger: Path) -> tuple[HayhooksReplica, HayhooksReplica]:
    told = ledger.read_text().splitlines()[-1].split()
    first, second = hayhooks.replicas
    return (first, second) if str(first.pid) in told else (second, first)
