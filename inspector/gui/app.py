"""Puts the program together: makes every long-lived object once, hands each what it needs."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSettings, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.controllers.view_controller import ViewController
from inspector.gui.controllers.walk_controller import WalkController
from inspector.gui.main_window import MainWindow, Parts
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory, Settings, SettingsStore
from inspector.gui.tasks.crashes import CrashGuard
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.workspace import Workspace

_LISTEN_AFTER_MS = 250


@dataclass(frozen=True, slots=True)
class Program:
    """The window and what stands behind it. Held as long as the program runs."""

    window: MainWindow
    workspace: Workspace
    opener: OpenController
    settings: SettingsStore
    messages: Messages
    tasks: TaskRunner
    others: list[QObject]

    def close(self) -> None:
        """Let go of everything that has a thread."""
        for open_run in self.workspace.open_runs:
            self.workspace.remove(open_run)
        self.tasks.close()


def build(app: QApplication, disk: QSettings, *, expecting_runs: bool = False) -> Program:
    """Make the window and everything behind it; nothing is shown yet."""
    settings = SettingsStore(disk)
    memory = Memory(disk)

    def dress(chosen: Settings) -> None:
        theme.apply(app, chosen.theme, text_scale=chosen.text_scale)

    dress(settings.current)
    settings.changed.connect(dress)
    app.styleHints().colorSchemeChanged.connect(lambda _scheme: _follow_system(app, settings))

    messages = Messages()
    workspace = Workspace()
    tasks = TaskRunner()
    opener = OpenController(workspace, tasks, messages, memory)
    walker = WalkController(workspace)
    viewer = ViewController(settings)
    window = MainWindow(
        Parts(workspace, opener, walker, viewer, settings, memory, messages),
        expecting_runs=expecting_runs,
    )
    others: list[QObject] = [memory, walker, viewer]
    # What only matters once a run is open waits until the window is painted.
    QTimer.singleShot(0, window, lambda: others.extend(_attendants(workspace, messages)))
    return Program(window, workspace, opener, settings, messages, tasks, others)


def _attendants(workspace: Workspace, messages: Messages) -> list[QObject]:
    from inspector.gui.controllers.follow_controller import FollowController
    from inspector.gui.controllers.verify_controller import VerifyController

    return [FollowController(workspace), VerifyController(workspace, messages)]


def main(paths: Sequence[str], *, at: str | None = None) -> int:
    """Show the window with these files open; `-` stands for standard input.

    `at` names a span of the first file, by id or by path, to go to. Returns the
    exit code. A window that is open already gets the files instead.
    """
    from inspector.gui.single_instance import hand_over, may_be_running, server_name

    QCoreApplication.setOrganizationName("run-inspector")
    QCoreApplication.setApplicationName("run-inspector")
    QApplication.setApplicationDisplayName("Run Inspector")
    app = QApplication([sys.argv[0] if sys.argv else "run-inspector"])
    app.setDesktopFileName("run-inspector")
    files = [Path(path) for path in paths]
    state = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation))
    name = server_name(state)
    disk = QSettings(
        QSettings.Format.IniFormat, QSettings.Scope.UserScope, "run-inspector", "run-inspector"
    )
    hands_over = bool(files) and "-" not in paths and SettingsStore(disk).current.reuse_window
    if hands_over and may_be_running(name) and hand_over(name, files, at):
        return 0

    guard = CrashGuard()
    guard.install(state)
    program = build(app, disk, expecting_runs=bool(files))
    guard.caught.connect(program.messages.crashed)
    program.window.show()
    if files:
        program.opener.open(files, at=at)
    # Well after the first paint: listening loads Qt's network library.
    QTimer.singleShot(_LISTEN_AFTER_MS, program.window, lambda: _listen(program, name))
    code = app.exec()
    program.close()
    guard.remove()
    return code


def _listen(program: Program, name: str) -> None:
    from inspector.gui.single_instance import Doorbell

    program.window.setWindowIcon(theme.icon("app"))
    if not name or not program.settings.current.reuse_window:
        return
    bell = Doorbell(name, program.window)
    if not bell.listen():
        return

    def answer(paths: list[Path], at: str | None) -> None:
        program.window.bring_forward()
        program.opener.open(paths, at=at)

    bell.rung.connect(answer)


def _follow_system(app: QApplication, settings: SettingsStore) -> None:
    chosen = settings.current
    if theme.differs_from_system(app, chosen.theme):
        theme.apply(app, chosen.theme, text_scale=chosen.text_scale)
