"""The two stories that replaying in the window is for, told by mouse and keys alone."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from inspector.gui.dialogs.template_dialog import TemplateDialog
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.gui.workspace.open_comparison import OpenComparison
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.presentation.live_replay import Match
from tests.gui.conftest import wait_until_quiet
from tests.gui.replaying.asking import Asked
from tests.gui.replaying.conftest import LONG_MS, Replaying
from tests.helpers.openai_script import Call, Reply, Request, call, say
from tests.replay.worker.conftest import EXAMPLES

NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
CTRL_SHIFT = CTRL | Qt.KeyboardModifier.ShiftModifier
ROOT = Path(__file__).parents[3]
TARGETS = """
from desk_scenes import DESK_SCENES
from manual_scenes import MANUAL_SCENES

SCENES = {scene.name: scene for scene in (*DESK_SCENES, *MANUAL_SCENES)}


def assistant():
    return SCENES["agent-tools"].build()


def answers():
    return SCENES["rag-answer"].build()
"""


WET = "soaked, at 96 percent"


class Person:
    """Somebody with a mouse and a keyboard, in front of the start page."""

    def __init__(self, replaying: Replaying, asked: Asked, qtbot: QtBot) -> None:
        self.replaying = replaying
        self.asked = asked
        self.program = replaying.program
        self.qtbot = qtbot

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = NONE) -> None:
        """Press a key wherever the focus is."""
        window = self.program.window
        QTest.keyClick(window.focusWidget() or window, key, held)

    def open_example(self, name: str) -> Path:
        """Click an example on the start page."""
        self.come_back()
        page = self.program.content.tabs.start_page
        title = next(
            scene["title"] for scene in _index() if scene["file"].startswith(name)
        )  # fmt: skip
        row = next(one for one in page.findChildren(ChoiceRow) if one.text() == title)
        with self.qtbot.waitSignal(self.program.workspace.added, timeout=LONG_MS):
            QTest.mouseClick(row, Qt.MouseButton.LeftButton)
        wait_until_quiet(self.program, self.qtbot)
        return EXAMPLES / f"{name}.run.json"

    def ask_for(self, words: str) -> None:
        """Find something to do in the palette, and do it."""
        self.press(Qt.Key.Key_P, CTRL_SHIFT)
        QTest.keyClicks(self.program.window.focusWidget(), words)
        self.press(Qt.Key.Key_Return)

    def fill_in_the_dialog(self, target: str) -> None:
        """Ask for a replay that goes on and may run live, of a target of the project."""
        self.press(Qt.Key.Key_R, CTRL)
        self.asked.wait_until_quiet()
        self.asked.type("Python target", target)
        self.asked.type("Project folder", str(self.replaying.project.folder))
        self.asked.type("Interpreter", sys.executable)
        self.asked.press("Go on, and list the differences")
        self.asked.press("Let calls without a recorded answer run live")

    def begin(self) -> OpenReplay:
        """Press the button of the dialog."""
        self.asked.press("Replay")
        self.asked.wait(lambda: bool(self.program.workspace.replays))
        self.come_back()
        return self.program.workspace.replays[-1]

    def come_back(self) -> None:
        """Have the keys of the window, as every desktop gives them back after a dialog."""
        self.program.window.activateWindow()
        self.asked.wait(self.program.window.isActiveWindow)

    def compared(self) -> OpenComparison:
        """Wait for the comparison that a replay opens at its end."""
        workspace = self.program.workspace
        self.asked.wait(lambda: workspace.current_comparison is not None)
        found = workspace.current_comparison
        assert found is not None
        self.asked.wait(lambda: found.comparison is not None or found.failure is not None)
        assert found.failure is None
        return found


def _index() -> list[dict[str, str]]:
    import orjson

    found: list[dict[str, str]] = orjson.loads((EXAMPLES / "index.json").read_bytes())
    return found


@pytest.fixture
def person(
    replaying: Replaying, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Person:  # fmt: skip
    folder, server = replaying.project.folder, replaying.project.server
    for name in ("desk_scenes", "manual_scenes", "scene", "greenhouse"):
        shutil.copy(EXAMPLES / f"{name}.py", folder)
    (folder / "ours.py").write_text(TARGETS, encoding="utf-8")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    # The scenes say by our scripts what the small OpenAI answers.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(folder))))
    replaying.program.window.resize(1280, 900)
    return Person(replaying, Asked(replaying.program, qtbot), qtbot)


def looks_again(request: Request) -> Reply:
    """Go on otherwise when the tomatoes are wet: wake the other probe, then say so."""
    assert WET in request.whole_text
    if "The other probe first." in request.whole_text:
        return say("The tomatoes stand in water at 96 %: close their valve.")
    return call(
        Call("read_sensor", {"bed": "peppers", "wake": True}), text="The other probe first."
    )


def test_a_tool_result_of_the_agent_is_edited_and_the_comparison_shows_what_followed(
    person: Person,
) -> None:
    path = person.open_example("agent-tools")
    before = path.read_bytes()
    server = person.replaying.project.server
    server.script = looks_again
    person.ask_for("Pause before every tool call")
    person.fill_in_the_dialog("ours:assistant")
    replay = person.begin()

    # Three tool calls of the first turn are held, side by side.
    held = person.replaying.wait_for_pause(replay, 3)
    assert {call.name for call in held} == {"read_sensor", "search_manual"}
    assert {call.phase for call in held} == {"before"}
    window = person.replaying.window
    assert window.bar.sentence.startswith("Paused before the tool call")
    assert server.count() == 0

    # One of them is stepped over, and its result is looked at and written anew.
    pane = window.pause_pane
    person.replaying.wait_until(lambda: pane.call is not None)
    first = pane.call
    assert first is not None
    person.press(Qt.Key.Key_F10)
    person.replaying.wait_until(
        lambda: any(one.phase == "after" and one.path == first.path for one in replay.held)
    )
    person.replaying.wait_until(lambda: pane.call is not None and pane.call.phase == "after")
    person.press(Qt.Key.Key_E, CTRL)
    assert '"moisture": 31' in pane.editor.edit.toPlainText()
    QTest.keyClick(pane.editor.edit, Qt.Key.Key_A, CTRL)
    QTest.keyClicks(pane.editor.edit, f'{{"bed": "tomatoes", "state": "{WET}"}}')
    QTest.keyClick(pane.editor.edit, Qt.Key.Key_Return, CTRL)
    person.replaying.wait_until(lambda: any(one.edited for one in replay.held))

    # The run goes on, to the breakpoint before the tool call that the edited result led to.
    person.press(Qt.Key.Key_F5)
    person.replaying.wait_until(
        lambda: any("step1" in one.path for one in replay.held) or replay.state == "ended"
    )
    assert replay.state is ReplayState.PAUSED, replay.failure
    person.press(Qt.Key.Key_F5)
    person.replaying.wait_for(replay, ReplayState.ENDED)
    assert replay.failure is None
    assert server.count() == 2
    assert replay.table is not None
    counts = replay.table.counts
    assert counts[Match.EDITED] == 1
    assert counts[Match.MATCHED] > 1
    assert counts[Match.DRIFTED] + counts[Match.LIVE] >= 2

    # And what followed stands beside what had been.
    comparison = person.compared().comparison
    assert comparison is not None
    differing = {decision.kind for decision in comparison.decisions if decision.differs}
    assert "answer" in differing
    assert "close their valve" in str(replay.result().outputs)
    assert path.read_bytes() == before


def friendly(request: Request) -> Reply:
    assert "two friendly sentences" in request.whole_text
    return say("Please rinse the little sieve in front of the valve.")


def test_an_edited_prompt_is_replayed_against_a_server_and_compared_side_by_side(
    person: Person,
) -> None:
    path = person.open_example("rag-answer")
    before = path.read_bytes()
    server = person.replaying.project.server
    server.script = friendly
    run = person.program.workspace.current
    assert run is not None
    span = run.run.at("llm#1")
    assert span is not None
    run.selection.select(span.id)
    person.press(Qt.Key.Key_E, CTRL)
    (editor,) = [
        one for one in person.program.window.findChildren(TemplateDialog) if one.isVisible()
    ]
    person.replaying.wait_until(lambda: editor.preview.toPlainText() != "")
    editor.editor.setFocus()
    QTest.keyClick(editor.editor, Qt.Key.Key_Home, CTRL)
    QTest.keyClicks(editor.editor, "Answer in two friendly sentences. ")
    keep = next(one for one in editor.findChildren(QPushButton) if one.text() == "Keep change")
    QTest.mouseClick(keep, Qt.MouseButton.LeftButton)
    assert len(run.changes.words()) == 1

    person.fill_in_the_dialog("ours:answers")
    replay = person.begin()
    person.replaying.wait_for(replay, ReplayState.ENDED)
    assert replay.failure is None, replay.failure
    assert (replay.live.finished or {})["outcome"] == "drift" if replay.live else False
    assert server.count() == 1

    one = person.compared()
    comparison = one.comparison
    assert comparison is not None
    differing = {decision.kind for decision in comparison.decisions if decision.differs}
    assert {"prompt", "answer"} <= differing
    shown = person.program.content.tabs.current_comparison_window
    assert shown is not None
    assert shown.band.sentence
    # The two answers, side by side.
    answer = next(each for each in comparison.decisions if each.kind == "answer")
    assert "little sieve" in str(answer)
    assert path.read_bytes() == before
