"""The pane that lists what is changed, and asks for a replay with it."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from inspector.gui.dialogs.value_dialog import ValueDialog
from inspector.gui.workspace.open_run import OpenRun
from tests.gui.replaying.conftest import Replaying
from tests.gui.replaying.editing import (
    dialog,
    entries,
    pane,
    press,
    rag,
    replace_all,
    span_id,
)

__all__ = ["rag"]

LONG_MS = 60_000


def test_changes_are_listed_edited_again_and_taken_back(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    program = replaying.program
    shown = pane(program)
    assert not shown.replay_button.isEnabled()
    from inspector.presentation.what_if_places import input_places

    for place, text in zip(input_places(rag.run), ("one", "two"), strict=True):
        rag.changes.put(place.changed(text))
    assert shown.table.cells.rowCount() == 2
    assert shown.replay_button.isEnabled()
    shown.table.setFocus()
    QTest.keyClick(shown.table, Qt.Key.Key_Up)
    QTest.keyClick(shown.table, Qt.Key.Key_Return)
    editor = dialog(program, ValueDialog)
    assert editor.editor.toPlainText() == "one"
    replace_all(editor.editor, "three")
    press(editor, "Keep change")
    assert [each.after for each in rag.changes.changes] == ["three", "two"]
    QTest.keyClick(shown.table, Qt.Key.Key_Delete)
    assert [each.after for each in rag.changes.changes] == ["two"]
    QTest.keyClick(program.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(program.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert [each.after for each in rag.changes.changes] == ["one", "two"]


def test_the_selected_change_stands_beside_what_was_recorded(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    from inspector.gui.widgets.compared_texts import ComparedTexts
    from inspector.presentation.what_if_places import input_places

    shown = pane(replaying.program)
    texts = shown.findChild(ComparedTexts)
    assert texts is not None
    place = input_places(rag.run)[1]
    rag.changes.put(place.changed("When do the vents close?"))
    qtbot.waitUntil(lambda: "close" in texts.view.accessibleDescription())
    assert "open" in texts.view.accessibleDescription()


def test_replaying_with_changes_asks_first_and_says_what_is_changed(
    replaying: Replaying, rag: OpenRun, qtbot: QtBot
) -> None:
    from inspector.gui.dialogs.replay_dialog import ReplayDialog
    from inspector.presentation.what_if_places import input_places

    shown = pane(replaying.program)
    rag.changes.put(input_places(rag.run)[1].changed("When do the vents close?"))
    QTest.mouseClick(shown.replay_button, Qt.MouseButton.LeftButton)
    asking = dialog(replaying.program, ReplayDialog)
    qtbot.waitUntil(
        lambda: any(
            "Input query of prompt" in each.text()
            for each in asking.findChildren(QLabel)
            if each.isVisible()
        ),
        timeout=LONG_MS,
    )
    rag.changes.put(input_places(rag.run)[0].changed("leaks"))
    QTest.mouseClick(shown.replay_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not isValid(asking))
    asking = dialog(replaying.program, ReplayDialog)
    said = "\n".join(each.text() for each in asking.findChildren(QLabel))
    assert "Input query of retriever" in said, "what was asked before the change is asked anew"
    asking.reject()


def test_the_pane_offers_what_there_is_to_change(replaying: Replaying, rag: OpenRun) -> None:
    shown = pane(replaying.program)
    rag.selection.select(span_id(rag, "llm#1"))
    shown.change_menu.aboutToShow.emit()
    offered = entries(shown.change_menu)
    assert "Template of prompt…" in offered
    assert "Input query of retriever…" in offered
    assert "Answer of llm#1…" in offered
    assert "Parameters of llm" in offered
