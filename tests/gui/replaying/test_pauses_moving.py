"""A person steps through a replay, and sets breakpoints while it is held."""

import sys
from typing import Any

import pytest

pytest.importorskip("haystack", reason="a replay runs a pipeline, which needs the framework")

from PySide6.QtCore import QModelIndex, Qt

from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.breakpoints import BreakpointSpec, engine_fields
from tests.gui.conftest import open_file
from tests.gui.replaying.conftest import DATA, Replaying
from tests.gui.replaying.pausing import (
    CTRL,
    NONE,
    SHIFT,
    click_gutter,
    held,
    house,
    press,
    record,
    start,
)

__all__ = ["house"]


def step(house: Replaying, replay: OpenReplay, key: Qt.Key, how: Qt.KeyboardModifier = NONE) -> str:
    """Step with a key and return where the replay is held then."""
    before = {call.pause for call in replay.held}
    press(house, key, how)
    house.wait_until(
        lambda: (
            any(call.pause not in before for call in replay.held)
            or replay.state is ReplayState.ENDED
        )
    )
    new = [call for call in replay.held if call.pause not in before]
    return f"{new[0].phase} {new[0].path}" if new else "ended"


def test_the_keys_of_a_debugger_step_over_into_out_and_stop(house: Replaying) -> None:
    record(house, "in_pipeline")
    first = BreakpointSpec(path="assistant#1")
    replay = start(house, "in_pipeline", breakpoints=engine_fields((first,)))
    held(house, replay, "assistant")
    was_full = house.program.window.isFullScreen()
    inside = "assistant#1/inner:ChatPromptBuilder#1"
    assert step(house, replay, Qt.Key.Key_F11) == f"before {inside}"
    assert house.program.window.isFullScreen() == was_full, "F11 steps here"
    assert step(house, replay, Qt.Key.Key_F10) == f"after {inside}"
    assert step(house, replay, Qt.Key.Key_F11, CTRL) == "before assistant#1/step0/llm"
    assert step(house, replay, Qt.Key.Key_F11, SHIFT) == "after assistant#1"
    press(house, Qt.Key.Key_F5, SHIFT)
    house.wait_for(replay, ReplayState.ENDED)
    assert house.window.pause_pane.words == "The replay is over, and nothing is held any more."


WAITING = '''
    """A pipeline that waits in its middle until a file is there."""

    from pathlib import Path

    from haystack import Pipeline, component

    import garden


    @component
    class Waits:
        __haystack_side_effecting__ = False

        @component.output_types(query=str)
        def run(self, query: str):
            while not Path("go").exists():
                pass
            return {"query": query}


    def rag():
        pipeline = garden.rag()
        pipeline.add_component("waits", Waits())
        pipeline.connect("waits.query", "prompt.query")
        return pipeline
'''


def test_f6_pauses_a_replay_that_runs_at_the_next_call(house: Replaying) -> None:
    project = house.project
    project.write("waiting", WAITING)
    go = project.folder / "go"
    go.touch()
    data = {"retriever": {"query": "vents"}, "waits": {"query": "When do they open?"}}
    house.record("waiting", data, "waiting:rag")
    sys.modules.pop("waiting", None)
    go.unlink()
    replay = house.start("waiting:rag")
    house.wait_until(lambda: replay.live is not None and replay.live.at("waits#1") is not None)
    press(house, Qt.Key.Key_F6)
    # Commands are carried out in their order: once this one is, so was the one before.
    replay.breakpoints.put(BreakpointSpec(path="nowhere#1"))
    house.wait_until(lambda: replay.live is not None and bool(replay.live.breakpoints))
    assert not replay.held
    go.touch()
    house.wait_for_pause(replay)
    assert [(call.phase, call.path) for call in replay.held] == [("after", "waits#1")]
    assert replay.held[0].because == ()
    press(house, Qt.Key.Key_F5)
    house.wait_for(replay, ReplayState.ENDED)
    assert house.window.bar.sentence == "The replay came out as recorded."


def test_breakpoints_are_set_with_the_mouse_and_taken_away_with_a_key_while_it_is_held(
    house: Replaying,
) -> None:
    record(house, "agent")
    replay = start(house, "agent", breakpoints=engine_fields((BreakpointSpec(path="step0/llm"),)))
    held(house, replay, "llm")
    tree = house.window.tree
    recording = replay.request.recording.run
    rows = {span.path: row for row, span in enumerate(recording.spans)}
    index = tree.model.index_of(rows["step0/tool:read_probe[1]"])
    click_gutter(tree.gutter, index)
    assert [spec.path for spec in replay.breakpoints.specs] == [
        "step0/llm", "step0/tool:read_probe[1]",
    ]  # fmt: skip
    assert "breakpoint before step0/tool:read_probe[1]" in spoken(tree.view, index)
    other = tree.model.index_of(rows["step0/tool:read_probe[0]"])
    tree.view.setFocus()
    tree.view.setCurrentIndex(other)
    press(house, Qt.Key.Key_F9)
    assert count(replay) == 3
    press(house, Qt.Key.Key_F9)
    assert count(replay) == 2
    press(house, Qt.Key.Key_F5)
    house.wait_until(lambda: bool(replay.held) and replay.held[0].kind == "tool")
    assert [call.path for call in replay.held] == ["step0/tool:read_probe[1]"]


def spoken(view: Any, index: QModelIndex) -> str:
    return str(view.model().data(index, Qt.ItemDataRole.AccessibleTextRole))


def count(item: OpenReplay | OpenRun) -> int:
    return len(item.breakpoints.specs)


def test_the_breakpoints_of_a_run_follow_into_its_replay_and_back(house: Replaying) -> None:
    record(house, "agent")
    open_run = open_file(house.program, house.path, house.qtbot)
    off = BreakpointSpec(kinds=("tool",), phase="after", enabled=False)
    open_run.breakpoints.put(off)
    open_run.breakpoints.put(BreakpointSpec(path="step1/llm"))
    request = house.request("garden:agent", breakpoints=engine_fields(open_run.breakpoints.specs))
    replay = house.program.replayer.start(request)
    assert set(replay.breakpoints.specs) == set(open_run.breakpoints.specs)
    replay.breakpoints.put(BreakpointSpec(path="step0/llm"))  # while the worker still starts
    assert count(open_run) == 3
    held(house, replay, "llm")
    assert replay.held[0].path == "step0/llm"
    press(house, Qt.Key.Key_Z, CTRL)
    assert count(open_run) == 2, "it was taken back, in the run as well"
    press(house, Qt.Key.Key_F5)
    house.wait_until(lambda: bool(replay.held) and replay.held[0].path == "step1/llm")
    mine = BreakpointSpec(path="step0/tool:read_probe[0]")
    open_run.breakpoints.put(mine)  # in the tab of the run, which the replay does not follow
    replay.breakpoints.put(BreakpointSpec(kinds=("agent",)))
    assert mine in open_run.breakpoints.specs
    replay.breakpoints.remove(BreakpointSpec(kinds=("agent",)).key)
    assert count(open_run) == 3
    again = replay.request_again
    assert [each["path"] for each in again.breakpoints] == ["step1/llm"]


def test_every_llm_call_is_also_that_of_a_component(house: Replaying) -> None:
    house.record("rag", DATA)
    spec = BreakpointSpec(kinds=("llm",))
    replay = house.start("garden:rag", breakpoints=engine_fields((spec,)))
    held(house, replay, "llm")
    assert replay.held[0].path == "llm#1"
    assert replay.held[0].because == (spec.key,)
