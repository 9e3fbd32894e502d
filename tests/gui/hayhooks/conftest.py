"""A window beside a scripted server, with files of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from inspector.gui.app_program import Program, build
from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow
from inspector.gui.panes.hayhooks_window import HayhooksWindow
from inspector.hayhooks.client.model import Server
from inspector.hayhooks.client.servers import add_server
from tests.gui.hayhooks.scripted import Made, ScriptedHayhooks, serving

Opens = Callable[[Made], HayhooksExecutionWindow]


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep servers, index and keyring away from those of whoever runs the tests."""
    monkeypatch.setenv("RUN_INSPECTOR_HAYHOOKS_SERVERS", str(tmp_path / "servers.json"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


@pytest.fixture
def world() -> ScriptedHayhooks:
    return ScriptedHayhooks()


@pytest.fixture
def served(world: ScriptedHayhooks) -> Iterator[str]:
    """Yield the address of the scripted server, which is known under the name of staging."""
    with serving(world) as url:
        add_server(Server("staging", url))
        yield url


@pytest.fixture
def window(served: str, program: Program, qtbot: QtBot) -> HayhooksWindow:
    """Return the tab of servers, once the server has answered."""
    return opened_tab(program, qtbot)


@pytest.fixture
def opens(window: HayhooksWindow, program: Program, qtbot: QtBot) -> Opens:
    """Return a function that opens an execution of the scripted server by its row."""

    def open_one(made: Made) -> HayhooksExecutionWindow:
        window.refresh_requested.emit("")  # which would come by itself within two seconds
        qtbot.waitUntil(lambda: any(one.row.id == made.id for one in window.model.rows))
        key = ("staging", made.deployment, made.id)
        window.table.setCurrentIndex(window.model.index_of(key))
        window.table.opened.emit(window.picked)
        return execution_tab(program, qtbot)

    return open_one


@pytest.fixture
def another(qapp: QApplication, tmp_path: Path, qtbot: QtBot) -> Iterator[Callable[[], Program]]:
    """Yield a function that starts the program once more, with the same files."""
    made: list[Program] = []

    def start() -> Program:
        disk = QSettings(str(tmp_path / "other.ini"), QSettings.Format.IniFormat)
        program = build(qapp, disk)
        made.append(program)
        qtbot.addWidget(program.window)
        program.window.show()
        return program

    yield start
    for program in made:
        program.close()


def opened_tab(program: Program, qtbot: QtBot) -> HayhooksWindow:
    """Open the tab of servers, and wait until they have answered."""
    program.content.action("hayhooks").trigger()
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, HayhooksWindow)
    opened = shown.open_hayhooks
    qtbot.waitUntil(
        lambda: (
            opened.is_loaded
            and bool(opened.views)
            and all(view.state != "asking" for view in opened.views)
        ),
        timeout=20_000,
    )
    return shown


def execution_tab(program: Program, qtbot: QtBot) -> HayhooksExecutionWindow:
    """Return the tab of the execution in front, once something is known of it."""
    shown = program.content.tabs.currentWidget()
    assert isinstance(shown, HayhooksExecutionWindow)
    qtbot.waitUntil(lambda: shown.open_execution.execution is not None, timeout=20_000)
    return shown
