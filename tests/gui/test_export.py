"""Exports from the window: what would leave is said first, and only then is anything written."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QPlainTextEdit,
    QPushButton,
)
from pytestqt.qtbot import QtBot

from inspector.assets import asset
from inspector.export.kinds import KINDS
from inspector.gui.app_program import Program
from inspector.gui.dialogs.export_dialog import ExportDialog
from tests.gui.conftest import open_file, wait_until_quiet
from tests.gui.hands import name_file


@pytest.fixture(autouse=True)
def log_of_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the log of exports out of the home of whoever runs the tests."""
    place = tmp_path / "exports.jsonl"
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(place))
    return place


@pytest.fixture
def dialog(program: Program, tmp_path: Path, qtbot: QtBot) -> ExportDialog:
    """Return the dialog on a run that names a mail address."""
    text = asset("examples/agent-tools.run.json").read_text("utf-8")
    place = tmp_path / "agent.run.json"
    place.write_text(text.replace("Both beds are too dry", "Ask ada@example.com"), "utf-8")
    open_file(program, place, qtbot)
    (action,) = [each for each in program.window.findChildren(QAction) if each.text() == "Export…"]
    assert action.isEnabled()
    action.trigger()
    shown = program.window.findChild(ExportDialog)
    assert isinstance(shown, ExportDialog)
    wait_until_quiet(program, qtbot)
    return shown


def button(dialog: ExportDialog, words: str) -> QPushButton:
    (found,) = [each for each in dialog.findChildren(QPushButton) if each.text() == words]
    return found


def choose(program: Program, dialog: ExportDialog, kind: str, qtbot: QtBot) -> None:
    dialog.choose(kind)
    wait_until_quiet(program, qtbot)


def test_every_form_is_offered_and_says_what_leaves(
    program: Program, dialog: ExportDialog, qtbot: QtBot
) -> None:
    box = dialog.findChild(QComboBox)
    assert [box.itemData(at) for at in range(box.count())] == list(KINDS)
    for kind in KINDS:
        choose(program, dialog, kind, qtbot)
        if button(dialog, "Save as…").isEnabled():
            assert "file" in dialog.leaving
            assert "email" in dialog.leaving
        else:
            assert KINDS[kind].takes_span  # and says which span it wants
            assert dialog.leaving


def test_a_person_can_leave_secrets_in_but_not_in_a_fixture(
    program: Program, dialog: ExportDialog, qtbot: QtBot
) -> None:
    choose(program, dialog, "transcript", qtbot)
    text = dialog.findChild(QPlainTextEdit)
    assert "<email:1>" in text.toPlainText()
    redact = next(
        each for each in dialog.findChildren(QCheckBox) if each.text().startswith("Take out")
    )
    redact.click()
    wait_until_quiet(program, qtbot)
    assert "Nothing is taken out" in dialog.leaving
    assert "ada@example.com" in text.toPlainText()
    choose(program, dialog, "fixture", qtbot)
    assert not redact.isEnabled()
    assert "ada@example.com" not in text.toPlainText()
    assert "email" in dialog.leaving


def test_nothing_is_written_before_a_place_is_chosen_and_then_the_log_says_so(
    program: Program, dialog: ExportDialog, tmp_path: Path, log_of_exports: Path, qtbot: QtBot
) -> None:
    choose(program, dialog, "html", qtbot)
    before = {each.name for each in tmp_path.iterdir()}
    qtbot.mouseClick(button(dialog, "Save as…"), Qt.MouseButton.LeftButton)
    chooser = program.window.findChild(QFileDialog)
    assert isinstance(chooser, QFileDialog)
    assert {each.name for each in tmp_path.iterdir()} == before
    name_file(chooser, tmp_path / "page.html")
    qtbot.waitUntil((tmp_path / "page.html").exists)
    wait_until_quiet(program, qtbot)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "ada@example.com" not in page
    (line,) = log_of_exports.read_text("utf-8").splitlines()
    assert "export html" in json.dumps(json.loads(line))


def test_a_picture_is_saved_as_png_where_its_name_says_so(
    program: Program, dialog: ExportDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(program, dialog, "card", qtbot)
    button(dialog, "Save as…").click()
    chooser = program.window.findChild(QFileDialog)
    name_file(chooser, tmp_path / "card.png")
    qtbot.waitUntil((tmp_path / "card.png").exists)
    wait_until_quiet(program, qtbot)
    assert (tmp_path / "card.png").read_bytes().startswith(b"\x89PNG")


def test_text_for_an_issue_is_copied(program: Program, dialog: ExportDialog, qtbot: QtBot) -> None:
    choose(program, dialog, "markdown", qtbot)
    button(dialog, "Copy").click()
    copied = QApplication.clipboard().text()
    assert copied.startswith("### `greenhouse_assistant` completed")
    assert "<email:1>" in copied


def test_the_run_itself_is_not_overwritten(
    program: Program, dialog: ExportDialog, tmp_path: Path, qtbot: QtBot
) -> None:
    choose(program, dialog, "transcript", qtbot)
    before = (tmp_path / "agent.run.json").read_bytes()
    button(dialog, "Save as…").click()
    chooser = program.window.findChild(QFileDialog)
    with qtbot.waitSignal(program.messages.error_shown) as caught:
        chooser.fileSelected.emit(str(tmp_path / "agent.run.json"))
    assert "is the run itself" in caught.args[0]
    assert (tmp_path / "agent.run.json").read_bytes() == before
