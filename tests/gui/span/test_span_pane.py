import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QTabBar, QToolButton, QTreeView, QWidget

from inspector.gui import theme
from inspector.gui.widgets.code_edit import CodeEdit
from inspector.gui.widgets.facts_view import FactsView
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.turn_widget import TurnWidget
from inspector.presentation.span_detail import Tab
from tests.helpers.span_runs import document, message, nested, run_with
from tests.presentation.test_span_detail import agent_run

LEFT = Qt.MouseButton.LeftButton
RETRIEVER = {
    "name": "retriever",
    "path": "retriever#1",
    "role": "retrieval",
    "inputs": {"query": "who lives in Paris?"},
    "outputs": {"documents": [document(1, "Jean lives in Paris.", 0.9)]},
    "receivers": {"documents": ["llm"]},
}
LLM = {
    "name": "llm",
    "path": "llm#1",
    "kind": "llm",
    "inputs": {"messages": [message("user", "Who?")]},
    "outputs": {"replies": [message("assistant", "Jean.")]},
}
FAILED = {
    "name": "writer",
    "status": "failed",
    "error": {"type": "a.DiskFullError", "message": "no space", "traceback": "Traceback"},
    "not_recorded": {"outputs": "it raised"},
}


@pytest.fixture
def pane(pane_of):
    return pane_of(run_with({"name": "rag"}, RETRIEVER, LLM, FAILED), "s2")


def bar(pane):
    return pane.findChild(QTabBar)


def enabled(pane):
    return [bar(pane).tabText(at) for at in range(bar(pane).count()) if bar(pane).isTabEnabled(at)]


def press(pane, tab, qtbot):
    place = next(at for at in range(bar(pane).count()) if bar(pane).tabText(at) == tab)
    qtbot.mouseClick(bar(pane), LEFT, pos=bar(pane).tabRect(place).center())


def seen(pane, kind):
    return next(each for each in pane.findChildren(kind) if each.isVisible())


def sentences(pane):
    return [label.text() for label in pane.findChildren(Words) if label.isVisible()]


def select(pane, span_id):
    pane.open_run.selection.select(span_id)
    pane.settle()


def test_with_nothing_selected_it_says_what_to_do(pane_of):
    pane = pane_of(run_with({"name": "rag"}))
    assert any("Choose a span" in words for words in sentences(pane))


def test_only_tabs_that_apply_can_be_opened(pane):
    assert enabled(pane) == ["Summary", "Input", "Output", "Documents", "Raw"]
    select(pane, "s3")
    assert enabled(pane) == ["Summary", "Input", "Output", "Messages", "Raw"]
    select(pane, "s4")
    assert enabled(pane) == ["Summary", "Input", "Output", "Raw", "Error"]


def test_a_tab_that_does_not_apply_says_what_would_fill_it(pane):
    place = list(Tab).index(Tab.ERROR)
    assert "did not fail" in bar(pane).tabToolTip(place)
    assert bar(pane).accessibleTabName(place).startswith("Error: empty.")


def test_the_summary_comes_first(pane):
    text = seen(pane, FactsView).toPlainText()
    assert text.startswith("retriever\nComponent")
    assert "completed" in text


def test_the_chosen_tab_comes_back_with_every_span_that_fills_it(pane, qtbot):
    press(pane, "Output", qtbot)
    press(pane, "Documents", qtbot)
    assert pane.current_tab is Tab.DOCUMENTS
    select(pane, "s3")
    assert pane.current_tab is Tab.SUMMARY
    select(pane, "s2")
    assert pane.current_tab is Tab.DOCUMENTS


def test_arrow_keys_choose_a_tab_too(pane, qtbot):
    bar(pane).setFocus()
    for _ in range(3):
        qtbot.keyClick(bar(pane), Qt.Key.Key_Right)
    assert pane.current_tab is Tab.DOCUMENTS
    select(pane, "s3")
    assert pane.current_tab is Tab.SUMMARY
    select(pane, "s2")
    assert pane.current_tab is Tab.DOCUMENTS


def test_a_tab_that_is_off_does_not_answer(pane, qtbot):
    press(pane, "Error", qtbot)
    assert pane.current_tab is Tab.SUMMARY


def test_what_was_not_recorded_is_said_with_its_reason(pane, qtbot):
    select(pane, "s4")
    press(pane, "Output", qtbot)
    assert "Not recorded: it raised" in sentences(pane)
    press(pane, "Input", qtbot)
    assert "Not recorded. The file does not say why." in sentences(pane)


def test_messages_are_a_conversation(pane, qtbot):
    select(pane, "s3")
    press(pane, "Messages", qtbot)
    names = [turn.accessibleName() for turn in pane.findChildren(TurnWidget) if turn.isVisible()]
    assert names == ["User, turn 1 of 2", "Assistant, turn 2 of 2"]


def test_the_error_of_a_failed_span_is_shown(pane, qtbot):
    select(pane, "s4")
    press(pane, "Error", qtbot)
    assert "a.DiskFullError" in sentences(pane)


def test_raw_is_the_record_as_it_stands_in_the_file(pane_of, qtbot):
    run = run_with(
        {"name": "rag"}, {"inputs": {"text": {"$ref": "aa"}}}, values={"aa": "long " * 100}
    )
    pane = pane_of(run, "s2")
    press(pane, "Raw", qtbot)
    pane.settle()
    assert '"$ref": "aa"' in seen(pane, CodeEdit).toPlainText()


def test_a_receiver_in_the_summary_leads_to_its_span(pane, qtbot):
    facts = seen(pane, FactsView)
    cursor = facts.document().find("llm")
    assert isinstance(cursor, QTextCursor)
    place = facts.cursorRect(cursor).center() - QPoint(6, 0)
    # A link needs the mouse over it before it is pressed.
    QTest.mouseMove(facts.viewport(), place)
    qtbot.mouseClick(facts.viewport(), LEFT, pos=place)
    assert pane.open_run.selection.span_id == "s3"


def test_choosing_a_value_makes_it_the_focus(pane, qtbot):
    press(pane, "Input", qtbot)
    tree = seen(pane, QTreeView)
    place = tree.visualRect(tree.model().index(0, 0)).center()
    qtbot.mouseClick(tree.viewport(), LEFT, pos=place)
    assert pane.open_run.selection.field == "inputs.query"


def test_a_field_from_elsewhere_is_shown_where_it_stands(pane):
    pane.open_run.selection.select("s3", "outputs.replies[0]")
    pane.settle()
    assert pane.current_tab is Tab.OUTPUT
    assert seen(pane, CodeEdit).toPlainText() == "Jean."


def test_going_back_shows_the_field_that_was_read(pane):
    selection = pane.open_run.selection
    selection.select_field("inputs.query")
    select(pane, "s3")
    selection.back()
    pane.settle()
    assert pane.current_tab is Tab.INPUT
    assert seen(pane, CodeEdit).toPlainText() == "who lives in Paris?"


def test_a_value_a_hundred_thousand_deep_is_no_trouble(pane_of, qtbot):
    # Deeper than any file is read; values of this depth can only be made.
    run = run_with({"name": "rag"}, RETRIEVER)
    run.inputs = nested(100_000)
    pane = pane_of(run, "s1")
    press(pane, "Input", qtbot)
    assert seen(pane, QTreeView).isVisible()


def test_values_of_megabytes_arrive_while_the_window_goes_on(pane_of, qtbot):
    run = run_with(
        {"name": "rag"},
        {"inputs": {"text": {"$ref": "aa"}, "numbers": {"$ref": "bb"}}},
        values={"aa": "line of text\n" * 400_000, "bb": list(range(100_000))},
    )
    pane = pane_of(run)
    pane.open_run.selection.select("s2")
    pane.show_tab(Tab.INPUT)
    pane.settle()
    assert seen(pane, CodeEdit).toPlainText().startswith("line of text")
    pane.open_run.selection.select_field("inputs.numbers[99999]")
    assert seen(pane, CodeEdit).toPlainText() == "99999"


def test_only_the_last_of_many_quick_selections_is_shown(pane):
    for span_id in ("s3", "s4", "s1", "s3", "s2", "s4"):
        pane.open_run.selection.select(span_id)
    pane.settle()
    assert seen(pane, FactsView).toPlainText().startswith("writer")


def test_a_span_of_a_very_long_run_learns_its_visit_when_that_is_known(pane_of, qtbot):
    visits = ({"name": "retriever", "visit": visit} for visit in range(1, 20_101))
    pane = pane_of(run_with({"name": "rag"}, *visits), "s3")
    qtbot.waitUntil(lambda: "2 of 20\u202f100" in seen(pane, FactsView).toPlainText())


def test_a_live_run_is_shown_anew_when_it_grows(pane):
    grown = run_with({"name": "rag"}, {**RETRIEVER, "outputs": {}}, LLM, FAILED)
    pane.open_run.replace_run(grown)
    pane.settle()
    assert enabled(pane) == ["Summary", "Input", "Output", "Raw"]


def test_what_is_read_stays_where_it_is_while_a_live_run_grows(pane, qtbot):
    press(pane, "Output", qtbot)
    tree = seen(pane, QTreeView)
    tree.expand(tree.model().index_of("outputs.documents[0]"))
    tree.setCurrentIndex(tree.model().index_of("outputs.documents[0].id"))
    grown = run_with({"name": "rag"}, RETRIEVER, LLM, FAILED, {"name": "later"})
    pane.open_run.replace_run(grown)
    pane.settle()
    assert seen(pane, CodeEdit).toPlainText() == "doc-1"
    assert tree.isExpanded(tree.model().index_of("outputs.documents[0]"))


def test_a_selected_span_that_is_not_in_the_run_is_not_shown(pane):
    pane.open_run.selection.select("s99")
    assert any("Choose a span" in words for words in sentences(pane))


def test_every_tab_of_every_span_can_be_opened_by_keyboard(pane_of, qtbot):
    pane = pane_of(agent_run(), "s1")
    for span in pane.open_run.run.spans:
        select(pane, span.id)
        bar(pane).setFocus()
        qtbot.keyClick(bar(pane), Qt.Key.Key_Home)
        for _ in enabled(pane)[1:]:
            qtbot.keyClick(bar(pane), Qt.Key.Key_Right)
            pane.settle()
        assert bar(pane).tabText(bar(pane).currentIndex()) == enabled(pane)[-1]


@pytest.mark.parametrize("choice", [theme.ThemeChoice.DARK, theme.ThemeChoice.LIGHT])
def test_the_theme_can_change_under_it(pane, qtbot, qapp, choice):
    for tab in enabled(pane):
        press(pane, tab, qtbot)
        theme.apply(qapp, choice)
        pane.settle()
    assert seen(pane, CodeEdit).palette().base().color() == theme.current().panel


def test_all_tabs_fit_into_a_narrow_dock(pane, qtbot):
    pane.resize(420, 600)
    qtbot.waitUntil(lambda: bar(pane).sizeHint().width() <= 420)


def test_everything_that_takes_the_focus_has_a_name(pane, qtbot):
    for span in ("s2", "s3", "s4"):
        select(pane, span)
        for tab in enabled(pane):
            press(pane, tab, qtbot)
            pane.settle()
    kinds = (QToolButton, QTreeView, CodeEdit, FactsView, QTabBar, QComboBox)
    widgets = [each for each in pane.findChildren(QWidget) if isinstance(each, kinds)]
    # Qt's own arrows beside tabs have no words and no focus.
    nameless = [
        each
        for each in widgets
        if not each.accessibleName() and each.focusPolicy() is not Qt.FocusPolicy.NoFocus
    ]
    assert nameless == []
