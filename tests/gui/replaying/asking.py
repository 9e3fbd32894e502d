"""A person in front of the dialog before a replay, with mouse and keys."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.replay_dialog import ReplayDialog
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tick_list import TickList, box_in
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from tests.gui.conftest import open_file
from tests.gui.replaying.conftest import LONG_MS

CONTROL = Qt.KeyboardModifier.ControlModifier
CONTROL_ALT = CONTROL | Qt.KeyboardModifier.AltModifier


class Asked:
    """A person in front of the dialog."""

    def __init__(self, program: Program, qtbot: QtBot) -> None:
        self.program = program
        self.qtbot = qtbot

    def open(self, path: Path, *, live_at: str = "") -> ReplayDialog:
        """Open a run and press the key for the dialog; wait until it has looked."""
        run = open_file(self.program, path, self.qtbot)
        if live_at:
            span = run.run.at(live_at)
            assert span is not None
            run.selection.select(span.id)
            QTest.keyClick(self.program.window, Qt.Key.Key_R, CONTROL_ALT)
        else:
            QTest.keyClick(self.program.window, Qt.Key.Key_R, CONTROL)
        dialog = self.dialog
        self.wait(lambda: bool(dialog.findChild(TickList).rows.rows) or not self.start.isEnabled())
        self.wait_until_quiet()
        return dialog

    @property
    def dialog(self) -> ReplayDialog:
        (found,) = [
            one for one in self.program.window.findChildren(ReplayDialog) if one.isVisible()
        ]
        return found

    @property
    def is_open(self) -> bool:
        return any(one.isVisible() for one in self.program.window.findChildren(ReplayDialog))

    def wait(self, holds: object) -> None:
        self.qtbot.waitUntil(holds, timeout=LONG_MS)  # type: ignore[arg-type]

    def wait_until_quiet(self) -> None:
        dialog = self.dialog
        self.wait(lambda: not dialog._tasks.busy)

    @property
    def start(self) -> QPushButton:
        names = ("Replay", "Re-run live")
        return next(b for b in self.dialog.findChildren(QPushButton) if b.text() in names)

    def press(self, words: str) -> None:
        """Press what is called so."""
        button = self.button(words)
        assert button.isEnabled(), f"{words} cannot be pressed"
        self.show(button)
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))
        if self.is_open:
            self.wait_until_quiet()

    def button(self, words: str) -> QAbstractButton:
        buttons = self.dialog.findChildren(QAbstractButton)
        return next(b for b in buttons if b.text() == words and b.isVisible())

    def show(self, widget: QWidget) -> None:
        self.dialog._scroll.ensureWidgetVisible(widget)

    def type(self, name: str, text: str) -> None:
        """Type into the field that is called so."""
        line = next(
            one for one in self.dialog.findChildren(QLineEdit)
            if one.accessibleName() == name and one.isVisible()
        )  # fmt: skip
        self.show(line)
        QTest.mouseClick(line, Qt.MouseButton.LeftButton)
        line.selectAll()
        QTest.keyClick(line, Qt.Key.Key_Delete)
        QTest.keyClicks(line, text)

    def tick(self, name: str) -> None:
        """Click the tick of the row of this name."""
        ticks = self.list
        place = next(i for i, row in enumerate(ticks.rows.rows) if row.name.endswith(name))
        index = ticks.rows.index(place)
        ticks.scrollTo(index)
        at = box_in(ticks.visualRect(index)).center()
        QTest.mouseClick(ticks.viewport(), Qt.MouseButton.LeftButton, pos=at)
        self.wait_until_quiet()

    @property
    def list(self) -> TickList:
        found = self.dialog.findChild(TickList)
        assert found is not None
        return found

    def row(self, name: str) -> object:
        return next(row for row in self.list.rows.rows if row.name.endswith(name))

    @property
    def said(self) -> str:
        """Everything that is written in the dialog now."""
        labels = self.dialog.findChildren(Words)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def replay(self) -> OpenReplay:
        """Wait for the replay that was begun, to its end."""
        self.wait(lambda: bool(self.program.workspace.replays))
        (replay,) = self.program.workspace.replays
        self.wait(lambda: replay.state is ReplayState.ENDED)
        return replay


@pytest.fixture
def asked(program: Program, qtbot: QtBot) -> Asked:
    program.window.resize(1280, 800)
    return Asked(program, qtbot)
