"""Sealing a copy of a run from the window: who may open it is asked, and nothing overwritten."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
)
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.seal_dialog import SealDialog
from inspector.gui.dialogs.unseal_dialog import UnsealDialog
from inspector.gui.widgets.labels import Words
from inspector.trust.sealing import Secret, new_key, unseal
from tests.gui.conftest import open_file, run_window, wait_until_quiet
from tests.gui.hands import name_file

pytest.importorskip("pyrage", reason="pyrage (extra seal) is not installed")
LEFT = Qt.MouseButton.LeftButton
SLOWLY_MS = 30_000  # a passphrase takes a second where nobody else computes
WORD = "a made up " + "phrase"


class Sealing:
    """The dialog in the hands of a person."""

    def __init__(self, program: Program, dialog: SealDialog, qtbot: QtBot) -> None:
        self.program = program
        self.dialog = dialog
        self._qtbot = qtbot

    def write_keys(self, text: str) -> None:
        field = self.dialog.findChild(QPlainTextEdit)
        assert isinstance(field, QPlainTextEdit)
        QTest.mouseClick(field.viewport(), LEFT)
        field.selectAll()
        QTest.keyClicks(field, text)

    def write(self, name: str, text: str) -> None:
        (field,) = [
            each for each in self.dialog.findChildren(QLineEdit) if each.accessibleName() == name
        ]
        assert field.echoMode() is QLineEdit.EchoMode.Password
        QTest.mouseClick(field, LEFT)
        QTest.keyClicks(field, text)

    def choose_passphrase(self) -> None:
        (button,) = [
            each for each in self.dialog.findChildren(QRadioButton) if "passphrase" in each.text()
        ]
        QTest.mouseClick(button, LEFT, pos=button.rect().center() * 0.2)
        assert button.isChecked()

    def press(self) -> None:
        button = self.dialog.findChild(QPushButton, "seal")
        assert isinstance(button, QPushButton)
        assert button.isEnabled()
        QTest.mouseClick(button, LEFT)

    def said(self) -> str:
        words = self.dialog.findChild(Words, "said")
        assert isinstance(words, Words)
        return words.text()

    def asking(self) -> QFileDialog:
        self._qtbot.waitUntil(
            lambda: bool(self.dialog.findChildren(QFileDialog)), timeout=SLOWLY_MS
        )
        (asking,) = self.dialog.findChildren(QFileDialog)
        self._qtbot.waitUntil(asking.isVisible)
        return asking

    def save_as(self, place: Path) -> None:
        self.press()
        name_file(self.asking(), place)

    def wait_until_closed(self) -> None:
        self._qtbot.waitUntil(
            lambda: not self.program.window.findChildren(SealDialog), timeout=SLOWLY_MS
        )


@pytest.fixture
def sealing(
    program: Program, run_file: Path, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Sealing:
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(tmp_path / "exports.jsonl"))
    open_file(program, run_file, qtbot)
    return _asked(program, qtbot)


def _asked(program: Program, qtbot: QtBot) -> Sealing:
    (action,) = [each for each in program.window.findChildren(QAction) if each.text() == "Seal…"]
    assert action.isEnabled()
    action.trigger()
    (dialog,) = program.window.findChildren(SealDialog)
    qtbot.waitExposed(dialog)
    return Sealing(program, dialog, qtbot)


def test_a_copy_for_a_public_key_is_opened_by_its_secret_one_only(
    sealing: Sealing, run_file: Path, tmp_path: Path
) -> None:
    secret, public = new_key()
    before = run_file.read_bytes()
    sealing.write_keys(public)
    place = tmp_path / "pump.run.json.age"
    sealing.save_as(place)
    sealing.wait_until_closed()
    assert unseal(place.read_bytes(), Secret(keys=(secret,))) == before
    assert run_file.read_bytes() == before


def test_a_copy_with_a_passphrase_is_opened_in_the_window_after_asking(
    sealing: Sealing, program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    sealing.choose_passphrase()
    sealing.write("Passphrase", WORD)
    sealing.write("The passphrase once more", WORD)
    place = tmp_path / "pump.run.json.age"
    sealing.save_as(place)
    assert sealing.said() == "Sealing…"
    sealing.wait_until_closed()
    assert WORD.encode() not in place.read_bytes()
    program.opener.open([place])
    qtbot.waitUntil(lambda: bool(program.window.findChildren(UnsealDialog)), timeout=SLOWLY_MS)
    (asked,) = program.window.findChildren(UnsealDialog)
    field = next(
        each for each in asked.findChildren(QLineEdit) if each.accessibleName().startswith("Key ")
    )
    QTest.keyClicks(field, WORD)
    button = asked.findChild(QPushButton, "open")
    assert isinstance(button, QPushButton)
    QTest.mouseClick(button, LEFT)
    qtbot.waitUntil(lambda: not program.window.findChildren(UnsealDialog), timeout=SLOWLY_MS)
    wait_until_quiet(program, qtbot)
    assert run_window(program).open_run.is_sealed


Wrong = Callable[[Sealing], None]


def _no_key(_sealing: Sealing) -> None:
    """Leave all as it is."""


def _nonsense(sealing: Sealing) -> None:
    sealing.write_keys("age1nonsense")


def _secret(sealing: Sealing) -> None:
    sealing.write_keys(new_key()[0])


def _two(sealing: Sealing) -> None:
    sealing.choose_passphrase()
    sealing.write("Passphrase", "one")
    sealing.write("The passphrase once more", "another")


def _no_phrase(sealing: Sealing) -> None:
    sealing.choose_passphrase()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (_no_key, "A public key is needed."),
        (_nonsense, "age1nonsense… is no public key."),
        (_secret, "That is a secret key"),
        (_two, "Those are two different passphrases."),
        (_no_phrase, "A passphrase is needed."),
    ],
)
def test_what_is_wrong_is_said_before_a_file_is_asked_for(
    sealing: Sealing, wrong: Wrong, says: str
) -> None:
    wrong(sealing)
    sealing.press()
    assert sealing.said().startswith(says)
    assert sealing.dialog.findChildren(QFileDialog) == []


def test_the_run_itself_is_not_overwritten_and_another_file_only_after_asking(
    sealing: Sealing, run_file: Path, qtbot: QtBot
) -> None:
    before = run_file.read_bytes()
    sealing.write_keys(new_key()[1])
    sealing.press()
    asking = sealing.asking()
    asked: list[str] = []

    def answer() -> None:
        # The question has a loop of its own.
        question = QApplication.activeModalWidget()
        if isinstance(question, QMessageBox):
            asked.append(question.text())
            QTest.mouseClick(question.button(QMessageBox.StandardButton.Yes), LEFT)

    look = QTimer()
    look.timeout.connect(answer)
    look.start(20)
    name_file(asking, run_file)
    look.stop()
    assert len(asked) == 1
    assert "already exists" in asked[0]
    qtbot.waitUntil(
        lambda: "is the run itself and would be overwritten" in sealing.said(), timeout=SLOWLY_MS
    )
    assert run_file.read_bytes() == before


def test_a_key_of_ones_own_that_is_nowhere_is_said_and_nothing_written(
    sealing: Sealing, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    own = sealing.dialog.findChild(QCheckBox, "own")
    assert isinstance(own, QCheckBox)
    own.click()
    place = tmp_path / "pump.run.json.age"
    sealing.save_as(place)
    qtbot.waitUntil(lambda: not sealing.dialog.busy, timeout=SLOWLY_MS)
    assert "keyring" in sealing.said().lower()
    assert not place.exists()


def test_closing_the_run_closes_the_dialog(sealing: Sealing, program: Program) -> None:
    program.workspace.remove(run_window(program).open_run)
    sealing.wait_until_closed()
