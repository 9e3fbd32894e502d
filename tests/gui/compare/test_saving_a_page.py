"""A comparison is saved as a page that others can look at without this program."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QToolButton
from pytestqt.qtbot import QtBot

from inspector.cli.main import main
from inspector.gui.app_program import Program
from inspector.gui.panes.comparison_window import ComparisonWindow
from inspector.gui.widgets.status_line import StatusLine
from tests.gui.compare.conftest import example, wait_until_settled
from tests.gui.hands import name_file

CTRL = Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


def asked(program: Program) -> QFileDialog:
    (dialog,) = program.window.findChildren(QFileDialog)
    return dialog


def said(window: ComparisonWindow) -> str:
    line = window.findChild(StatusLine)
    assert isinstance(line, StatusLine)
    return line.words.text()


def test_ctrl_s_saves_the_page_that_the_command_writes(
    program: Program, prompts: ComparisonWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    QTest.keyClick(program.window, Qt.Key.Key_S, CTRL)
    page, same = tmp_path / "page.html", tmp_path / "same.html"
    name_file(asked(program), page)
    qtbot.waitUntil(lambda: "Saved page.html. It holds what the runs hold" in said(prompts))
    both = str(example("rag-answer")), str(example("rag-other-prompt"))
    assert main(["diff", *both, "--html", str(same)]) == 1
    assert page.read_bytes() == same.read_bytes()


def test_the_link_in_the_band_asks_with_a_name_made_of_both(
    program: Program, prompts: ComparisonWindow
) -> None:
    link = next(
        one for one in prompts.band.findChildren(QToolButton) if one.text() == "Save as page…"
    )
    QTest.mouseClick(link, LEFT)
    (named,) = asked(program).selectedFiles()
    assert Path(named).name == "rag-answer-rag-other-prompt.html"


def test_where_it_cannot_be_written_is_said(
    program: Program, prompts: ComparisonWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    taken = tmp_path / "taken.html"
    taken.mkdir()
    offers = program.content.action("save-page")
    offers.trigger()
    asked(program).fileSelected.emit(str(taken))  # the dialog itself would not take it
    qtbot.waitUntil(lambda: "Cannot write" in program.content.banner.text)
    wait_until_settled(prompts, qtbot)


def test_a_run_is_not_overwritten_by_its_comparison(
    program: Program, prompts: ComparisonWindow, qtbot: QtBot
) -> None:
    left = prompts.open_comparison.left.path
    assert left is not None
    before = left.read_bytes()
    program.content.action("save-page").trigger()
    asked(program).fileSelected.emit(str(left))
    qtbot.waitUntil(lambda: "is one of the two runs" in program.content.banner.text)
    assert left.read_bytes() == before


def test_without_a_comparison_there_is_nothing_to_save(opened: Program) -> None:
    assert not opened.content.action("save-page").isEnabled()
