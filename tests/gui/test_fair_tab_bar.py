"""Short titles of tabs stay whole as long as longer ones can be cut."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.fair_tab_bar import FairTabBar
from tests.gui.conftest import open_file

SHORT, LONG = "a.run.json", "before the change.run.json ↔ Replay of before the change.run.json"


@pytest.fixture
def tabs(qtbot: QtBot) -> QTabWidget:
    made = QTabWidget()
    qtbot.addWidget(made)
    made.setTabBar(FairTabBar(made))
    made.setDocumentMode(True)
    made.setElideMode(Qt.TextElideMode.ElideMiddle)
    made.tabBar().setExpanding(False)
    made.resize(900, 200)
    made.show()
    return made


def widths(tabs: QTabWidget) -> list[int]:
    bar = tabs.tabBar()
    return [bar.tabRect(place).width() for place in range(bar.count())]


def test_long_titles_give_way_before_short_ones(tabs: QTabWidget) -> None:
    tabs.addTab(QWidget(), SHORT)
    (whole,) = widths(tabs)
    for _ in range(4):
        tabs.addTab(QWidget(), LONG)
    first, *others = widths(tabs)
    assert first == whole
    assert len(set(others)) == 1
    assert whole < others[0]
    assert sum(widths(tabs)) <= tabs.width()
    tabs.resize(700, 200)
    assert widths(tabs)[0] == whole
    assert sum(widths(tabs)) <= 700


def test_what_has_room_is_as_wide_as_it_likes(tabs: QTabWidget) -> None:
    tabs.addTab(QWidget(), LONG)
    (alone,) = widths(tabs)
    tabs.addTab(QWidget(), SHORT)
    assert widths(tabs)[0] == alone


def test_many_tabs_scroll_and_none_vanishes(tabs: QTabWidget) -> None:
    for _ in range(30):
        tabs.addTab(QWidget(), LONG)
    assert min(widths(tabs)) >= 90
    assert sum(widths(tabs)) > tabs.width()


def test_the_tabs_of_the_window_are_such(program: Program, run_file: Path, qtbot: QtBot) -> None:
    open_file(program, run_file, qtbot)
    bar = program.content.tabs.tabBar()
    assert isinstance(bar, FairTabBar)
    assert bar.tabRect(1).width() >= bar.fontMetrics().horizontalAdvance(run_file.name)
