"""Keeps what is open in step with its file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_run import Freshness, OpenRun, Stamp, stamp_of
from inspector.gui.workspace.workspace import Workspace
from inspector.runfile.kinds import RunStatus

if TYPE_CHECKING:
    from inspector.runfile.follow import RunFollower
    from inspector.runfile.model import PipelineRun

DEBOUNCE_MS = 200
# A file system that does not tell (a network drive, a container's mount) is asked.
_ASK_MS = 1_000


@dataclass(slots=True)
class _Followed:
    open_run: OpenRun
    path: Path
    stamp: Stamp | None
    is_read: bool = False
    is_touched: bool = False  # while it was read


class FollowController(QObject):
    """Watches the files of open runs.

    A journal that is still being written is followed: its run grows (LIVE) until
    it is finished. A finished file that changes is left as it was read (STALE).
    """

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._followed: dict[OpenRun, _Followed] = {}
        self._touched: set[OpenRun] = set()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_touched)
        # Writers touch a file many times in a row; one look a moment later is enough.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(DEBOUNCE_MS)
        self._soon.timeout.connect(self._look_at_touched)
        self._ask = QTimer(self)
        self._ask.setInterval(_ASK_MS)
        self._ask.timeout.connect(self._look_at_live)
        workspace.added.connect(self._on_added)
        workspace.removed.connect(self._on_removed)
        for open_run in workspace.open_runs:
            self._on_added(open_run)

    def _on_added(self, open_run: OpenRun) -> None:
        path = open_run.path
        if path is None:
            return
        self._followed[open_run] = _Followed(open_run, path, open_run.stamp)
        self._watcher.addPath(str(path))
        if _is_live(open_run):
            self._ask.start()
        # Nobody watched while it was read.
        if stamp_of(path) != open_run.stamp:
            self._on_touched(str(path))

    def _on_removed(self, open_run: OpenRun) -> None:
        followed = self._followed.pop(open_run, None)
        self._touched.discard(open_run)
        if followed is None:
            return
        if all(other.path != followed.path for other in self._followed.values()):
            self._watcher.removePath(str(followed.path))

    def _on_touched(self, changed: str) -> None:
        for open_run, followed in self._followed.items():
            if str(followed.path) == changed:
                self._touched.add(open_run)
        if self._touched and not self._soon.isActive():
            self._soon.start()

    def _look_at_touched(self) -> None:
        """Find out what became of files, a moment after they were touched."""
        touched, self._touched = self._touched, set()
        for open_run in touched:
            followed = self._followed[open_run]
            # Replacing a file takes it off the watch list.
            if followed.path.exists():
                self._watcher.addPath(str(followed.path))
            if open_run.follower is not None:
                self._read_on(followed, open_run.follower)
            elif stamp_of(followed.path) != followed.stamp:
                open_run.set_freshness(Freshness.STALE)

    def _look_at_live(self) -> None:
        """Ask for those whose file system does not tell, or whose writer may have died."""
        live = [one for one in self._followed.values() if _is_live(one.open_run)]
        for followed in live:
            if follower := followed.open_run.follower:
                self._read_on(followed, follower)
        if not live:
            self._ask.stop()

    def _read_on(self, followed: _Followed, follower: "RunFollower") -> None:
        # One at a time: a follower is read by one worker, and goes on where it was.
        if followed.is_read:
            followed.is_touched = True
            return
        followed.is_read = True

        def read(_cancelled: Cancelled) -> "PipelineRun":
            return follower.refresh()

        def show(run: "PipelineRun") -> None:
            followed.is_read = False
            self._show(followed, follower, run)
            if followed.is_touched:
                followed.is_touched = False
                self._read_on(followed, follower)

        def failed(_error: Exception) -> None:
            followed.is_read = False
            followed.open_run.set_freshness(Freshness.STALE)

        followed.open_run.tasks.start(read, done=show, failed=failed, key="follow")

    def _show(self, followed: _Followed, follower: "RunFollower", run: "PipelineRun") -> None:
        open_run = followed.open_run
        open_run.replace_run(run)
        if not follower.finished:
            # A journal whose writer died stays readable, and is read on if it should grow.
            open_run.set_freshness(Freshness.LIVE if _is_live(open_run) else Freshness.READ_ONLY)
            return
        # A finished journal becomes a run file under another name.
        if run.origin is not None:
            followed.path = run.origin
            self._watcher.addPath(str(run.origin))
            open_run.move_to(run.origin)
        followed.stamp = stamp_of(followed.path)
        open_run.follower = None
        open_run.set_freshness(Freshness.READ_ONLY)


def _is_live(open_run: OpenRun) -> bool:
    return open_run.follower is not None and open_run.run.status is RunStatus.RUNNING
