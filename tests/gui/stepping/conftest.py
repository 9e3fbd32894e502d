"""What tests of stepping and playing share."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTreeView
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.examples import bundled_examples
from tests.gui.conftest import open_file

Press = Callable[..., None]


@pytest.fixture
def agent(program: Program, qtbot: QtBot) -> OpenRun:
    """The bundled run of an agent, open; a tool of it failed and was called again."""
    path = next(one.path for one in bundled_examples() if "agent" in one.path.name)
    return open_file(program, path, qtbot)


@pytest.fixture
def press(program: Program, settle: Callable[[Program], None], qtbot: QtBot) -> Press:
    """Return a function that presses a key in the tree and waits for what follows."""

    def pressed(key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        window = program.content.tabs.current_window
        assert window is not None
        program.window.activateWindow()
        tree = window.tree_pane.findChild(QTreeView)
        assert isinstance(tree, QTreeView)
        qtbot.waitUntil(program.window.isActiveWindow)  # a display takes its time
        tree.setFocus()
        QTest.keyClick(tree, key, held)
        settle(program)

    return pressed
