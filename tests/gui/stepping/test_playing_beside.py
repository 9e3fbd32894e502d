"""A run that is played while a comparison of it is open."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.diff.compare import diff_runs
from inspector.gui import theme
from inspector.gui.controllers.play_controller import PlayController
from inspector.gui.panes.timeline_pane import TimelinePane
from inspector.gui.settings import SettingsStore
from inspector.gui.workspace.open_comparison import ComparedRun, OpenComparison
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.presentation.examples import bundled_examples
from inspector.runfile.load import load_run
from inspector.runfile.model import PipelineRun

MS = 1_000_000


def example(name: str) -> PipelineRun:
    return load_run(next(one.path for one in bundled_examples() if one.path.stem == f"{name}.run"))


class Beside:
    """A player of a run, whose time the test moves on, and a comparison of that run."""

    def __init__(self, other: str, settings: SettingsStore, qtbot: QtBot) -> None:
        self._qtbot = qtbot
        self.now_ns = 0
        self.said: list[str] = []
        self.workspace = Workspace()
        self.open_run = OpenRun(example("rag-answer"))
        self.workspace.add(self.open_run)
        self.player = PlayController(self.workspace, settings, clock_ns=lambda: self.now_ns)
        self.player.said.connect(self.said.append)
        left = ComparedRun(self.open_run.run, None, "rag-answer")
        right = ComparedRun(example(other), None, other)
        self.comparison = OpenComparison(left, right)
        self.comparison.show(diff_runs(left.run, right.run))
        self.workspace.add(self.comparison)
        self.workspace.make_current(self.open_run)
        self.pane = TimelinePane(self.open_run)
        qtbot.addWidget(self.pane)
        self.pane.resize(900, 300)
        self.pane.show()

    def play_to(self, name: str) -> None:
        """Play from the beginning to the middle of a span."""
        self.open_run.selection.select(self.open_run.run.table.id(0))
        self.player.toggle()
        self._qtbot.waitUntil(lambda: not self.open_run.tasks.busy)
        row = self.row(name)
        table = self.open_run.run.table
        self.now_ns += (table.start_ns[row] + table.end_ns[row]) // 2
        self.player.go_on()

    def row(self, name: str) -> int:
        table = self.open_run.run.table
        return next(row for row in range(len(table)) if table.name(row) == name)

    def ink_of(self, name: str) -> QColor:
        """The colour in which a span glows."""
        canvas = self.pane.timeline.canvas
        rect = canvas.rect_of(self.row(name))
        x = round(rect.left() + rect.width() / 4)
        return canvas.grab().toImage().pixelColor(x, round(rect.bottom()) - 3)


@pytest.fixture
def beside(settings: SettingsStore, qtbot: QtBot, qapp: QApplication) -> Iterator[type]:
    made: list[Beside] = []

    def make(other: str) -> Beside:
        made.append(Beside(other, settings, qtbot))
        return made[-1]

    yield make  # type: ignore[misc]
    for one in made:
        one.player.stop()
        for item in one.workspace.items:
            one.workspace.remove(item)


def test_what_put_out_something_else_flashes_and_what_did_not_glows(beside) -> None:
    at = beside("rag-other-prompt")
    at.play_to("llm")
    moment = at.open_run.playhead.moment
    assert moment is not None
    assert at.row("llm") in moment.glowing
    assert at.ink_of("llm") == theme.current().changed_ground
    assert at.ink_of("manual_answers") == theme.current().accent


def test_it_is_said_how_much_differs_when_playing_begins_and_when_it_ends(beside) -> None:
    at = beside("rag-other-prompt")
    at.play_to("llm")
    words = "3\u202fspans put out something else than in rag-other-prompt."
    assert at.said == [words]
    at.player.toggle()
    assert at.said == [words, words]


def test_beside_an_equal_run_nothing_flashes_and_that_is_said(beside) -> None:
    at = beside("rag-answer")
    at.play_to("llm")
    assert at.said == ["Everything put out the same as in rag-answer."]
    assert at.ink_of("llm") == theme.current().accent


def test_without_the_comparison_nothing_flashes_any_more(beside) -> None:
    at = beside("rag-other-prompt")
    at.play_to("llm")
    at.player.stop()
    at.workspace.remove(at.comparison)
    at.said.clear()
    at.play_to("llm")
    assert at.ink_of("llm") == theme.current().accent
    assert at.said == []
