"""A maintainer who copied a link to an issue, at a real display, with a GitHub on this machine.

Run as a program of its own, with a display: `python -m tests.end_to_end.person_with_an_issue`.
Prints a line for each thing that was found out, and ends with 1 at the first that was not.
"""

import sys
import tempfile
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QLineEdit

from inspector.gui.app_program import Program, build
from inspector.gui.dialogs.fetch_dialog import FetchDialog
from inspector.gui.settings import Memory
from inspector.gui.widgets.tick_list import TickList, box_in
from tests.end_to_end.person_at_a_display import Person, press_through_x
from tests.helpers.github_server import GitHubServer

SAMPLE = Path(__file__).parents[1] / "data" / "runs" / "sample-1.run.json"


def story(person: Person, program: Program, github: GitHubServer) -> None:
    """Open the run of an issue as the README says it is done."""
    attached = github.attach("pump.run.json", SAMPLE.read_bytes())
    block = f"```json\n{SAMPLE.read_text(encoding='utf-8')}\n```"
    issue = github.issue(7, f"It answers nothing: {attached}\n\n{block}", title="The pump is dry")
    QApplication.clipboard().setText(issue)
    person.keys("ctrl+v")
    person.wait(lambda: _dialog(program) is not None, "Ctrl+V asks about the link")
    dialog = _dialog(program)
    assert dialog is not None
    link = dialog.findChild(QLineEdit, "link")
    assert isinstance(link, QLineEdit)
    person.wait(lambda: link.text() == issue and not github.log, "nothing is asked before Look")
    person.click(person.button("Look", dialog))
    rows = dialog.findChild(TickList)
    assert isinstance(rows, TickList)
    person.wait(lambda: len(rows.rows.rows) == 2, "both runs of the issue are listed")
    named = [row.name for row in rows.rows.rows]
    assert named == ["block 1", "pump.run.json"], named
    person.click(rows.viewport(), box_in(rows.visualRect(rows.rows.index(1))).center())
    person.wait(lambda: rows.rows.rows[1].ticked is True, "a click ticks one")
    person.click(person.button("Open 1\u202frun", dialog))
    person.wait(lambda: program.workspace.current is not None, "the run is open")
    opened = program.workspace.current
    assert opened is not None
    assert (opened.title, opened.path) == ("pump.run.json", None)
    person.wait(
        lambda: opened.integrity is not None and opened.integrity.state == "ok",
        "the run is as it was recorded",
    )


def _dialog(program: Program) -> FetchDialog | None:
    found = program.window.findChild(FetchDialog)
    return found if isinstance(found, FetchDialog) and found.isVisible() else None


def main() -> int:
    app = QApplication(["run-inspector"])
    with tempfile.TemporaryDirectory() as folder, GitHubServer() as github:
        disk = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        Memory(disk).remember_github(github.url)
        program = build(app, disk)
        program.window.resize(1280, 800)
        program.window.move(0, 0)
        program.window.show()
        person = Person(program)
        # Without a window manager nobody gives it the focus.
        person.wait(program.window.isVisible, "there is a window")
        press_through_x("windowfocus", str(int(program.window.winId())))
        person.wait(program.window.isActiveWindow, "the window has the focus")
        story(person, program, github)
        program.window.close()
        program.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
