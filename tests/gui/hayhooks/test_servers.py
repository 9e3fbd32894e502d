"""Servers and the table of their executions, by a person in front of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.controllers.hayhooks_pace import Pace
from inspector.gui.models.hayhooks_executions_model import ExecutionsModel
from inspector.gui.models.hayhooks_servers_model import ServerNode, ServersModel
from inspector.gui.panes.hayhooks_window import HayhooksWindow
from inspector.gui.workspace.open_hayhooks import ServerView
from inspector.hayhooks.client.model import (
    Deployment,
    ExecutionRow,
    ExecutionStatus,
    Server,
)
from inspector.hayhooks.client.servers import add_server, known_servers
from inspector.presentation.execution_list import ListColumn, Listed
from tests.gui.hayhooks.conftest import opened_tab
from tests.gui.hayhooks.scripted import BEGINNING_S, ScriptedHayhooks, serving


def dialog(program: Program) -> QDialog:
    found = [each for each in program.window.findChildren(QDialog) if each.isVisible()]
    assert len(found) == 1
    return found[0]


def press(parent: QWidget, name: str, qtbot: QtBot) -> None:
    button = parent.findChild(QPushButton, name)
    assert isinstance(button, QPushButton)
    assert button.isVisible()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def type_into(parent: QWidget, name: str, text: str, qtbot: QtBot) -> None:
    line = parent.findChild(QLineEdit, name)
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


def ids(window: HayhooksWindow) -> list[str]:
    return [one.row.id for one in window.model.rows]


def test_without_a_server_there_is_one_thing_to_do(program: Program, qtbot: QtBot) -> None:
    program.content.action("hayhooks").trigger()
    window = program.content.tabs.currentWidget()
    assert isinstance(window, HayhooksWindow)
    qtbot.waitUntil(lambda: not window.open_hayhooks.tasks.busy)
    assert window.empty is not None
    assert "Add the address" in window.empty.text
    assert not window.servers.isVisible()
    press(window, "empty-action", qtbot)
    assert dialog(program).windowTitle() == "Add a server"


def test_a_server_is_added_by_its_address_and_listed(
    program: Program, world: ScriptedHayhooks, qtbot: QtBot
) -> None:
    world.add("rag", id="one", status="completed", attempt=1)
    with serving(world) as url:
        program.content.action("hayhooks-add").trigger()
        asked = dialog(program)
        type_into(asked, "name", "staging", qtbot)
        type_into(asked, "url", url, qtbot)
        press(asked, "save", qtbot)
        window = program.content.tabs.currentWidget()
        assert isinstance(window, HayhooksWindow)
        qtbot.waitUntil(lambda: ids(window) == ["one"], timeout=20_000)
    assert [server.url for server in known_servers()] == [url]


def test_an_address_that_is_none_is_said_in_the_dialog(program: Program, qtbot: QtBot) -> None:
    program.content.action("hayhooks-add").trigger()
    asked = dialog(program)
    type_into(asked, "url", "ftp://nowhere", qtbot)
    press(asked, "save", qtbot)
    assert asked.said.startswith("ftp://nowhere")  # type: ignore[attr-defined]
    assert asked.isVisible()
    assert known_servers() == ()


def test_a_token_is_shown_to_its_server_and_stands_in_no_file(
    program: Program, world: ScriptedHayhooks, qtbot: QtBot, tmp_path: Path
) -> None:
    world.token = "operator-0123456789"
    world.add("rag", id="one", status="completed", attempt=1)
    with serving(world) as url:
        add_server(Server("staging", url))
        window = opened_tab(program, qtbot)
        assert window.trouble.text.startswith("staging does not list its executions.")
        assert window.trouble.button.text() == "Token…"
        qtbot.mouseClick(window.trouble.button, Qt.MouseButton.LeftButton)
        asked = dialog(program)
        type_into(asked, "token", world.token, qtbot)
        press(asked, "save", qtbot)
        qtbot.waitUntil(lambda: ids(window) == ["one"], timeout=20_000)
        assert window.trouble.text == ""
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert kept
    assert not any(world.token.encode() in file.read_bytes() for file in kept)


def test_the_newest_stand_first_over_all_deployments(
    world: ScriptedHayhooks, window: HayhooksWindow, qtbot: QtBot
) -> None:
    for number, deployment in enumerate(("rag", "assistant", "rag")):
        world.add(deployment, id=f"e{number}", created=BEGINNING_S + number)
    window.refresh_requested.emit("")
    qtbot.waitUntil(lambda: ids(window) == ["e2", "e1", "e0"])
    world.add("assistant", id="e3", created=BEGINNING_S + 9)
    qtbot.waitUntil(lambda: ids(window)[0] == "e3", timeout=20_000)  # by itself


def test_choosing_a_deployment_a_status_or_words_narrows_the_table(
    world: ScriptedHayhooks, window: HayhooksWindow, qtbot: QtBot
) -> None:
    world.add("rag", id="done", status="completed", attempt=1, created=BEGINNING_S + 1)
    world.add(
        "assistant",
        id="asks",
        status="waiting",
        attempt=1,
        created=BEGINNING_S + 2,
        waiting={"kind": "approval", "message": "May I?", "expected_input_schema": {}},
    )
    window.refresh_requested.emit("")
    qtbot.waitUntil(lambda: ids(window) == ["asks", "done"])
    window.servers.choose(ServerNode("staging", "rag"))
    qtbot.waitUntil(lambda: ids(window) == ["done"])
    window.servers.choose(ServerNode())
    statuses = window.findChild(QComboBox, "status")
    assert isinstance(statuses, QComboBox)
    statuses.setFocus()
    qtbot.keyClicks(statuses, "Wait")
    qtbot.waitUntil(lambda: ids(window) == ["asks"])
    type_into(window, "search", "nothing like it", qtbot)
    qtbot.waitUntil(lambda: window.empty is not None)
    assert window.empty is not None
    assert window.empty.text.startswith("Nothing fits")
    press(window, "empty-action", qtbot)
    qtbot.waitUntil(lambda: len(ids(window)) == 2)


def test_what_an_execution_waits_for_stands_in_the_table(
    world: ScriptedHayhooks, window: HayhooksWindow, qtbot: QtBot
) -> None:
    asked = {"kind": "approval", "message": "May I charge 20?", "expected_input_schema": {}}
    world.add("assistant", status="waiting", attempt=1, waiting=asked)
    window.refresh_requested.emit("")
    qtbot.waitUntil(lambda: window.model.rowCount() == 1)
    qtbot.waitUntil(
        lambda: "charge 20" in str(window.model.index(0, ListColumn.WAITING).data()), timeout=20_000
    )
    assert "1 waits for an answer" in window.findChild(QWidget, "head").text()  # type: ignore[attr-defined]


def test_a_server_that_goes_away_leaves_what_is_known_and_says_that_it_is_old(
    program: Program, world: ScriptedHayhooks, qtbot: QtBot
) -> None:
    world.add("rag", id="one", status="running", attempt=1)
    with serving(world) as url:
        port = int(url.rpartition(":")[2])
        add_server(Server("staging", url))
        window = opened_tab(program, qtbot)
        qtbot.waitUntil(lambda: ids(window) == ["one"])
        assert window.freshness.startswith("LIVE")
    window.refresh_requested.emit("")
    qtbot.waitUntil(lambda: window.freshness.startswith("STALE"), timeout=20_000)
    assert ids(window) == ["one"]
    qtbot.waitUntil(lambda: window.model.index(0, 0).data() == "was running")
    assert "staging cannot be reached." in window.trouble.text
    with serving(world, port):
        qtbot.mouseClick(window.trouble.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: window.freshness.startswith("LIVE"), timeout=20_000)
        qtbot.waitUntil(lambda: window.model.index(0, 0).data() == "running")


def test_what_was_listed_is_there_after_a_restart_though_the_server_is_not(
    program: Program,
    another: Callable[[], Program],
    world: ScriptedHayhooks,
    qtbot: QtBot,
) -> None:
    world.add("rag", id="one", status="completed", attempt=1)
    with serving(world) as url:
        add_server(Server("staging", url))
        first = opened_tab(program, qtbot)
        qtbot.waitUntil(lambda: ids(first) == ["one"])
    second = opened_tab(another(), qtbot)
    qtbot.waitUntil(lambda: ids(second) == ["one"])
    assert second.freshness.startswith("STALE")


def test_closing_the_tab_while_a_server_is_silent_waits_for_nothing(
    program: Program, window: HayhooksWindow, world: ScriptedHayhooks, qtbot: QtBot
) -> None:
    world.gate.clear()  # from now on it takes questions and answers none
    before = len(world.asked)
    window.refresh_requested.emit("")
    opened = window.open_hayhooks
    qtbot.waitUntil(lambda: opened.tasks.busy)
    program.content.action("close").trigger()
    # `remove` has waited for the workers: with the client closed, they had nothing to wait for.
    assert program.workspace.items == ()
    assert len(world.asked) == before
    world.gate.set()


def test_removing_a_server_asks_first(
    program: Program, window: HayhooksWindow, qtbot: QtBot
) -> None:
    window.remove_requested.emit("staging")
    asked = dialog(program)
    asked.reject()
    assert len(known_servers()) == 1
    window.remove_requested.emit("staging")
    press(dialog(program), "agree", qtbot)
    qtbot.waitUntil(lambda: not known_servers())
    qtbot.waitUntil(lambda: window.empty is not None and not window.open_hayhooks.views)


def test_names_of_a_server_are_shown_as_they_are(
    program: Program, world: ScriptedHayhooks, qtbot: QtBot
) -> None:
    world.deployments = [("<b>bold</b>\u202egnp", "pipeline")]
    world.inputs = {}
    with serving(world) as url:
        add_server(Server("staging", url))
        window = opened_tab(program, qtbot)
        model = window.servers.tree.model()
        shown = model.index(0, 0, model.index(1, 0)).data()
    assert shown == "<b>bold</b>⟨U+202E⟩gnp"


def rows(count: int, **changed: str) -> tuple[Listed, ...]:
    return tuple(
        Listed("one", ExecutionRow(f"{n}", "rag", "pipeline", "1", ExecutionStatus.RUNNING, 1,
                                   10**18 - n, 10**18, waiting_reason=changed.get(f"r{n}")))
        for n in range(count)
    )  # fmt: skip


def checked(model: QAbstractItemModel) -> QAbstractItemModelTester:
    return QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)


def test_a_refresh_that_changes_a_row_touches_no_other(qtbot: QtBot) -> None:
    model = ExecutionsModel(clock=lambda: 10**18)
    tester = checked(model)
    model.show(rows(300))
    changed: list[tuple[int, int]] = []
    resets: list[bool] = []
    model.dataChanged.connect(lambda begin, end, _roles: changed.append((begin.row(), end.row())))
    model.modelReset.connect(lambda: resets.append(True))
    model.show(rows(300))
    assert changed == []
    model.show(rows(300, r17="an answer"))
    assert changed == [(17, 17)]
    new = Listed("one", ExecutionRow("new", "rag", "", "", ExecutionStatus.QUEUED, 0, 1, 1))
    model.show((new, *rows(300, r17="an answer")))
    assert model.rowCount() == 301
    assert resets == []
    del tester


def test_the_tree_of_servers_keeps_the_rules_of_models(qtbot: QtBot) -> None:
    model = ServersModel()
    tester = checked(model)
    rag, echo = Deployment("rag", "pipeline", True), Deployment("echo", "pipeline", False)
    view = ServerView(Server("one", "http://a"))
    assert model.show([view])
    assert model.show([view._replace(deployments=(rag, echo), state="up")])
    assert not model.show([view._replace(deployments=(rag, echo), state="down")])
    place = model.index_of(ServerNode("one", "rag"))
    assert model.node(place) == ServerNode("one", "rag")
    assert model.rowCount(model.index(1, 0)) == 1  # what is not durable has no executions
    assert "down" in str(model.data(model.index(1, 0), Qt.ItemDataRole.AccessibleTextRole))
    del tester


@pytest.mark.parametrize("failures", [1, 3, 20])
def test_a_server_that_is_away_is_asked_later_and_later(failures: int) -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    assert pace.is_due("one", is_seen=True)
    for _ in range(failures):
        pace.answered("one", 0.01, None, is_well=False)
    wait = min(60.0, 2.0 * 2**failures)
    now[0] += wait - 0.1
    assert not pace.is_due("one", is_seen=True)
    now[0] += 0.2
    assert pace.is_due("one", is_seen=True)
    pace.answered("one", 0.01, None, is_well=False)
    pace.hurry("one")
    assert pace.is_due("one", is_seen=True)


def test_a_list_that_takes_long_is_asked_for_less_often() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.is_due("one", is_seen=True)
    pace.answered("one", 4.0, None, is_well=True)
    now[0] += 19.0
    assert not pace.is_due("one", is_seen=True)
    now[0] += 2.0
    assert pace.is_due("one", is_seen=True)


def test_the_file_of_servers_that_is_damaged_is_said(
    program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "servers.json").write_text(json.dumps({"servers": [{"name": 1}]}))
    program.content.action("hayhooks").trigger()
    window = program.content.tabs.currentWidget()
    assert isinstance(window, HayhooksWindow)
    qtbot.waitUntil(lambda: "no list of servers" in window.trouble.text)
