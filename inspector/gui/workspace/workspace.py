"""Everything that is open."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.open_run import OpenRun


class Workspace(QObject):
    """The runs that are open, in the order of their tabs, and the current one.

    A file is open once: opening it again makes its run current.
    """

    added = Signal(object)  # OpenRun
    removed = Signal(object)  # OpenRun
    current_changed = Signal(object)  # OpenRun | None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._open_runs: tuple[OpenRun, ...] = ()
        self._current: OpenRun | None = None

    @property
    def open_runs(self) -> tuple[OpenRun, ...]:
        return self._open_runs

    @property
    def current(self) -> OpenRun | None:
        return self._current

    def add(self, open_run: OpenRun) -> None:
        open_run.setParent(self)
        self._open_runs = (*self._open_runs, open_run)
        self.added.emit(open_run)
        self.make_current(open_run)

    def remove(self, open_run: OpenRun) -> None:
        """Close a run; the neighbour of its tab becomes current."""
        if open_run not in self._open_runs:
            return
        place = self._open_runs.index(open_run)
        self._open_runs = tuple(other for other in self._open_runs if other is not open_run)
        if open_run is self._current:
            left = self._open_runs
            self.make_current(left[min(place, len(left) - 1)] if left else None)
        self.removed.emit(open_run)
        open_run.close()
        open_run.deleteLater()

    def make_current(self, open_run: OpenRun | None) -> None:
        if open_run is self._current:
            return
        self._current = open_run
        self.current_changed.emit(open_run)

    def find(self, path: Path) -> OpenRun | None:
        """Return the open run that was read from `path`."""
        return next((one for one in self._open_runs if one.path == path), None)
