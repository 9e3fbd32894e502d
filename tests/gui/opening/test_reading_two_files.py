"""While two files are read to be compared that is shown, and can be stopped."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.cards import FailureCard, OpeningCard
from tests.gui.conftest import open_file

LEFT = Qt.MouseButton.LeftButton


class SlowFile:
    """A file that is read no faster than somebody writes it: a pipe."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._end = os.open(path, os.O_RDWR)  # an end that writes, so that readers wait

    def finish(self) -> None:
        if self._end >= 0:
            os.close(self._end)
            self._end = -1


@pytest.fixture
def slow(tmp_path: Path, program: Program) -> Iterator[SlowFile]:
    if sys.platform == "win32":
        pytest.skip("there are no named pipes among files on Windows")
    made = SlowFile(tmp_path / "slow.run.json")
    yield made
    made.finish()


def seen_cards(program: Program) -> list[OpeningCard]:
    return [card for card in program.window.findChildren(OpeningCard) if card.isVisible()]


def program_failures(program: Program) -> tuple[str, ...]:
    return program.content.tabs.start_page.failures


def button(card: OpeningCard | FailureCard, words: str) -> QPushButton:
    return next(one for one in card.findChildren(QPushButton) if one.text() == words)


@pytest.mark.parametrize("over", ["the start page", "a run"])
def test_reading_that_takes_a_while_is_shown_and_can_be_cancelled(
    program: Program, run_file: Path, slow: SlowFile, over: str, qtbot: QtBot
) -> None:
    if over == "a run":
        open_file(program, run_file, qtbot)
    program.comparer.compare_files(run_file, slow.path)
    qtbot.waitUntil(lambda: len(seen_cards(program)) == 1)
    (card,) = seen_cards(program)
    assert card.accessibleName() == "Opening looping.run.json and slow.run.json"
    QTest.mouseClick(button(card, "Cancel"), LEFT)
    assert seen_cards(program) == []
    slow.finish()
    qtbot.waitUntil(lambda: not program.tasks.busy)
    assert program.workspace.comparisons == ()
    assert not program_failures(program)


def test_the_card_goes_when_both_are_read(
    program: Program, run_file: Path, slow: SlowFile, qtbot: QtBot
) -> None:
    program.comparer.compare_files(run_file, slow.path)
    qtbot.waitUntil(lambda: len(seen_cards(program)) == 1)
    with slow.path.open("wb") as file, qtbot.waitSignal(program.workspace.comparison_added):
        slow.finish()
        file.write(run_file.read_bytes())
        file.close()
    assert seen_cards(program) == []


def test_a_file_that_cannot_be_read_is_a_failure_on_the_start_page_until_it_works(
    opened: Program, run_file: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    late = tmp_path / "late.run.json"
    opened.comparer.compare_files(run_file, late)
    page = opened.content.tabs.start_page
    qtbot.waitUntil(lambda: page.failures != ())
    assert page.failures == ("Cannot open late.run.json: there is no such file.",)
    assert opened.content.tabs.is_start_shown
    late.write_bytes(run_file.read_bytes())
    (card,) = page.findChildren(FailureCard)
    with qtbot.waitSignal(opened.workspace.comparison_added):
        QTest.mouseClick(button(card, "Try again"), LEFT)
    assert not program_failures(opened)
