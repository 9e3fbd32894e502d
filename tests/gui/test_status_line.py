"""What stands below a run: how much is shown, and how far the file can be trusted."""

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.status_line import StatusLine
from inspector.presentation.examples import bundled_examples
from inspector.runfile.load import load_run
from tests.gui.conftest import open_file, run_window, wait_until_quiet

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def line(program: Program) -> StatusLine:
    found = run_window(program).findChild(StatusLine)
    assert isinstance(found, StatusLine)
    return found


def said(program: Program) -> str:
    return line(program).words.text().replace("\u202f", " ")


def example(name: str) -> Path:
    return next(one.path for one in bundled_examples() if one.path.name == f"{name}.run.json")


def test_it_counts_what_is_shown_and_names_the_filter_and_the_range(
    program: Program, qtbot: QtBot
) -> None:
    open_run = open_file(program, example("agent-tools"), qtbot)
    assert said(program) == "19 spans"
    QTest.keyClick(program.window, Qt.Key.Key_F, CTRL)
    field = next(
        one
        for one in program.window.findChildren(QLineEdit)
        if one.accessibleName() == "Search this run" and one.isVisible()
    )  # fmt: skip
    QTest.keyClicks(field, "kind:tool")
    qtbot.waitUntil(lambda: not open_run.tasks.busy)
    QTest.keyClick(field, Qt.Key.Key_F, CTRL | SHIFT)
    qtbot.waitUntil(lambda: said(program).endswith("of 19 spans · filter kind:tool"))
    open_run.range.set(0, 1_200_000_000)
    wait_until_quiet(program, qtbot)
    assert said(program).endswith("of 19 spans · filter kind:tool · 0 s to 1.20 s")


def test_a_file_as_it_was_written_and_one_that_was_changed_are_told_apart(
    program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    open_file(program, example("rag-answer"), qtbot)
    qtbot.waitUntil(line(program).integrity.isVisible)
    assert line(program).integrity.text == "Unchanged since it was written"
    assert line(program).freshness.text == "Read-only"
    changed = tmp_path / "changed.run.json"
    text = example("rag-answer").read_text(encoding="utf-8")
    changed.write_text(text.replace("tomato bed", "potato bed"), encoding="utf-8")
    open_file(program, changed, qtbot)
    qtbot.waitUntil(line(program).integrity.isVisible)
    assert line(program).integrity.text == "Changed since it was written"


def test_what_was_taken_out_is_said(program: Program, run_file: Path, qtbot: QtBot) -> None:
    told = json.loads(run_file.read_text(encoding="utf-8"))
    told["run"]["redaction"] = [
        {"rule": "e-mail", "count": 3},
        {"rule": "key"},
    ]
    run_file.write_text(json.dumps(told), encoding="utf-8")
    open_file(program, run_file, qtbot)
    badge = line(program).redaction
    assert badge.isVisible()
    assert badge.text.replace("\u202f", " ") == "Redacted: 4 values"
    assert "e-mail, key" in badge.toolTip()


def signed_example(folder: Path, monkeypatch: pytest.MonkeyPatch, *, trusted: bool) -> Path:
    """Return a copy of an example that ada signed, whose key one may trust."""
    pytest.importorskip("minisign", reason="py-minisign (extra sign) is not installed")
    from inspector.trust import signing

    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    keys = signing.keys_folder()
    assert keys.is_relative_to(folder)
    path = Path(shutil.copy(example("rag-answer"), folder / "a.run.json"))
    public = signing.make_key(folder / "ada.key", "")
    signing.sign_file(path, folder / "ada.key", lambda: "")
    if trusted:
        keys.mkdir(parents=True)
        shutil.copy(public, keys / "ada.pub")
    return path


def test_a_file_that_somebody_signed_whose_key_is_trusted_says_who(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    open_file(program, signed_example(tmp_path, monkeypatch, trusted=True), qtbot)
    qtbot.waitUntil(line(program).integrity.isVisible)
    assert line(program).integrity.text == "Signed by ada"


def test_a_signature_of_nobody_known_is_no_praise(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    open_file(program, signed_example(tmp_path, monkeypatch, trusted=False), qtbot)
    qtbot.waitUntil(line(program).integrity.isVisible)
    words = "Unchanged since it was written; signed by an unknown key"
    assert line(program).integrity.text == words


def test_a_file_that_is_not_what_was_signed_says_so_although_its_digests_fit(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = signed_example(tmp_path, monkeypatch, trusted=True)
    load_run(path).save(path, indent=1)
    open_file(program, path, qtbot)
    qtbot.waitUntil(line(program).integrity.isVisible)
    assert line(program).integrity.text == "Not what was signed"


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
def test_the_badge_leads_to_what_the_check_found(
    program: Program, tmp_path: Path, qtbot: QtBot, way: str
) -> None:
    changed = tmp_path / "changed.run.json"
    text = example("rag-answer").read_text(encoding="utf-8")
    changed.write_text(text.replace("tomato bed", "potato bed"), encoding="utf-8")
    open_run = open_file(program, changed, qtbot)
    badge = line(program).integrity
    qtbot.waitUntil(badge.isVisible)
    if way == "mouse":
        QTest.mouseClick(badge, Qt.MouseButton.LeftButton)
    else:
        assert badge.focusPolicy() & Qt.FocusPolicy.TabFocus
        badge.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(badge, Qt.Key.Key_Return)
    wait_until_quiet(program, qtbot)
    assert open_run.integrity is not None
    found = [words.text() for words in run_window(program).findChildren(Words) if words.isVisible()]
    assert open_run.integrity.changed
    names = ", ".join(open_run.integrity.changed)
    assert f"{open_run.integrity.message} {names}" in found
