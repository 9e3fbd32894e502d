"""Before a run is shared a person sees all that leaves, changes it, and only then is it written."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLineEdit
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.share_dialog import ShareDialog
from inspector.gui.dialogs.share_salt import SaltRow
from inspector.redaction.run import redact_run
from inspector.replay.keys import SessionKeys
from inspector.runfile.load import load_run
from tests.gui.conftest import open_file, run_window
from tests.gui.manners.test_accessibility import check
from tests.gui.sharing.conftest import CARD, CONTROL, MAIL, OTHER, SHIFT, Sharing
from tests.helpers.secret_world import AT
from tests.redaction.runs import made_run, span
from tests.replay.live.test_keys import BACKEND

CHECKED, PART, NOT = (
    Qt.CheckState.Checked,
    Qt.CheckState.PartiallyChecked,
    Qt.CheckState.Unchecked,
)


def state(index: QModelIndex) -> Qt.CheckState:
    return index.data(Qt.ItemDataRole.CheckStateRole)


def test_what_leaves_is_said_before_anything_is_written(
    sharing: Sharing, original: Path, tmp_path: Path
) -> None:
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert sharing.said("leaves") == "5 places are replaced: 4 email, 1 card."
    assert "now" in sharing.said("facts")
    assert "in the copy" in sharing.said("facts")
    assert sharing.said("stays").startswith("Names not checked")
    place = sharing.row("email", 0)
    assert MAIL in place.data()
    assert place.siblingAtColumn(1).data() == "<email:1>"
    assert place.siblingAtColumn(2).data() == "made: inputs.q"
    sharing.keys(Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert {path: path.read_bytes() for path in before} == before
    assert not list(tmp_path.glob("*redacted*"))


def test_everything_in_it_has_a_name_and_is_reached_by_keys(sharing: Sharing) -> None:
    check(sharing.dialog)
    sharing.choose_form(1)
    check(sharing.dialog)


def test_a_click_on_a_place_leads_the_window_of_the_run_there(sharing: Sharing) -> None:
    current = sharing.program.workspace.current
    assert current is not None
    sharing.click(sharing.row("card", 0))
    assert current.selection.focus == ("s2", "inputs.card")
    sharing.click(sharing.row("email", 0))
    assert current.selection.focus == ("s1", "inputs.q")
    assert sharing.text("The text as it is").toPlainText().startswith("Please write to")
    then = sharing.text("The text in the copy").toPlainText()
    assert then == "Please write to <email:1> about the pump"


def test_what_is_unticked_stays_wherever_it_stands_and_is_said(sharing: Sharing) -> None:
    sharing.click(sharing.row("email", 0), box=True)
    assert sharing.said("leaves") == "2 places are replaced: 1 email, 1 card."
    assert "3 places that the rules found will be in the copy." in sharing.said("stays")
    rows = [sharing.row("email", place) for place in range(4)]
    assert [state(row) for row in rows] == [NOT, NOT, NOT, CHECKED]
    assert state(sharing.row("email")) is PART
    assert rows[0].siblingAtColumn(1).data() == "stays"
    assert MAIL.encode() in sharing.preview.data
    assert OTHER.encode() not in sharing.preview.data
    sharing.click(sharing.row("email", 2), box=True)
    assert [state(row) for row in rows] == [CHECKED] * 4
    assert MAIL.encode() not in sharing.preview.data


def test_a_kind_is_unticked_by_space_and_ticked_again(sharing: Sharing) -> None:
    sharing.tree.setCurrentIndex(sharing.row("email"))
    QTest.keyClick(sharing.tree, Qt.Key.Key_Space)
    sharing.wait()
    assert sharing.said("leaves") == "1 place is replaced: 1 card."
    assert state(sharing.row("email")) is NOT
    QTest.keyClick(sharing.tree, Qt.Key.Key_Space)
    sharing.wait()
    assert sharing.said("leaves") == "5 places are replaced: 4 email, 1 card."


def test_a_text_that_is_selected_goes_too(sharing: Sharing) -> None:
    sharing.click(sharing.row("email", 0))
    sharing.select("the pump")
    assert sharing.button("add-selection").text() == "Take out “the pump”"
    sharing.press("add-selection")
    sharing.wait()
    assert sharing.preview.counts == {"email": 4, "card": 1, "term": 1}
    assert b"the pump" not in sharing.preview.data
    # What is new is what is looked at now.
    assert sharing.tree.currentIndex() == sharing.row("term", 0)


def test_a_selection_over_two_lines_is_found_as_it_stands(sharing: Sharing) -> None:
    place = [p.span_id for s in sharing.preview.kinds[0].secrets for p in s.places].index("s3")
    sharing.click(sharing.row("email", place))
    sharing.select("Bluebird:\nsaid")
    sharing.press("add-selection")
    sharing.wait()
    assert sharing.preview.counts["term"] == 1
    assert b"Bluebird" not in sharing.preview.data


def test_a_text_and_a_field_that_are_written_go_too(sharing: Sharing) -> None:
    sharing.write("more", "meta.who")
    sharing.press("add-field")
    sharing.wait()
    assert sharing.preview.counts["field"] == 1
    assert b"Ada" not in sharing.preview.data
    line = sharing.dialog.findChild(QLineEdit, "more")
    assert isinstance(line, QLineEdit)
    assert line.text() == ""
    sharing.write("more", "Project Bluebird")
    QTest.keyClick(line, Qt.Key.Key_Return)
    sharing.wait()
    assert sharing.preview.counts["term"] == 1
    assert sharing.dialog.isVisible()
    # A field is unticked like anything else.
    sharing.click(sharing.row("field", 0), box=True)
    assert b"Ada" in sharing.preview.data


def test_a_text_that_stands_nowhere_is_said(sharing: Sharing) -> None:
    sharing.write("more", "Project Redwing")
    sharing.press("add-term")
    sharing.wait()
    assert sharing.said("said").startswith("This stands nowhere in the run")


def test_what_is_no_field_is_said_and_can_be_corrected(sharing: Sharing) -> None:
    sharing.write("more", "**")
    sharing.press("add-field")
    sharing.wait()
    assert "is no path of a field" in sharing.said("said")
    assert sharing.preview.counts == {"email": 4, "card": 1}
    line = sharing.dialog.findChild(QLineEdit, "more")
    assert isinstance(line, QLineEdit)
    assert line.text() == "**"


def test_every_change_is_taken_back_and_done_again_by_keys(sharing: Sharing) -> None:
    first = sharing.preview.data
    assert not sharing.button("undo").isEnabled()
    sharing.click(sharing.row("card", 0), box=True)
    sharing.click(sharing.row("email", 3), box=True)
    both = sharing.preview.data
    sharing.keys(Qt.Key.Key_Z)
    sharing.keys(Qt.Key.Key_Z)
    assert sharing.preview.data == first
    assert sharing.said("leaves") == "5 places are replaced: 4 email, 1 card."
    assert not sharing.button("undo").isEnabled()
    sharing.keys(Qt.Key.Key_Z, CONTROL | SHIFT)
    sharing.press("redo")
    assert sharing.preview.data == both
    assert state(sharing.row("email", 3)) is NOT
    assert not sharing.button("redo").isEnabled()


def test_a_salt_makes_placeholders_that_other_files_have_too(sharing: Sharing) -> None:
    salt = "a long and random salt"
    sharing.choose_form(1)
    assert not sharing.button("save").isEnabled()  # it would not be what was chosen
    sharing.write("salt", "short")
    sharing.press("use-salt")
    assert "too short" in sharing.said("said")
    sharing.write("salt", salt)
    line = sharing.dialog.findChild(QLineEdit, "salt")
    assert isinstance(line, QLineEdit)
    assert line.echoMode() is QLineEdit.EchoMode.Password
    sharing.press("use-salt")
    sharing.wait()
    placeholder = sharing.row("email", 0).siblingAtColumn(1).data()
    assert placeholder == sharing.preview.kinds[0].secrets[0].placeholder
    assert len(placeholder) == len("<email:12345678>")
    assert sharing.button("save").isEnabled()
    assert salt.encode() not in sharing.preview.data
    assert line.text() == ""
    sharing.choose_form(0)
    sharing.wait()
    assert sharing.row("email", 0).siblingAtColumn(1).data() == "<email:1>"
    # It is known for as long as the window lives.
    sharing.choose_form(1)
    sharing.wait()
    assert sharing.row("email", 0).siblingAtColumn(1).data() == placeholder


def test_a_salt_is_kept_in_the_keyring_and_found_there(
    sharing: Sharing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    (tmp_path / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")
    sharing.choose_form(1)
    sharing.press("look-salt")
    qtbot.waitUntil(lambda: "Asking" not in sharing.said("about-salt"), timeout=20_000)
    assert "has no RUN_INSPECTOR_SALT" in sharing.said("about-salt")
    keep = sharing.dialog.findChild(QCheckBox, "keep-salt")
    assert isinstance(keep, QCheckBox)
    QTest.keyClick(keep, Qt.Key.Key_Space)
    sharing.write("salt", "kept in the keyring")
    row = sharing.dialog.findChild(SaltRow)
    assert isinstance(row, SaltRow)
    with qtbot.waitSignal(row.kept, timeout=20_000):
        sharing.press("use-salt")
    sharing.wait()
    assert "kept in the keyring" in (tmp_path / "ring.json").read_text()
    # Another window knows nothing of it, and finds it there.
    other = ShareDialog(sharing.preview.run, SessionKeys())
    qtbot.addWidget(other)
    other.show()
    there = Sharing(sharing.program, other, qtbot)
    there.choose_form(1)
    there.press("look-salt")
    qtbot.waitUntil(lambda: there.preview.redaction.salt is not None, timeout=20_000)
    assert there.preview.redaction.salt == b"kept in the keyring"


def test_a_system_without_a_keyring_is_said(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    sharing.choose_form(1)
    sharing.press("look-salt")
    qtbot.waitUntil(lambda: "Asking" not in sharing.said("about-salt"), timeout=20_000)
    assert "has no keyring" in sharing.said("about-salt")
    assert not sharing.button("save").isEnabled()


def test_a_salt_of_the_environment_is_used_at_once(
    share: Callable[[], Sharing], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUN_INSPECTOR_SALT", "a salt of this machine")
    sharing = share()
    assert sharing.preview.redaction.salt is None
    sharing.choose_form(1)
    sharing.wait()
    assert sharing.preview.redaction.salt == b"a salt of this machine"


def test_what_is_saved_is_exactly_what_was_shown_and_the_original_stays(
    sharing: Sharing, original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    log = tmp_path / "exports.jsonl"
    monkeypatch.setenv("RUN_INSPECTOR_EXPORT_LOG", str(log))
    before = original.read_bytes()
    sharing.click(sharing.row("card", 0), box=True)
    shown = sharing.preview.data
    copy = tmp_path / "shared.run.json"
    sharing.save_as(copy)
    with qtbot.waitSignal(sharing.dialog.saved):
        pass
    assert copy.read_bytes() == shown
    assert MAIL.encode() not in shown
    assert CARD.encode() in shown
    assert original.read_bytes() == before
    assert '"redact"' in log.read_text()
    assert load_run(copy).verify().state == "ok"
    status = run_window(sharing.program)._status.words.text().replace("\u202f", " ")
    assert status == (
        "Saved shared.run.json: 4 places replaced, names not checked. The original is as it was."
    )


def test_what_was_taken_back_is_saved_as_it_is_shown_again(
    sharing: Sharing, tmp_path: Path, qtbot: QtBot
) -> None:
    first = sharing.preview.data
    sharing.click(sharing.row("email", 0), box=True)
    sharing.keys(Qt.Key.Key_Z)
    copy = tmp_path / "shared.run.json"
    sharing.save_as(copy)
    with qtbot.waitSignal(sharing.dialog.saved):
        pass
    assert copy.read_bytes() == first


def test_the_original_is_no_place_for_the_copy(
    sharing: Sharing, original: Path, tmp_path: Path
) -> None:
    before = original.read_bytes()
    link = tmp_path / "another.run.json"
    link.hardlink_to(original)
    sharing.dialog.write(link, original)
    sharing.wait()
    assert "cannot take the place of the original" in sharing.said("said")
    assert sharing.dialog.isVisible()
    assert original.read_bytes() == before


def test_a_place_that_cannot_be_written_is_said_and_another_can_be_chosen(
    sharing: Sharing, original: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    sharing.dialog.write(tmp_path / "shared.zip", original)
    sharing.wait()
    assert "not compressed as .zip" in sharing.said("said")
    assert not (tmp_path / "shared.zip").exists()
    sharing.save_as(tmp_path / "shared.run.json.gz")
    with qtbot.waitSignal(sharing.dialog.saved):
        pass
    assert load_run(tmp_path / "shared.run.json.gz").spans[0].inputs["q"].endswith("the pump")


def test_what_takes_long_can_be_cancelled_and_nothing_is_written(
    sharing: Sharing, original: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    held = Event()
    for key in ("one", "two"):  # both workers have something else to do
        sharing.dialog._tasks.start(
            lambda _cancelled: held.wait(30), done=lambda _: None, failed=lambda _: None, key=key
        )
    copy = tmp_path / "shared.run.json"
    sharing.dialog.write(copy, original)
    qtbot.waitUntil(sharing.button("cancel").isVisible)
    assert not sharing.button("save").isEnabled()
    sharing.press("cancel")
    held.set()
    qtbot.waitUntil(lambda: not sharing.dialog._tasks.busy)
    assert sharing.said("said") == "Nothing was written."
    assert not copy.exists()
    assert sharing.button("save").isEnabled()


def test_a_change_that_is_still_looked_at_is_dropped_by_undo(
    sharing: Sharing, qtbot: QtBot
) -> None:
    first = sharing.preview
    held = Event()
    for key in ("one", "two"):
        sharing.dialog._tasks.start(
            lambda _cancelled: held.wait(30), done=lambda _: None, failed=lambda _: None, key=key
        )
    sharing.tree.setCurrentIndex(sharing.row("card"))
    QTest.keyClick(sharing.tree, Qt.Key.Key_Space)
    assert sharing.dialog.busy
    sharing.keys(Qt.Key.Key_Z)
    held.set()
    qtbot.waitUntil(lambda: not sharing.dialog._tasks.busy)
    assert sharing.preview is first
    assert state(sharing.row("card")) is CHECKED


def test_it_closes_with_its_run(sharing: Sharing, qtbot: QtBot) -> None:
    sharing.program.content.action("close").trigger()
    qtbot.waitUntil(lambda: not sharing.program.window.findChildren(ShareDialog))


def test_a_copy_says_in_the_window_what_was_taken_out_of_it(
    sharing: Sharing, tmp_path: Path, qtbot: QtBot
) -> None:
    copy = tmp_path / "shared.run.json"
    sharing.click(sharing.row("card", 0), box=True)
    sharing.save_as(copy)
    with qtbot.waitSignal(sharing.dialog.saved):
        pass
    open_file(sharing.program, copy, qtbot)
    window = run_window(sharing.program)
    badge = window._status.redaction
    assert badge.isVisible()
    assert badge.text.replace("\u202f", " ") == "Redacted: 4 values"
    assert "email; names not checked" in badge.toolTip()
    window.show_pane("info")
    from inspector.presentation.run_info import run_info

    (section,) = [each for each in run_info(window.open_run.run) if each.title == "Redacted"]
    told = {entry.name: entry.text.replace("\u202f", " ") for entry in section.entries}
    assert told == {
        "email": "4 places",
        "Names of persons": "names not checked",
        "Placeholders": "numbered within this file",
        "Left in by choice": "1 text",
    }
    assert "made: inputs.q" in section.entries[0].tip


def test_of_very_many_places_the_others_are_listed_when_asked_for(
    program: Program, qtbot: QtBot
) -> None:
    mails = " ".join(f"q{number}{AT}example.org" for number in range(1_203))
    dialog = ShareDialog(made_run(span(1, inputs={"q": mails})), SessionKeys())
    qtbot.addWidget(dialog)
    dialog.show()
    many = Sharing(program, dialog, qtbot)
    rows = many.tree.rows
    kind = many.row("email")
    assert kind.siblingAtColumn(1).data().replace("\u202f", " ") == "1 203 places"
    assert rows.rowCount(kind) == 501
    told = many.row("email", 500).data().replace("\u202f", " ")
    assert told == "703 more places: list them"
    many.click(many.row("email", 500))
    assert rows.rowCount(kind) == 1_001
    many.tree.setCurrentIndex(many.row("email", 1_000))
    QTest.keyClick(many.tree, Qt.Key.Key_Return)
    assert rows.rowCount(kind) == 1_203
    assert "q1202" in many.row("email", 1_202).data()
    assert not rows.is_more(many.row("email", 1_202))
    many.click(many.row("email", 1_202), box=True)
    assert many.preview.counts == {"email": 1_202}


@pytest.mark.parametrize(("places", "listed"), [(500, 500), (501, 501), (502, 501)])
def test_no_row_stands_for_a_single_place(
    program: Program, places: int, listed: int, qtbot: QtBot
) -> None:
    mails = " ".join(f"q{number}{AT}example.org" for number in range(places))
    dialog = ShareDialog(made_run(span(1, inputs={"q": mails})), SessionKeys())
    qtbot.addWidget(dialog)
    dialog.show()
    many = Sharing(program, dialog, qtbot)
    kind = many.row("email")
    assert many.tree.rows.rowCount(kind) == listed
    last = many.row("email", listed - 1)
    assert many.tree.rows.is_more(last) == (places > listed)
    many.tree.setCurrentIndex(last)
    QTest.keyClick(many.tree, Qt.Key.Key_Return)
    assert many.tree.rows.rowCount(kind) == places


def test_a_file_in_which_nothing_was_found_says_so(
    program: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    copy, _ = redact_run(made_run(span(1, inputs={"q": "about the pump"})))
    copy.save(tmp_path / "clean.run.json")
    open_file(program, tmp_path / "clean.run.json", qtbot)
    badge = run_window(program)._status.redaction
    assert badge.isVisible()
    assert badge.text == "Redacted: nothing found"
    assert "names not checked" in badge.toolTip()
