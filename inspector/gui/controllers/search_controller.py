"""Searches the run in front, from a menu or a key."""

from PySide6.QtCore import QObject

from inspector.gui.settings import Memory
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.run_searching import RunSearching
from inspector.gui.workspace.workspace import Workspace


class SearchController(QObject):
    """Opens the search of the current run, steps through its results, remembers its lines."""

    def __init__(self, workspace: Workspace, memory: Memory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        workspace.added.connect(self._on_added)

    def find(self) -> None:
        """Begin to search."""
        if search := self._current:
            search.history = self._memory.searches
            search.open()

    def next(self) -> None:
        """Go to the next result; without a search, begin one."""
        self._step(1)

    def previous(self) -> None:
        """Go to the result before; without a search, begin one."""
        self._step(-1)

    def toggle_filter(self) -> None:
        """Show only what was found, or everything."""
        if search := self._current:
            if not search.is_open:
                self.find()
            search.set_filter(not search.is_filter)

    @property
    def _current(self) -> RunSearching | None:
        return self._workspace.current.search if self._workspace.current else None

    def _step(self, by: int) -> None:
        search = self._current
        if search is None:
            return
        if search.query is None:
            self.find()
        else:
            search.step(by)

    def _on_added(self, open_run: OpenRun) -> None:
        open_run.search.kept.connect(self._memory.remember_search)
