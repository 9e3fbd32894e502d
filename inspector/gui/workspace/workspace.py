"""Everything that is open."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from inspector.gui.workspace.open_agents import OpenAgents
from inspector.gui.workspace.open_cohort import OpenCohort
from inspector.gui.workspace.open_comparison import OpenComparison
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.gui.workspace.open_hayhooks import OpenHayhooks
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.open_task import OpenTask

if TYPE_CHECKING:
    from inspector.diff.model import Comparison

Remote = OpenHayhooks | OpenExecution | OpenAgents | OpenTask
Item = OpenRun | OpenComparison | OpenReplay | OpenCohort | Remote


class Workspace(QObject):
    """The runs, comparisons and replays that are open, in the order of their tabs.

    A file is open once: opening it again makes its run current. Of all of them at most one
    is current.
    """

    added = Signal(object)  # OpenRun
    removed = Signal(object)  # OpenRun
    comparison_added = Signal(object)  # OpenComparison
    comparison_removed = Signal(object)  # OpenComparison
    replay_added = Signal(object)  # OpenReplay
    replay_removed = Signal(object)  # OpenReplay
    cohort_added = Signal(object)  # OpenCohort
    cohort_removed = Signal(object)  # OpenCohort
    hayhooks_added = Signal(object)  # OpenHayhooks
    hayhooks_removed = Signal(object)  # OpenHayhooks
    execution_added = Signal(object)  # OpenExecution
    execution_removed = Signal(object)  # OpenExecution
    agents_added = Signal(object)  # OpenAgents
    agents_removed = Signal(object)  # OpenAgents
    task_added = Signal(object)  # OpenTask
    task_removed = Signal(object)  # OpenTask
    current_changed = Signal(object)  # Item | None

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._items: tuple[Item, ...] = ()
        self._current: Item | None = None

    @property
    def items(self) -> tuple[Item, ...]:
        return self._items

    @property
    def open_runs(self) -> tuple[OpenRun, ...]:
        return tuple(item for item in self._items if isinstance(item, OpenRun))

    @property
    def comparisons(self) -> tuple[OpenComparison, ...]:
        return tuple(item for item in self._items if isinstance(item, OpenComparison))

    @property
    def replays(self) -> tuple[OpenReplay, ...]:
        return tuple(item for item in self._items if isinstance(item, OpenReplay))

    @property
    def cohorts(self) -> tuple[OpenCohort, ...]:
        return tuple(item for item in self._items if isinstance(item, OpenCohort))

    @property
    def current_item(self) -> Item | None:
        return self._current

    @property
    def current(self) -> OpenRun | None:
        """The current run; `None` while a comparison or nothing is."""
        return self._current if isinstance(self._current, OpenRun) else None

    @property
    def current_comparison(self) -> OpenComparison | None:
        """The current comparison; `None` while a run or nothing is."""
        return self._current if isinstance(self._current, OpenComparison) else None

    @property
    def current_replay(self) -> OpenReplay | None:
        """The current replay; `None` while something else or nothing is."""
        return self._current if isinstance(self._current, OpenReplay) else None

    @property
    def current_cohort(self) -> OpenCohort | None:
        """The current cohort; `None` while something else or nothing is."""
        return self._current if isinstance(self._current, OpenCohort) else None

    @property
    def current_hayhooks(self) -> OpenHayhooks | None:
        """The tab of servers, while it is the current one."""
        return self._current if isinstance(self._current, OpenHayhooks) else None

    @property
    def current_execution(self) -> OpenExecution | None:
        """The current execution; `None` while something else or nothing is."""
        return self._current if isinstance(self._current, OpenExecution) else None

    @property
    def current_agents(self) -> OpenAgents | None:
        """The tab of A2A agents, while it is the current one."""
        return self._current if isinstance(self._current, OpenAgents) else None

    @property
    def current_task(self) -> OpenTask | None:
        """The current task of an agent; `None` while something else or nothing is."""
        return self._current if isinstance(self._current, OpenTask) else None

    def comparison_of(self, open_run: OpenRun) -> "tuple[Comparison, bool, str] | None":
        """Return the newest comparison that has a run on one side.

        It comes with whether that is the left side, and the title of the other one.
        """
        for one in reversed(self.comparisons):
            if one.comparison is None:
                continue
            for side, other in ((one.left, one.right), (one.right, one.left)):
                same_file = side.path is not None and side.path == open_run.path
                if (side.run is open_run.run or same_file) and (
                    len(side.run.spans) == len(open_run.run.spans)
                ):
                    return one.comparison, side is one.left, other.title
        return None

    def add(self, item: Item) -> None:
        item.setParent(self)
        self._items = (*self._items, item)
        match item:
            case OpenRun():
                self.added.emit(item)
            case OpenComparison():
                self.comparison_added.emit(item)
            case OpenReplay():
                self.replay_added.emit(item)
            case OpenCohort():
                self.cohort_added.emit(item)
            case OpenHayhooks():
                self.hayhooks_added.emit(item)
            case OpenExecution():
                self.execution_added.emit(item)
            case OpenAgents():
                self.agents_added.emit(item)
            case OpenTask():
                self.task_added.emit(item)
        self.make_current(item)

    def remove(self, item: Item) -> None:
        """Close a tab's run, comparison or replay; the neighbour of its tab becomes current."""
        if item not in self._items:
            return
        place = self._items.index(item)
        self._items = tuple(other for other in self._items if other is not item)
        if item is self._current:
            left = self._items
            self.make_current(left[min(place, len(left) - 1)] if left else None)
        match item:
            case OpenRun():
                self.removed.emit(item)
            case OpenComparison():
                self.comparison_removed.emit(item)
            case OpenReplay():
                self.replay_removed.emit(item)
            case OpenCohort():
                self.cohort_removed.emit(item)
            case OpenHayhooks():
                self.hayhooks_removed.emit(item)
            case OpenExecution():
                self.execution_removed.emit(item)
            case OpenAgents():
                self.agents_removed.emit(item)
            case OpenTask():
                self.task_removed.emit(item)
        item.close()
        item.deleteLater()

    def make_current(self, item: Item | None) -> None:
        if item is self._current:
            return
        self._current = item
        self.current_changed.emit(item)

    def find(self, path: Path) -> OpenRun | None:
        """Return the open run that was read from `path`."""
        return next((one for one in self.open_runs if one.path == path), None)
