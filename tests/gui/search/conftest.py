"""What tests of searching share."""

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTableView, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.models.roles import SPAN_ID_ROLE
from inspector.gui.panes.search_pane import SearchPane
from inspector.gui.widgets.search_bar import SearchBar
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.run_searching import RunSearching
from inspector.presentation.examples import bundled_examples
from tests.gui.conftest import open_file

NO_KEY_HELD = Qt.KeyboardModifier.NoModifier


class Searcher(NamedTuple):
    """A person at the keyboard, in front of one run."""

    program: Program
    run: OpenRun
    settle: Callable[[], None]

    @property
    def search(self) -> RunSearching:
        return self.run.search

    @property
    def window(self) -> Any:
        return self.program.content.tabs.current_window

    @property
    def bar(self) -> SearchBar:
        bar = self.window.findChild(SearchBar)
        assert isinstance(bar, SearchBar)
        return bar

    @property
    def line(self) -> QLineEdit:
        return self.bar.line

    @property
    def results(self) -> QTableView:
        self.window.show_pane("search")
        return self.window.findChild(SearchPane).view

    @property
    def tree(self) -> QTreeView:
        return self.window.tree_pane.view

    def begin(self) -> None:
        self.program.window.activateWindow()
        self.tree.setFocus()
        self.press(self.tree, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)

    def press(self, widget: QWidget, key: Qt.Key, held: Qt.KeyboardModifier = NO_KEY_HELD) -> None:
        QTest.keyClick(widget, key, held)
        self.settle()

    def type(self, text: str) -> None:
        """Replace the line, letter by letter."""
        self.line.selectAll()
        QTest.keyClick(self.line, Qt.Key.Key_Delete)
        QTest.keyClicks(self.line, text)
        self.settle()

    def ask(self, text: str) -> None:
        """Search for something, with nothing offered over the window."""
        if not self.search.is_open:
            self.begin()
        self.type(text)
        self.line.stop_offering()

    def tree_rows(self) -> list[str]:
        """The rows of the tree that are open, as ids of spans."""
        view, model = self.tree, self.tree.model()
        index, rows = model.index(0, 0), []
        while index.isValid():
            rows.append(index.data(SPAN_ID_ROLE))
            index = view.indexBelow(index)
        return rows

    def found(self) -> list[str]:
        return [self.run.run.table.id(hit.row) for hit in self.search.hits]


@pytest.fixture
def person(program: Program, qtbot: QtBot) -> Searcher:
    """Return somebody in front of the bundled run of an agent."""
    path = next(one.path for one in bundled_examples() if "agent" in one.path.name)
    opened = open_file(program, path, qtbot)

    def settle() -> None:
        # Typing is followed by a pause before the search begins.
        search = opened.search
        qtbot.waitUntil(lambda: not search.waits and not opened.tasks.busy)

    program.window.resize(1280, 800)
    return Searcher(program, opened, settle)
