"""What a person at a paused replay does with mouse and keys."""

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
from inspector.gui.workspace.open_replay import OpenReplay, ReplayState
from inspector.presentation.breakpoints import BreakpointSpec, engine_fields
from tests.gui.replaying.conftest import Replaying
from tests.replay.worker.test_pauses import HOUSE, delegates, reads_both

NONE = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton
LIVE: dict[str, Any] = {"mode": "drift_ok", "allow_live": True}
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


def is_editing(pane: PausePane) -> bool:
    return pane.is_editing


def click_tab(pane: PausePane, place: int) -> None:
    QTest.mouseClick(pane.bar, LEFT, NONE, pane.bar.tabRect(place).center())
