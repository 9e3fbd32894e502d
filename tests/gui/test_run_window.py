"""The tab of a run stays as a person left it, and says only what is so."""

import gzip
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.panes.run_window import RunWindow
from inspector.gui.widgets.labels import ElidedWords, Words
from inspector.gui.widgets.status_line import StatusLine
from inspector.presentation.examples import bundled_examples
from tests.gui.conftest import open_file


def example(name: str) -> Path:
    return next(one.path for one in bundled_examples() if one.path.name == f"{name}.run.json")


def window_of(program: Program) -> RunWindow:
    window = program.content.tabs.current_window
    assert window is not None
    return window


def status(program: Program) -> str:
    line = window_of(program).findChild(StatusLine)
    assert line is not None
    return line.words.text()


def words_in(window: RunWindow) -> str:
    return "\n".join(label.text() for label in window.findChildren(Words) if label.isVisible())


@pytest.fixture
def agent(program: Program, qtbot: QtBot) -> Program:
    program.window.resize(1280, 800)
    with qtbot.waitExposed(program.window):
        program.window.show()
    open_file(program, example("agent-tools"), qtbot)
    return program


@pytest.mark.parametrize("chosen", [False, True], ids=["our sizes", "sizes of a person"])
def test_the_search_line_comes_and_goes_and_the_timeline_stays_as_high(
    agent: Program, qtbot: QtBot, chosen: bool
) -> None:
    window = window_of(agent)
    host, timeline = window.host, window.host.dock("timeline")
    if chosen:
        host.edge_taken.emit()
        docks = [host.dock(key) for key in ("timeline", "tree", "span")]
        below = host.height() - 280
        host.resizeDocks(docks, [280, below, below], Qt.Orientation.Vertical)
        qtbot.waitUntil(lambda: timeline.height() > 270)
    whole, high = host.height(), timeline.height()
    for _ in range(3):
        window.open_run.search.open()
        qtbot.waitUntil(lambda: host.height() < whole)
        window.open_run.search.close()
        qtbot.waitUntil(lambda: host.height() == whole and abs(timeline.height() - high) <= 1)


def test_what_was_said_goes_when_the_selection_moves_on(agent: Program) -> None:
    agent.content.action("last").trigger()
    agent.content.action("next-tool").trigger()
    assert "No further tool call" in status(agent)
    agent.content.action("previous").trigger()
    assert status(agent).endswith("spans")


def test_what_was_said_is_gone_when_one_comes_back(agent: Program, qtbot: QtBot) -> None:
    agent.content.action("last").trigger()
    agent.content.action("next-tool").trigger()
    before = window_of(agent).open_run
    open_file(agent, example("rag-answer"), qtbot)
    agent.workspace.make_current(before)
    assert status(agent).endswith("spans")


def test_a_file_cut_off_before_its_spans_does_not_promise_any(
    program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    program.window.show()
    cut = tmp_path / "cut.run.json.gz"
    cut.write_bytes(gzip.compress(example("rag-answer").read_bytes(), mtime=0)[:900])
    open_file(program, cut, qtbot)
    said = words_in(window_of(program))
    assert said.count("No span can be shown") == 2  # on the timeline and in the tree
    assert " bytes could be unpacked" in said
    assert "Copy or download it again. Run lists 1\u202fmore problem." in said


def test_a_short_name_takes_no_more_room_than_it_needs(qtbot: QtBot) -> None:
    short, long = ElidedWords("ab"), ElidedWords("a name that is a great deal longer")
    qtbot.addWidget(short)
    qtbot.addWidget(long)
    assert short.minimumSizeHint().width() == short.sizeHint().width()
    assert long.minimumSizeHint().width() < long.sizeHint().width()


def test_a_sentence_loses_its_end_and_a_name_its_middle(qtbot: QtBot) -> None:
    said = "llm was sent another prompt and answered otherwise"
    for words, ends in ((ElidedWords(said, sentence=True), "…"), (ElidedWords(said), "otherwise")):
        qtbot.addWidget(words)
        words.resize(words.sizeHint().width() * 2 // 3, 20)
        words.show()
        assert words.shown.endswith(ends)
        assert words.shown != said
        assert said in words.toolTip()
