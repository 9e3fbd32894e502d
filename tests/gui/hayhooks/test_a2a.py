"""Agents of A2A and their tasks, by a person in front of them; our own server answers."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="Hayhooks is a part of Haystack")
pytest.importorskip("hayhooks", reason="there are no durable agents without hayhooks")
pytest.importorskip("a2a", reason="there is no A2A without its SDK")

from hayhooks.durable import (
    DurableContext,
    DurableDeployment,
    MemoryExecutionStore,
    StoreConfig,
)
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.a2a_task_window import A2ATaskWindow
from inspector.gui.panes.a2a_window import A2AWindow
from inspector.gui.panes.run_window import RunWindow
from inspector.hayhooks.a2a import following
from inspector.hayhooks.a2a.app import ServedAgent
from inspector.hayhooks.a2a.client import A2AClient
from inspector.hayhooks.a2a.known import agents_file
from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.model import Server
from inspector.hayhooks.client.servers import add_server, known_servers
from tests.gui.hayhooks.hands import click, dialog, named, write
from tests.hayhooks.a2a.clerk import CONFIG, Clerk, Order, clerk_agent, private_agent
from tests.helpers.a2a_server import served_here

pytestmark = pytest.mark.haystack

FORM = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "string", "title": "Size", "pattern": "^[sml]$"},
        "gift": {"type": "boolean", "title": "Gift", "default": False},
    },
}
Opens = Callable[..., A2ATaskWindow]


def measure(context: DurableContext, order: Order) -> dict[str, object]:
    """Ask for a size, which only the server can check: the form leaves patterns to it."""
    answer = context.resume_input  # it is there to be taken once
    if answer is None:
        context.suspend_sync({"message": "<b>What</b> size?", "expected_input_schema": FORM})
    return {"answer": f"{order.prompt} in {answer}"}


def tailor() -> ServedAgent:
    store = MemoryExecutionStore("tailor", config=StoreConfig(monitoring_enabled=True))
    deployment = DurableDeployment("tailor", "1", store, Order, measure, config=CONFIG)
    return ServedAgent(deployment, description="Takes the measure of <i>anybody</i>.")


@pytest.fixture(scope="module")
def clerk() -> Clerk:
    return Clerk()


@pytest.fixture(scope="module")
def served(clerk: Clerk) -> Iterator[str]:
    """Yield the address of a server with two agents, clerk and tailor."""
    agents = [clerk_agent(clerk), tailor()]
    with pytest.MonkeyPatch.context() as patch, served_here(agents, hosts=["127.0.0.1"]) as url:
        patch.setattr(following, "LOOK_S", 0.03)  # a quarter of a second is long for many tests
        yield url
        clerk.let_go.set()


@pytest.fixture(autouse=True)
def own_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep agents away from those of whoever runs the tests."""
    monkeypatch.setenv("RUN_INSPECTOR_A2A_AGENTS", str(tmp_path / "agents.json"))


def agents_tab(program: Program, qtbot: QtBot) -> A2AWindow:
    """Open the tab of agents, and wait until they have answered."""
    program.content.action("a2a").trigger()
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, A2AWindow)
    views = shown.open_agents
    qtbot.waitUntil(
        lambda: bool(views.views) and all(view.state != "asking" for view in views.views),
        timeout=20_000,
    )
    return shown


@pytest.fixture
def window(served: str, program: Program, qtbot: QtBot) -> A2AWindow:
    """Return the tab of agents, which knows clerk and tailor."""
    for name in ("clerk", "tailor"):
        add_server(Server(name, f"{served}/{name}/"), agents_file())
    return agents_tab(program, qtbot)


@pytest.fixture
def opens(served: str, window: A2AWindow, program: Program, qtbot: QtBot) -> Opens:
    """Return a function that begins a task from outside, and opens it by its row."""

    def open_one(agent: str, words: str, *, until: str) -> A2ATaskWindow:
        with A2AClient(f"{served}/{agent}/") as client:
            task = client.send(words)
        window.open_agents.choose(agent)
        window.refresh_requested.emit("")  # which would come by itself within two seconds
        qtbot.waitUntil(lambda: window.model.index_of(task.id).isValid(), timeout=20_000)
        window.table.setCurrentIndex(window.model.index_of(task.id))
        QTest.keyClick(window.table, Qt.Key.Key_Return)
        return task_tab(program, qtbot, until)

    return open_one


def task_tab(program: Program, qtbot: QtBot, state: str) -> A2ATaskWindow:
    """Return the tab of the task in front, once it stands so."""
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, A2ATaskWindow)
    wait_for(shown, state, qtbot)
    return shown


def wait_for(shown: A2ATaskWindow, state: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(
        lambda: shown.open_task.task is not None and shown.open_task.task.state == state,
        timeout=20_000,
    )


def press(button: QPushButton | None) -> None:
    assert button is not None
    assert button.isVisible()
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def watching() -> int:
    return sum(thread.name == "inspector-task" for thread in threading.enumerate())


def test_a_server_is_added_with_all_of_its_agents(
    served: str, program: Program, qtbot: QtBot
) -> None:
    program.content.action("a2a").trigger()
    window = program.content.tabs.currentWidget()
    assert isinstance(window, A2AWindow)
    qtbot.waitUntil(lambda: window.open_agents.is_loaded)
    assert window.empty is not None
    assert "Add the address of an A2A agent" in window.empty.text
    press(window.empty.findChild(QPushButton, "empty-action"))
    asked = dialog(program)
    write(asked, "Address", "ftp://nowhere")
    click(asked, "save")
    assert asked.said.startswith("ftp://nowhere")  # type: ignore[attr-defined]
    write(asked, "Address", served)
    click(asked, "save")
    qtbot.waitUntil(lambda: len(window.open_agents.views) == 2, timeout=20_000)
    assert [one.url for one in known_servers(agents_file())] == [
        f"{served}/clerk", f"{served}/tailor"
    ]  # fmt: skip
    window.open_agents.choose("tailor")
    qtbot.waitUntil(lambda: "tailor" in window.card.text, timeout=20_000)
    assert "Takes the measure of <i>anybody</i>." in window.card.text
    assert "version 1 · A2A 1.0 · can be watched" in window.card.text


def test_a_message_is_sent_from_a_form_and_its_task_followed_to_the_end(
    window: A2AWindow, program: Program, qtbot: QtBot
) -> None:
    window.open_agents.choose("clerk")
    click(window, "send-message")
    asked = dialog(program)
    click(asked, "send")
    assert asked.said == "Not sent: see beside the fields."  # type: ignore[attr-defined]
    write(asked, "Prompt", "say 5")
    click(asked, "send")
    qtbot.waitUntil(lambda: isinstance(program.content.tabs.currentWidget(), A2ATaskWindow))
    shown = task_tab(program, qtbot, "completed")
    qtbot.waitUntil(lambda: "Artifact result" in shown.talk.text)
    assert "say 5" in shown.talk.text
    assert "0 1 2 3 4" in shown.talk.text
    assert shown.head.state == "Completed"
    assert shown.head.connection == ""
    program.content.action("a2a").trigger()
    assert window.model.rows[0].task.id == shown.open_task.task_id


def test_words_are_enough_for_an_agent_that_takes_a_form(
    window: A2AWindow, program: Program, qtbot: QtBot
) -> None:
    window.open_agents.choose("clerk")
    click(window, "send-message")
    asked = dialog(program)
    click(asked, "in-words")
    write(asked, "Your message", "say 2")
    click(asked, "send")
    qtbot.waitUntil(lambda: isinstance(program.content.tabs.currentWidget(), A2ATaskWindow))
    task_tab(program, qtbot, "completed")


def test_a_question_is_answered_from_its_form_and_a_bad_answer_refused_beside_the_field(
    opens: Opens, qtbot: QtBot
) -> None:
    shown = opens("tailor", "a coat", until="input-required")
    pane = shown.answer_pane
    qtbot.waitUntil(lambda: pane.is_asking)
    assert shown.tabs.currentWidget() is pane
    assert shown.head.state == "Asks for an answer"
    assert "<b>What</b> size?" in shown.talk.text
    write(pane, "Size", "huge")
    click(pane, "answer")
    qtbot.waitUntil(lambda: bool(pane.form.form.problems), timeout=20_000)
    assert set(pane.form.form.problems) == {("size",)}
    assert "does not match" in pane.form.form.problems[("size",)]
    assert "does not answer what the task asks for" in pane.said
    write(pane, "Size", "m")
    click(pane, "answer")
    wait_for(shown, "completed", qtbot)
    qtbot.waitUntil(lambda: "a coat in {'" in shown.talk.text)
    assert "'size': 'm'" in shown.talk.text
    assert "'gift': False" in shown.talk.text
    assert not pane.is_asking
    states = [moment.words.partition(":")[0] for moment in shown.open_task.moments]
    assert states[0] == "asks for an answer"
    assert states[-1] == "completed"


def test_a_question_without_a_schema_is_answered_in_words(opens: Opens, qtbot: QtBot) -> None:
    shown = opens("clerk", "wonder", until="input-required")
    qtbot.waitUntil(lambda: shown.answer_pane.is_asking)
    write(shown.answer_pane, "Your answer", "that <b>it</b> works")
    click(shown.answer_pane, "answer")
    wait_for(shown, "completed", qtbot)
    qtbot.waitUntil(lambda: "wonder: that <b>it</b> works" in shown.talk.text)


def test_what_is_typed_stays_while_the_same_is_asked_and_the_next_question_has_its_own_form(
    served: str, opens: Opens, qtbot: QtBot
) -> None:
    shown = opens("clerk", "insist", until="input-required")
    pane = shown.answer_pane
    qtbot.waitUntil(lambda: pane.is_asking)
    write(pane, "Your answer", "half of")
    with qtbot.waitSignal(shown.open_task.changed):
        shown.open_task.hurry()
    assert named(pane, "Your answer").toPlainText() == "half of"  # type: ignore[attr-defined]
    # Somebody else answers: the next question takes the place of this one.
    with A2AClient(f"{served}/clerk/") as other:
        other.send("one", task_id=shown.open_task.task_id)
    shown.open_task.hurry()  # which would be looked for within two seconds
    qtbot.waitUntil(lambda: "Answer 2?" in shown.talk.text, timeout=20_000)
    assert named(pane, "Your answer").toPlainText() == ""  # type: ignore[attr-defined]
    write(pane, "Your answer", "two")
    click(pane, "answer")
    wait_for(shown, "completed", qtbot)
    qtbot.waitUntil(lambda: "one and two" in shown.talk.text)


def test_a_cancel_says_first_what_it_does(opens: Opens, program: Program, qtbot: QtBot) -> None:
    shown = opens("clerk", "hold it", until="working")
    qtbot.waitUntil(lambda: shown.head.connection == "LIVE")
    program.content.action("a2a-cancel").trigger()
    asked = dialog(program)
    assert "what it does outside stays" in asked.accessibleDescription()
    asked.reject()
    click(shown, "cancel")
    press(dialog(program).findChild(QPushButton, "agree"))
    wait_for(shown, "canceled", qtbot)
    qtbot.waitUntil(lambda: shown.head.state == "Canceled")
    assert not shown.head.findChild(QPushButton, "cancel").isVisible()  # type: ignore[union-attr]


def test_a_task_opens_as_a_run(opens: Opens, program: Program, qtbot: QtBot) -> None:
    shown = opens("clerk", "say 3", until="completed")
    with qtbot.waitSignal(program.workspace.added, timeout=20_000):
        click(shown, "open-run")
    assert isinstance(program.content.tabs.currentWidget(), RunWindow)
    assert program.workspace.current is not None
    assert "0 1 2" in str(program.workspace.current.run.spans[0].raw)


def test_closing_a_tab_ends_its_stream_at_once(
    opens: Opens, program: Program, qtbot: QtBot
) -> None:
    shown = opens("clerk", "hold on", until="working")
    qtbot.waitUntil(lambda: shown.head.connection == "LIVE")
    assert watching() == 1
    program.content.action("close").trigger()
    qtbot.waitUntil(lambda: watching() == 0, timeout=20_000)


def test_the_table_is_narrowed_by_state_and_words(
    opens: Opens, window: A2AWindow, program: Program, qtbot: QtBot
) -> None:
    opens_id = opens("clerk", "ask", until="input-required").open_task.task_id
    program.content.action("a2a").trigger()
    window.refresh_requested.emit("")
    qtbot.waitUntil(lambda: any(row.task.asks for row in window.model.rows), timeout=20_000)
    states = window.findChild(QComboBox, "state")
    assert states is not None
    states.setCurrentIndex(states.findData("input-required"))
    states.activated.emit(states.currentIndex())
    assert {row.task.state for row in window.model.rows} == {"input-required"}
    program.content.action("a2a-find").trigger()
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClicks(focus, opens_id[:12])
    QTest.keyClick(focus, Qt.Key.Key_Return)
    assert [row.task.id for row in window.model.rows] == [opens_id]
    QTest.keyClicks(focus, "no such thing")
    QTest.keyClick(focus, Qt.Key.Key_Return)
    assert window.empty is not None
    assert window.empty.text.startswith("Nothing fits")


def test_an_agent_that_is_away_is_stale_and_live_again_when_it_is_back(
    clerk: Clerk, program: Program, qtbot: QtBot
) -> None:
    with served_here([clerk_agent(Clerk())], hosts=["127.0.0.1"]) as url:
        add_server(Server("clerk", f"{url}/clerk/"), agents_file())
        with A2AClient(f"{url}/clerk/") as client:
            task = client.send("ask")
        window = agents_tab(program, qtbot)
        qtbot.waitUntil(lambda: bool(window.model.rows), timeout=20_000)
        window.open_requested.emit("clerk", window.model.rows[0].task)
        shown = task_tab(program, qtbot, "input-required")
        qtbot.waitUntil(lambda: shown.head.connection == "LIVE")
    window.refresh_requested.emit("")
    shown.open_task.hurry()
    qtbot.waitUntil(lambda: window.freshness.startswith("STALE"), timeout=20_000)
    assert window.trouble.text.startswith("clerk cannot be reached.")
    assert [(row.task.id, row.is_stale) for row in window.model.rows] == [(task.id, True)]
    assert "clerk" in window.card.text
    qtbot.waitUntil(lambda: shown.head.connection == "STALE", timeout=20_000)
    assert shown.head.state == "Was asking for an answer"
    assert shown.trouble.text.startswith("The agent is away")
    with served_here([clerk_agent(clerk)], port=int(url.rpartition(":")[2]), hosts=["127.0.0.1"]):
        press(shown.trouble.button)
        # Its tasks were in memory only, and are gone with it: that is for good.
        qtbot.waitUntil(lambda: shown.trouble.text.startswith("Nothing more"), timeout=20_000)
        program.content.action("a2a").trigger()
        press(window.trouble.button)
        qtbot.waitUntil(lambda: window.freshness.startswith("LIVE"), timeout=20_000)
        assert window.trouble.text == ""
        assert window.model.rows == ()


def test_a_token_is_typed_for_the_session_and_stands_in_no_file(
    program: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    with served_here([clerk_agent(Clerk())], token="open-sesame-17", hosts=["127.0.0.1"]) as url:
        add_server(Server("clerk", f"{url}/clerk/"), agents_file())
        window = agents_tab(program, qtbot)
        qtbot.waitUntil(lambda: window.trouble.button.text() == "Token…", timeout=20_000)
        assert window.trouble.text.startswith("clerk does not let us in.")
        press(window.trouble.button)
        asked: QDialog = dialog(program)
        write(asked, "Token", "open-sesame-17")
        click(asked, "save")
        qtbot.waitUntil(lambda: window.freshness.startswith("LIVE"), timeout=20_000)
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert kept
    assert not any(b"open-sesame-17" in file.read_bytes() for file in kept)


def test_whoever_one_is_to_an_agent_is_given_with_its_address(
    clerk: Clerk, program: Program, qtbot: QtBot
) -> None:
    with served_here([private_agent(clerk)], hosts=["127.0.0.1"]) as url:
        for name in ("ada", "bob"):
            with A2AClient(url, Access(owner={"X-User": name})) as client:
                client.send(f"say {len(name)}")
        program.content.action("a2a-add").trigger()
        asked = dialog(program)
        write(asked, "Address", url)
        write(asked, "Name", "of ada")
        write(asked, "Header that says who you are", "X-User")
        write(asked, "Value of that header", "ada")
        click(asked, "save")
        window = agents_tab(program, qtbot)
        qtbot.waitUntil(lambda: len(window.model.rows) == 1, timeout=20_000)
        assert window.open_agents.views[0].name == "of ada"
    (kept,) = known_servers(agents_file())
    assert kept.owner_headers == ("X-User",)


def test_an_agent_is_removed_once_that_was_agreed_to(
    window: A2AWindow, program: Program, qtbot: QtBot
) -> None:
    click(window, "remove-agent")
    press(dialog(program).findChild(QPushButton, "agree"))
    qtbot.waitUntil(lambda: len(window.open_agents.views) == 1)
    assert [one.name for one in known_servers(agents_file())] == ["tailor"]
