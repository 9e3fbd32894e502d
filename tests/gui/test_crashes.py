import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.tasks.crashes import CrashGuard, crash_report


@pytest.fixture
def guard(qapp: QApplication, tmp_path: Path) -> Iterator[CrashGuard]:
    made = CrashGuard()
    made.install(tmp_path / "state")
    yield made
    made.remove()


def raised() -> Exception:
    try:
        try:
            raise ConnectionError("secret host")
        except ConnectionError as error:
            raise ValueError("secret value") from error
    except ValueError as error:
        return error


def test_what_nobody_caught_is_reported_not_fatal(guard: CrashGuard, qtbot: QtBot) -> None:
    error = raised()
    with qtbot.waitSignal(guard.caught) as caught:
        sys.excepthook(type(error), error, error.__traceback__)
    assert caught.args == [error]


def test_a_thread_that_dies_is_reported_in_the_window(guard: CrashGuard, qtbot: QtBot) -> None:
    def die() -> None:
        raise ValueError

    with qtbot.waitSignal(guard.caught) as caught:
        thread = threading.Thread(target=die)
        thread.start()
        thread.join()
    assert isinstance(caught.args[0], ValueError)


def test_the_state_folder_is_made_and_the_hooks_are_given_back(
    qapp: QApplication, tmp_path: Path
) -> None:
    before = sys.excepthook, threading.excepthook
    guard = CrashGuard()
    guard.install(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "crash.log").exists()
    guard.remove()
    assert (sys.excepthook, threading.excepthook) == before


def test_a_state_folder_that_cannot_be_made_does_not_stop_the_start(
    qapp: QApplication, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    guard = CrashGuard()
    guard.install(tmp_path / "file" / "state")
    guard.remove()


def test_a_report_names_causes_and_places_but_no_messages() -> None:
    report = crash_report(raised(), "1.2.3")
    assert "Run Inspector 1.2.3" in report
    assert report.index("ValueError") < report.index("caused by") < report.index("ConnectionError")
    assert "in raised" in report
    assert "secret" not in report


def test_a_report_names_no_folder_of_the_person_at_the_machine() -> None:
    report = crash_report(raised(), "1.2.3")
    assert str(Path(__file__).parent) not in report
    assert str(Path.home()) not in report
