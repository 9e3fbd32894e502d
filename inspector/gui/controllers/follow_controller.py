"""Keeps what is open in step with its file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_run import Freshness, OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.runfile.kinds import RunStatus

if TYPE_CHECKING:
    from inspector.runfile.follow import RunFollower
    from inspector.runfile.model import PipelineRun

DEBOUNCE_MS = 200
# A file system that does not tell (a network drive, a container's mount) is asked.
_ASK_MS = 1_000

Stamp = tuple[int, int]  # size, time of the last change in ns


@dataclass(slots=True)
class _Followed:
    open_run: OpenRun
    path: Path
    timer: QTimer
    stamp: Stamp | None
    follower: "RunFollower | None" = None


class FollowController(QObject):
    """Watches the files of open runs.

    A journal that is still being written is followed: its run grows (LIVE) until
    it is finished. A finished file that changes is left as it was read (STALE).
    """

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._followed: dict[OpenRun, _Followed] = {}
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_touched)
        workspace.added.connect(self._on_added)
        workspace.removed.connect(self._on_removed)

    def _on_added(self, open_run: OpenRun) -> None:
        path = open_run.path
        if path is None:
            return
        timer = QTimer(self)
        timer.setSingleShot(True)
        followed = _Followed(open_run, path, timer, _stamp(path))
        timer.timeout.connect(lambda: self._look(followed))
        self._followed[open_run] = followed
        self._watcher.addPath(str(path))
        if open_run.run.status is RunStatus.RUNNING:
            open_run.set_freshness(Freshness.LIVE)
            timer.start(DEBOUNCE_MS)

    def _on_removed(self, open_run: OpenRun) -> None:
        followed = self._followed.pop(open_run, None)
        if followed is None:
            return
        followed.timer.stop()
        followed.timer.deleteLater()
        if all(other.path != followed.path for other in self._followed.values()):
            self._watcher.removePath(str(followed.path))

    def _on_touched(self, changed: str) -> None:
        for followed in self._followed.values():
            if str(followed.path) == changed and not followed.timer.isActive():
                followed.timer.start(DEBOUNCE_MS)

    def _look(self, followed: _Followed) -> None:
        """Find out what became of a file, a moment after it was touched."""
        if followed.open_run.freshness is Freshness.LIVE:
            self._read_on(followed)
            return
        # Replacing a file takes it off the watch list.
        if followed.path.exists():
            self._watcher.addPath(str(followed.path))
        if _stamp(followed.path) != followed.stamp:
            followed.open_run.set_freshness(Freshness.STALE)

    def _read_on(self, followed: _Followed) -> None:
        def read(_cancelled: Cancelled) -> "PipelineRun":
            from inspector.runfile.follow import follow_run

            if followed.follower is None:
                followed.follower = follow_run(followed.path)
            return followed.follower.refresh()

        followed.open_run.tasks.start(
            read,
            done=lambda run: self._show(followed, run),
            failed=lambda _error: followed.open_run.set_freshness(Freshness.STALE),
            key="follow",
        )

    def _show(self, followed: _Followed, run: "PipelineRun") -> None:
        open_run = followed.open_run
        open_run.replace_run(run)
        if followed.follower is not None and not followed.follower.finished:
            self._watcher.addPath(str(followed.path))
            followed.timer.start(_ASK_MS)
            return
        # A finished journal becomes a run file under another name.
        if run.origin is not None:
            followed.path = run.origin
            open_run.move_to(run.origin)
            self._watcher.addPath(str(run.origin))
        open_run.set_freshness(Freshness.READ_ONLY)
        followed.stamp = _stamp(followed.path)


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
