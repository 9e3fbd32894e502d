"""A person pauses a replay, looks around, puts another value in its place and goes on."""

import sys
from typing import Any

import pytest

pytest.importorskip("haystack", reason="a replay runs a pipeline, which needs the framework")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from inspector.gui.panes.pause_pane import PausePane
from inspector.gui.widgets.plain import LinkButton
from inspector.gui.widgets.turn_widget import TurnWidget
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.presentation.breakpoints import BreakpointSpec, engine_fields
from inspector.replay.limits import Limits
from tests.gui.replaying.conftest import DATA, Replaying
from tests.gui.replaying.pausing import (
    BEFORE_TOOLS,
    CTRL,
    LIVE,
    answer_of,
    click,
    click_tab,
    held,
    house,
    is_editing,
    pane_of,
    press,
    record,
    start,
    type_instead,
)
from tests.helpers.openai_script import Request, say
from tests.replay.worker.test_pauses import BOTH

__all__ = ["house"]


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
    press(house, Qt.Key.Key_E, CTRL)
    assert is_editing(pane)
    assert not pane.held.isVisible(), "what is written has the room"
    QTest.keyClick(pane.editor.edit, Qt.Key.Key_Escape)
    assert pane.held.isVisible()
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


@pytest.mark.parametrize("key", [Qt.Key.Key_F10, Qt.Key.Key_F11, Qt.Key.Key_F5])
def test_a_call_stays_while_what_is_written_for_it_is_no_value_and_says_why(
    house: Replaying, key: Qt.Key
) -> None:
    house.record("rag", DATA)
    replay = house.start(
        "garden:rag", breakpoints=engine_fields((BreakpointSpec(path="prompt#1"),))
    )
    held(house, replay, "prompt")
    pane = pane_of(house)
    press(house, Qt.Key.Key_E, CTRL)
    type_instead(pane, "{")
    paused = replay.held[0].pause
    press(house, key)
    stays = "The call stays: what is written for it cannot be used. Line 1, column 2"
    assert house.window.said.startswith(stays)
    # The worker answers one thing after the other: had it heard of the key, it would show here.
    replay.set_value({}, pause=-1)
    house.wait_until(lambda: not house.window.said.startswith(stays))
    assert [(call.pause, call.phase) for call in replay.held] == [(paused, "before")]
    assert is_editing(pane)
    assert pane.editor.edit.toPlainText() == "{"
    press(house, Qt.Key.Key_Escape)
    press(house, Qt.Key.Key_F10)
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


def test_another_edit_that_is_refused_leaves_the_one_before_and_what_was_written(
    house: Replaying,
) -> None:
    house.record("rag", DATA)
    spec = BreakpointSpec(path="prompt#1")
    replay = house.start("garden:rag", breakpoints=engine_fields((spec,)), **LIVE)
    held(house, replay, "prompt")
    pane = pane_of(house)

    def shown() -> str:
        return pane.held.row(replay.held[0].pause).go.accessibleName()

    press(house, Qt.Key.Key_E, CTRL)
    text = pane.editor.edit.toPlainText()
    pane.editor.edit.setPlainText(text.replace("When do the vents open?", "Never mind."))
    click(use_button(pane))
    house.wait_until(lambda: not is_editing(pane))
    assert "Never mind." in shown()
    press(house, Qt.Key.Key_E, CTRL)
    text = pane.editor.edit.toPlainText()
    assert "Never mind." in text
    nothing = '{"$": "object", "type": "no.Such", "fields": {}}'
    pane.editor.edit.setPlainText(text.replace('"Never mind."', nothing))
    replay.set_breakpoint(condition="(")  # refused as well, and says nothing of the value
    click(use_button(pane))
    house.wait_until(lambda: "no.Such" in pane.editor.told)
    assert is_editing(pane)
    assert "Never mind." in shown()
    pane.editor.edit.setPlainText(text.replace("Never mind.", "And at night?"))
    click(use_button(pane))
    house.wait_until(lambda: not is_editing(pane))
    assert "And at night?" in shown()
    replay.stop()
    house.wait_for(replay, ReplayState.ENDED)
