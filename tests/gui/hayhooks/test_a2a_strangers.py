"""Agents that nobody of ours wrote: old ones, hostile ones, and those that only answer in words."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.models.a2a_agents_model import AgentsModel
from inspector.gui.models.a2a_tasks_model import TasksModel
from inspector.gui.panes.a2a_task_window import A2ATaskWindow
from inspector.gui.panes.a2a_window import A2AWindow
from inspector.gui.widgets.a2a_talk import A2ATalk
from inspector.gui.workspace.open_agents import AgentView
from inspector.hayhooks.a2a.known import agents_file
from inspector.hayhooks.client.model import Server
from inspector.hayhooks.client.servers import add_server
from inspector.importers.a2a_told import A2ATask
from inspector.presentation.a2a_list import ListedTask
from inspector.presentation.a2a_talk import Saying
from tests.gui.hayhooks.hands import click, dialog, write

EVIL = "<img src='http://evil.example/x'>\u202egnp"


class OldAgent:
    """Speaks A2A 0.3: lists nothing, streams nothing, and is done when it is asked twice."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.looks = 0
        self.says_only = ""

    def answer(self, method: str, params: Any) -> Any:
        match method:
            case "message/send" if self.says_only:
                parts = [{"kind": "text", "text": self.says_only}]
                return {"kind": "message", "messageId": "r", "role": "agent", "parts": parts}
            case "message/send":
                self.sent.append(params["message"])
                return self._task("submitted")
            case "tasks/get":
                self.looks += 1
                return self._task("working" if self.looks < 2 else "completed")
        return None

    def _task(self, state: str) -> Any:
        said = {"kind": "message", "messageId": "m", "role": "agent",
                "parts": [{"kind": "text", "text": f"{EVIL} is {state}"}]}  # fmt: skip
        return {
            "kind": "task", "id": "old-1", "contextId": EVIL,
            "status": {"state": state, "message": said}, "history": self.sent[:1],
        }  # fmt: skip

    def card(self, url: str) -> Any:
        return {
            "name": EVIL, "description": EVIL, "version": "1", "protocolVersion": "0.3.0",
            "url": url, "capabilities": {}, "skills": [{"id": "s", "name": EVIL}] * 40,
        }  # fmt: skip


class NoAgent(OldAgent):
    """Has a card that says no way of speaking to it."""

    def card(self, url: str) -> Any:
        return {"name": f"nothing at {url}"}


@contextmanager
def served(agent: OldAgent) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(agent.card(f"http://{self.headers['Host']}/"))

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            result = agent.answer(asked["method"], asked["params"])
            known = {"result": result} if result else {"error": {"code": -32601, "message": EVIL}}
            self._say({"jsonrpc": "2.0", "id": asked["id"], **known})

        def _say(self, tree: Any) -> None:
            data = json.dumps(tree).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_said: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def agent() -> OldAgent:
    return OldAgent()


@pytest.fixture
def window(
    agent: OldAgent, program: Program, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[A2AWindow]:
    """Yield the tab of agents, which knows the old one."""
    monkeypatch.setenv("RUN_INSPECTOR_A2A_AGENTS", str(tmp_path / "agents.json"))
    with served(agent) as url:
        add_server(Server("old", url), agents_file())
        program.content.action("a2a").trigger()
        shown = program.content.tabs.currentWidget()
        assert isinstance(shown, A2AWindow)
        qtbot.waitUntil(
            lambda: [view.state for view in shown.open_agents.views] == ["up"], timeout=20_000
        )
        yield shown


def unnamed(parent: QWidget) -> list[QWidget]:
    kinds = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit)
    return [
        each
        for each in parent.findChildren(QWidget)
        if isinstance(each, kinds) and each.isVisible() and each.focusPolicy()
        and not (each.accessibleName() or (isinstance(each, QAbstractButton) and each.text()))
    ]  # fmt: skip


def test_an_agent_that_lists_nothing_shows_what_was_sent_from_here(
    window: A2AWindow, agent: OldAgent, program: Program, qtbot: QtBot
) -> None:
    assert window.trouble.text.startswith("old does not list its tasks.")
    assert window.empty is not None
    assert "What you send it from here shows here" in window.empty.text
    click(window, "send-message")
    asked = dialog(program)
    write(asked, "Your message", "fetch the <b>stick</b>")
    click(asked, "send")
    qtbot.waitUntil(lambda: isinstance(program.content.tabs.currentWidget(), A2ATaskWindow))
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, A2ATaskWindow)
    # It cannot be watched, so it is asked again until it is done.
    qtbot.waitUntil(lambda: shown.head.state == "Completed", timeout=20_000)
    assert agent.sent[0]["parts"] == [{"kind": "text", "text": "fetch the <b>stick</b>"}]
    assert "fetch the <b>stick</b>" in shown.talk.text
    assert unnamed(shown) == []
    program.content.action("a2a").trigger()
    qtbot.waitUntil(lambda: [row.task.id for row in window.model.rows] == ["old-1"])


def test_what_a_stranger_writes_on_its_card_is_shown_as_it_is(window: A2AWindow) -> None:
    assert "<img src='http://evil.example/x'>⟨U+202E⟩gnp" in window.card.text
    assert "and 16 more" in window.card.text
    labels = window.card.findChildren(QLabel)
    assert labels
    plain = Qt.TextFormat.PlainText
    assert all(each.textFormat() == plain or not each.text() for each in labels)
    assert "\u202e" not in window.card.accessibleName()
    assert unnamed(window) == []


def test_an_agent_that_answers_in_words_alone_begins_no_task(
    window: A2AWindow, agent: OldAgent, program: Program, qtbot: QtBot
) -> None:
    agent.says_only = f"Good morning {EVIL}"
    click(window, "send-message")
    asked = dialog(program)
    write(asked, "Your message", "hello")
    click(asked, "send")
    reply = asked.findChild(QLabel, "reply")
    assert reply is not None
    qtbot.waitUntil(reply.isVisible)
    assert reply.text() == "Good morning <img src='http://evil.example/x'>⟨U+202E⟩gnp"
    assert reply.textFormat() == Qt.TextFormat.PlainText
    assert program.content.tabs.currentWidget() is window


def test_an_address_without_an_agent_is_said_in_the_dialog(
    program: Program, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUN_INSPECTOR_A2A_AGENTS", str(tmp_path / "agents.json"))
    with served(NoAgent()) as url:
        program.content.action("a2a-add").trigger()
        asked = dialog(program)
        write(asked, "Address", url)
        click(asked, "save")
        qtbot.waitUntil(lambda: "no way of speaking" in asked.said, timeout=20_000)  # type: ignore[attr-defined]
    assert asked.isVisible()
    assert not agents_file().exists()


def test_a_talk_that_grows_is_written_on_and_one_that_changed_is_written_anew(
    qtbot: QtBot,
) -> None:
    talk = A2ATalk()
    qtbot.addWidget(talk)
    talk.show_sayings([Saying("user", "You", "go"), Saying("made", "Artifact a", "one ")])
    talk.show_sayings([Saying("user", "You", "go"), Saying("made", "Artifact a", "one two")])
    grown = talk.text
    talk.show_sayings(
        [Saying("user", "You", "go"), Saying("made", "Artifact a", "one two"),
         Saying("asks", "Agent", "Which?")]
    )  # fmt: skip
    assert grown == "→ You\ngo\n\n■ Artifact a\none two"
    assert talk.text == f"{grown}\n\n❙❙ Agent\nWhich?"
    talk.show_sayings([Saying("user", "You", "stay")])
    assert talk.text == "→ You\nstay"


def test_lists_keep_the_rules_of_models(qtbot: QtBot) -> None:
    agents, tasks = AgentsModel(), TasksModel(clock=lambda: 10**18)
    testers = [checked(agents), checked(tasks)]
    one = AgentView(Server("one", "http://a"))
    assert agents.show([one])
    assert not agents.show([one._replace(state="down")])
    assert agents.index_of("one").data(Qt.ItemDataRole.AccessibleTextRole) == "one, down"
    rows = [ListedTask(A2ATask(f"{number}", "c", "working")) for number in range(50)]
    tasks.show(rows)
    changed: list[tuple[int, int]] = []
    resets: list[bool] = []
    tasks.dataChanged.connect(lambda begin, end, _roles: changed.append((begin.row(), end.row())))
    tasks.modelReset.connect(lambda: resets.append(True))
    rows[17] = ListedTask(A2ATask("17", "c", "completed"))
    tasks.show(rows)
    assert (changed, resets) == ([(17, 17)], [])
    tasks.show(rows[1:])
    assert tasks.rowCount() == 49
    del testers


def checked(model: QAbstractItemModel) -> QAbstractItemModelTester:
    return QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
