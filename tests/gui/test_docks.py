"""Panes are docks: taken out, closed, put back, and their layout kept."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QTabBar
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.run_window import RunWindow
from inspector.gui.widgets.dock import DockHost, DockTitle
from tests.gui.conftest import open_file, run_window

LEFT = Qt.MouseButton.LeftButton
NONE = Qt.KeyboardModifier.NoModifier


def bar_with(host: DockHost, title: str) -> tuple[QTabBar, QPoint]:
    """Return the bar on which a pane has its tab, and where that is."""
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    for bar in host.findChildren(QTabBar, options=direct):
        for place in range(bar.count()):
            if bar.tabText(place) == title and bar.isVisible():
                return bar, bar.tabRect(place).center()
    raise AssertionError(title)


def press_in_menu(words: str, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    action = next(one for one in menu.actions() if one.text() == words)
    QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())


@pytest.fixture
def window(opened: Program, qtbot: QtBot) -> RunWindow:
    window = run_window(opened)
    qtbot.waitUntil(lambda: bool(window.host.tabifiedDockWidgets(window.host.dock("span"))))
    qtbot.waitUntil(lambda: bar_with(window.host, "Notes")[0].accessibleName() == "Panes")
    return window


def test_a_pane_that_is_a_tab_is_closed_from_its_menu_and_comes_back_by_its_key(
    opened: Program, window: RunWindow, qtbot: QtBot
) -> None:
    host = window.host
    bar, at = bar_with(host, "Notes")
    bar.customContextMenuRequested.emit(at)
    press_in_menu("Close this pane", qtbot)
    qtbot.waitUntil(lambda: host.dock("notes").isHidden())
    opened.window.activateWindow()
    QTest.keyClick(opened.window, Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(host.dock("notes").isVisible)
    assert host.dock("notes") in host.tabifiedDockWidgets(host.dock("span"))


def test_a_pane_is_taken_out_of_the_window_and_put_back(window: RunWindow, qtbot: QtBot) -> None:
    host = window.host
    bar, at = bar_with(host, "Run")
    bar.customContextMenuRequested.emit(at)
    press_in_menu("Take this pane out", qtbot)
    dock = host.dock("info")
    qtbot.waitUntil(dock.isFloating)
    title = dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    qtbot.waitUntil(lambda: title.height() > 0)  # it has no tab any more that names it
    title.customContextMenuRequested.emit(QPoint(5, 5))
    press_in_menu("Put this pane back into the window", qtbot)
    qtbot.waitUntil(lambda: not dock.isFloating())


def test_the_timeline_is_closed_with_its_button(window: RunWindow, qtbot: QtBot) -> None:
    dock = window.host.dock("timeline")
    title = dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    QTest.mouseClick(title.close_button, LEFT)
    assert dock.isHidden()


def test_a_pane_is_moved_by_its_title(window: RunWindow, qtbot: QtBot) -> None:
    dock = window.host.dock("timeline")
    title = dock.titleBarWidget()
    assert isinstance(title, DockTitle)
    at = QPoint(60, title.height() // 2)
    QTest.mousePress(title, LEFT, NONE, at)
    for step in range(1, 12):
        QTest.mouseMove(title, at + QPoint(20 * step, 30 * step))
    qtbot.waitUntil(dock.isFloating)
    QTest.mouseRelease(title, LEFT, NONE, at + QPoint(10, 10))


def test_where_panes_were_put_is_remembered_for_the_next_run(
    opened: Program, window: RunWindow, tmp_path: Path, run_file: Path, qtbot: QtBot
) -> None:
    bar, at = bar_with(window.host, "Notes")
    bar.customContextMenuRequested.emit(at)
    press_in_menu("Close this pane", qtbot)
    qtbot.waitUntil(lambda: window.host.dock("notes").isHidden())
    other = tmp_path / "other.run.json"
    other.write_bytes(run_file.read_bytes())
    open_file(opened, other, qtbot)
    assert run_window(opened) is not window
    assert run_window(opened).host.dock("notes").isHidden()
    assert not run_window(opened).host.dock("info").isHidden()
