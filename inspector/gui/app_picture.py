"""Draws the window into a picture, for machines without a display."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QTabBar

from inspector.gui.app_program import Program, build
from inspector.gui.settings import ThemeChoice
from inspector.gui.tasks.crashes import log_qt

_LOOK_MS = 40
_QUIET_LOOKS = 4
_LONGEST_WAIT_MS = 60_000


def render_window(
    paths: Sequence[str],
    out_png: str | Path,
    size: tuple[int, int] = (1280, 800),
    choice: ThemeChoice = ThemeChoice.LIGHT,
    *,
    at: str | None = None,
    tab: str = "",
    compare: bool = False,
) -> bool:
    """Draw the window with these files open into a picture; needs no display.

    Waits until everything that reads in the background has arrived. `tab` names one
    to bring to the front first. With `compare`, the first two files are compared instead.
    Says whether the picture was written.
    """
    qInstallMessageHandler(log_qt)
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else _application_without_display()
    with tempfile.TemporaryDirectory() as folder:
        disk = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        program = build(app, disk, expecting_runs=bool(paths))
        program.settings.update(theme=choice)
        program.window.resize(*size)
        program.window.show()
        if compare:
            program.comparer.compare_files(Path(paths[0]), Path(paths[1]))
        else:
            program.opener.open([Path(path) for path in paths], at=at)
        finish = _Settled(program, app)
        finish.start()
        app.exec()
        if tab and _bring_forward(program, tab):
            finish.start()
            app.exec()
        written = program.window.grab().save(str(out_png))
        program.window.close()
        program.close()
    qInstallMessageHandler(None)
    return written


def _bring_forward(program: Program, tab: str) -> bool:
    for bar in program.window.findChildren(QTabBar):
        for index in range(bar.count()):
            if bar.tabText(index) == tab and bar.isTabEnabled(index):
                bar.setCurrentIndex(index)
                return True
    return False


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
        self._quiet = 0
        self._timer.start(_LOOK_MS)

    def _look(self) -> None:
        busy = self._program.tasks.busy or any(
            item.tasks.busy for item in self._program.workspace.items
        )
        shown = self._program.content.tabs.current_window
        busy = busy or (shown is not None and not shown.is_whole)
        self._quiet = 0 if busy else self._quiet + 1
        self._left -= 1
        # One quiet look may fall between a result and the work that follows from it.
        if self._quiet > _QUIET_LOOKS or self._left <= 0:
            self._timer.stop()
            # Not `quit`: that closes the window, and what is hidden is not laid out.
            self._app.exit()
