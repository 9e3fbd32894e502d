from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.gui.models.hits_model import HitsModel
from inspector.gui.models.roles import ROW_ROLE, SPAN_ID_ROLE
from tests.gui.search.conftest import Searcher


def test_results_name_the_span_the_field_and_mark_the_words(person: Searcher) -> None:
    person.ask("hang their leaves")
    person.type('"hang their leaves" kind:llm')
    model = person.results.model()
    row = model.index(0, 0).data(ROW_ROLE)
    assert row.label == "llm"
    assert row.where == "assistant#1/step0"
    assert row.field == "inputs.messages[1].content[0].text"
    assert row.match == "hang their leaves"
    assert "hang their leaves" in model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_click_goes_to_the_span_and_to_the_field(person: Searcher) -> None:
    person.ask('"hang their leaves" kind:llm')
    view = person.results
    index = view.model().index(1, 0)
    box = view.visualRect(index)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    person.settle()
    assert person.run.selection.span_id == index.data(SPAN_ID_ROLE)
    assert person.run.selection.field == "inputs.messages[1].content[0].text"
    assert person.search.current == 1


def test_arrows_walk_the_results_and_esc_ends_the_search(person: Searcher) -> None:
    person.ask("kind:llm")
    view = person.results
    view.setFocus()
    person.press(view, Qt.Key.Key_Down)
    person.press(view, Qt.Key.Key_Down)
    assert person.run.selection.span_id == person.found()[person.search.current]
    person.press(view, Qt.Key.Key_Escape)
    assert not person.search.is_open


def test_results_in_an_error_lead_to_it(person: Searcher) -> None:
    person.ask("error:probe kind:tool")
    person.press(person.line, Qt.Key.Key_Return)
    field = person.run.selection.field
    assert field is not None
    assert field.startswith("error")


def test_the_model_keeps_qts_rules(person: Searcher, qtmodeltester: object) -> None:
    person.ask("tomato")
    model = HitsModel()
    model.show(person.run.run, person.search.hits)
    qtmodeltester.check(model)  # type: ignore[attr-defined]  # pytest-qt's, untyped


def test_an_empty_list_says_why(person: Searcher, qtbot: QtBot) -> None:
    person.ask("no-such-words-anywhere")
    person.window.show_pane("search")
    from inspector.gui.panes.search_pane import SearchPane
    from inspector.gui.widgets.empty_words import EmptyWords

    empty = person.window.findChild(SearchPane).findChild(EmptyWords)
    assert empty.isVisible()
    assert empty.accessibleName() == "Nothing found."


def test_ctrl_f_finds_what_a_person_wrote_and_forgets_it_with_the_note(person: Searcher) -> None:
    person.run.notes.write("s8", "the wilted bed")
    person.ask('"wilted bed"')
    assert person.found() == ["s8"]
    row = person.results.model().index(0, 0).data(ROW_ROLE)
    assert (row.field, row.match) == ("note", "wilted bed")
    person.press(person.line, Qt.Key.Key_Return)
    assert person.run.selection.span_id == "s8"
    # What was found follows what is written.
    person.run.notes.write("s9", "another wilted bed")
    person.settle()
    assert person.found() == ["s8", "s9"]
    person.run.notes.write("s8", "")
    person.settle()
    assert person.found() == ["s9"]
