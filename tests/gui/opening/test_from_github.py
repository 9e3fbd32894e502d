"""The runs of an issue are opened by mouse, from a GitHub on this machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.dialogs.fetch_dialog import FetchDialog
from inspector.gui.settings import Memory
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tick_list import TickList, box_in
from inspector.gui.workspace.open_run import Freshness
from tests.gui.conftest import wait_until_quiet
from tests.helpers.github_server import Answer, GitHubServer

SAMPLE = Path(__file__).parents[2] / "data" / "runs" / "sample-1.run.json"
TEXT = SAMPLE.read_text(encoding="utf-8")
LEFT = Qt.MouseButton.LeftButton
TOKEN = "made-" + "up-" * 3


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHubServer]:
    for name in ("GITHUB_ENTERPRISE_TOKEN", "GH_ENTERPRISE_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with GitHubServer() as server:
        yield server


@pytest.fixture
def issue(github: GitHubServer) -> str:
    attached = github.attach("pump.run.json", SAMPLE.read_bytes())
    return github.issue(7, f"{attached}\n\n```json\n{TEXT}\n```", title="The pump is dry")


def press(dialog: QDialog, name: str) -> None:
    button = dialog.findChild(QPushButton, name)
    assert isinstance(button, QPushButton)
    assert button.isVisible(), name
    assert button.isEnabled(), name
    QTest.mouseClick(button, LEFT)


def write(dialog: QWidget, name: str, text: str) -> None:
    line = dialog.findChild(QLineEdit, name)
    assert isinstance(line, QLineEdit)
    QTest.mouseClick(line, LEFT)
    line.selectAll()
    QTest.keyClicks(line, text)


def rows_of(dialog: QDialog) -> TickList:
    rows = dialog.findChild(TickList)
    assert isinstance(rows, TickList)
    return rows


def tick(dialog: QDialog, row: int) -> None:
    rows = rows_of(dialog)
    place = box_in(rows.visualRect(rows.rows.index(row))).center()
    QTest.mouseClick(rows.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, QPoint(place))


def said(dialog: QDialog, name: str = "said") -> str:
    words = dialog.findChild(Words, name)
    assert isinstance(words, Words)
    return words.text().replace("\u202f", " ")


def dialog_of(program: Program) -> FetchDialog:
    found = [one for one in program.window.findChildren(FetchDialog) if one.isVisible()]
    assert len(found) == 1
    return found[0]


@pytest.fixture
def dialog(program: Program, github: GitHubServer, qtbot: QtBot) -> FetchDialog:
    program.content.action("fetch").trigger()
    shown = dialog_of(program)
    qtbot.waitExposed(shown)
    press(shown, "more")
    write(shown, "address", github.url)
    return shown


def look(dialog: FetchDialog, link: str, qtbot: QtBot) -> None:
    write(dialog, "link", link)
    press(dialog, "look")
    cancel = dialog.findChild(QPushButton, "cancel")
    assert isinstance(cancel, QPushButton)
    qtbot.waitUntil(lambda: not cancel.isVisible())


def test_the_runs_of_an_issue_are_listed_and_the_chosen_ones_opened(
    program: Program, dialog: FetchDialog, github: GitHubServer, issue: str, qtbot: QtBot
) -> None:
    assert github.log == []
    look(dialog, issue, qtbot)
    assert said(dialog) == "acme/pumps#7 The pump is dry: 2 runs."
    shown = [(row.name, row.what, row.why) for row in rows_of(dialog).rows.rows]
    assert shown == [
        ("block 1", "block", "ada · 2026-11-04 10:20 UTC"),
        ("pump.run.json", "attachment", "ada · 2026-11-04 10:20 UTC"),
    ]
    assert all("kB" in row.happens for row in rows_of(dialog).rows.rows)
    fetched = len(github.log)

    tick(dialog, 1)
    with qtbot.waitSignal(program.workspace.added):
        press(dialog, "open")
    wait_until_quiet(program, qtbot)
    opened = program.workspace.current
    assert opened is not None
    assert opened.title == "pump.run.json"
    assert opened.path is None
    assert opened.freshness is Freshness.READ_ONLY
    assert opened.run.verify().state == "ok"
    assert len(program.workspace.open_runs) == 1
    assert not program.window.findChildren(FetchDialog)
    assert github.paths[fetched:] == ["/user-attachments/files/1/pump.run.json", "/storage/1"]


def test_both_can_be_opened_at_once(
    program: Program, dialog: FetchDialog, issue: str, qtbot: QtBot
) -> None:
    look(dialog, issue, qtbot)
    tick(dialog, 0)
    tick(dialog, 1)
    press(dialog, "open")
    qtbot.waitUntil(lambda: len(program.workspace.open_runs) == 2)
    wait_until_quiet(program, qtbot)


def test_a_link_that_is_pasted_is_looked_at_when_somebody_says_so(
    program: Program, github: GitHubServer, issue: str, memory: Memory, qtbot: QtBot
) -> None:
    memory.remember_github(github.url)
    QApplication.clipboard().setText(issue)
    QTest.keyClick(program.window, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    dialog = dialog_of(program)
    line = dialog.findChild(QLineEdit, "link")
    assert isinstance(line, QLineEdit)
    assert line.text() == issue
    assert github.log == []
    press(dialog, "look")
    qtbot.waitUntil(lambda: len(rows_of(dialog).rows.rows) == 2)


def test_a_link_that_is_pasted_says_which_github_it_is_of(
    program: Program, github: GitHubServer, issue: str, memory: Memory, qtbot: QtBot
) -> None:
    memory.remember_github(github.url)
    for link, address in (
        ("https://github.com/deepset-ai/haystack/issues/11109", ""),
        (issue, github.url),
    ):
        QApplication.clipboard().setText(link)
        program.content.action("paste").trigger()
        field = dialog_of(program).findChild(QLineEdit, "address")
        assert isinstance(field, QLineEdit)
        assert field.text() == address
    assert github.log == []
    assert memory.github == github.url


def test_one_run_is_ticked_already(dialog: FetchDialog, github: GitHubServer, qtbot: QtBot) -> None:
    look(dialog, github.gist("0123456789abcdef", {"a.run.json": TEXT}), qtbot)
    button = dialog.findChild(QPushButton, "open")
    assert isinstance(button, QPushButton)
    assert (button.text(), button.isEnabled()) == ("Open 1\u202frun", True)


def test_nothing_is_opened_where_nothing_is_chosen(
    dialog: FetchDialog, issue: str, qtbot: QtBot
) -> None:
    look(dialog, issue, qtbot)
    button = dialog.findChild(QPushButton, "open")
    assert isinstance(button, QPushButton)
    assert not button.isEnabled()


def test_a_failure_is_said_in_the_dialog(
    program: Program, dialog: FetchDialog, github: GitHubServer, qtbot: QtBot
) -> None:
    look(dialog, f"{github.url}/acme/pumps/issues/404", qtbot)
    assert "nothing at this address" in said(dialog)
    github.answers["/api/v3/repos/acme/pumps/issues/5"] = Answer(
        403, b"{}", (("x-ratelimit-remaining", "0"),)
    )
    look(dialog, f"{github.url}/acme/pumps/issues/5", qtbot)
    assert "was asked too often" in said(dialog)
    look(dialog, "https://example.org/a/b/issues/7", qtbot)
    assert "nothing else is asked" in said(dialog)
    assert program.workspace.open_runs == ()


def test_what_is_no_run_is_named_below_the_list(
    dialog: FetchDialog, github: GitHubServer, qtbot: QtBot
) -> None:
    body = " ".join(github.attach(f"{n}.json", b"<html>", "application/json") for n in range(7))
    look(dialog, github.issue(7, body), qtbot)
    notes = said(dialog, "notes").splitlines()
    assert notes[0] == "0.json is a web page, not a run."
    assert notes[-1] == "And 2 more."


def test_fetching_is_stopped_by_mouse(
    program: Program, dialog: FetchDialog, github: GitHubServer, issue: str, qtbot: QtBot
) -> None:
    github.hold.clear()
    write(dialog, "link", issue)
    press(dialog, "look")
    qtbot.waitUntil(github.waiting.is_set)
    press(dialog, "cancel")
    assert said(dialog) == "Stopped."
    github.hold.set()
    wait_until_quiet(program, qtbot)
    assert rows_of(dialog).rows.rows == ()
    assert said(dialog) == "Stopped."


def test_a_token_that_was_typed_goes_to_that_github_and_is_shown_nowhere(
    dialog: FetchDialog, github: GitHubServer, issue: str, qtbot: QtBot
) -> None:
    lines = dialog.findChildren(QLineEdit)
    field = next(one for one in lines if one.accessibleName() == "Key GITHUB_ENTERPRISE_TOKEN")
    QTest.mouseClick(field, LEFT)
    QTest.keyClicks(field, TOKEN)
    look(dialog, issue, qtbot)
    assert github.log[0].authorization == f"Bearer {TOKEN}"
    assert not any(TOKEN in one.text() for one in dialog.findChildren(QLineEdit))


def test_words_of_strangers_stay_words(
    dialog: FetchDialog, github: GitHubServer, qtbot: QtBot
) -> None:
    title = "<b>Bold</b>\u202e<img src=http://127.0.0.1:1/x>"
    look(dialog, github.issue(7, f"```\n{TEXT}\n```", title=title), qtbot)
    words = dialog.findChild(Words, "said")
    assert isinstance(words, Words)
    assert words.textFormat() is Qt.TextFormat.PlainText
    assert "<b>Bold</b>⟨U+202E⟩" in words.text()
