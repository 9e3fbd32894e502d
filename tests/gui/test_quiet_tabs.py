"""A word that changes in a tab is painted alone, and a tab that needs more room gets it."""

from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program
from inspector.gui.widgets.status_line import StatusLine
from inspector.gui.widgets.verdict_line import VerdictLine
from tests.gui.conftest import open_file, run_window, wait_until_quiet


class _Painted(QObject):
    """Notes whether a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Paint
        return False


def _let_all_happen(app: QApplication) -> None:
    for _turn in range(8):  # each level of a window lays itself out in a turn of its own
        app.processEvents()


def test_what_stands_elsewhere_is_not_painted_when_a_word_changes(
    program: Program, run_file: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    program.window.show()
    open_file(program, run_file, qtbot)
    window = run_window(program)
    wait_until_quiet(program, qtbot)
    verdict, status = window.findChild(VerdictLine), window.findChild(StatusLine)
    status.integrity.say("info", "a word", colour="secondary", tip="")
    _let_all_happen(qapp)
    painted, changed = _Painted(verdict), _Painted(status)
    status.integrity.say("info", "some other words", colour="secondary", tip="")
    _let_all_happen(qapp)
    assert changed.times
    assert not painted.times


def test_a_tab_that_needs_more_room_makes_the_window_ask_for_it(
    program: Program, run_file: Path, qtbot: QtBot, qapp: QApplication
) -> None:
    program.window.show()
    open_file(program, run_file, qtbot)
    window = run_window(program)
    wait_until_quiet(program, qtbot)
    _let_all_happen(qapp)
    wide = program.window.minimumSizeHint().width() + 300
    window.setMinimumWidth(wide)
    _let_all_happen(qapp)
    assert program.window.minimumSizeHint().width() >= wide
    assert program.window.width() >= wide
