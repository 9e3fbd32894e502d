"""The tab of a replay: what it says, shows and offers."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from inspector.gui.models.replay_tree_model import ReplayColumn
from inspector.gui.panes.replay_flash import FLASH_MS
from inspector.gui.widgets.timeline_scene import QUIET, SHADES, Hatch
from inspector.gui.workspace.open_replay import ReplayState
from inspector.presentation.live_replay import Match
from inspector.presentation.replay_table import STATE_OF
from inspector.runfile.load import load_run
from tests.gui.replaying.conftest import LONG_MS, Replaying
from tests.gui.replaying.replays import ended, live, press, started, texts

NONE = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
DRIFTED = ("drifted", "")
TOOLS = ({"kinds": ("tool",)},)


def test_a_replay_opens_a_tab_that_says_what_it_may_do(example: Replaying) -> None:
    replay = started(example)
    tabs = example.program.content.tabs
    assert tabs.tabText(tabs.currentIndex()) == "Replay of agent-tools.run.json"
    assert example.window.bar.mode == "Strict · no network"
    assert example.window.bar.sentence.startswith("Starting")
    example.wait_for(replay, ReplayState.ENDED)


def test_the_recording_is_a_ghost_until_the_replay_comes_to_it(example: Replaying) -> None:
    replay = started(example, breakpoints=TOOLS)
    example.wait_for_pause(replay, 3)
    example.wait_until(lambda: example.window.timeline.scene is not None)
    example.settle(replay)
    example.wait_until(lambda: "= as recorded" in texts(example, ReplayColumn.HOW).values())
    how = texts(example, ReplayColumn.HOW)
    assert how["step 3"] == "", "not yet"
    assert how["step 0"] == "◌ running"
    table = replay.table
    assert table is not None
    row = table.live.row_at("assistant#1/step0/llm")
    later = table.live.row_at("assistant#1/step3/llm")
    assert row is not None
    assert later is not None

    def shade(of: int) -> int:
        scene = example.window.timeline.scene
        assert scene is not None
        return int(scene.shade[scene.place_of_row[of]])

    example.wait_until(lambda: shade(row) == SHADES.index(("matched", "")))
    assert shade(later) >= QUIET
    replay.stop()
    example.wait_for(replay, ReplayState.ENDED)


def test_what_comes_out_as_recorded_is_said_and_opens_nothing(example: Replaying) -> None:
    replay = ended(example)
    window = example.window
    assert window.bar.sentence == "The replay came out as recorded."
    assert set(texts(example, ReplayColumn.HOW).values()) == {"= as recorded"}
    assert example.program.workspace.current_item is replay
    assert example.program.workspace.comparisons == ()
    assert example.is_untouched()


def test_a_difference_is_told_by_colour_mark_and_pattern(replaying: Replaying) -> None:
    replay = live(replaying)
    replaying.program.workspace.make_current(replay)
    table = replay.table
    assert table is not None
    row = table.live.row_at("llm#1")
    assert row is not None
    assert table.match(row) is Match.DRIFTED, (replay.failure, replay.live.finished)
    window = replaying.window

    def is_told() -> bool:
        scene = window.timeline.scene
        return scene is not None and SHADES[int(scene.shade[scene.place_of_row[row]])] == DRIFTED

    replaying.wait_until(is_told)
    scene = window.timeline.scene
    assert scene is not None
    place = int(scene.place_of_row[row])
    assert scene.hatched is not None
    assert place in scene.hatched[Hatch.FALLING]
    assert texts(replaying, ReplayColumn.HOW)["llm"] == "≠ differs"
    label, _took = window.timeline.canvas.label_of(row)
    assert label == "≠ llm"


def test_keys_move_it_and_are_off_where_there_is_nothing_to_move(example: Replaying) -> None:
    replay = started(example, pause_at_first=True)
    example.wait_for_pause(replay)
    action = example.program.content.action
    assert action("full-screen").shortcuts() == [], "F11 steps into"
    press(example, Qt.Key.Key_F11)
    example.wait_until(lambda: replay.held != () and replay.held[0].path != "")
    first = replay.held[0]
    press(example, Qt.Key.Key_F10)
    example.wait_until(lambda: replay.held != () and replay.held[0].pause != first.pause)
    press(example, Qt.Key.Key_F5)
    example.wait_for(replay, ReplayState.ENDED)
    assert not example.window.bar.command("pause").isEnabled()
    example.program.content.show_start()
    assert not action("replay-continue").isEnabled()
    assert [keys.toString() for keys in action("full-screen").shortcuts()] == ["F11"]


def test_pausing_holds_the_next_call(mischief: Replaying) -> None:
    mischief.project.write("waiting", WAITING)
    replay = mischief.start("waiting:rag", mode="drift_ok")
    mischief.wait_until(lambda: "here I am" in replay.last_words)
    press(mischief, Qt.Key.Key_F6)
    # Commands are carried out one after the other: once this one is, so is the one before.
    replay.set_breakpoint(name="nobody")
    mischief.wait_until(lambda: replay.live is not None and replay.live.breakpoints != [])
    (mischief.project.folder / "go").touch()
    mischief.wait_for_pause(replay)
    assert mischief.window.bar.sentence.startswith("Paused")
    press(mischief, Qt.Key.Key_F5, SHIFT)
    mischief.wait_for(replay, ReplayState.ENDED)
    assert mischief.window.bar.sentence == "The replay was stopped."


WAITING = """
    import os
    import time

    from mischief import rag as quick


    def wait():
        print("here I am", flush=True)
        while not os.path.exists("go"):
            time.sleep(0.01)


    def rag():
        pipeline = quick()
        pipeline.get_component("mischief").nothing = wait
        return pipeline
"""


@pytest.mark.parametrize(("pressed", "pace"), [("½×", 0.5), ("2×", 2.0), ("10×", 10.0)])
def test_a_pace_is_chosen_with_its_button(example: Replaying, pressed: str, pace: float) -> None:
    replay = started(example, breakpoints=TOOLS)
    button = example.window.bar.pace(pace)
    assert button.text() == pressed
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert replay.pace == pace
    replay.set_pace(None)
    example.wait_for_pause(replay, 3)
    replay.stop()
    example.wait_for(replay, ReplayState.ENDED)


def test_a_slow_pace_shows_less_than_the_worker_has_done_and_at_once_the_rest(
    example: Replaying,
) -> None:
    replay = started(example)
    replay.set_pace(0.5)
    driver = example.program.replayer.driver_of(replay)
    assert driver is not None
    with example.qtbot.waitSignal(replay.begun, timeout=LONG_MS):
        pass
    driver.hold_showing(True)
    example.wait_until(lambda: driver.is_ahead)
    assert replay.live is not None
    everything = len(load_run(example.path).spans)
    assert len(replay.live.spans) < everything
    assert replay.state is ReplayState.PAUSED
    assert "not shown yet" in example.window.bar.sentence
    replay.go_on()
    replay.set_pace(None)
    example.wait_for(replay, ReplayState.ENDED)
    assert len(replay.live.spans) == everything


def test_keys_change_the_pace(example: Replaying) -> None:
    replay = started(example, breakpoints=TOOLS)
    example.program.content.action("replay-slower").trigger()
    assert replay.pace == 10.0
    assert example.window.bar.pace(10.0).isChecked()
    for _ in range(5):
        example.program.content.action("replay-slower").trigger()
    assert replay.pace == 0.5
    for _ in range(9):
        example.program.content.action("replay-faster").trigger()
    assert replay.pace is None
    example.wait_for_pause(replay, 3)
    replay.stop()
    example.wait_for(replay, ReplayState.ENDED)


def test_tree_and_timeline_choose_the_same_span(example: Replaying) -> None:
    replay = ended(example)
    window, table = example.window, replay.table
    assert table is not None
    row = table.live.row_at("assistant#1/step1/llm")
    assert row is not None
    window.timeline.canvas.row_chosen.emit(row)
    index = window.tree.view.currentIndex()
    assert window.tree.model.table_row(index) == row
    assert "llm" in window.span_pane.facts.toPlainText()
    assert "as recorded" in window.span_pane.facts.toPlainText()
    above = window.tree.view.indexAbove(index)
    QTest.mouseClick(
        window.tree.view.viewport(), Qt.MouseButton.LeftButton, NONE,
        window.tree.view.visualRect(above).center() + QPoint(1, 0),
    )  # fmt: skip
    other = window.tree.model.table_row(above)
    assert replay.row_of(replay.selection.focus) == other


def test_enter_on_a_span_shows_it_with_its_values(example: Replaying) -> None:
    replay = ended(example)
    table = replay.table
    assert table is not None
    row = table.live.row_at("assistant#1/step1/llm")
    assert row is not None
    replay.select_row(row)
    example.window.take_focus()
    press(example, Qt.Key.Key_Return)
    current = example.program.workspace.current
    assert current is not None
    assert current.run is replay.result()
    span = current.run.span(current.selection.span_id or "")
    assert span.path == "assistant#1/step1/llm"


def test_a_new_call_stands_in_the_tree_and_on_the_timeline(mischief: Replaying) -> None:
    replay = mischief.ended(
        "mischief:rag", environment={"MISCHIEF": "flood_events"}, mode="drift_ok"
    )
    mischief.program.workspace.make_current(replay)
    window, table = mischief.window, replay.table
    assert table is not None
    mischief.wait_until(lambda: window.tree.model.index_of(len(table) - 1).isValid())
    mischief.wait_until(lambda: window.timeline.canvas.shows(len(table) - 1))
    assert table.states[table.recorded] == STATE_OF[Match.DRIFTED]
    replay.select_row(table.recorded)
    assert "no such call" in window.span_pane.facts.toPlainText()


def test_what_differs_is_lit_for_a_moment_and_not_with_reduced_motion(
    replaying: Replaying,
) -> None:
    seen: list[frozenset[int]] = []

    replaying.program.content.tabs.replay_added.connect(
        lambda window: window.flash.changed.connect(seen.append)
    )
    replay = live(replaying)
    assert any(rows for rows in seen)
    replaying.wait_until(lambda: seen[-1] == frozenset())
    assert FLASH_MS < 1_000
    seen.clear()
    replaying.program.settings.update(reduce_motion=True)
    again = replaying.program.replayer.start(replay.request)
    replaying.wait_for(again, ReplayState.ENDED)
    assert again.table is not None
    assert again.table.counts[Match.DRIFTED] >= 1
    assert seen == []


def test_the_model_keeps_qt_s_rules_while_rows_come(mischief: Replaying) -> None:
    replay = mischief.start(
        "mischief:rag", environment={"MISCHIEF": "flood_events"}, mode="drift_ok"
    )
    model = mischief.window.tree.model
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    tester = QAbstractItemModelTester(model, fatal)
    mischief.wait_for(replay, ReplayState.ENDED)
    assert tester.model() is model


def test_everything_has_a_name_for_those_who_listen(example: Replaying) -> None:
    ended(example)
    window = example.window
    assert window.bar.accessibleName() == "Replay: The replay came out as recorded."
    assert window.timeline.canvas.accessibleName() == "Timeline of the replay"
    index = window.tree.model.index(0, 0)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("greenhouse_assistant, pipeline, as recorded")


def test_whatever_the_tab_key_stops_at_has_a_name(example: Replaying) -> None:
    replay = started(example, breakpoints=TOOLS)
    example.wait_for_pause(replay, 3)
    for widget in example.window.findChildren(QWidget):
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible():
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            assert widget.accessibleName() or text, widget
    replay.stop()
    example.wait_for(replay, ReplayState.ENDED)


@pytest.mark.parametrize(
    ("size", "scale"), [((1280, 800), 1.0), ((900, 600), 1.0), ((1280, 800), 1.5)]
)
def test_the_tab_fits_into_a_small_window_with_large_text(
    example: Replaying, size: tuple[int, int], scale: float
) -> None:
    window = example.program.window
    example.program.settings.update(text_scale=scale)
    window.resize(*size)
    replay = started(example, breakpoints=TOOLS)
    example.wait_for_pause(replay, 3)
    assert (window.width(), window.height()) == size
    replay.stop()
    example.wait_for(replay, ReplayState.ENDED)
    assert window.width() == size[0]
