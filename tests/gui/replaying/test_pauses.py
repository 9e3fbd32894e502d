"""A person pauses a replay, looks around, puts another value in its place and goes on."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from haystack.dataclasses import ChatMessage
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.gui.panes.pause_pane import PausePane
from inspector.gui.widgets.breakpoint_gutter import BreakpointGutter
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.widgets.turn_widget import TurnWidget
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.breakpoints import BreakpointSpec, engine_fields
from inspector.replay.limits import Limits
from tests.gui.conftest import open_file
from tests.gui.replaying.conftest import DATA, Replaying
from tests.helpers.openai_script import Request, say
from tests.replay.worker.test_pauses import BOTH, HOUSE, delegates, reads_both

NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
LIVE: dict[str, Any] = {"mode": "drift_ok", "allow_live": True}
AFTER_TOOLS = engine_fields((BreakpointSpec(kinds=("tool",), phase="after"),))
BEFORE_TOOLS = engine_fields((BreakpointSpec(kinds=("tool",)),))


@pytest.fixture
def house(replaying: Replaying) -> Iterator[Replaying]:
    replaying.project.write("house", HOUSE)
    yield replaying
    sys.modules.pop("house", None)


def record(house: Replaying, target: str) -> None:
    house.project.server.script = delegates if target == "keeper" else reads_both
    data: Any = {"messages": [ChatMessage.from_user("Are they dry?")]}
    data = {"assistant": data} if target == "in_pipeline" else data
    module = "garden" if target == "agent" else "house"
    house.record(target, data, f"{module}:{target}")


def start(house: Replaying, target: str, **more: Any) -> OpenReplay:
    module = "garden" if target == "agent" else "house"
    return house.start(f"{module}:{target}", **more)


def press(house: Replaying, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
    """Press a key wherever the focus is."""
    QTest.keyClick(house.program.window.focusWidget() or house.program.window, key, held)


def click(widget: QWidget) -> None:
    assert widget.isVisible(), "nobody can click there"
    QTest.mouseClick(widget, LEFT, NONE, widget.rect().center())


def click_gutter(gutter: BreakpointGutter, index: QModelIndex) -> None:
    assert index.isValid()
    QTest.mouseClick(gutter, LEFT, NONE, gutter.place_of(index))


def pane_of(house: Replaying) -> PausePane:
    pane = house.window.pause_pane
    assert house.window.tabs.currentWidget() is pane
    return pane


def type_instead(pane: PausePane, text: str) -> None:
    """Put another text in the place of what is in the editor."""
    QTest.keyClick(pane.editor.edit, Qt.Key.Key_A, CTRL)
    QTest.keyClicks(pane.editor.edit, text)


def answer_of(replay: OpenReplay, target: str) -> str:
    outputs: Any = replay.result().outputs
    outputs = outputs["assistant"] if target == "in_pipeline" else outputs
    return "".join(part.get("text", "") for part in outputs["last_message"]["content"])


def held(house: Replaying, replay: OpenReplay, name: str) -> None:
    """Wait until a call of this name is held and shown."""
    house.wait_until(
        lambda: (
            replay.state is ReplayState.ENDED
            or ((call := house.window.pause_pane.call) is not None and call.name == name)
        )
    )
    house.settle(replay)
    assert replay.state is not ReplayState.ENDED, replay.failure


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("target", ["agent", "in_pipeline", "keeper"])
def test_a_tool_result_is_edited_by_hand_and_what_follows_hears_of_it(
    house: Replaying, target: str, asynchronous: bool
) -> None:
    """An agent alone, one in a pipeline, and agents inside an agent whose calls are parallel."""
    record(house, target)
    asked = house.project.server.count()
    only_one = BreakpointSpec(name="read_probe", phase="after", condition='value contains "pepper"')
    replay = start(
        house, target, asynchronous=asynchronous, breakpoints=engine_fields((only_one,)), **LIVE
    )
    held(house, replay, "read_probe")
    pane = pane_of(house)
    assert pane.words.startswith("After the tool call read_probe")
    assert "Answered from the recording · breakpoint at read_probe when" in pane.words
    press(house, Qt.Key.Key_E, CTRL)
    assert pane.is_editing
    assert pane.editor.edit.toPlainText() == "peppers: 31 %"
    type_instead(pane, "peppers: 4 %")
    QTest.keyClick(pane.editor.edit, Qt.Key.Key_Return, CTRL)
    house.wait_until(lambda: pane.call is not None and pane.call.edited)
    assert not is_editing(pane)
    node = pane.value_view.current_node
    assert node is not None
    assert node.value == "peppers: 4 %"
    press(house, Qt.Key.Key_F5)
    house.wait_for(replay, ReplayState.ENDED)
    live = 2 if target == "keeper" else 1
    assert house.project.server.count() == asked + live
    assert "peppers: 4 %" in answer_of(replay, target)
    assert "tomatoes: 31 %" in answer_of(replay, target)
    assert house.is_untouched()


@pytest.mark.parametrize("target", ["agent", "keeper"])
def test_the_state_and_the_messages_of_the_agent_are_seen_between_its_tool_calls(
    house: Replaying, target: str
) -> None:
    record(house, target)
    wanted = BreakpointSpec(name="read_probe", condition='bed == "peppers"')
    replay = start(house, target, breakpoints=engine_fields((wanted,)))
    held(house, replay, "read_probe")
    pane = pane_of(house)
    node = pane.value_view.current_node
    assert node is not None
    assert (node.label, node.value) == ("bed", "peppers")
    assert pane.bar.tabText(0) == "Arguments"
    click_tab(pane, 1)
    assert pane.chat.isVisible()
    turns = {turn.accessibleName() for turn in pane.chat.findChildren(TurnWidget)}
    assert "System, turn 1 of 3" in turns
    assert "User, turn 2 of 3" in turns
    click_tab(pane, 2)
    assert pane.state_view.isVisible()
    assert pane.state_view.show_field("state.messages[2].role")
    current = pane.state_view.current_node
    assert current is not None
    assert current.value == "assistant"


def is_editing(pane: PausePane) -> bool:
    return pane.is_editing


def click_tab(pane: PausePane, place: int) -> None:
    QTest.mouseClick(pane.bar, LEFT, NONE, pane.bar.tabRect(place).center())


def test_parallel_calls_are_listed_and_each_is_edited_and_let_go_on_its_own(
    house: Replaying,
) -> None:
    record(house, "keeper")
    replay = start(house, "keeper", breakpoints=BEFORE_TOOLS, **LIVE)
    calls = house.wait_for_pause(replay, held=2)
    assert [call.name for call in calls] == ["helper", "helper"]
    pane = pane_of(house)
    second = pane.held.row(calls[1].pause)
    click(second.button)
    assert pane.call is not None
    assert pane.call.pause == calls[1].pause
    click(second.go)
    house.wait_until(
        lambda: (
            {call.name for call in replay.held} == {"helper", "read_probe"}
            and len(replay.held) == 2
        )
    )
    assert calls[0].pause in {call.pause for call in replay.held}, "the other one is still held"
    house.settle(replay)
    press(house, Qt.Key.Key_F6, CTRL)
    shown = pane.call
    press(house, Qt.Key.Key_F6, CTRL)
    assert pane.call is not None
    assert shown is not None
    assert pane.call.pause != shown.pause
    while replay.held:
        left = len(replay.held)
        number = replay.held[0].pause
        replay.choose(number)
        press(house, Qt.Key.Key_F5, CTRL)
        wait_until_gone(house, replay, number)
        house.wait_until(lambda: bool(replay.held) or replay.state is ReplayState.ENDED)
        assert left
    assert replay.state is ReplayState.ENDED
    assert all(bed in answer_of(replay, "keeper") for bed in BOTH)


def wait_until_gone(house: Replaying, replay: OpenReplay, pause: int) -> None:
    house.wait_until(lambda: pause not in {call.pause for call in replay.held})


def test_what_is_wrong_with_a_value_is_said_and_underlined_and_nothing_is_sent(
    house: Replaying,
) -> None:
    house.record("rag", DATA)
    spec = BreakpointSpec(path="prompt#1")
    replay = house.start("garden:rag", breakpoints=engine_fields((spec,)), **LIVE)
    held(house, replay, "prompt")
    pane = pane_of(house)
    click(pane.edit_button)
    editor = pane.editor
    assert '"query": "When do the vents open?"' in editor.edit.toPlainText()
    type_instead(pane, '{"query": And at night?}')
    editor.check()
    assert editor.told.startswith("Line 1, column 11: a value is missing before 'And at night")
    wrong = editor.edit.wrong
    assert wrong is not None
    assert editor.edit.toPlainText()[wrong[0] : wrong[1]] == "And"
    QTest.keyClick(editor.edit, Qt.Key.Key_Return, CTRL)
    assert editor.edit.textCursor().position() == wrong[0]
    assert pane.is_editing
    type_instead(pane, '{"query": "And at night?"}')
    assert editor.check() is None
    assert "'documents' is missing" in editor.told
    QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
    assert not is_editing(pane)
    assert not replay.held[0].edited
    press(house, Qt.Key.Key_F5)
    house.wait_for(replay, ReplayState.ENDED)
    assert house.window.bar.sentence == "The replay came out as recorded."


def test_inputs_are_edited_in_part_and_an_edit_is_taken_back(house: Replaying) -> None:
    house.record("rag", DATA)
    house.project.server.script = lambda request: say(f"<{request.text}>")
    spec = BreakpointSpec(path="prompt#1")
    replay = house.start("garden:rag", breakpoints=engine_fields((spec,)), **LIVE)
    held(house, replay, "prompt")
    pane = pane_of(house)

    def edit(before: str, after: str) -> None:
        press(house, Qt.Key.Key_E, CTRL)
        text = pane.editor.edit.toPlainText()
        assert before in text
        pane.editor.edit.setPlainText(text.replace(before, after))
        click(use_button(pane))

    edit("When do the vents open?", "Never mind.")
    house.wait_until(lambda: replay.held[0].edited)
    assert pane.reset_button.isVisible()
    click(pane.reset_button)
    house.wait_until(lambda: not replay.held[0].edited)
    assert not pane.reset_button.isVisible()
    edit("When do the vents open?", "And at night?")
    house.wait_until(lambda: replay.held[0].edited)
    press(house, Qt.Key.Key_F5)
    house.wait_for(replay, ReplayState.ENDED)
    outputs: Any = replay.result().outputs
    said = outputs["llm"]["replies"][0]["content"][0]["text"]
    assert said == "<The vents open at 27 degrees. And at night?>"


def use_button(pane: PausePane) -> QWidget:
    from PySide6.QtWidgets import QPushButton

    return next(
        button
        for button in pane.editor.findChildren(QPushButton)
        if button.text().startswith("Use")
    )


def test_the_recorded_value_takes_the_place_of_another(house: Replaying) -> None:
    record(house, "agent")
    asked = house.project.server.count()
    changed = {"answers": {"step0/tool:read_probe[0]": "tomatoes: on fire"}}
    spec = BreakpointSpec(path="step0/tool:read_probe[0]", phase="after")
    replay = start(
        house, "agent", overrides=changed, breakpoints=engine_fields((spec,)), **LIVE
    )  # fmt: skip
    held(house, replay, "read_probe")
    pane = pane_of(house)
    assert "not what was recorded" in pane.words
    press(house, Qt.Key.Key_E, CTRL)
    assert pane.editor.edit.toPlainText() == "tomatoes: on fire"
    click(link_in(pane, "Take the recorded value"))
    assert pane.editor.edit.toPlainText() == "tomatoes: 31 %"
    press(house, Qt.Key.Key_F5)  # what is written is used when the call goes on
    house.wait_for(replay, ReplayState.ENDED)
    assert house.project.server.count() == asked
    assert answer_of(replay, "agent") == "I read: tomatoes: 31 %, peppers: 31 %"


def link_in(pane: PausePane, words: str) -> QWidget:
    links = pane.editor.findChildren(LinkButton)
    return next(link for link in links if link.text() == words)


def test_what_is_no_value_is_not_used_when_the_call_goes_on_and_that_is_said(
    house: Replaying,
) -> None:
    house.record("rag", DATA)
    replay = house.start(
        "garden:rag", breakpoints=engine_fields((BreakpointSpec(path="prompt#1"),))
    )
    held(house, replay, "prompt")
    pane = pane_of(house)
    press(house, Qt.Key.Key_E, CTRL)
    type_instead(pane, "{")
    press(house, Qt.Key.Key_F10)
    assert house.window.said.startswith("What was written was not used. Line 1, column 2")
    house.wait_until(lambda: bool(replay.held) and replay.held[0].phase == "after")
    press(house, Qt.Key.Key_F5)
    house.wait_for(replay, ReplayState.ENDED)
    assert house.window.bar.sentence == "The replay came out as recorded."


def test_the_messages_an_llm_is_given_are_edited_and_its_tools_stay(house: Replaying) -> None:
    record(house, "agent")
    asked = house.project.server.count()
    house.project.server.script = seen_tools
    spec = BreakpointSpec(path="step0/llm")
    replay = start(house, "agent", breakpoints=engine_fields((spec,)), **LIVE)
    held(house, replay, "llm")
    pane = pane_of(house)
    press(house, Qt.Key.Key_E, CTRL)
    edit = pane.editor.edit
    text = edit.toPlainText()
    assert '"tools"' in text, "they are shown, though no file could bring them back"
    edit.setPlainText(text.replace("Are they dry?", "Only the peppers."))
    QTest.keyClick(edit, Qt.Key.Key_Return, CTRL)
    house.wait_until(lambda: replay.held[0].edited)
    click_tab(pane, 1)
    house.settle(replay)
    press(house, Qt.Key.Key_F5)
    house.wait_for(replay, ReplayState.ENDED)
    assert house.project.server.count() == asked + 1
    assert answer_of(replay, "agent") == "Only the peppers. read_probe"


def seen_tools(request: Request) -> Any:
    return say(f"{request.text} {','.join(request.tool_names)}")


def test_a_value_that_cannot_be_made_again_is_refused_in_words(house: Replaying) -> None:
    record(house, "agent")
    spec = BreakpointSpec(path="step0/llm")
    replay = start(house, "agent", breakpoints=engine_fields((spec,)), **LIVE)
    held(house, replay, "llm")
    pane = pane_of(house)
    press(house, Qt.Key.Key_E, CTRL)
    type_instead(pane, '{"messages": [{"$": "object", "type": "no.Such", "fields": {}}], ')
    text = pane.editor.edit.toPlainText().rstrip("}, ")
    value = replay.held[0].values
    import json

    others = {key: part for key, part in value.items() if key != "messages"}
    pane.editor.edit.setPlainText(f"{text}, {json.dumps(others)[1:]}")
    QTest.keyClick(pane.editor.edit, Qt.Key.Key_Return, CTRL)
    house.wait_until(lambda: "no.Such" in pane.editor.told)
    assert pane.is_editing
    assert not replay.held[0].edited


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


def test_a_value_that_is_too_large_is_seen_and_not_edited(house: Replaying) -> None:
    house.record("rag", {**DATA, "prompt": {"query": "word " * 50_000}})
    replay = house.start(
        "garden:rag", breakpoints=engine_fields((BreakpointSpec(path="prompt#1"),))
    )
    held(house, replay, "prompt")
    pane = pane_of(house)
    press(house, Qt.Key.Key_E, CTRL)
    assert not pane.is_editing
    assert "too large to be edited" in pane.words
    node = pane.value_view.current_node
    assert node is not None


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
    again = replay.request_again
    assert [each["path"] for each in again.breakpoints] == ["step1/llm"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_the_definition_in_a_file_is_paused_and_edited_under_its_limits(
    example: Replaying,
) -> None:
    """Nobody's code is there: stubs round the recorded answers, in a process without a network."""
    spec = BreakpointSpec(kinds=("tool",), phase="after", condition="moisture > 30")
    replay = example.start("", limits=Limits(), breakpoints=engine_fields((spec,)), mode="drift_ok")
    held(example, replay, "read_sensor")
    pane = pane_of(example)
    assert [call.path for call in replay.held] == ["assistant#1/step0/tool:read_sensor[0]"]
    assert len((replay.held[0].state or {})["messages"]) > 1
    press(example, Qt.Key.Key_E, CTRL)
    edit = pane.editor.edit
    edit.setPlainText(edit.toPlainText().replace('"moisture": 31', '"moisture": 99'))
    QTest.keyClick(edit, Qt.Key.Key_Return, CTRL)
    example.wait_until(lambda: replay.held[0].edited)
    press(example, Qt.Key.Key_F5)
    example.wait_for(replay, ReplayState.ENDED)
    assert replay.live is not None
    drifts = {drift.path: drift for drift in replay.live.drifts if drift.counts}
    assert "assistant#1/step1/llm" in drifts, "the recording has no answer to another reading"
    assert example.is_untouched()


def test_every_llm_call_is_also_that_of_a_component(house: Replaying) -> None:
    house.record("rag", DATA)
    spec = BreakpointSpec(kinds=("llm",))
    replay = house.start("garden:rag", breakpoints=engine_fields((spec,)))
    held(house, replay, "llm")
    assert replay.held[0].path == "llm#1"
    assert replay.held[0].because == (spec.key,)
