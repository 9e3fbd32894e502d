"""Asking where a value came from and who used it, with mouse and keys."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QListView, QMenu, QToolButton, QTreeView

from inspector.gui import theme
from inspector.gui.widgets.origins_view import OriginsView
from inspector.gui.widgets.turn_widget import TurnWidget
from inspector.gui.workspace.selection import Focus
from inspector.presentation.provenance_answer import Answer, Candidate, Link
from inspector.presentation.span_detail import Tab
from tests.helpers.span_runs import run_with

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
ARGUMENT = "outputs.replies[0].content[1].tool_call.arguments.wake"


def rows(view):
    model, said = view.model(), Qt.ItemDataRole.AccessibleTextRole
    return [model.index(at, 0).data(said) for at in range(model.rowCount())]


def answer_of(reader):
    return reader.seen(QListView, " of ")


def button(reader, words):
    return reader.seen(QToolButton, words)


def test_the_key_o_leads_from_an_argument_to_the_reply_that_asked_for_it(reader):
    at = reader("agent-tools")
    at.go("s12", "inputs.wake")
    at.press("o")
    assert at.selection.focus == Focus("s11", ARGUMENT)
    assert at.pane.current_tab is Tab.OUTPUT
    assert rows(answer_of(at)) == [
        f"llm in step 1, {ARGUMENT}. Recorded: this reply asked for it, by the id of the call. true"
    ]


def test_alt_left_leads_back_to_the_value_that_was_asked_about(reader, qtbot):
    at = reader("agent-tools")
    at.go("s12", "inputs.wake")
    at.press("o")
    qtbot.keyClick(at.program.window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    at.settle()
    assert at.selection.focus == Focus("s12", "inputs.wake")


def test_back_to_it_leads_back_by_mouse(reader, qtbot):
    at = reader("agent-tools")
    at.go("s12", "inputs.wake")
    at.press("o")
    qtbot.mouseClick(button(at, "Back to it"), LEFT)
    at.settle()
    assert at.selection.focus == Focus("s12", "inputs.wake")


def test_several_places_are_listed_and_nothing_jumps(reader, qtbot):
    at = reader("rag-answer")
    at.go("s4", "inputs.messages")
    at.press("o")
    assert at.selection.focus == Focus("s4", "inputs.messages")
    listed = rows(answer_of(at))
    assert "prompt_builder, outputs.prompt. Recorded: it is the sender" in listed[0]
    assert "Inferred: its words stand in this, as query" in listed[1].replace("`", "")
    assert len(listed) == 6


def test_enter_goes_to_the_place_that_the_arrow_keys_chose(reader, qtbot):
    at = reader("rag-answer")
    at.go("s4", "inputs.messages")
    at.press("o")
    assert answer_of(at).hasFocus()
    qtbot.keyClick(answer_of(at), Qt.Key.Key_Down)
    qtbot.keyClick(answer_of(at), Qt.Key.Key_Down)
    qtbot.keyClick(answer_of(at), Qt.Key.Key_Return)
    at.settle()
    assert at.selection.focus == Focus("s2", "outputs.documents[0].content")
    # The list stays, for the next of the places.
    assert len(rows(answer_of(at))) == 6


def test_a_click_goes_to_a_place(reader, qtbot):
    at = reader("rag-answer")
    at.go("s4", "inputs.messages")
    at.press("o")
    listed = answer_of(at)
    place = listed.visualRect(listed.model().index(1, 0)).center()
    qtbot.mouseClick(listed.viewport(), LEFT, pos=place)
    at.settle()
    assert at.selection.focus == Focus("s1", "inputs.prompt_builder.query")


def test_escape_puts_the_answer_away(reader, qtbot):
    at = reader("rag-answer")
    at.go("s4", "inputs.messages")
    at.press("o")
    qtbot.keyClick(answer_of(at), Qt.Key.Key_Escape)
    assert not at.program.window.findChild(OriginsView).isVisible()
    assert at.selection.focus == Focus("s4", "inputs.messages")


def test_the_key_u_tells_who_used_a_value(reader):
    at = reader("rag-answer")
    at.go("s2", "outputs.documents[0]")
    at.press("u")
    assert [row.split(",")[0] for row in rows(answer_of(at))][:2] == [
        "prompt_builder",
        "answer_builder",
    ]


def test_a_button_beside_the_value_asks(reader, qtbot):
    at = reader("rag-answer")
    at.go("s5", "inputs.documents[1]")
    qtbot.mouseClick(button(at, "Where did this come from?"), LEFT)
    at.settle()
    assert at.selection.focus == Focus("s2", "outputs.documents[1]")


def test_the_menu_of_a_value_asks(reader, qtbot):
    at = reader("rag-answer")
    at.go("s5", "inputs.documents[1]")
    tree = at.seen(QTreeView, "Input: values")
    place = tree.visualRect(tree.currentIndex()).center()
    tree.customContextMenuRequested.emit(place)
    menu = next(m for m in at.program.window.findChildren(QMenu) if m.isVisible())
    asks = next(a for a in menu.actions() if a.text().startswith("Where did this"))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(asks).center())
    at.settle()
    assert at.selection.focus == Focus("s2", "outputs.documents[1]")


def test_the_menu_of_a_document_asks(reader, qtbot):
    at = reader("rag-answer")
    at.go("s5")
    at.pane.show_tab(Tab.DOCUMENTS)
    at.settle()
    table = at.seen(QTreeView, "Documents")
    table.customContextMenuRequested.emit(QPoint(40, 10))
    menu = next(m for m in at.program.window.findChildren(QMenu) if m.isVisible())
    asks = next(a for a in menu.actions() if a.text().startswith("Where did this"))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(asks).center())
    at.settle()
    assert "documents[0]" in at.selection.field


def test_a_turn_of_a_conversation_asks(reader, qtbot):
    at = reader("agent-tools")
    at.go("s11")
    at.pane.show_tab(Tab.MESSAGES)
    at.settle()
    turn = next(
        each for each in at.program.window.findChildren(TurnWidget)
        if each.isVisible() and each.accessibleName().startswith("Tool result")
    )  # fmt: skip
    asks = next(
        each for each in turn.findChildren(QToolButton)
        if each.accessibleName().startswith("Where did this")
    )  # fmt: skip
    qtbot.mouseClick(asks, LEFT)
    at.settle()
    assert at.selection.span_id in ("s7", "s8", "s9")
    assert at.selection.field == "outputs"


def test_the_menu_and_the_sheet_know_both_questions(reader):
    at = reader("rag-answer")
    for name, key in (("where-from", "O"), ("who-used", "U")):
        action = at.program.content.action(name)
        assert action.isEnabled()
        assert action.shortcut().toString() == key


def test_what_nobody_sent_is_said_in_words(pane_of):
    run = run_with(
        {"name": "rag"},
        {"name": "builder", "senders": {}, "inputs": {"template": None, "top": 3}},
    )
    pane = pane_of(run, "s2")
    pane.open_run.selection.select_field("inputs.template")
    pane.ask_where_from()
    pane.settle()
    view = pane.findChild(OriginsView)
    assert view.isVisible()
    assert view.current is None
    said = [each.text() for each in view.findChildren(type(view._note)) if each.isVisible()]
    assert "Nobody sent template: the component ran with its default." in said


def test_letters_ask_nothing_while_one_writes(reader, qtbot):
    at = reader("agent-tools")
    at.go("s12", "inputs.wake")
    viewer = at.seen(QToolButton, "Find (Ctrl+F)")
    qtbot.mouseClick(viewer, LEFT)
    at.press("ou")
    assert at.selection.focus == Focus("s12", "inputs.wake")


@pytest.mark.parametrize("choice", [theme.ThemeChoice.LIGHT, theme.ThemeChoice.DARK])
def test_an_inferred_way_is_drawn_otherwise_than_a_recorded_one(qtbot, qapp, choice):
    theme.apply(qapp, choice)
    pictures = {}
    for link in Link:
        view = OriginsView()
        qtbot.addWidget(view)
        view.resize(400, 120)
        view.show_answer(
            Answer("Where it came from", (Candidate("s1", "outputs.a", link, "one", "x"),))
        )
        view.show()
        listed = view.findChild(QListView)
        listed.clearSelection()
        listed.setCurrentIndex(listed.model().index(-1, 0))
        image = listed.viewport().grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        middle = listed.visualRect(listed.model().index(0, 0)).center().y()
        pictures[link] = [image.pixel(x, middle) for x in range(8, 30)]
    solid, dashed = pictures[Link.RECORDED], pictures[Link.INFERRED]
    changes = [sum(a != b for a, b in pairwise(line)) for line in (solid, dashed)]
    assert changes[1] > changes[0] + 2
    theme.apply(qapp, theme.ThemeChoice.LIGHT)


def test_an_answer_goes_when_one_moves_on_to_what_it_does_not_concern(reader):
    at = reader("agent-tools")
    at.go("s12", "inputs.wake")
    at.press("o")
    strip = at.seen(OriginsView)
    at.go("s12")
    assert strip.isVisible(), "the span that was asked about"
    at.go("s3")
    assert not strip.isVisible()
