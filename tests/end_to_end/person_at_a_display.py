"""A person who has read the README, at a real display: what is pressed goes through X.

Run as a program of its own, with a display: `python -m tests.end_to_end.person_at_a_display`.
Prints a line for each thing that was found out, and ends with 1 at the first that was not.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, QSettings, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QTreeView, QWidget

from inspector.gui.app_program import Program, build
from inspector.gui.widgets.agent_view import AgentView
from inspector.gui.widgets.chat_view import ChatView
from inspector.gui.widgets.choice_row import ChoiceRow
from inspector.gui.widgets.error_view import ErrorView
from inspector.gui.widgets.labels import Words
from inspector.gui.widgets.tab_bar import QuietTabBar
from inspector.gui.widgets.text_block import TextBlock
from inspector.runfile.model import Span

_LOOK_MS = 20
_PATIENCE_MS = 30_000


class Person:
    """Moves the mouse and presses keys with `xdotool`, and reads what is on the screen."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.window = program.window

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Look at the window until something is so, and say it."""
        self._look_until(until, what)
        print(what, flush=True)

    def _look_until(self, until: Callable[[], bool], what: str) -> None:
        loop, looks, found = QEventLoop(), 0, False

        def look() -> None:
            nonlocal looks, found
            looks += 1
            # What was so once counts: work beside the window may begin again at any time.
            found = found or until()
            if found or looks * _LOOK_MS > _PATIENCE_MS:
                loop.quit()

        timer = QTimer()
        timer.timeout.connect(look)
        timer.start(_LOOK_MS)
        loop.exec()
        timer.stop()
        if not found:
            raise SystemExit(f"Waited in vain until {what}")

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        aim = at if at is not None else widget.rect().center()
        seen: list[QPoint] = []

        def is_still() -> bool:
            # What is still being laid out moves away from under the mouse.
            seen.append(widget.mapToGlobal(aim))
            return not widget.visibleRegion().isEmpty() and seen[-4:] == seen[-1:] * 4

        self._look_until(is_still, "something to press stands still")
        place = seen[-1]
        press_through_x("mousemove", str(place.x()), str(place.y()), "click", "1")

    def keys(self, *names: str) -> None:
        press_through_x("key", "--delay", "40", *names)

    def button(self, name: str, within: QWidget) -> QAbstractButton:
        for button in within.findChildren(QAbstractButton):
            says = name in (button.text(), button.accessibleName())
            if says and not button.visibleRegion().isEmpty():
                return button
        raise SystemExit(f"There is no button {name!r} in sight")

    def tab(self, title: str) -> None:
        bar = self.window.findChild(QuietTabBar)
        assert isinstance(bar, QuietTabBar)
        place = next(at for at in range(bar.count()) if bar.tabText(at) == title)
        self.click(bar, bar.tabRect(place).center())

    def reads(self, within: type[QWidget]) -> str:
        """Return the words in a part of the window, nothing where that is not in sight."""
        found = self.window.findChild(within)
        if not isinstance(found, within) or not found.isVisible():
            return ""
        words = [one.text() for one in found.findChildren(Words) if one.isVisibleTo(found)]
        blocks = [one.toPlainText() for one in found.findChildren(TextBlock)]
        return "\n".join([*words, *blocks])

    @property
    def span(self) -> Span | None:
        open_run = self._program.workspace.current
        if open_run is None or open_run.tasks.busy or open_run.selection.span_id is None:
            return None
        return open_run.run.span(open_run.selection.span_id)

    @property
    def field(self) -> str:
        open_run = self._program.workspace.current
        return (open_run.selection.field or "") if open_run is not None else ""

    def is_at(self, span_id: str) -> bool:
        return self.span is not None and self.span.id == span_id


def story(person: Person, program: Program) -> None:
    """Find out why an agent did something odd, as the README says it is done."""
    example = next(
        row for row in program.window.findChildren(ChoiceRow) if "agent" in row.text().lower()
    )
    person.click(example)
    person.wait(
        lambda: (
            person.span is not None
            and (shown := program.content.tabs.current_window) is not None
            and shown.is_whole
        ),
        "the example is open",
    )
    for span_id in ("s7", "s8", "s9", "s12", "s13", "s16", "s17"):
        person.keys("t")
        person.wait(lambda at=span_id: person.is_at(at), f"t goes to {span_id}")
    person.keys("g", "g", "e")
    person.wait(lambda: person.is_at("s8"), "e finds the call that failed")
    person.tab("Error")
    person.wait(lambda: "does not answer" in person.reads(ErrorView), "the error can be read")
    person.tab("Turns")
    person.wait(
        lambda: "(not given) → true" in person.reads(AgentView),
        "what the second try changed can be read",
    )
    turns = program.window.findChild(AgentView)
    assert isinstance(turns, AgentView)
    person.click(person.button("Whole prompt", turns))
    person.wait(
        lambda: "You look after a greenhouse." in person.reads(ChatView),
        "the prompt that led to it can be read",
    )
    person.keys("alt+Left")
    person.wait(lambda: person.is_at("s8"), "Alt+Left goes back")
    person.tab("Input")
    person.wait(lambda: _input_tree(program) is not None, "its arguments can be read")
    tree = _input_tree(program)
    assert tree is not None
    row = tree.visualRect(tree.model().index(0, 0))
    person.click(tree.viewport(), row.center())
    person.wait(lambda: person.field == "inputs.bed", "an argument is selected")
    person.keys("o")
    person.wait(
        lambda: person.is_at("s6") and person.field.startswith("outputs.replies"),
        "o leads to the reply that asked for it",
    )


def _input_tree(program: Program) -> QTreeView | None:
    for view in program.window.findChildren(QTreeView):
        if view.isVisible() and view.accessibleName().startswith("Input"):
            return view
    return None


def press_through_x(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True, timeout=30)


def main() -> int:
    app = QApplication(["run-inspector"])
    with tempfile.TemporaryDirectory() as folder:
        disk = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        program = build(app, disk)
        program.window.resize(1280, 800)
        program.window.move(0, 0)
        program.window.show()
        person = Person(program)
        # Without a window manager nobody gives it the focus.
        person.wait(program.window.isVisible, "there is a window")
        press_through_x("windowfocus", str(int(program.window.winId())))
        person.wait(program.window.isActiveWindow, "the window has the focus")
        story(person, program)
        program.window.close()
        program.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
