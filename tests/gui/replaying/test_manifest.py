"""The dialog before a replay, by mouse and keys: what it says, and what it begins."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QLineEdit,
    QMenu,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from inspector.gui.dialogs.replay_dialog import ReplayDialog
from inspector.gui.widgets.tick_list import TickList
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.breakpoints import BreakpointSpec, breakpoint_for
from inspector.presentation.replay_manifest import NO_NETWORK
from inspector.presentation.what_if_places import places_at
from inspector.runfile.load import load_run
from tests.gui.conftest import open_file, run_window
from tests.gui.replaying.asking import CONTROL, Asked, asked
from tests.gui.replaying.conftest import DATA, Replaying
from tests.replay.worker.conftest import EXAMPLES

__all__ = ["asked"]


def test_the_dialog_says_what_happens_and_begins_nothing(asked: Asked) -> None:
    asked.open(EXAMPLES / "agent-tools.run.json")
    assert NO_NETWORK in asked.said
    happens = {row.name: row.happens for row in asked.list.rows.rows}
    assert happens["assistant › llm"] == "Recorded answer"
    assert happens["assistant › read_sensor"] == "Recorded answer"
    assert happens["assistant"] == "Runs again here"
    assert {row.ticked for row in asked.list.rows.rows} == {None}, "nothing is asked in a replay"
    assert not asked.start.isEnabled()
    assert "Name your pipeline" in asked.said
    assert asked.program.workspace.replays == ()


def test_typing_a_target_and_enter_replays_it(replaying: Replaying, asked: Asked) -> None:
    replaying.record("rag", DATA)
    asked.open(replaying.path)
    asked.type("Python target", "garden:rag")
    asked.type("Project folder", str(replaying.project.folder))
    asked.type("Interpreter", sys.executable)
    assert asked.start.isEnabled()
    QTest.keyClick(asked.dialog, Qt.Key.Key_Return)
    replay = asked.replay()
    assert replay.failure is None
    assert (replay.live.finished or {})["outcome"] == "same"
    assert replaying.is_untouched()


def test_what_was_chosen_is_there_the_next_time_and_nothing_that_was_allowed(
    replaying: Replaying, asked: Asked, qtbot: QtBot
) -> None:
    replaying.record("rag", DATA)
    asked.open(replaying.path)
    asked.type("Python target", "garden:rag")
    asked.type("Project folder", str(replaying.project.folder))
    asked.press("Go on, and list the differences")
    asked.press("Let calls without a recorded answer run live")
    asked.press("Replay")
    asked.replay()
    asked.program.workspace.make_current(asked.program.workspace.open_runs[0])
    asked.program.window.activateWindow()
    asked.wait(asked.program.window.isActiveWindow)
    QTest.keyClick(asked.program.window, Qt.Key.Key_R, CONTROL)
    asked.wait_until_quiet()
    choice = asked.dialog._choice
    assert (choice.target, choice.mode) == ("garden:rag", "drift_ok")
    assert choice.directory == str(replaying.project.folder)
    assert not choice.live
    assert not choice.runs_live


def test_escape_closes_it_and_begins_nothing(asked: Asked, qtbot: QtBot) -> None:
    asked.open(EXAMPLES / "rag-answer.run.json")
    QTest.keyClick(asked.dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not asked.is_open)
    assert asked.program.workspace.replays == ()


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("Python target", "no colon", "A target is package.module:attribute"),
        ("Python target", "os;system:x", "A target is package.module:attribute"),
        ("Most live calls", "-1", "A budget of calls is a number"),
        ("Most live calls", "many", "A budget of calls is a number"),
        ("Most live calls", "9" * 20, "A budget of calls is a number from 0 to 1"),
        ("Most US dollars for live calls", "NaN", "A budget in US dollars is an amount"),
        ("Most US dollars for live calls", "1e999999999", "A budget in US dollars is an amount"),
    ],
)
def test_what_makes_no_sense_is_said_before_it_begins(
    asked: Asked, field: str, text: str, said: str
) -> None:
    asked.open(EXAMPLES / "rag-answer.run.json")
    asked.type("Python target", "garden:rag")
    asked.press("Go on, and list the differences")
    asked.press("Let calls without a recorded answer run live")
    asked.type(field, text)
    assert not asked.start.isEnabled()
    assert said in asked.said


def test_an_interpreter_that_is_none_is_said(asked: Asked, tmp_path: Path) -> None:
    asked.open(EXAMPLES / "rag-answer.run.json")
    asked.type("Python target", "garden:rag")
    asked.type("Interpreter", str(tmp_path / "no-python"))
    asked.press("Replay")
    assert "There is no Python at" in asked.said
    assert asked.program.workspace.replays == ()


def test_live_calls_are_ticked_one_by_one(asked: Asked) -> None:
    asked.open(EXAMPLES / "agent-tools.run.json")
    asked.type("Python target", "greenhouse:build")
    asked.press("Go on, and list the differences")
    asked.press("Let calls without a recorded answer run live")
    assert "at most 10\u202fcalls" in asked.said
    ticked = {row.name: row.ticked for row in asked.list.rows.rows if row.ticked is not None}
    assert ticked == {
        "assistant › llm": True, "assistant › read_sensor": False,
        "assistant › search_manual": False, "assistant › plan_chore": False,
    }  # fmt: skip
    assert "Contacts api.openai.com, reads OPENAI_API_KEY" in asked.row("llm").why
    asked.tick("plan_chore")
    asked.list.setFocus()
    asked.list.setCurrentIndex(asked.list.rows.index(0))
    QTest.keyClick(asked.list, Qt.Key.Key_Space)
    ticked = {row.name: row.ticked for row in asked.list.rows.rows if row.ticked}
    assert ticked == {"assistant › plan_chore": True}
    requests: list[object] = []
    asked.dialog.replay_requested.disconnect()
    asked.dialog.replay_requested.connect(requests.append)
    asked.press("Replay")
    (request,) = requests
    job = request.job
    assert (job.mode, job.allow_live, job.live_budget) == ("drift_ok", True, 10)
    assert job.treat == {
        "assistant#*/step*/llm": "never_live",
        "assistant#*/step*/tool:read_sensor[[]*": "never_live",
        "assistant#*/step*/tool:search_manual[[]*": "never_live",
    }
    assert request.limits is None


def test_re_running_live_says_its_price_first(asked: Asked) -> None:
    asked.open(EXAMPLES / "agent-tools.run.json", live_at="assistant#1/step2/llm")
    assert asked.said.splitlines()[0] == (
        "Re-run greenhouse_assistant live from assistant#1/step2/llm"
    )
    assert "Estimated price: ≈ $0.0" in asked.said
    assert "2\u202fmodel calls" in asked.said
    assert asked.row("llm").happens == "Runs live"
    assert "2 of 4" in asked.row("llm").what
    assert not asked.button("The definition in this file").isEnabled()
    assert asked.start.text() == "Re-run live"


def test_a_run_without_a_call_has_nothing_to_replay(asked: Asked, tmp_path: Path) -> None:
    import orjson

    tree = orjson.loads((EXAMPLES / "rag-answer.run.json").read_bytes())
    tree["spans"] = []
    for name in ("topology", "definition"):
        tree["run"].pop(name)
    for name in ("digest", "record_digests"):
        tree.pop(name, None)
    path = tmp_path / "empty.run.json"
    path.write_bytes(orjson.dumps(tree))
    asked.open(path)
    assert "There is nothing to replay" in asked.said
    assert not asked.start.isEnabled()


def test_everything_can_be_reached_with_tab_and_has_a_name(asked: Asked) -> None:
    dialog = asked.open(EXAMPLES / "agent-tools.run.json", live_at="assistant#1/step2/llm")
    for widget in dialog.findChildren(QWidget):
        if not widget.isVisible() or widget.focusPolicy() is Qt.FocusPolicy.NoFocus:
            continue
        if isinstance(widget, QAbstractButton):
            assert widget.text() or widget.accessibleName()
        elif isinstance(widget, (QLineEdit, TickList, QCheckBox)):
            assert widget.accessibleName() or isinstance(widget, QCheckBox), widget


def dialogs(asked: Asked) -> list[ReplayDialog]:
    return [one for one in asked.program.window.findChildren(ReplayDialog) if one.isVisible()]


def test_closing_the_run_closes_what_asks_about_it(asked: Asked, qtbot: QtBot) -> None:
    asked.open(EXAMPLES / "agent-tools.run.json")
    run = asked.program.workspace.open_runs[0]
    span = run.run.at("assistant#1/step2/llm")
    assert span is not None
    run.live_asked.emit(span.id)
    qtbot.waitUntil(lambda: len(dialogs(asked)) == 2)
    asked.program.workspace.remove(run)
    qtbot.waitUntil(lambda: not asked.is_open)


def test_a_recording_that_is_in_no_file_is_replayed_as_well(
    replaying: Replaying, asked: Asked
) -> None:
    replaying.record("rag", DATA)
    run = load_run(replaying.path.read_bytes())
    asked.program.workspace.add(OpenRun(run, title="pasted"))
    QTest.keyClick(asked.program.window, Qt.Key.Key_R, CONTROL)
    asked.wait_until_quiet()
    asked.type("Python target", "garden:rag")
    asked.type("Project folder", str(replaying.project.folder))
    asked.press("Replay")
    replay = asked.replay()
    assert replay.failure is None
    assert (replay.live.finished or {})["outcome"] == "same"


def test_the_menu_of_a_span_asks_about_running_live_from_there(asked: Asked, qtbot: QtBot) -> None:
    run = open_file(asked.program, EXAMPLES / "agent-tools.run.json", qtbot)
    tree = run_window(asked.program).tree_pane
    span = run.run.at("assistant#1/step3/llm")
    assert span is not None
    run.selection.select(span.id)
    view = tree.findChild(QTreeView)
    at = view.visualRect(view.currentIndex()).center()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, at, view.viewport().mapToGlobal(at), Qt.KeyboardModifier(0)
    )
    QApplication.sendEvent(view.viewport(), event)
    (menu,) = [one for one in tree.findChildren(QMenu) if one.isVisible()]
    action = next(one for one in menu.actions() if one.text() == "Re-run live from here…")
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
    asked.wait_until_quiet()
    assert "live from assistant#1/step3/llm" in asked.said


def test_a_pipeline_yaml_is_replayed(replaying: Replaying, asked: Asked) -> None:
    replaying.record("rag", DATA)
    folder = replaying.project.folder
    make = "import garden, pathlib; pathlib.Path('rag.yaml').write_text(garden.rag().dumps())"
    subprocess.run([sys.executable, "-c", make], cwd=folder, check=True)
    asked.open(replaying.path)
    asked.press("A pipeline YAML")
    assert "choose a file that you trust" in asked.said
    asked.type("Pipeline YAML", "rag.yaml")
    asked.type("Project folder", str(folder))
    asked.press("Replay")
    replay = asked.replay()
    assert replay.failure is None
    assert (replay.live.finished or {})["outcome"] == "same"


def test_a_yaml_that_unfolds_without_an_end_is_a_sentence(
    replaying: Replaying, asked: Asked
) -> None:
    replaying.record("rag", DATA)
    lines = ["a0: &a0 [boom, boom]", *(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60))]
    (replaying.project.folder / "bomb.yaml").write_text("\n".join(lines))
    asked.open(replaying.path)
    asked.press("A pipeline YAML")
    asked.type("Pipeline YAML", "bomb.yaml")
    asked.type("Project folder", str(replaying.project.folder))
    asked.press("Replay")
    replay = asked.replay()
    finished = replay.live.finished or {}
    assert finished["outcome"] == "could_not"
    assert "its aliases stand for more than" in finished["error"]["message"]


def test_breakpoints_and_changes_of_the_run_go_with_it(asked: Asked, qtbot: QtBot) -> None:
    run = open_file(asked.program, EXAMPLES / "agent-tools.run.json", qtbot)
    span = run.run.at("assistant#1/step0/tool:read_sensor[0]")
    assert span is not None
    spec = breakpoint_for(run.run, span.row)
    assert spec is not None
    run.breakpoints.toggle(spec)
    run.changes.put(places_at(run.run, span)[0].changed("42 %"))
    QTest.keyClick(asked.program.window, Qt.Key.Key_R, CONTROL)
    asked.wait_until_quiet()
    assert "With these changes:" in asked.said
    asked.type("Python target", "greenhouse:build")
    more = BreakpointSpec(kinds=("llm",))
    run.breakpoints.toggle(more)  # beside the dialog, which is open
    requests: list[Any] = []
    asked.dialog.replay_requested.disconnect()
    asked.dialog.replay_requested.connect(requests.append)
    asked.press("Replay")
    (request,) = requests
    assert request.breakpoints == (spec.fields, more.fields)
    assert request.job.overrides == run.changes.overrides() != {}
    assert request.changes == run.changes.words()
    assert request.job.mode == "drift_ok", "what is otherwise is bound to differ"
