"""Reads values of a run in a window of its own process.

    python -m tests.benchmarks.child_values large FILE
    python -m tests.benchmarks.child_values visit FILE

`large` shows one value of each component and says how long each took from being chosen to
being painted, and what its thread worked at a stretch meanwhile. `visit` goes to every span,
reads what went in and what came out, and says what memory that took.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEventLoop, QObject, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from inspector.gui.app_program import Program, build
from inspector.gui.panes.run_window import RunWindow
from inspector.gui.widgets.records_view import RecordsView
from inspector.gui.widgets.text_viewer import TextViewer
from inspector.gui.widgets.value_viewer import ValueViewer
from inspector.presentation.span_detail import Tab
from tests.benchmarks.child_open import anonymous_bytes

PATIENCE_MS = 20_000
SETTLED_MS = 1_500
_BEAT_MS = 5
_LOOK_MS = 2
SIZE = (1_280, 800)
HEADS = {
    "warm": "a few words",
    "text": "The bed with the tomatoes is dry at noon. \n",
    "one line": "The bed with the tomatoes is dry at noon. The",
    "records": "",  # a table
    "fields": '{\n  "bed 0"',
    "bytes": "00000000  00",
}
"""What each component's value begins with, as it is shown."""


class Beats(QObject):
    """Notes for how long the window's thread worked at a stretch."""

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._beat = self.longest = 0.0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_beat)
        self._timer.start(_BEAT_MS)

    def begin(self) -> None:
        """Forget what was."""
        self.longest = 0.0
        self._beat = time.thread_time()

    def _on_beat(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._beat)
        self._beat = now


def until(done: Callable[[], bool]) -> None:
    """Run the event loop until something is so."""
    loop = QEventLoop()
    timer = QTimer()
    timer.timeout.connect(lambda: loop.quit() if done() else None)
    timer.start(_LOOK_MS)
    QTimer.singleShot(PATIENCE_MS, loop.quit)
    loop.exec()
    timer.stop()
    if not done():
        raise SystemExit("It took too long.")


def settle(wait_ms: int) -> None:
    """Let the event loop run for a while: long texts are filled in bit by bit."""
    loop = QEventLoop()
    QTimer.singleShot(wait_ms, loop.quit)
    loop.exec()


def shown(program: Program, path: str) -> RunWindow:
    """Open a file, and return its window once everything in it stands still."""
    program.opener.open([Path(path)])
    until(lambda: program.content.tabs.current_window is not None)
    window = program.content.tabs.current_window
    assert window is not None
    until(lambda: window.is_whole and not window.open_run.tasks.busy)
    return window


def shows(viewer: ValueViewer, head: str) -> bool:
    """Say whether the viewer shows a text that begins so; without one, a table."""
    shown = viewer.current
    if not head:
        return isinstance(shown, RecordsView)
    return isinstance(shown, TextViewer) and shown.text.startswith(head)


def large(program: Program, beats: Beats, path: str) -> dict[str, Any]:
    window = shown(program, path)
    window.span_pane.show_tab(Tab.INPUT)
    run, found = window.open_run.run, {}
    window.open_run.selection.select(run.spans[1].id, "inputs.value")
    until(lambda: not window.open_run.tasks.busy)
    viewer = window.span_pane.findChild(ValueViewer)
    assert viewer is not None
    # The first ones make the views: what is measured is the value, not the first use.
    for row in (1, 4, 1, *range(2, len(run.spans))):
        span = run.spans[row]
        head = HEADS[span.name]
        beats.begin()
        began, worked = time.perf_counter(), time.process_time()
        window.open_run.selection.select(span.id, "inputs.value")
        until(lambda head=head: shows(viewer, head))
        # What was asked to be painted is painted in this turn of the loop.
        settle(0)
        found[span.name] = {
            "seconds": time.perf_counter() - began,
            "worked": time.process_time() - worked,
        }
        until(lambda: not window.open_run.tasks.busy)
        settle(SETTLED_MS)
        found[span.name]["still"] = beats.longest
    return found


def visit(program: Program, beats: Beats, path: str) -> dict[str, Any]:
    empty = anonymous_bytes()
    window = shown(program, path)
    opened = anonymous_bytes()
    run, pane, selection = window.open_run.run, window.span_pane, window.open_run.selection
    began, most = time.perf_counter(), 0
    for row in range(len(run.spans)):
        selection.select(run.table.id(row))
        until(lambda: not window.open_run.tasks.busy)
        for tab in (Tab.INPUT, Tab.OUTPUT, Tab.MESSAGES):
            pane.show_tab(tab)
            until(lambda: not window.open_run.tasks.busy)
        if row % 50 == 0:
            most = max(most, anonymous_bytes())
    return {
        "empty": empty,
        "opened": opened,
        "most": max(most, anonymous_bytes()),
        "spans": len(run.spans),
        "seconds": time.perf_counter() - began,
    }


def main(way: str, path: str) -> None:
    app = QApplication(sys.argv[:1])
    beats = Beats(app)
    with tempfile.TemporaryDirectory(prefix="run-bench-") as folder:
        disk = QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)
        program = build(app, disk, expecting_runs=True)
        program.window.resize(*SIZE)
        program.window.show()
        until(program.window.isVisible)
        found = {"large": large, "visit": visit}[way](program, beats, path)
        program.window.close()
        program.close()
    sys.stdout.write(json.dumps(found))
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
