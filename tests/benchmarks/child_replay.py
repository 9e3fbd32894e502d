"""Replays a run in a window, and says how long the window's thread stood still at most.

    python -m tests.benchmarks.child_replay FOLDER TARGET RUN [new]

A timer that is due each millisecond looks at the clock. What it finds between two looks,
beside that millisecond, is time in which nobody could have pressed or moved anything. Other
programs on the machine add to it; how long this process computed meanwhile is noted, too.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication

from inspector.gui.app_program import Program, build
from inspector.gui.workspace.open_comparison import ComparedRun
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.replay.protocol import Job
from inspector.runfile.load import load_run

if TYPE_CHECKING:
    from inspector.gui.workspace.open_replay import OpenReplay

SETTLED_S = 3.0
IDLE_S = 1.0
PATIENCE_MS = 120_000


class Pulse(QObject):
    """Looks at the clock each millisecond."""

    def __init__(self) -> None:
        super().__init__()
        self.longest_s = 0.0
        self.busiest_s = 0.0  # of any stall, how long this process computed: the rest is waiting
        self._last = self._worked = 0.0
        self.begin()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._look)
        self._timer.start(1)

    def begin(self) -> None:
        """Forget what was before."""
        self._last, self._worked = time.perf_counter(), time.process_time()
        self.longest_s = self.busiest_s = 0.0

    def _look(self) -> None:
        now, worked = time.perf_counter(), time.process_time()
        self.longest_s = max(self.longest_s, now - self._last - 0.001)
        self.busiest_s = max(self.busiest_s, worked - self._worked)
        self._last, self._worked = now, worked


class Stage(QObject):
    """A run in a tab, then its replay from the first event to the last."""

    def __init__(self, program: Program, request: ReplayRequest, pulse: Pulse) -> None:
        super().__init__()
        self._program = program
        self._request = request
        self._pulse = pulse
        self._replay: OpenReplay | None = None
        self._began: float | None = None
        self.found: dict[str, float] = {}
        path = request.recording.path
        assert path is not None
        program.opener.open([path])
        QTimer.singleShot(round(1000 * SETTLED_S), self, pulse.begin)
        QTimer.singleShot(round(1000 * (SETTLED_S + IDLE_S)), self, self._start)
        QTimer.singleShot(PATIENCE_MS, self, lambda: QApplication.exit(3))

    def _start(self) -> None:
        self.found["idle"] = self._pulse.longest_s
        replay = self._replay = self._program.replayer.start(self._request)
        replay.rows_changed.connect(self._begin)
        replay.ended.connect(self._end)

    def _begin(self) -> None:
        if self._began is None:
            self._began = time.perf_counter()
            self._pulse.begin()

    def _end(self) -> None:
        replay = self._replay
        assert replay is not None
        if replay.live is None or self._began is None:
            raise RuntimeError(f"The replay came to nothing: {replay.failure}")
        self._note("streaming")
        self.found["took"] = time.perf_counter() - self._began
        self.found["spans"] = len(replay.live.spans)
        QTimer.singleShot(round(1000 * IDLE_S), self, self._rest)

    def _rest(self) -> None:
        self._note("with the end")
        QApplication.exit(0)

    def _note(self, what: str) -> None:
        self.found[what] = self._pulse.longest_s
        self.found[f"{what}, at work"] = self._pulse.busiest_s


def main(folder: Path, target: str, path: Path, *, new: bool) -> int:
    app = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as home:
        disk = QSettings(str(Path(home) / "settings.ini"), QSettings.Format.IniFormat)
        program = build(app, disk)
        program.window.resize(1280, 800)
        program.window.show()
        job = Job(target=target, run=str(path), mode="drift_ok" if new else "strict")
        recording = ComparedRun(load_run(path), path, path.name)
        environment = {"DROPS": "10000"}
        request = ReplayRequest(recording, job, Path(sys.executable), folder, None, environment)
        stage = Stage(program, request, Pulse())
        code = app.exec()
        sys.stdout.write(json.dumps(stage.found))
        sys.stdout.flush()
        program.window.close()
        program.close()
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), new="new" in sys.argv[4:]))
