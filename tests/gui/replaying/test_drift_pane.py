"""What differs in a replay, as a list that leads to spans; and what it would add to the file."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from inspector.gui.dialogs.news_dialog import NewsDialog
from inspector.gui.panes.drift_pane import DriftPane
from inspector.runfile.drift import Drift, DriftReport
from tests.gui.replaying.conftest import DATA, LONG_MS, Replaying
from tests.gui.replaying.editing import dialog, press
from tests.helpers.openai_script import say

TEMPLATE = [
    {"role": "user", "meta": {}, "name": None, "content": [{"text": "Briefly: {{ query }}"}]}
]
OVERRIDES = {"parameters": {"prompt": {"template": TEMPLATE}}}


def settled(replaying: Replaying, pane: DriftPane) -> None:
    replaying.wait_until(lambda: not replaying.window.open_replay.tasks.busy)
    assert pane.table.cells.rowCount()


def words(pane: DriftPane, column: int) -> list[str]:
    cells = pane.table.cells
    return [cells.index(row, column).data() for row in range(cells.rowCount())]


def test_each_drift_leads_to_its_span_and_shows_both_values(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    replay = replaying.ended("garden:rag", overrides=OVERRIDES)
    pane = replaying.window.drift_pane
    settled(replaying, pane)
    assert "input drift" in pane.headline
    paths = words(pane, 1)
    assert "llm#1" in paths
    pane.table.setFocus()
    QTest.keyClick(pane.table, Qt.Key.Key_End)
    QTest.keyClick(pane.table, Qt.Key.Key_Home)
    at = paths.index("llm#1")
    for _ in range(at):
        QTest.keyClick(pane.table, Qt.Key.Key_Down)
    settled(replaying, pane)
    assert replay.live is not None
    span = replay.live.at("llm#1")
    focus = replay.selection.focus
    llm = replay.request.recording.run.at("llm#1")
    assert llm is not None
    assert focus.recorded_id == llm.id or (span is not None and focus.span_id == span.id)
    both = pane.texts.view.accessibleDescription()
    assert "The vents open at 27 degrees." in both
    assert "Briefly" in both
    assert replaying.is_untouched()


def test_a_replay_that_is_the_recording_has_nothing_to_list(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    replay = replaying.ended("garden:rag")
    replaying.settle(replay)
    pane = replaying.window.drift_pane
    assert pane.headline == "Nothing differs from the recording."
    assert pane.count == 0
    assert pane.table.cells.rowCount() == 0


def test_the_tab_says_how_many_drifts_there_are(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    replaying.ended("garden:rag", overrides=OVERRIDES)
    pane = replaying.window.drift_pane
    settled(replaying, pane)
    tabs = replaying.window.tabs
    assert tabs.tabText(tabs.indexOf(pane)) == f"Drift {pane.count}"


def test_what_is_new_is_shown_before_it_is_written(replaying: Replaying, qtbot: QtBot) -> None:
    replaying.record("rag", DATA)
    replaying.project.server.script = lambda request: say(f"<{request.text}>")
    replay = replaying.ended("garden:rag", mode="record_new", overrides=OVERRIDES, add_new=False)
    asking = dialog(replaying.program, NewsDialog)
    assert asking.words.startswith("2\u202fcalls, about")
    assert "rag.run.json" in asking.words
    cells = asking.table.cells
    rows = [[cells.index(row, at).data() for at in (0, 2, 3)] for row in range(cells.rowCount())]
    assert rows == [["prompt#1", "2", "ran here again"], ["llm#1", "2", "ran live"]]
    assert replaying.is_untouched()
    press(asking, "Add to the recording")
    qtbot.waitUntil(lambda: not replaying.is_untouched(), timeout=LONG_MS)
    replaying.wait_until(lambda: not replay.tasks.busy)
    asked = replaying.project.server.count()
    replaying.use(replaying.path)
    again = replaying.ended("garden:rag", overrides=OVERRIDES)
    assert again.live is not None
    assert (again.live.finished or {})["outcome"] == "same"
    assert replaying.project.server.count() == asked


def test_what_nobody_agrees_to_is_not_written(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    replaying.project.server.script = lambda request: say(f"<{request.text}>")
    replay = replaying.ended("garden:rag", mode="record_new", overrides=OVERRIDES, add_new=False)
    asking = dialog(replaying.program, NewsDialog)
    QTest.keyClick(asking, Qt.Key.Key_Escape)
    replaying.settle(replay)
    assert replaying.is_untouched()
    # It may still be asked for, as long as the replay is open.
    replaying.program.workspace.make_current(replay)
    replaying.program.content.action("replay-add-new").trigger()
    assert dialog(replaying.program, NewsDialog).table.cells.rowCount() == 2


def test_what_would_be_added_is_asked_no_more_once_the_replay_is_closed(
    replaying: Replaying,
) -> None:
    replaying.record("rag", DATA)
    replaying.project.server.script = lambda request: say(f"<{request.text}>")
    replay = replaying.ended("garden:rag", mode="record_new", overrides=OVERRIDES, add_new=False)
    asking = dialog(replaying.program, NewsDialog)
    assert asking.isVisible()
    replaying.program.workspace.remove(replay)
    assert not any(one.isVisible() for one in replaying.program.window.findChildren(NewsDialog))
    assert replaying.is_untouched()


def test_thousands_of_drifts_are_listed_beside_the_window(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    replay = replaying.ended("garden:rag", overrides=OVERRIDES)
    pane = replaying.window.drift_pane
    settled(replaying, pane)
    assert replay.live is not None
    before = pane.count
    many = [Drift("input_drift", f"a#{n}", 1, "major") for n in range(9_000)]
    finished = {"report": DriftReport(drifts=tuple(many)).to_dict()}
    replay.live.take([{"event": "finished", **finished}])
    replay.ended.emit()
    assert pane.count == before, "it is listed on another thread, and shown when it is done"
    settled(replaying, pane)
    assert pane.count == 9_000
    assert pane.table.cells.rowCount() == 9_000
    assert replaying.window.tabs.tabText(replaying.window.tabs.indexOf(pane)) == "Drift 9000"
