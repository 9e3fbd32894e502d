import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.settings import Memory
from tests.gui.conftest import open_file, wait_until_quiet

Restart = Callable[[], Program]


@pytest.fixture
def restart(
    program: Program, qapp: QApplication, disk: QSettings, qtbot: QtBot
) -> Iterator[Restart]:
    """Yield a function that closes the window and opens another with what it remembers."""
    made: list[Program] = []

    def again() -> Program:
        program.window.close()
        program.close()
        fresh = build(qapp, disk)
        made.append(fresh)
        qtbot.addWidget(fresh.window)
        fresh.window.show()
        fresh.session.restore()
        wait_until_quiet(fresh, qtbot)
        return fresh

    yield again
    for one in made:
        one.close()


@pytest.fixture
def files(run_file: Path) -> list[Path]:
    copies = [run_file.with_name(f"{name}.run.json") for name in "abc"]
    for copy in copies:
        copy.write_bytes(run_file.read_bytes())
    return copies


def names(program: Program) -> list[str]:
    return [item.title for item in program.workspace.items]


def await_tabs(program: Program, count: int, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(program.workspace.items) == count)
    wait_until_quiet(program, qtbot)


def test_tabs_come_back_in_their_order_with_what_was_selected(
    program: Program, files: list[Path], restart: Restart, qtbot: QtBot
) -> None:
    for path in files:
        open_file(program, path, qtbot)
    middle = program.workspace.open_runs[1]
    program.workspace.make_current(middle)
    middle.selection.select("s6", "outputs.replies[0]")
    fresh = restart()
    await_tabs(fresh, 3, qtbot)
    assert names(fresh) == ["a.run.json", "b.run.json", "c.run.json"]
    qtbot.waitUntil(lambda: fresh.workspace.current_item is fresh.workspace.items[1])
    assert fresh.workspace.current is not None
    assert fresh.workspace.current.selection.focus == ("s6", "outputs.replies[0]")


def test_a_comparison_comes_back(
    program: Program, files: list[Path], restart: Restart, qtbot: QtBot
) -> None:
    open_file(program, files[0], qtbot)
    with qtbot.waitSignal(program.workspace.comparison_added):
        program.comparer.compare_files(files[0], files[1])
    wait_until_quiet(program, qtbot)
    fresh = restart()
    await_tabs(fresh, 2, qtbot)
    assert names(fresh) == ["a.run.json", "a.run.json ↔ b.run.json"]
    qtbot.waitUntil(lambda: fresh.workspace.current_comparison is not None)
    comparison = fresh.workspace.current_comparison
    assert comparison is not None
    qtbot.waitUntil(lambda: not comparison.tasks.busy)


def test_a_table_of_runs_comes_back(
    program: Program, files: list[Path], restart: Restart, tmp_path: Path, qtbot: QtBot
) -> None:
    third = tmp_path / "third.run.json"
    third.write_bytes(files[0].read_bytes())
    with qtbot.waitSignal(program.workspace.cohort_added):
        program.compare([files[0], files[1], third])
    cohort = program.workspace.cohorts[0]
    qtbot.waitUntil(lambda: cohort.cohort is not None)
    fresh = restart()
    await_tabs(fresh, 1, qtbot)
    assert names(fresh) == ["3 runs"]
    again = fresh.workspace.cohorts[0]
    assert [member.side.path for member in again.members] == [files[0], files[1], third]
    qtbot.waitUntil(lambda: again.cohort is not None)


def test_what_was_pasted_does_not_come_back(
    program: Program, run_file: Path, restart: Restart, disk: QSettings, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(program.workspace.added):
        program.opener.open_bytes(run_file.read_bytes(), "pasted run")
    wait_until_quiet(program, qtbot)
    fresh = restart()
    assert names(fresh) == []
    assert json.loads(str(disk.value("tabs"))) == []


def test_files_that_are_gone_are_said_once_and_the_others_open(
    program: Program, files: list[Path], restart: Restart, disk: QSettings, qtbot: QtBot
) -> None:
    for path in files:
        open_file(program, path, qtbot)
    files[0].unlink()
    files[2].unlink()
    fresh = restart()
    await_tabs(fresh, 1, qtbot)
    assert fresh.content.banner.text.startswith("a.run.json, c.run.json are not there any more")
    fresh.window.close()
    kept = [tab["files"] for tab in json.loads(str(disk.value("tabs")))]
    assert kept == [[str(files[1])]]


def test_with_the_setting_off_nothing_is_kept_and_nothing_comes_back(
    program: Program, run_file: Path, restart: Restart, disk: QSettings, qtbot: QtBot
) -> None:
    open_file(program, run_file, qtbot)
    program.settings.update(restore_tabs=False)
    assert names(restart()) == []
    assert json.loads(str(disk.value("tabs"))) == []


def test_forgetting_recent_files_forgets_the_tabs(
    run_file: Path, restart: Restart, disk: QSettings
) -> None:
    disk.setValue("tabs", json.dumps([{"files": [str(run_file)]}]))
    Memory(disk).forget_files()
    assert names(restart()) == []


@pytest.mark.parametrize(
    "stored",
    ["{", "[3]", '[{"files": 3}]', '[{"files": []}]', '[{"files": ["a", "b", "c"]}]',
     '[{"files": ["\\u0000"]}]', '[{"files": [""]}]'],
)  # fmt: skip
def test_a_damaged_memory_opens_nothing(program: Program, disk: QSettings, stored: str) -> None:
    disk.setValue("tabs", stored)
    program.session.restore()
    assert program.opener.under_way == ()
    assert program.workspace.items == ()
