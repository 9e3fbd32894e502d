"""Starts one window in a fresh process and says when it was painted.

    python -m tests.benchmarks.child_window bare
    python -m tests.benchmarks.child_window ours [FILE]

Times are those of the clock that all processes of a machine share, so that the parent can
take off when it started this one.
"""

import json
import sys
import time
from typing import Any

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow, QTreeView, QWidget

PATIENCE_MS = 60_000


class Watcher(QObject):
    """Notes the first paint of the window, and the first paint of a run's spans in it."""

    def __init__(self, wants_run: bool) -> None:
        super().__init__()
        self.wants_run = wants_run
        self.times: dict[str, float] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            if isinstance(watched.window(), QMainWindow):
                self._note("window")
            if self.wants_run and shows_the_tree(watched):
                self._note("tree")
            if self.wants_run and shows_a_run(watched):
                self._note("run")
        return False

    def _note(self, what: str) -> None:
        if what not in self.times:
            self.times[what] = 0.0
            # The filter sees a paint before it happens; the next turn of the loop comes after.
            QTimer.singleShot(0, self, lambda: self._painted(what))

    def _painted(self, what: str) -> None:
        self.times[what] = time.monotonic()
        if what == "run" or not self.wants_run:
            QApplication.exit(0)


def shows_the_tree(widget: QWidget) -> bool:
    """Say whether this is the part of the window that lists the spans of an open run."""
    above = widget.parent()
    return isinstance(above, QTreeView) and above.accessibleName() == "Components"


def shows_a_run(widget: QWidget) -> bool:
    """Say whether this is the part of the window that draws the spans of an open run."""
    return type(widget).__name__ == "TimelineCanvas"


class WatchedApplication(QApplication):
    """An application whose paints are watched from the beginning."""

    watcher: Watcher

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.watcher = Watcher(wants_run=len(sys.argv) > 2)
        self.installEventFilter(self.watcher)
        QTimer.singleShot(PATIENCE_MS, self, lambda: self.exit(3))


def bare() -> int:
    """Show the least that a PySide6 program can show."""
    app = WatchedApplication(sys.argv[:1])
    window = QMainWindow()
    window.show()
    return app.exec()


def ours(files: list[str]) -> int:
    from inspector.gui import app as program

    replaced: Any = program
    replaced.QApplication = WatchedApplication
    return program.main(files)


if __name__ == "__main__":
    code = bare() if sys.argv[1] == "bare" else ours(sys.argv[2:])
    application = QApplication.instance()
    assert isinstance(application, WatchedApplication)
    sys.stdout.write(json.dumps(application.watcher.times))
    sys.stdout.flush()
    sys.exit(code)
