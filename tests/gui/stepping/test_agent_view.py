from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.agent_turn import AgentTurnWidget
from inspector.gui.widgets.agent_view import AgentView
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tab_bar import QuietTabBar
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.agent_retries import ArgumentChange
from inspector.presentation.agent_turns import MOST_TURNS, AgentCall, AgentTurn
from inspector.presentation.span_detail import Tab
from inspector.presentation.transcript import CallPart, ToolOutcome
from inspector.runfile.model import PipelineRun
from tests.gui.conftest import open_file, write_run
from tests.gui.stepping.conftest import Press
from tests.helpers.drawn_runs import run_from_outline

LEFT = Qt.MouseButton.LeftButton
Settle = Callable[[Program], None]


def press_tab(program: Program, title: str) -> None:
    """Press one of the tabs of the span pane with the mouse."""
    bar = program.window.findChild(QuietTabBar)
    assert isinstance(bar, QuietTabBar)
    place = next(at for at in range(bar.count()) if bar.tabText(at) == title)
    QTest.mouseClick(bar, LEFT, pos=bar.tabRect(place).center())


def press_button(within: QWidget, name: str) -> None:
    button = next(
        one
        for one in within.findChildren(QToolButton)
        if one.accessibleName() == name and one.isVisibleTo(within)
    )
    QTest.mouseClick(button, LEFT, pos=QPoint(4, 4))


def words_in(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(Words) if label.isVisibleTo(widget)]


def view_of(program: Program) -> AgentView:
    view = program.window.findChild(AgentView)
    assert isinstance(view, AgentView)
    return view


@pytest.fixture
def turns(program: Program, agent: OpenRun, press: Press, settle: Settle) -> AgentView:
    """The turns of the bundled agent, after `t` and a press on the tab."""
    press(Qt.Key.Key_T)
    press_tab(program, "Turns")
    settle(program)
    return view_of(program)


def test_stepping_from_tool_call_to_tool_call_marks_each_in_its_turn(
    program: Program, agent: OpenRun, turns: AgentView, press: Press
) -> None:
    seen = []
    for _ in range(7):
        marked = [
            (number, span_id)
            for number, turn in enumerate(turns.turns)
            for span_id, card in turn.cards.items()
            if card.is_marked
        ]
        assert len(marked) == 1
        assert marked[0][1] == agent.selection.span_id
        seen.append(marked[0][0])
        press(Qt.Key.Key_T)
    assert seen == [0, 0, 0, 1, 1, 2, 2]


def test_the_turn_one_steps_to_is_in_sight(
    program: Program, agent: OpenRun, turns: AgentView, press: Press
) -> None:
    for _ in range(5):
        press(Qt.Key.Key_T)
    turn = next(one for one in turns.turns if one.is_marked)
    card = next(one for one in turn.cards.values() if one.is_marked)
    top = card.mapTo(turns, QPoint(0, 0)).y()
    assert 0 <= top <= turns.height() - 40


def test_the_failing_call_its_error_and_what_the_retry_changed_can_be_read(
    program: Program, agent: OpenRun, turns: AgentView, press: Press
) -> None:
    press(Qt.Key.Key_E)
    failed = agent.selection.span_id
    assert failed is not None
    card = turns.turns[0].cards[failed]
    assert card.is_marked
    assert "✕ failed" in words_in(card)
    again = next(iter(turns.turns[1].cards.values()))
    said = words_in(again)
    assert "Tried again after it failed in step 0, and it worked" in said
    assert "wake" in said
    assert "(not given) → true" in said
    press_button(again, "Failed call")
    assert agent.selection.span_id == failed
    assert "Tried again in step 1, and it worked" in words_in(card)
    press_button(card, "Second try")
    assert agent.selection.span_id == turns.turns[1].turn.calls[0].span_id


def test_a_message_of_the_prompt_is_shown_in_its_conversation(
    program: Program, agent: OpenRun, turns: AgentView, settle: Settle
) -> None:
    press_button(turns.turns[0], "Show the User message")
    settle(program)
    window = program.content.tabs.current_window
    assert window is not None
    assert window.span_pane.current_tab is Tab.MESSAGES
    row = agent.run.table.row_of(agent.selection.span_id or "")
    assert row is not None
    assert agent.run.spans[row].kind == "llm"


def test_the_whole_prompt_is_a_conversation_and_going_back_leads_to_the_turns(
    program: Program, agent: OpenRun, turns: AgentView, press: Press, settle: Settle
) -> None:
    called = agent.selection.span_id
    press_button(turns.turns[0], "Whole prompt")
    settle(program)
    window = program.content.tabs.current_window
    assert window is not None
    assert window.span_pane.current_tab is Tab.MESSAGES
    assert agent.run.span(agent.selection.span_id or "").kind == "llm"
    press(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert agent.selection.span_id == called
    assert window.span_pane.current_tab is Tab.TURNS
    press(Qt.Key.Key_T)
    assert window.span_pane.current_tab is Tab.TURNS


def test_the_whole_prompt_of_the_selected_call_is_shown_too(
    program: Program, agent: OpenRun, turns: AgentView, press: Press, settle: Settle
) -> None:
    press(Qt.Key.Key_M)
    llm = agent.selection.span_id
    turn = next(one for one in turns.turns if one.is_marked)
    press_button(turn, "Whole prompt")
    settle(program)
    window = program.content.tabs.current_window
    assert window is not None
    assert agent.selection.span_id == llm
    assert window.span_pane.current_tab is Tab.MESSAGES


def test_why_the_agent_stopped_stands_above_its_turns(turns: AgentView) -> None:
    assert any("answered without calling a tool" in words for words in words_in(turns))


def test_a_span_outside_of_any_agent_has_no_turns(program: Program, agent: OpenRun) -> None:
    bar = program.window.findChild(QuietTabBar)
    assert isinstance(bar, QuietTabBar)
    place = next(at for at in range(bar.count()) if bar.tabText(at) == "Turns")
    assert not bar.isTabEnabled(place)  # the pipeline is selected


def long_agent(steps: int) -> PipelineRun:
    lines = ["pipeline 0-100000", "  agent 0-100000"]
    for number in range(steps):
        start = number * 10
        lines.append(f"    step {start}-{start + 10}")
        lines.append(f"      llm {start}-{start + 5}")
        lines.append(f"      search:tool {start + 5}-{start + 10}")
    return run_from_outline("\n".join(lines))


def test_of_a_long_agent_the_turns_around_are_made_and_what_is_read_stays_in_sight(
    program: Program, tmp_path: Path, press: Press, settle: Settle, qtbot: QtBot
) -> None:
    open_run = open_file(program, write_run(long_agent(60), tmp_path / "long.run.json"), qtbot)
    press(Qt.Key.Key_T)
    press_tab(program, "Turns")
    settle(program)
    view = view_of(program)
    tools = [span for span in open_run.run.spans if span.kind == "tool"]
    for number in (30, 38, 25):
        open_run.selection.select(tools[number].id)
        settle(program)
        qtbot.waitUntil(lambda: view.is_whole)
        numbers = [turn.turn.number for turn in view.turns]
        assert numbers == list(range(numbers[0], numbers[0] + MOST_TURNS))
        marked = next(turn for turn in view.turns if turn.is_marked)
        assert marked.turn.number == number
        top = marked.mapTo(view, QPoint(0, 0)).y()
        assert 0 <= top < view.height()


def test_turns_before_and_after_can_be_asked_for(
    program: Program, tmp_path: Path, press: Press, settle: Settle, qtbot: QtBot
) -> None:
    open_file(program, write_run(long_agent(30), tmp_path / "long.run.json"), qtbot)
    press(Qt.Key.Key_T)
    press_tab(program, "Turns")
    settle(program)
    view = view_of(program)
    qtbot.waitUntil(lambda: view.is_whole)
    assert view.turns[0].turn.number == 0
    button = next(
        one for one in view.findChildren(QToolButton) if "18 later turns" in plain(one.text())
    )
    button.click()
    settle(program)
    qtbot.waitUntil(lambda: view.is_whole)
    assert view.turns[-1].turn.number > 12
    assert any("earlier turn" in one.text() for one in view.findChildren(QToolButton))


def plain(words: str) -> str:
    return words.replace("\u202f", " ").replace("\u2009", " ")


def turn_with(*calls: AgentCall) -> AgentTurn:
    return AgentTurn(
        number=0, span_id="s2", llm_id="s3", new=(), earlier=0, dropped=0, replies=(),
        calls=calls, state=(), facts=(), failed=False,
    )  # fmt: skip


def call_of(tool: str, said: str, span_id: str | None) -> CallPart:
    return CallPart("c1", tool, (("unit", "celsius"),), outcome=ToolOutcome(said, False, span_id))


def test_what_a_tool_ran_with_and_what_did_not_run_is_said_at_the_call(qtbot: QtBot) -> None:
    changed = AgentCall(
        call_of("measure", "303.65", "s7"), "s7",
        ran_with=(ArgumentChange("unit", "celsius", "kelvin"),),
    )  # fmt: skip
    filled = AgentCall(
        call_of("note", "ok", "s8"), "s8", ran_with=(ArgumentChange("author", "", "Ada"),)
    )
    rejected = AgentCall(call_of("look_up", "Not now.", None), None, did_not_run=True)
    widget = AgentTurnWidget(turn_with(changed, filled, rejected))
    qtbot.addWidget(widget)
    widget.show()
    said = words_in(widget)
    assert said[said.index("Changed before it ran") + 2] == "celsius → kelvin"
    assert said[said.index("Put in by the agent") + 2] == "(not given) → Ada"
    assert "It did not run; this is what the LLM was told instead" in said
