"""What tests of values share: those of the span pane, and whole programs at an example."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from inspector.assets import asset
from inspector.gui.app_program import Program
from inspector.gui.panes.span_pane import SpanPane
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.conftest import open_file, wait_until_quiet
from tests.gui.span.conftest import pane_of, quiet, shown  # noqa: F401 - they are fixtures


class Reader:
    """Somebody at a window in which an example is open."""

    def __init__(self, program: Program, open_run: OpenRun, qtbot: QtBot) -> None:
        self.program = program
        self.open_run = open_run
        self.selection = open_run.selection
        self._qtbot = qtbot

    @property
    def pane(self) -> SpanPane:
        window = self.program.content.tabs.current_window
        assert window is not None
        return window.span_pane

    def go(self, span_id: str, field: str | None = None) -> None:
        """Select a value, and wait until it is shown."""
        self.selection.select(span_id, field)
        self.settle()

    def settle(self) -> None:
        """Wait for everything that runs beside the window."""
        wait_until_quiet(self.program, self._qtbot)

    def press(self, key: str) -> None:
        """Press a key in whatever has the focus."""
        self._qtbot.keyClicks(self.program.window.focusWidget() or self.program.window, key)
        self.settle()

    def seen(self, kind: type[QWidget], name: str = "") -> QWidget:
        """Return the widget of a kind that is in sight."""
        found = [
            each for each in self.program.window.findChildren(kind)
            if each.isVisible() and name in each.accessibleName()
        ]  # fmt: skip
        assert found, f"no {kind.__name__} {name} is in sight"
        return found[0]


@pytest.fixture
def reader(program: Program, qtbot: QtBot) -> Callable[[str], Reader]:
    """Return a function that opens an example."""

    def read(name: str) -> Reader:
        program.window.resize(1_280, 800)
        open_run = open_file(program, asset(f"examples/{name}.run.json"), qtbot)
        program.window.activateWindow()
        return Reader(program, open_run, qtbot)

    return read
