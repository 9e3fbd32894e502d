import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QTreeView
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.models.roles import MARK_ROLE
from inspector.gui.panes.notes_pane import NotesPane
from inspector.gui.panes.spans_table_pane import SpansTablePane
from inspector.gui.widgets.empty_words import EmptyWords
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.workspace.open_run import OpenRun
from inspector.presentation.notes import Mark
from tests.gui.conftest import open_file

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def run(opened: Program) -> OpenRun:
    current = opened.workspace.current
    assert current is not None
    return current


@pytest.fixture
def pane(opened: Program, run: OpenRun) -> NotesPane:
    press(opened, Qt.Key.Key_M, CONTROL)
    (found,) = opened.window.findChildren(NotesPane)
    return found


def press(
    program: Program,
    key: Qt.Key,
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    QTest.keyClick(QApplication.focusWidget() or program.window, key, modifiers)


def leave_editor(program: Program) -> None:
    press(program, Qt.Key.Key_2, CONTROL)


def said(program: Program) -> str:
    window = program.content.tabs.current_window
    assert window is not None
    (line,) = window.findChildren(StatusLine)
    return line.words.text()


def test_ctrl_b_bookmarks_ctrl_z_takes_it_back_and_ctrl_shift_z_does_it_again(
    opened: Program, run: OpenRun
) -> None:
    run.selection.select("s3")
    press(opened, Qt.Key.Key_B, CONTROL)
    assert run.notes.marks == {"s3": Mark(bookmarked=True)}
    assert opened.content.action("undo").text() == "Undo bookmark"
    press(opened, Qt.Key.Key_Z, CONTROL)
    assert run.notes.marks == {}
    assert not opened.content.action("undo").isEnabled()
    press(opened, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert run.notes.marks == {"s3": Mark(bookmarked=True)}
    press(opened, Qt.Key.Key_B, CONTROL)
    assert run.notes.marks == {}


def test_a_note_is_kept_when_one_leaves_it(opened: Program, run: OpenRun, pane: NotesPane) -> None:
    run.selection.select("s3")
    QTest.keyClicks(pane.editor, "why twice")
    assert run.notes.marks == {}
    leave_editor(opened)
    assert run.notes.marks == {"s3": Mark(note="why twice")}


def test_going_to_another_span_keeps_the_note_at_its_own(run: OpenRun, pane: NotesPane) -> None:
    run.selection.select("s3")
    QTest.keyClicks(pane.editor, "one")
    run.selection.select("s4")
    assert pane.editor.toPlainText() == ""
    QTest.keyClicks(pane.editor, "two")
    QTest.keyClick(pane.editor, Qt.Key.Key_Return, CONTROL)
    assert run.notes.marks == {"s3": Mark(note="one"), "s4": Mark(note="two")}
    run.selection.select("s3")
    assert pane.editor.toPlainText() == "one"


def test_a_bookmark_set_while_writing_loses_no_word(
    opened: Program, run: OpenRun, pane: NotesPane
) -> None:
    run.selection.select("s3")
    QTest.keyClicks(pane.editor, "half a sen")
    press(opened, Qt.Key.Key_B, CONTROL)
    assert pane.editor.toPlainText() == "half a sen"
    QTest.keyClick(pane.editor, Qt.Key.Key_Return, CONTROL)
    assert run.notes.at("s3") == Mark(True, "half a sen")


def test_undoing_in_the_editor_undoes_letters_and_outside_the_note(
    opened: Program, run: OpenRun, pane: NotesPane
) -> None:
    run.selection.select("s3")
    QTest.keyClicks(pane.editor, "abc")
    leave_editor(opened)
    press(opened, Qt.Key.Key_Z, CONTROL)
    assert run.notes.marks == {}
    assert pane.editor.toPlainText() == ""
    press(opened, Qt.Key.Key_Z, CONTROL | SHIFT)
    assert pane.editor.toPlainText() == "abc"
    pane.editor.setFocus()
    QTest.keyClicks(pane.editor, "d")
    press(opened, Qt.Key.Key_Z, CONTROL)
    assert run.notes.marks == {"s3": Mark(note="abc")}


def test_letters_do_nothing_but_write_in_the_editor(run: OpenRun, pane: NotesPane) -> None:
    run.selection.select("s3")
    QTest.keyClicks(pane.editor, "jkgb?")
    assert run.selection.span_id == "s3"
    assert pane.editor.toPlainText() == "jkgb?"


def test_b_goes_from_mark_to_mark_and_round(opened: Program, run: OpenRun) -> None:
    for span_id in ("s2", "s6"):
        run.notes.toggle_bookmark(span_id)
    run.selection.select("s3")
    leave_editor(opened)
    press(opened, Qt.Key.Key_B)
    assert run.selection.span_id == "s6"
    assert said(opened) == "Bookmark 2 of 2"
    press(opened, Qt.Key.Key_B)
    assert run.selection.span_id == "s2"
    press(opened, Qt.Key.Key_B, SHIFT)
    assert run.selection.span_id == "s6"


def test_without_marks_it_says_how_to_set_one(opened: Program, run: OpenRun) -> None:
    press(opened, Qt.Key.Key_B)
    assert "Ctrl+B" in said(opened)


def test_marks_are_kept_beside_the_file_and_come_back(
    opened: Program, run: OpenRun, run_file: Path, disk: QSettings, qapp: QApplication, qtbot: QtBot
) -> None:
    before = run_file.read_bytes()
    run.notes.toggle_bookmark("s3")
    run.notes.write("s4", "look here")
    opened.close()
    assert run_file.read_bytes() == before
    (kept,) = (Path(disk.fileName()).parent / "notes").iterdir()
    assert json.loads(kept.read_text())["spans"]["s4"]["note"] == "look here"
    again = build(qapp, disk)
    qtbot.addWidget(again.window)
    again.window.show()
    moved = run_file.rename(run_file.with_name("elsewhere.run.json"))
    opened_again = open_file(again, moved, qtbot)
    assert opened_again.notes.marks == {"s3": Mark(bookmarked=True), "s4": Mark(note="look here")}
    for span_id in ("s3", "s4"):
        opened_again.notes.write(span_id, "")
    opened_again.notes.toggle_bookmark("s3")
    again.close()
    assert not kept.exists()


def test_what_cannot_be_saved_is_said(opened: Program, run: OpenRun, disk: QSettings) -> None:
    (Path(disk.fileName()).parent / "notes").write_text("in the way")
    run.notes.toggle_bookmark("s3")
    run.notes.save()
    assert "could not be saved" in opened.content.banner.text
    assert run.notes.at("s3").bookmarked


def test_the_tree_and_the_table_show_marks(
    opened: Program, run: OpenRun, settle: Callable[[Program], None]
) -> None:
    run.notes.toggle_bookmark("s3")
    run.notes.write("s3", "why")
    window = opened.content.tabs.current_window
    assert window is not None
    window.tree_pane.unfold_all()
    model = window.tree_pane.view.model()
    assert model is not None
    index = model.index_of("s3")  # type: ignore[attr-defined]
    assert index.data(MARK_ROLE) == Mark(True, "why")
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith("bookmarked, has a note")
    press(opened, Qt.Key.Key_1, CONTROL | SHIFT)
    settle(opened)
    (table,) = window.findChildren(SpansTablePane)
    assert isinstance(QApplication.focusWidget(), QTreeView)
    row = table.view.model().index(2, 6)
    assert row.data() == "why"
    press(opened, Qt.Key.Key_Home)
    press(opened, Qt.Key.Key_Down)
    assert run.selection.span_id == "s2"


def test_the_list_leads_to_spans_and_its_search_narrows_it(run: OpenRun, pane: NotesPane) -> None:
    run.notes.write("s3", "slow")
    run.notes.write("s4", "wrong tool")
    model = pane.view.model()
    assert model.rowCount() == 2
    QTest.keyClicks(pane.filter_line, "tool wrong")
    assert model.rowCount() == 1
    place = pane.view.visualRect(model.index(0, 0)).center()
    QTest.mouseClick(pane.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert run.selection.span_id == "s4"


def test_the_button_bookmarks_too(run: OpenRun, pane: NotesPane) -> None:
    run.selection.select("s3")
    (button,) = [
        one for one in pane.findChildren(QToolButton) if one.accessibleName().startswith("Bookmark")
    ]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert run.notes.at("s3").bookmarked
    assert button.isChecked()


def test_a_range_of_time_leaves_the_notes_in_it(
    opened: Program, run: OpenRun, pane: NotesPane
) -> None:
    table = run.run.table
    first, last = table.id(1), table.id(len(table) - 1)
    run.notes.write(first, "early")
    run.notes.write(last, "late")
    assert pane.view.model().rowCount() == 2
    run.range.set(table.start_ns[len(table) - 1], table.end_of_run())
    assert pane.view.model().rowCount() == 1
    run.notes.write(last, "")
    (said,) = [one for one in pane.findChildren(EmptyWords) if one.isVisible()]
    assert "in this stretch of time" in said.accessibleName()
    run.range.clear()
    assert pane.view.model().rowCount() == 1
