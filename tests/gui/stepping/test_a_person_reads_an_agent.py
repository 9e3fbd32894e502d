"""A person who has read the README finds out what an agent did, by mouse and keys alone."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.agent_view import AgentView
from inspector.gui.widgets.chat_view import ChatView
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.gui.widgets.error_view import ErrorView
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tab_bar import QuietTabBar
from inspector.gui.widgets.text_block import TextBlock
from inspector.gui.workspace.open_run import OpenRun
from inspector.runfile.model import Span

LEFT = Qt.MouseButton.LeftButton


class Person:
    """Presses what can be seen, and reads what is shown."""

    def __init__(self, program: Program, settle: Callable[[Program], None]) -> None:
        self._program = program
        self._settle = settle
        program.window.activateWindow()

    @property
    def window(self) -> QWidget:
        return self._program.window

    @property
    def run(self) -> OpenRun:
        current = self._program.workspace.current
        assert current is not None
        return current

    @property
    def span(self) -> Span:
        span_id = self.run.selection.span_id
        assert span_id is not None
        return self.run.run.span(span_id)

    def key(self, letters: str) -> None:
        for letter in letters:
            QTest.keyClicks(QApplication.focusWidget() or self.window, letter)
            self._settle(self._program)

    def press(self, name: str, within: QWidget | None = None) -> None:
        """Press the first button in sight that says this."""
        place = within or self.window
        for button in place.findChildren(QAbstractButton):
            says = name in (button.text(), button.accessibleName())
            if says and not button.visibleRegion().isEmpty():
                at = button.visibleRegion().boundingRect().center()
                QTest.mouseClick(button, LEFT, pos=at)
                self._settle(self._program)
                return
        raise AssertionError(f"There is no button {name!r} in sight")

    def tab(self, title: str) -> None:
        bar = self.window.findChild(QuietTabBar)
        assert isinstance(bar, QuietTabBar)
        place = next(at for at in range(bar.count()) if bar.tabText(at) == title)
        assert bar.isTabEnabled(place)
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(place).center())
        self._settle(self._program)

    def reads(self, within: type[QWidget]) -> str:
        """Return the words in sight in a part of the window."""
        found = self.window.findChild(within)
        assert isinstance(found, within)
        words = [one.text() for one in found.findChildren(Words) if one.isVisibleTo(found)]
        blocks = [one.toPlainText() for one in found.findChildren(TextBlock)]
        return "\n".join([*words, *blocks])


@pytest.fixture
def person(program: Program, settle: Callable[[Program], None]) -> Person:
    return Person(program, settle)


def test_what_an_agent_did_is_found_out_from_the_readme_alone(
    person: Person, program: Program, qtbot: QtBot
) -> None:
    # Open the example of an agent from the start page.
    example = next(
        row for row in program.window.findChildren(ChoiceRow) if "agent" in row.text().lower()
    )
    with qtbot.waitSignal(program.workspace.added):
        QTest.mouseClick(example, LEFT, pos=QPoint(8, 8))
    settle_first(program, qtbot)

    # Step through its tool calls with `t`.
    met = []
    for _ in range(7):
        person.key("t")
        met.append(person.span.name)
    assert met == [
        "read_sensor", "read_sensor", "search_manual", "read_sensor", "search_manual",
        "plan_chore", "plan_chore",
    ]  # fmt: skip

    # Find the one that failed, and see its error.
    person.key("gge")
    assert person.span.status == "failed"
    person.tab("Error")
    assert "does not answer" in person.reads(ErrorView)

    # See the turn it belongs to, and what the second try changed.
    person.tab("Turns")
    read = person.reads(AgentView)
    assert "✕ failed" in read
    assert "Tried again after it failed in step 0, and it worked" in read
    assert "(not given) → true" in read

    # The prompt that led to it.
    failed = person.span
    turns = program.window.findChild(AgentView)
    assert isinstance(turns, AgentView)
    person.press("Whole prompt", turns)
    assert "You look after a greenhouse." in person.reads(ChatView)
    assert person.span.kind == "llm"
    assert person.span.parent_id == failed.parent_id
    QTest.keyClick(program.window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    settle_first(program, qtbot)
    assert person.span.id == failed.id

    # Where its arguments came from: the reply of that LLM call.
    person.tab("Input")
    tree = next(
        view
        for view in program.window.findChildren(QTreeView)
        if view.isVisible() and view.accessibleName().startswith("Input")
    )
    row = tree.model().index(0, 0)
    QTest.mouseClick(tree.viewport(), LEFT, pos=tree.visualRect(row).center())
    settle_first(program, qtbot)
    tree.setFocus()
    person.key("o")
    assert person.span.kind == "llm"
    assert "outputs.replies" in (person.run.selection.field or "")


def settle_first(program: Program, qtbot: QtBot) -> None:
    """Wait until the window has shown everything."""
    from tests.gui.conftest import wait_until_quiet

    wait_until_quiet(program, qtbot)
