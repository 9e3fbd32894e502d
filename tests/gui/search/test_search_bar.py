from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from inspector.gui.settings import Memory
from tests.gui.search.conftest import Searcher

SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_ctrl_f_opens_the_bar_with_the_caret_in_it(person: Searcher) -> None:
    person.begin()
    assert person.bar.isVisible()
    assert QApplication.focusWidget() is person.line


def test_esc_closes_the_bar_and_gives_the_focus_back(person: Searcher) -> None:
    person.ask("tomato")
    assert person.search.found is not None
    person.press(person.line, Qt.Key.Key_Escape)
    assert not person.bar.isVisible()
    assert person.search.query is None
    assert person.search.matched is None
    assert QApplication.focusWidget() is person.tree


def test_typing_counts_the_results_and_enter_steps_through_them(person: Searcher) -> None:
    person.ask("kind:llm")
    assert person.bar.count_words == "4\u202fresults"
    assert person.run.selection.span_id == "s1"
    person.press(person.line, Qt.Key.Key_Return)
    assert person.bar.count_words == "1 of 4"
    first = person.run.selection.span_id
    person.press(person.line, Qt.Key.Key_Return)
    assert person.bar.count_words == "2 of 4"
    assert person.run.selection.span_id != first
    person.press(person.line, Qt.Key.Key_Return, SHIFT)
    assert person.run.selection.span_id == first
    person.press(person.line, Qt.Key.Key_Return, SHIFT)
    assert person.bar.count_words == "4 of 4"


def test_f3_steps_from_wherever_the_focus_is(person: Searcher) -> None:
    person.ask("kind:tool status:failed OR kind:llm")
    person.tree.setFocus()
    person.press(person.tree, Qt.Key.Key_F3)
    assert person.search.current == 0
    person.press(person.tree, Qt.Key.Key_F3, SHIFT)
    assert person.search.current == len(person.search.hits) - 1


def test_f3_without_a_search_begins_one(person: Searcher) -> None:
    person.program.window.activateWindow()
    person.tree.setFocus()
    person.press(person.tree, Qt.Key.Key_F3)
    assert person.bar.isVisible()


def test_what_is_wrong_is_said_under_the_line_with_its_place(person: Searcher) -> None:
    person.ask("water kind:tol")
    person.press(person.line, Qt.Key.Key_Return)
    assert person.bar.error_words.startswith("There is no kind tol. Did you mean kind:tool?")
    assert person.search.error is not None
    assert person.search.error.start == len("water kind:")
    person.type("water kind:tool")
    assert person.bar.error_words == ""


def test_results_stay_while_the_line_makes_no_sense(person: Searcher) -> None:
    person.ask("kind:llm")
    before = person.found()
    person.type("kind:llm (")
    assert person.found() == before


def test_nothing_found_is_said(person: Searcher) -> None:
    person.ask("no-such-words-anywhere")
    assert person.bar.count_words == "nothing found"
    person.press(person.line, Qt.Key.Key_Return)
    assert person.search.current == -1


def test_lines_are_remembered_and_come_back_with_the_arrow(
    person: Searcher, memory: Memory
) -> None:
    for line in ("kind:llm", "tomato"):
        person.ask(line)
        person.press(person.line, Qt.Key.Key_Return)
    person.press(person.line, Qt.Key.Key_Escape)
    assert memory.searches == ("tomato", "kind:llm")
    person.begin()
    person.press(person.line, Qt.Key.Key_Up)
    assert person.line.text() == "tomato"
    person.press(person.line, Qt.Key.Key_Up)
    assert person.line.text() == "kind:llm"
    assert len(person.search.hits) == 4
    person.press(person.line, Qt.Key.Key_Down)
    assert person.line.text() == "tomato"


def test_letters_do_nothing_else_while_the_line_has_the_focus(person: Searcher) -> None:
    person.begin()
    QTest.keyClicks(person.line, "jjkt")
    assert person.line.text() == "jjkt"
    assert person.run.selection.span_id == "s1"


def test_every_part_of_the_bar_has_a_name(person: Searcher) -> None:
    person.begin()
    from PySide6.QtWidgets import QToolButton

    for button in person.bar.findChildren(QToolButton):
        assert button.accessibleName() or button.text()
    assert person.line.accessibleName()
