"""Puts the program together: makes every long-lived object once, hands each what it needs."""

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSettings, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication

from inspector.gui import theme
from inspector.gui.controllers.follow_controller import FollowController
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.controllers.verify_controller import VerifyController
from inspector.gui.controllers.view_controller import ViewController
from inspector.gui.controllers.walk_controller import WalkController
from inspector.gui.main_window import MainWindow, Parts
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory, Settings, SettingsStore, ThemeChoice
from inspector.gui.single_instance import Doorbell, hand_over, may_be_running, server_name
from inspector.gui.tasks.crashes import CrashGuard
from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.workspace import Workspace

_LOOK_MS = 40
_QUIET_LOOKS = 4
_LONGEST_WAIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Program:
    """The window and what stands behind it. Held as long as the program runs."""

    window: MainWindow
    workspace: Workspace
    opener: OpenController
    settings: SettingsStore
    messages: Messages
    tasks: TaskRunner
    others: tuple[QObject, ...]

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
    # After the window: it has to know a run before these say something about it.
    follower = FollowController(workspace)
    verifier = VerifyController(workspace, messages)
    others = (memory, walker, viewer, follower, verifier)
    return Program(window, workspace, opener, settings, messages, tasks, others)


def main(paths: Sequence[str], *, at: str | None = None) -> int:
    """Show the window with these files open; `-` stands for standard input.

    `at` names a span of the first file, by id or by path, to go to. Returns the
    exit code. A window that is open already gets the files instead.
    """
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
    # After the first paint: listening loads Qt's network library.
    QTimer.singleShot(0, program.window, lambda: _listen(program, name))
    code = app.exec()
    program.close()
    guard.remove()
    return code


def _listen(program: Program, name: str) -> None:
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


def render_window(
    paths: Sequence[str],
    out_png: str | Path,
    size: tuple[int, int] = (1280, 800),
    choice: ThemeChoice = ThemeChoice.LIGHT,
    *,
    at: str | None = None,
) -> bool:
    """Draw the window with these files open into a picture; needs no display.

    Waits until everything that reads in the background has arrived. Says whether
    the picture was written.
    """
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else _application_without_display()
    with tempfile.TemporaryDirectory() as folder:
        disk = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        program = build(app, disk, expecting_runs=bool(paths))
        program.settings.update(theme=choice)
        program.window.resize(*size)
        program.window.show()
        program.opener.open([Path(path) for path in paths], at=at)
        finish = _Settled(program, app)
        finish.start()
        app.exec()
        written = program.window.grab().save(str(out_png))
        program.window.close()
        program.close()
    return written


def _application_without_display() -> QApplication:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return QApplication(["run-inspector"])


class _Settled(QObject):
    """Ends the event loop once nothing is being read any more."""

    def __init__(self, program: Program, app: QApplication) -> None:
        super().__init__(program.window)
        self._program = program
        self._app = app
        self._quiet = 0
        self._left = _LONGEST_WAIT_MS // _LOOK_MS
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)

    def start(self) -> None:
        self._timer.start(_LOOK_MS)

    def _look(self) -> None:
        busy = self._program.tasks.busy or any(
            open_run.tasks.busy for open_run in self._program.workspace.open_runs
        )
        self._quiet = 0 if busy else self._quiet + 1
        self._left -= 1
        # One quiet look may fall between a result and the work that follows from it.
        if self._quiet > _QUIET_LOOKS or self._left <= 0:
            self._timer.stop()
            self._app.quit()
