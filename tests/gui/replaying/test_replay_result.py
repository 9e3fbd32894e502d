"""What becomes of the result of a replay: compared, opened, saved, or let go."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from inspector.gui.workspace.open_replay import ReplayState
from inspector.runfile.load import load_run
from tests.gui.hands import name_file
from tests.gui.replaying.conftest import DATA, Replaying
from tests.gui.replaying.replays import ended, live, press, started

CTRL = Qt.KeyboardModifier.ControlModifier


def test_a_replay_that_ran_to_another_end_opens_as_a_comparison(replaying: Replaying) -> None:
    replay = live(replaying)
    workspace = replaying.program.workspace
    comparison = workspace.current_comparison
    assert comparison is not None
    assert comparison.left.run is replay.request.recording.run
    assert comparison.right.run is replay.result()
    assert comparison.right.path is None
    workspace.make_current(replay)
    compare = replaying.window.bar.results[0]
    QTest.mouseClick(compare, Qt.MouseButton.LeftButton)
    assert workspace.current_comparison is comparison, "not another one"
    assert replaying.is_untouched()


def test_nobody_is_taken_away_from_another_tab(replaying: Replaying) -> None:
    replaying.record("rag", DATA)
    text = (replaying.project.folder / "garden.py").read_text()
    replaying.project.write("garden", text.replace("{{ query }}", "Q: {{ query }}"))
    replay = replaying.start("garden:rag", mode="drift_ok", allow_live=True)
    replaying.program.content.tabs.show_start()
    replaying.program.workspace.make_current(None)
    replaying.wait_for(replay, ReplayState.ENDED)
    assert replaying.program.workspace.comparisons == ()


def test_the_result_is_saved_only_when_asked(example: Replaying, tmp_path: Path) -> None:
    before = set(tmp_path.rglob("*.run.json*"))
    replay = ended(example)
    window = example.window
    assert "not saved" in window.said
    assert set(tmp_path.rglob("*.run.json*")) == before
    press(example, Qt.Key.Key_S, CTRL)
    dialog = example.program.window.findChild(QFileDialog)
    assert dialog is not None
    wanted = tmp_path / "kept.run.json"
    name_file(dialog, wanted)
    example.wait_until(lambda: replay.kept_at == wanted)
    kept = load_run(wanted)
    assert kept.replay_of == load_run(example.path).id
    assert window.bar.results[2].text() == "Saved"
    assert window.said.startswith("Saved as")
    assert example.is_untouched()


def test_what_nobody_saved_goes_with_the_window(example: Replaying) -> None:
    replay = ended(example)
    origin = replay.result().origin
    assert origin is not None
    assert origin.exists()
    example.program.replayer.close()
    assert not origin.exists()


def test_a_window_that_closes_ends_all_workers_before_it_waits_for_one(
    example: Replaying, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayer = example.program.replayer
    replays = [started(example, breakpoints=({"kinds": ("tool",)},)) for _ in range(3)]
    for replay in replays:
        example.wait_for_pause(replay)
    drivers = [driver for each in replays if (driver := replayer.driver_of(each)) is not None]
    assert len(drivers) == 3
    waits: list[list[bool]] = []

    def watch(wait: Callable[[], None]) -> Callable[[], None]:
        def close() -> None:
            waits.append([driver.was_ended for driver in drivers])
            wait()

        return close

    for driver in drivers:
        monkeypatch.setattr(driver, "close", watch(driver.close))
    replayer.close()
    assert waits == 3 * [[True, True, True]]
    assert all(driver.is_over for driver in drivers)


def test_the_result_opens_as_a_run_that_knows_what_it_is_of(example: Replaying) -> None:
    replay = ended(example)
    QTest.mouseClick(example.window.bar.results[1], Qt.MouseButton.LeftButton)
    current = example.program.workspace.current
    assert current is not None
    assert current.run is replay.result()
    assert current.run.replay_of == load_run(example.path).id


def test_once_more_is_another_tab(example: Replaying) -> None:
    replay = ended(example)
    QTest.mouseClick(example.window.bar.results[3], Qt.MouseButton.LeftButton)
    first, second = example.program.workspace.replays
    assert first is replay
    example.wait_for(second, ReplayState.ENDED)
    assert second.failure is None


def test_closing_asks_nothing_and_says_what_was_not_saved(example: Replaying) -> None:
    ended(example)
    example.program.content.close_current()
    assert example.program.workspace.replays == ()
    said = "Replay of agent-tools.run.json is closed. Its result was not saved."
    assert example.program.content.banner.text == said


def test_several_replays_of_one_run_are_told_apart(example: Replaying) -> None:
    ended(example)
    again = ended(example)
    assert again.title == "Replay of agent-tools.run.json (2)"
