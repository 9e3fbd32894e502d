"""A run that is open in the window, and what changes while it is."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.gui.tasks.runner import TaskRunner
from inspector.gui.workspace.playhead import Playhead
from inspector.gui.workspace.run_breakpoints import RunBreakpoints
from inspector.gui.workspace.run_changes import RunChanges
from inspector.gui.workspace.run_findings import RunFindings
from inspector.gui.workspace.run_notes import RunNotes
from inspector.gui.workspace.run_pricing import RunPricing
from inspector.gui.workspace.run_searching import RunSearching
from inspector.gui.workspace.selection import RunSelection
from inspector.gui.workspace.time_range import TimeRange
from inspector.presentation.time_folds import UNFOLDED

if TYPE_CHECKING:
    from inspector.runfile.follow import RunFollower
    from inspector.runfile.model import PipelineRun
    from inspector.runfile.verify import Integrity
    from inspector.trust.signing import Signed


Stamp = tuple[int, int]  # size, time of the last change in ns


class Freshness(StrEnum):
    """How what is shown relates to the file it came from."""

    READ_ONLY = "read-only"  # a finished file; we never write into it
    LIVE = "live"  # still being written, and followed
    STALE = "stale"  # changed or gone since it was read


def stamp_of(path: Path) -> Stamp | None:
    """Return what changes when a file does; `None` of one that is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


class OpenRun(QObject):
    """One open run: the value itself, and beside it what a person does with it.

    The run is a value and never changes. A journal that is still being written
    grows by being replaced: `run` then holds the newer value and `run_changed`
    says so. Ids of spans stay what they were, so a selection survives.

    `stamp` is that of the file when it was read. `tasks` is where panes run slow
    work; it ends with the open run. `follower` reads on in a journal; a finished
    file has none.
    """

    front = "run"  # the word for it in `ActionSpec`

    run_changed = Signal(object)  # PipelineRun
    freshness_changed = Signal(object)  # Freshness
    integrity_changed = Signal(object)  # Integrity
    moved = Signal()  # the file has another path now
    live_asked = Signal(str)  # the id of a span from which on it is to run live

    def __init__(
        self,
        run: "PipelineRun",
        path: Path | None = None,
        *,
        title: str = "",
        follower: "RunFollower | None" = None,
        stamp: Stamp | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._run = run
        is_live = follower is not None and run.status == "running"
        self._freshness = Freshness.LIVE if is_live else Freshness.READ_ONLY
        self._integrity: Integrity | None = None
        self.signature: Signed | None = None  # of the file, where one lies beside it
        self.path = path
        self.is_sealed = False  # whether what is shown must not get to the disk by itself
        self.stamp = stamp or (stamp_of(path) if path else None)
        self.follower = follower
        self.title = title or (path.name if path else run.name)
        self.selection = RunSelection(self)
        self.range = TimeRange(self)
        self.playhead = Playhead(self)
        self.folds = UNFOLDED  # idle time that is not shown, and passed over in playing
        self.tasks = TaskRunner(self)
        self.findings = RunFindings(self)
        self.pricing = RunPricing(self)
        self.notes = RunNotes(self)
        self.breakpoints = RunBreakpoints(self, self.notes.undo_stack)
        self.changes = RunChanges(self, self.notes.undo_stack)
        self.search = RunSearching(self)

    @property
    def run(self) -> "PipelineRun":
        return self._run

    def replace_run(self, run: "PipelineRun") -> None:
        """Show a newer value of the same run."""
        if run is self._run:
            return
        self._run = run
        self.run_changed.emit(run)

    def move_to(self, path: Path) -> None:
        """Take note that the file got another name, as a journal does when it is finished."""
        if path == self.path:
            return
        self.path = path
        self.title = path.name
        self.moved.emit()

    @property
    def freshness(self) -> Freshness:
        return self._freshness

    def set_freshness(self, freshness: Freshness) -> None:
        if freshness == self._freshness:
            return
        self._freshness = freshness
        self.freshness_changed.emit(freshness)

    @property
    def integrity(self) -> "Integrity | None":
        """What checking the file's digest said; `None` until that is done."""
        return self._integrity

    def set_integrity(self, integrity: "Integrity", signature: "Signed | None" = None) -> None:
        self._integrity = integrity
        self.signature = signature
        self.integrity_changed.emit(integrity)

    def close(self) -> None:
        """Stop the work that was started for this run."""
        self.notes.close()
        self.tasks.close()
