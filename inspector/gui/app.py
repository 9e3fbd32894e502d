"""Starts the window.

A window is painted at once, empty, and furnished right after: what fills it
takes longer to load than Qt itself.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QSettings, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.main_window import MainWindow
from inspector.gui.settings import Memory, SettingsStore

if TYPE_CHECKING:
    from inspector.gui.app_program import Program
    from inspector.gui.tasks.crashes import CrashGuard

_NAME = "run-inspector"
_LISTEN_AFTER_MS = 1_000


class Wanted(NamedTuple):
    """What the window is started with. `at` and `field` are a place in the first file."""

    files: list[Path]
    at: str | None = None
    field: str | None = None
    compare: bool = False


def main(
    paths: Sequence[str],
    *,
    at: str | None = None,
    field: str | None = None,
    compare: bool = False,
) -> int:
    """Show the window with these files open; `-` stands for standard input.

    `at` names a span of the first file to go to, by id or by path, and `field` what to
    show of it; the first file may also be a link that says so. With `compare` two files
    stand side by side. Returns the exit code. A window that is open already gets the
    files instead.

    Raises:
        InspectorError: A link leads to no file of this machine, or a window that is open
            already would be given a file that cannot be read.

    """
    wanted = _wanted(paths, at, field, compare)
    QCoreApplication.setOrganizationName(_NAME)
    QCoreApplication.setApplicationName(_NAME)
    QApplication.setApplicationDisplayName("Run Inspector")
    app = QApplication([sys.argv[0] if sys.argv else _NAME])
    app.setDesktopFileName(_NAME)
    disk = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, _NAME, _NAME)
    settings = SettingsStore(disk)
    state = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation))
    if (
        settings.current.reuse_window
        and paths
        and "-" not in paths
        and _is_taken_over(state, wanted)
    ):
        return 0

    memory = Memory(disk)
    theme.dress(app, settings.current)
    window = MainWindow(memory)
    session = _Session(app, window, settings, memory, state, wanted)
    window.painted.connect(session.begin)
    window.show()
    code = app.exec()
    session.end()
    return code


class _Session:
    """From the first paint to the last: everything behind an empty window."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        settings: SettingsStore,
        memory: Memory,
        state: Path,
        wanted: Wanted,
    ) -> None:
        self._app = app
        self._window = window
        self._settings = settings
        self._memory = memory
        self._state = state
        self._wanted = wanted
        self._program: Program | None = None
        self._guard: CrashGuard | None = None

    def begin(self) -> None:
        """Ask to furnish the window in the next turn of the loop, when the paint is through."""
        QTimer.singleShot(0, self._window, self._furnish)

    def _furnish(self) -> None:
        from inspector.gui.app_program import furnish
        from inspector.gui.panes.pane_table import load_first
        from inspector.gui.tasks.crashes import CrashGuard

        wanted = self._wanted
        self._guard = CrashGuard()
        self._guard.install(self._state)
        self._program = furnish(
            self._app,
            self._window,
            self._settings,
            self._memory,
            expecting_runs=bool(wanted.files),
            notes=self._state / "notes",
        )
        self._guard.caught.connect(self._program.messages.crashed)
        if wanted.compare:
            self._program.compare([path.absolute() for path in wanted.files])
        elif wanted.files:
            self._program.opener.open(wanted.files, at=wanted.at, field=wanted.field)
            # A worker reads the file; this thread may as well get ready to show it.
            QTimer.singleShot(0, self._window, load_first)
        elif not _is_running(self._state):
            # Another window has them open, or will bring them back itself.
            self._program.session.restore()
        # Nobody waits for these, and listening loads Qt's network library.
        QTimer.singleShot(_LISTEN_AFTER_MS, self._window, self._finish)

    def _finish(self) -> None:
        from inspector.gui.app_program import answer_the_door
        from inspector.gui.panes.pane_table import load_all
        from inspector.gui.single_instance import server_name
        from inspector.gui.tasks.own_folder import sweep_beside

        self._window.setWindowIcon(theme.icon("app"))
        load_all()
        name = server_name(self._state)
        if name and self._program is not None and self._settings.current.reuse_window:
            answer_the_door(self._program, name)
        if self._program is not None:
            sweep_beside(self._program.tasks)

    def end(self) -> None:
        """Stop what runs beside the window."""
        if self._program is not None:
            self._program.close()
        if self._guard is not None:
            self._guard.remove()


def _is_taken_over(state: Path, wanted: Wanted) -> bool:
    from inspector.gui.single_instance import hand_over, server_name
    from inspector.runfile.intake import open_for_reading

    if not _is_running(state):
        return False
    for path in wanted.files:
        # Said here, where it was asked for: the window may be on another screen.
        os.close(open_for_reading(path))
    return hand_over(
        server_name(state), wanted.files, wanted.at, wanted.field, compare=wanted.compare
    )


def _is_running(state: Path) -> bool:
    from inspector.gui.single_instance import hand_over, may_be_running, server_name

    name = server_name(state)
    return may_be_running(name) and hand_over(name, (), None)


def _wanted(paths: Sequence[str], at: str | None, field: str | None, compare: bool) -> Wanted:
    """Take links among the files apart."""
    from inspector.presentation.links import Link, is_link, parsed_link

    links = [parsed_link(path) if is_link(path) else Link(Path(path)) for path in paths]
    first = links[0] if links else Link(Path())
    return Wanted([link.path for link in links], at or first.at, field or first.field, compare)
