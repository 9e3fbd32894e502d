"""One execution watched, answered, canceled and submitted by a person in front of the window."""

import json
import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QPlainTextEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.main_window_hayhooks import HayhooksOffers
from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow
from inspector.gui.panes.hayhooks_window import HayhooksWindow
from inspector.gui.workspace.open_hayhooks import OpenHayhooks
from inspector.hayhooks.client.model import Server
from inspector.hayhooks.client.servers import add_server
from tests.gui.hayhooks.conftest import Opens, execution_tab, opened_tab
from tests.gui.hayhooks.hands import click, dialog, named, write
from tests.gui.hayhooks.scripted import APPROVAL, Made, ScriptedHayhooks, serving

ASKS = {"kind": "approval", "message": "May I charge 20?", "expected_input_schema": APPROVAL}


def words(*texts: str) -> list[dict[str, str]]:
    return [{"content": text} for text in texts]


def started(world: ScriptedHayhooks, deployment: str = "rag", **known: object) -> Made:
    made = world.add(deployment, **known)
    world.move(made, "running", attempt=1)
    return made


def test_chunks_show_as_they_come_and_the_result_when_it_is_there(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = started(world)
    tab = opens(made)
    assert tab.head.state == "Running"
    world.say(made, *words("The ", "answer"))
    qtbot.waitUntil(lambda: tab.stream.text == "The answer")
    world.say(made, *words(" is 42."))
    qtbot.waitUntil(lambda: tab.stream.text == "The answer is 42.")
    assert tab.head.connection == "LIVE"
    world.move(made, "completed", result={"answer": "42", "$": "redacted"})
    qtbot.waitUntil(lambda: tab.head.state == "Completed")
    assert tab.head.connection == ""
    assert tab.tabs.currentWidget() is tab.result
    assert "3\u202fchunks came." in tab.said


def test_the_chunks_of_an_abandoned_attempt_stay_and_are_marked(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = started(world)
    tab = opens(made)
    world.say(made, *words("first try"))
    qtbot.waitUntil(lambda: "first try" in tab.stream.text)
    world.move(made, "running", attempt=2, after=10)
    world.say(made, *words("second try"))
    world.move(made, "completed", result={})
    qtbot.waitUntil(lambda: tab.head.state == "Completed", timeout=20_000)
    lines = tab.stream.text.split("\n")
    assert lines[0] == "⊘ Attempt 1 · abandoned after 1\u202fchunk: nothing of it counts"
    assert "first try" in lines
    assert lines[lines.index("● Attempt 2") + 1] == "second try"
    story = tab.timeline.story
    assert story is not None
    assert story.attempts == 2
    assert "interrupted" in {moment.kind for moment in story.moments}


def test_what_was_seen_is_there_in_another_window_though_the_server_has_forgotten_it(
    world: ScriptedHayhooks,
    opens: Opens,
    program: Program,
    another: Callable[[], Program],
    qtbot: QtBot,
) -> None:
    made = started(world)
    tab = opens(made)
    world.say(made, *words("first try"))
    qtbot.waitUntil(lambda: "first try" in tab.stream.text)
    program.workspace.remove(tab.open_execution)
    world.move(made, "running", attempt=2)
    world.say(made, *words("second try"))
    second = another()
    window = opened_tab(second, qtbot)
    qtbot.waitUntil(lambda: window.model.rowCount() == 1)
    window.table.opened.emit(window.model.rows[0])
    shown = execution_tab(second, qtbot)
    qtbot.waitUntil(lambda: "second try" in shown.stream.text)
    assert "first try" in shown.stream.text
    assert "abandoned" in shown.stream.text


def test_a_wait_is_answered_in_its_form(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = started(world, "assistant")
    tab = opens(made)
    world.move(made, "waiting", waiting=ASKS)
    qtbot.waitUntil(lambda: tab.resume_pane.is_asking, timeout=20_000)
    assert tab.head.state == "Waiting for approval"
    assert tab.tabs.currentWidget() is tab.resume_pane
    click(tab.resume_pane, "resume")  # neither yes nor no was said
    assert tab.resume_pane.form.problems == {("approved",): "Choose yes or no: it is required."}
    assert made.answers == []
    click(tab.resume_pane, "yes")
    write(tab.resume_pane, "Amount", "2x")
    click(tab.resume_pane, "resume")
    assert tab.resume_pane.form.problems == {("amount",): "This takes a number."}
    write(tab.resume_pane, "Amount", "200")
    click(tab.resume_pane, "resume")
    assert tab.resume_pane.form.problems == {("amount",): "It has to be at most 100."}
    write(tab.resume_pane, "Amount", "20")
    write(tab.resume_pane, "Comment", "go on")
    click(tab.resume_pane, "resume")
    qtbot.waitUntil(lambda: made.answers == [{"approved": True, "amount": 20, "comment": "go on"}])
    world.move(made, "running", attempt=2)
    qtbot.waitUntil(lambda: not tab.resume_pane.is_asking, timeout=20_000)
    assert tab.timeline.story is not None
    qtbot.waitUntil(
        lambda: "resumed" in {one.kind for one in tab.timeline.story.moments}  # type: ignore[union-attr]
    )


def test_what_the_server_refuses_stands_beside_its_field(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = started(world, "assistant")
    world.move(made, "waiting", waiting=ASKS)
    tab = opens(made)
    qtbot.waitUntil(lambda: tab.resume_pane.is_asking)
    world.refuses.append(
        (422, [{"loc": ["body", "comment"], "msg": "Say\u202e why", "type": "value_error"}])
    )
    click(tab.resume_pane, "no")
    write(tab.resume_pane, "Comment", "no")
    QTest.keyClick(named(tab.resume_pane, "Comment"), Qt.Key.Key_Return,
                   Qt.KeyboardModifier.ControlModifier)  # fmt: skip
    qtbot.waitUntil(lambda: bool(tab.resume_pane.form.problems))
    assert tab.resume_pane.form.problems == {("comment",): "Say⟨U+202E⟩ why"}
    assert made.answers == []
    click(tab.resume_pane, "resume")  # what was typed is still there
    qtbot.waitUntil(lambda: made.answers == [{"approved": False, "comment": "no"}])


def test_what_was_typed_stays_while_the_same_is_asked(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = started(world, "assistant")
    world.move(made, "waiting", waiting=ASKS)
    tab = opens(made)
    qtbot.waitUntil(lambda: tab.resume_pane.is_asking)
    write(tab.resume_pane, "Comment", "half a sent")
    world.report(made, "somebody looked")
    qtbot.waitUntil(lambda: tab.tabs.tabText(2) == "Events 3", timeout=2_000)
    field = named(tab.resume_pane, "Comment")
    assert isinstance(field, QPlainTextEdit)
    assert field.toPlainText() == "half a sent"


def test_a_cancel_says_first_what_it_will_and_will_not_do(
    world: ScriptedHayhooks, opens: Opens, program: Program, qtbot: QtBot
) -> None:
    made = started(world)
    tab = opens(made)
    click(tab.head, "cancel")
    asked = dialog(program)
    assert "A running pipeline is not interrupted" in asked.accessibleDescription()
    QTest.keyClick(asked, Qt.Key.Key_Return)  # which lets it go on
    assert made.pending is False
    click(tab.head, "cancel")
    click(dialog(program), "agree")
    qtbot.waitUntil(lambda: made.pending)
    qtbot.waitUntil(lambda: tab.head.state == "Running, cancel asked for")
    world.move(made, "canceled", pending=False)
    qtbot.waitUntil(lambda: tab.head.state == "Canceled", timeout=20_000)
    assert not tab.head.findChild(QPushButton, "cancel").isVisible()  # type: ignore[union-attr]


def test_a_form_made_of_the_schema_submits_once_however_often_it_is_pressed(
    world: ScriptedHayhooks, window: HayhooksWindow, program: Program, qtbot: QtBot
) -> None:
    click(window, "submit")
    asked = dialog(program)
    click(asked, "send")
    form = asked.form  # type: ignore[attr-defined]
    assert form.problems == {("question",): "Write something here: it is required."}
    write(asked, "Question", "Who?")
    write(asked, "Top K", "70")
    click(asked, "send")
    assert form.problems == {("top_k",): "It has to be at most 50."}
    write(asked, "Top K", "7")
    world.gate.clear()  # the answer takes its time
    click(asked, "send")
    send = asked.findChild(QAbstractButton, "send")
    assert send is not None
    QTest.mouseClick(send, Qt.MouseButton.LeftButton)
    QTest.keyClick(named(asked, "Question"), Qt.Key.Key_Return,
                   Qt.KeyboardModifier.ControlModifier)  # fmt: skip
    world.gate.set()
    tabs = program.content.tabs
    qtbot.waitUntil(lambda: isinstance(tabs.currentWidget(), HayhooksExecutionWindow))
    assert world.submits == 1
    (made,) = world.made.values()
    assert made.given == {"question": "Who?", "top_k": 7, "style": "short", "fresh": False}


def test_the_same_input_sent_again_after_a_failure_has_the_same_key(
    world: ScriptedHayhooks, window: HayhooksWindow, program: Program, qtbot: QtBot
) -> None:
    click(window, "submit")
    asked = dialog(program)
    write(asked, "Question", "Who?")
    world.refuses.append((503, "Store is down"))
    keys: list[str] = []
    asked.submit_requested.connect(lambda *sent: keys.append(sent[3]))  # type: ignore[attr-defined]
    click(asked, "send")
    qtbot.waitUntil(
        lambda: "staging" in asked.said or "busy" in asked.said or "store" in asked.said.lower()
    )  # type: ignore[attr-defined]
    click(asked, "send")
    tabs = program.content.tabs
    qtbot.waitUntil(lambda: isinstance(tabs.currentWidget(), HayhooksExecutionWindow))
    assert len(keys) == 2
    assert keys[0] == keys[1]


def test_a_nested_value_and_a_list_are_given_in_the_form_or_as_json(
    world: ScriptedHayhooks, window: HayhooksWindow, program: Program, qtbot: QtBot
) -> None:
    click(window, "submit")
    asked = dialog(program)
    write(asked, "Question", "Who?")
    give = named(asked, "Filters")
    QTest.mouseClick(give, Qt.MouseButton.LeftButton, pos=give.rect().center())
    if not give.isChecked():  # type: ignore[attr-defined]
        QTest.keyClick(give, Qt.Key.Key_Space)
    write(asked, "Field", "year")
    click(asked, "add")
    write(asked, "Tags 1", "a")
    click(asked, "as-json")
    text = asked.findChild(QPlainTextEdit, "whole-json")
    assert text is not None
    value = json.loads(text.toPlainText())
    assert value["filters"] == {"field": "year", "least": 0.5}
    assert value["tags"] == ["a"]
    text.setPlainText(json.dumps({**value, "tags": ["a", "b"]}))
    click(asked, "as-json")
    assert named(asked, "Tags 2").toPlainText() == "b"  # type: ignore[attr-defined]
    style = asked.findChild(QComboBox, "choice")
    assert style is not None
    style.setFocus()
    QTest.keyClicks(style, "long")
    click(asked, "send")
    tabs = program.content.tabs
    qtbot.waitUntil(lambda: isinstance(tabs.currentWidget(), HayhooksExecutionWindow))
    (made,) = world.made.values()
    assert made.given["tags"] == ["a", "b"]
    assert made.given["filters"] == {"field": "year", "least": 0.5}
    assert made.given["style"] == "long"


def test_a_failure_names_the_exception_and_where_its_words_are(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    error = {"type": "ValueError\x1b[2J", "message": "Durable execution failed",
             "retryable": False, "code": "runner"}  # fmt: skip
    made = world.add("rag", status="failed", attempt=1, version=4, error=error)
    tab = opens(made)
    qtbot.waitUntil(lambda: tab.head.state == "Failed")
    assert "ValueError␛[2J" in tab.result.error_text
    assert any("log of the server" in said for said in tab.traps.words)
    story = tab.timeline.story
    assert story is not None
    assert {one.state for one in story.stretches} <= {"unknown"}


def test_while_the_server_is_away_the_tab_is_stale_and_then_goes_on_without_a_gap(
    program: Program, world: ScriptedHayhooks, qtbot: QtBot
) -> None:
    made = started(world)
    with serving(world) as url:
        port = int(url.rpartition(":")[2])
        add_server(Server("staging", url))
        window = opened_tab(program, qtbot)
        qtbot.waitUntil(lambda: window.model.rowCount() == 1)
        window.table.opened.emit(window.model.rows[0])
        tab = execution_tab(program, qtbot)
        world.say(made, *words("one "))
        qtbot.waitUntil(lambda: tab.stream.text == "one ")
    qtbot.waitUntil(lambda: tab.head.connection == "STALE", timeout=20_000)
    assert tab.head.state == "Was running"
    assert "asked again" in tab.trouble.text
    world.say(made, *words("two "))
    with serving(world, port):
        qtbot.waitUntil(lambda: tab.stream.text == "one two ", timeout=20_000)
        assert tab.head.connection == "LIVE"
        assert tab.trouble.text == ""


def test_an_execution_that_the_server_does_not_know_is_said(
    program: Program, window: HayhooksWindow, served: str, qtbot: QtBot
) -> None:
    offers = program.window.findChild(HayhooksOffers)
    assert offers is not None
    server = offers.controller.server_named("staging")
    assert server is not None
    offers.controller.open_execution(server, "rag", "f" * 32)
    tab = program.content.tabs.currentWidget()
    assert isinstance(tab, HayhooksExecutionWindow)
    qtbot.waitUntil(lambda: bool(tab.trouble.text))
    assert tab.head.connection == "STALE"
    assert tab.trouble.button.text() == "Try again"


def test_a_flood_of_chunks_comes_in_batches(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = started(world)
    tab = opens(made)
    told: list[bool] = []
    tab.open_execution.streamed.connect(lambda: told.append(True))
    world.say(made, *words(*(f"{number} " for number in range(4_000))))
    live = tab.open_execution.live
    qtbot.waitUntil(lambda: live.chunks == 4_000, timeout=30_000)
    assert len(told) < 1_000  # one for a batch, never one for a chunk
    assert live.attempts[0].text.endswith("3999 ")


def test_closing_the_tab_ends_its_stream(
    world: ScriptedHayhooks, opens: Opens, program: Program, qtbot: QtBot
) -> None:
    tab = opens(started(world))
    qtbot.waitUntil(lambda: tab.head.connection == "LIVE")

    def watching() -> list[str]:
        return [each.name for each in threading.enumerate() if each.name == "inspector-watching"]

    assert watching()
    program.content.action("close").trigger()
    qtbot.waitUntil(lambda: not watching())
    assert isinstance(program.workspace.current_item, OpenHayhooks)


def test_an_execution_is_open_once(
    world: ScriptedHayhooks, opens: Opens, window: HayhooksWindow, program: Program
) -> None:
    made = started(world)
    tab = opens(made)
    window.table.opened.emit(window.picked)
    assert program.content.tabs.currentWidget() is tab
    assert len(program.workspace.items) == 2


def test_what_nobody_does_has_no_button_and_what_somebody_does_has_one(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    tab = opens(started(world))
    run, fork = (tab.head.findChild(QPushButton, name) for name in ("open-run", "fork"))
    assert run is not None
    assert fork is not None
    tab.offer(run=False, fork=False)
    assert not run.isVisible()
    assert not fork.isVisible()
    tab.offer(run=True, fork=False)
    assert run.isVisible()
    assert not fork.isVisible()
    with qtbot.waitSignal(tab.run_requested) as asked:
        click(tab.head, "open-run")
    assert asked.args == [tab.open_execution]


def test_the_id_is_copied_whole(world: ScriptedHayhooks, opens: Opens) -> None:
    made = started(world)
    tab = opens(made)
    copy = named(tab.head, "Copy the id")
    QTest.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == made.id


def test_the_timeline_says_in_words_what_it_draws(
    world: ScriptedHayhooks, opens: Opens, qtbot: QtBot
) -> None:
    made = world.add("rag", status="completed", attempt=1, version=5)
    made.updated += 10
    tab = opens(made)
    qtbot.waitUntil(lambda: tab.timeline.story is not None)
    tab.timeline.repaint()
    middle = QPointF(tab.timeline.width() / 2, tab.timeline.height() / 2)
    assert "nobody saw" in tab.timeline.words_at(middle)
    assert "nobody saw" in tab.timeline.accessibleDescription()
    rows = tab.events.model()
    said = [rows.index(row, 3).data() for row in range(rows.rowCount())]
    assert said == ["submitted", "completed"]


@pytest.mark.parametrize("action", ["hayhooks-refresh", "execution-cancel", "execution-resume"])
def test_what_needs_a_tab_of_hayhooks_is_switched_off_without_one(
    program: Program, action: str
) -> None:
    assert not program.content.action(action).isEnabled()


def test_keys_do_what_they_say(
    world: ScriptedHayhooks, opens: Opens, program: Program, qtbot: QtBot
) -> None:
    made = started(world, "assistant")
    world.move(made, "waiting", waiting=ASKS)
    tab = opens(made)
    qtbot.waitUntil(lambda: tab.resume_pane.is_asking)
    tab.tabs.setCurrentWidget(tab.events)
    program.window.activateWindow()
    qtbot.waitUntil(program.window.isActiveWindow)
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(program.window, Qt.Key.Key_A, control | shift)
    assert tab.tabs.currentWidget() is tab.resume_pane
    QTest.keyClick(program.window, Qt.Key.Key_F5, shift)
    dialog(program).reject()
    program.window.activateWindow()
    qtbot.waitUntil(program.window.isActiveWindow)
    QTest.keyClick(program.window, Qt.Key.Key_H, control)
    window = program.content.tabs.currentWidget()
    assert isinstance(window, HayhooksWindow)
    QTest.keyClick(program.window, Qt.Key.Key_F, control)
    assert program.window.focusWidget() is window.findChild(QWidget, "search")
    window.table.setFocus()
    window.table.setCurrentIndex(window.model.index(0, 0))
    QTest.keyClick(window.table, Qt.Key.Key_Return)
    assert program.content.tabs.currentWidget() is tab


def test_without_hayhooks_the_client_works_and_says_what_to_install(qtbot: QtBot) -> None:
    opened = OpenHayhooks()
    window = HayhooksWindow(opened, has_hayhooks=False)
    qtbot.addWidget(window)
    window.show()
    assert window.empty is not None
    assert "pip install 'haystack-run-inspector[hayhooks]'" in window.empty.text
    opened.close()
