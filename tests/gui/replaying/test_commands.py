"""What a person says to a replay reaches its worker in order, or is refused in a sentence."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.gui.workspace.open_replay import ReplayState
from inspector.presentation.breakpoints import BreakpointSpec
from inspector.replay.limits import Limits
from inspector.runfile.load import load_run
from tests.gui.replaying.conftest import Replaying

TOO_LARGE = 2**70
CANNOT_BE_SAID = "This value cannot be passed on to the replay."
HALF = "\ud83d"
TOOLS = BreakpointSpec(kinds=("tool",))


def test_what_is_said_before_there_is_a_worker_counts_in_the_order_in_which_it_was_said(
    example: Replaying,
) -> None:
    replay = example.start(limits=Limits())
    for _ in range(5):
        replay.breakpoints.toggle(TOOLS)
        replay.breakpoints.toggle(TOOLS)
    example.wait_for(replay, ReplayState.ENDED)
    assert replay.live is not None
    assert len(replay.live.breakpoints) == 5
    assert len(replay.live.spans) == len(load_run(example.path).spans)


def test_what_cannot_be_said_to_a_worker_is_refused_and_the_replay_goes_on(
    example: Replaying,
) -> None:
    replay = example.start(limits=Limits())
    refused: list[str] = []
    replay.refused.connect(lambda message, _hint: refused.append(message))
    replay.set_breakpoint(kinds=["tool"], visit=TOO_LARGE)
    example.wait_for(replay, ReplayState.ENDED)
    assert refused == [CANNOT_BE_SAID]
    assert replay.failure is None
    assert replay.run is not None


@pytest.mark.parametrize(
    ("more", "hint"),
    [
        ({"data": {"a": TOO_LARGE}}, "Numbers are at most 64 bits long."),
        ({"live_budget": TOO_LARGE}, "Numbers are at most 64 bits long."),
        ({"data": {"a": HALF}}, "A text in it holds half of a character"),
        ({"data": {HALF: 1}}, "A text in it holds half of a character"),
    ],
)
def test_a_job_that_cannot_be_said_is_a_sentence_and_no_report_of_a_bug(
    example: Replaying, more: dict[str, Any], hint: str
) -> None:
    bugs: list[object] = []
    example.program.messages.crash_reported.connect(bugs.append)
    replay = example.ended(limits=Limits(), **more)
    assert replay.failure is not None
    assert replay.failure.message == CANNOT_BE_SAID
    assert replay.failure.hint.startswith(hint)
    assert bugs == []


def test_stop_shows_the_rest_at_once_where_the_worker_is_done(example: Replaying) -> None:
    replay = example.program.replayer.start(example.request("", limits=Limits()))
    replay.set_pace(0.5)
    driver = example.program.replayer.driver_of(replay)
    assert driver is not None
    example.wait_until(lambda: driver.is_ahead)
    replay.pause()
    for _ in range(2):  # pressed again, it ends nothing: there is nothing any more
        QTest.keyClick(example.window, Qt.Key.Key_F5, Qt.KeyboardModifier.ShiftModifier)
    example.wait_for(replay, ReplayState.ENDED)
    assert replay.failure is None
    assert example.window.bar.sentence == "The replay came out as recorded."
    assert replay.live is not None
    assert len(replay.live.spans) == len(load_run(example.path).spans)
