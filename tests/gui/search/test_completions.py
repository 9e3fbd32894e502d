from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget

from tests.gui.search.conftest import Searcher


def offered(person: Searcher) -> list[str]:
    popup = person.program.window.findChild(QListWidget)
    if popup is None or not popup.isVisible():
        return []
    return [popup.item(row).text() for row in range(popup.count())]


def test_keys_are_offered_and_tab_takes_the_first(person: Searcher) -> None:
    person.begin()
    person.type("sta")
    assert offered(person) == ["status:"]
    person.press(person.line, Qt.Key.Key_Tab)
    assert person.line.text() == "status:"
    assert offered(person) == ["ok", "failed"]


def test_arrows_choose_a_value_of_this_run_and_enter_takes_it(person: Searcher) -> None:
    person.begin()
    person.type("status:")
    person.press(person.line, Qt.Key.Key_Down)
    person.press(person.line, Qt.Key.Key_Down)
    person.press(person.line, Qt.Key.Key_Return)
    assert person.line.text() == "status:failed "
    assert len(person.search.hits) == 1
    assert person.search.current == -1


def test_names_of_this_run_are_offered(person: Searcher) -> None:
    person.begin()
    person.type("name:pl")
    assert offered(person) == ["plan_chore"]


def test_esc_closes_what_is_offered_and_then_the_bar(person: Searcher) -> None:
    person.begin()
    person.type("kind:")
    assert offered(person)
    person.press(person.line, Qt.Key.Key_Escape)
    assert offered(person) == []
    assert person.bar.isVisible()
    person.press(person.line, Qt.Key.Key_Escape)
    assert not person.bar.isVisible()


def test_a_click_takes_what_is_offered(person: Searcher) -> None:
    person.begin()
    person.type("kind:to")
    popup = person.program.window.findChild(QListWidget)
    assert popup is not None
    box = popup.visualItemRect(popup.item(0))
    QTest.mouseClick(popup.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert person.line.text() == "kind:tool "


def test_nothing_is_wrong_yet_while_something_can_be_chosen(person: Searcher) -> None:
    person.begin()
    person.type("kind:")
    assert person.bar.error_words == ""
    person.press(person.line, Qt.Key.Key_Escape)
    person.press(person.line, Qt.Key.Key_Return)
    assert person.bar.error_words.startswith("There is nothing behind kind:")
