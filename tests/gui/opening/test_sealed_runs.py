"""A sealed run is opened after asking, and nothing of it gets to the disk."""

import tempfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from inspector.assets import asset
from inspector.gui.app_program import Program
from inspector.gui.dialogs.replay_dialog import ReplayDialog
from inspector.gui.dialogs.unseal_dialog import UnsealDialog
from inspector.gui.settings import Memory
from inspector.gui.widgets.labels import Words
from inspector.trust.sealing import new_key, seal
from tests.gui.conftest import wait_until_quiet

pytest.importorskip("pyrage", reason="pyrage (extra seal) is not installed")
SAMPLE = Path(__file__).parents[2] / "data" / "runs" / "sample-1.run.json"
LEFT = Qt.MouseButton.LeftButton
SLOWLY_MS = 30_000  # a passphrase takes a second where nobody else computes
WORD = "a made up " + "phrase"
WORD_IN_RUN = b"who lives in Paris?"


@pytest.fixture(scope="module")
def by_phrase() -> bytes:
    return seal(SAMPLE.read_bytes(), passphrase=WORD)


@pytest.fixture
def sealed(by_phrase: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AGE_PASSPHRASE", "AGE_IDENTITY"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "pump.run.json.age"
    place.write_bytes(by_phrase)
    return place


def dialog_after_opening(program: Program, path: Path, qtbot: QtBot) -> UnsealDialog:
    program.opener.open([path])
    qtbot.waitUntil(lambda: bool(program.window.findChildren(UnsealDialog)), timeout=SLOWLY_MS)
    (dialog,) = program.window.findChildren(UnsealDialog)
    qtbot.waitExposed(dialog)
    return dialog


def enter(dialog: UnsealDialog, text: str) -> None:
    field = next(
        one for one in dialog.findChildren(QLineEdit) if one.accessibleName().startswith("Key ")
    )
    assert field.echoMode() is QLineEdit.EchoMode.Password
    QTest.mouseClick(field, LEFT)
    QTest.keyClicks(field, text)
    press(dialog)


def press(dialog: UnsealDialog) -> None:
    button = dialog.findChild(QPushButton, "open")
    assert isinstance(button, QPushButton)
    assert button.isEnabled()
    QTest.mouseClick(button, LEFT)


def said(dialog: UnsealDialog) -> str:
    words = dialog.findChild(Words, "said")
    assert isinstance(words, Words)
    return words.text()


def test_a_run_that_is_sealed_with_a_passphrase_opens_when_it_is_typed(
    program: Program, sealed: Path, memory: Memory, qtbot: QtBot
) -> None:
    dialog = dialog_after_opening(program, sealed, qtbot)
    assert program.workspace.open_runs == ()
    with qtbot.waitSignal(program.workspace.added, timeout=SLOWLY_MS):
        enter(dialog, WORD)
    wait_until_quiet(program, qtbot)
    (opened,) = program.workspace.open_runs
    assert opened.title == "pump.run.json.age"
    assert opened.path is None
    assert opened.is_sealed
    assert opened.run.verify().state == "ok"
    assert memory.recent_files == (sealed,)
    qtbot.waitUntil(lambda: not program.window.findChildren(UnsealDialog), timeout=SLOWLY_MS)


def test_nothing_of_it_is_on_the_disk_afterwards(
    program: Program,
    sealed: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr(tempfile, "tempdir", None)
    dialog = dialog_after_opening(program, sealed, qtbot)
    with qtbot.waitSignal(program.workspace.added, timeout=SLOWLY_MS):
        enter(dialog, WORD)
    wait_until_quiet(program, qtbot)
    program.window.close()
    files = [place for place in tmp_path.rglob("*") if place.is_file()]
    assert sealed in files
    assert WORD_IN_RUN in SAMPLE.read_bytes()
    for place in files:
        data = place.read_bytes()
        assert WORD_IN_RUN not in data, place
        assert WORD.encode() not in data, place


def test_another_passphrase_opens_nothing_and_one_may_try_again(
    program: Program, sealed: Path, qtbot: QtBot
) -> None:
    large = asset("examples/agent-tools.run.json").read_bytes()  # more than a pipe holds
    sealed.write_bytes(seal(large, passphrase=WORD))
    dialog = dialog_after_opening(program, sealed, qtbot)
    press(dialog)
    assert said(dialog) == "A passphrase is needed."
    enter(dialog, "another")
    qtbot.waitUntil(lambda: said(dialog) == "That is not its passphrase.", timeout=SLOWLY_MS)
    assert program.workspace.open_runs == ()
    with qtbot.waitSignal(program.workspace.added, timeout=SLOWLY_MS):
        enter(dialog, WORD)
    wait_until_quiet(program, qtbot)
    (opened,) = program.workspace.open_runs
    assert opened.run.name == "greenhouse_assistant"


def test_a_run_that_is_sealed_for_a_key_opens_with_it(
    program: Program, sealed: Path, qtbot: QtBot
) -> None:
    secret, public = new_key()
    sealed.write_bytes(seal(SAMPLE.read_bytes(), to=[public]))
    dialog = dialog_after_opening(program, sealed, qtbot)
    enter(dialog, "hello")
    assert said(dialog).startswith("There is no key in it.")
    enter(dialog, new_key()[0])
    qtbot.waitUntil(
        lambda: said(dialog).startswith("It is sealed for another key."), timeout=SLOWLY_MS
    )
    with qtbot.waitSignal(program.workspace.added, timeout=SLOWLY_MS):
        enter(dialog, secret)
    wait_until_quiet(program, qtbot)


def test_who_closes_the_dialog_opens_nothing(program: Program, sealed: Path, qtbot: QtBot) -> None:
    dialog = dialog_after_opening(program, sealed, qtbot)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    wait_until_quiet(program, qtbot)
    assert program.workspace.open_runs == ()
    qtbot.waitUntil(lambda: not program.window.findChildren(UnsealDialog), timeout=SLOWLY_MS)


def test_a_sealed_run_that_was_fetched_or_pasted_as_bytes_asks_too(
    program: Program, by_phrase: bytes, sealed: Path, qtbot: QtBot
) -> None:
    program.opener.open_bytes(by_phrase, "from an issue")
    qtbot.waitUntil(lambda: bool(program.window.findChildren(UnsealDialog)), timeout=SLOWLY_MS)
    (dialog,) = program.window.findChildren(UnsealDialog)
    with qtbot.waitSignal(program.workspace.added, timeout=SLOWLY_MS):
        enter(dialog, WORD)
    wait_until_quiet(program, qtbot)
    assert program.workspace.open_runs[0].title == "from an issue"


def test_a_sealed_run_is_not_replayed_since_that_would_write_it_down(
    program: Program, sealed: Path, qtbot: QtBot
) -> None:
    dialog = dialog_after_opening(program, sealed, qtbot)
    with qtbot.waitSignal(program.workspace.added, timeout=SLOWLY_MS):
        enter(dialog, WORD)
    wait_until_quiet(program, qtbot)
    with qtbot.waitSignal(program.messages.error_shown) as caught:
        program.content.action("replay-run").trigger()
    assert caught.args is not None
    assert "A sealed run is not replayed here" in caught.args[0]
    assert not program.window.findChildren(ReplayDialog)
