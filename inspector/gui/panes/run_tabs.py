"""A tab for the start page and one for each open run or comparison."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QTabBar, QTabWidget, QVBoxLayout, QWidget

from inspector.gui import theme
from inspector.gui.panes.start_page import StartPage
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.tips import tip
from inspector.gui.widgets.fair_tab_bar import FairTabBar
from inspector.gui.workspace.open_agents import OpenAgents
from inspector.gui.workspace.open_cohort import OpenCohort
from inspector.gui.workspace.open_comparison import OpenComparison
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.gui.workspace.open_hayhooks import OpenHayhooks
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.open_task import OpenTask
from inspector.gui.workspace.workspace import Item, Workspace

if TYPE_CHECKING:
    from inspector.gui.panes.a2a_task_window import A2ATaskWindow
    from inspector.gui.panes.a2a_window import A2AWindow
    from inspector.gui.panes.cohort_window import CohortWindow
    from inspector.gui.panes.comparison_window import ComparisonWindow
    from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow
    from inspector.gui.panes.hayhooks_window import HayhooksWindow
    from inspector.gui.panes.replay_window import ReplayWindow
    from inspector.gui.panes.run_window import RunWindow

    Durable = HayhooksWindow | HayhooksExecutionWindow
    Agent = A2AWindow | A2ATaskWindow
    Window = RunWindow | ComparisonWindow | ReplayWindow | CohortWindow | Durable | Agent

_LAYOUT = "layout"


class RunTabs(QTabWidget):
    """Shows what the workspace holds, and tells it which tab a person chose.

    The start page is made when it is first seen: a window that was started with
    a file shows that file and nothing before it.
    """

    reload_requested = Signal(object)  # OpenRun
    failure_requested = Signal()
    comparison_added = Signal(object)  # ComparisonWindow
    replay_added = Signal(object)  # ReplayWindow
    cohort_added = Signal(object)  # CohortWindow
    hayhooks_added = Signal(object)  # HayhooksWindow
    execution_added = Signal(object)  # HayhooksExecutionWindow
    agents_added = Signal(object)  # A2AWindow
    task_added = Signal(object)  # A2ATaskWindow

    def __init__(
        self,
        workspace: Workspace,
        memory: Memory,
        make_start_page: Callable[[], StartPage],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        self._make_start_page = make_start_page
        self._start_page: StartPage | None = None
        self._windows: dict[Item, Window] = {}
        self._room: tuple[bool, QSize, QSize, QSize] | None = None
        self.setTabBar(FairTabBar(self))
        self.setDocumentMode(True)
        self.setTabsClosable(True)
        self.setTabBarAutoHide(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName("Open runs")
        self.tabBar().setAccessibleName("Open runs")
        self.tabBar().setExpanding(False)
        self._start_place = QWidget()
        QVBoxLayout(self._start_place).setContentsMargins(0, 0, 0, 0)
        self.addTab(self._start_place, "Start")
        self.tabBar().setTabButton(0, QTabBar.ButtonPosition.RightSide, None)

        workspace.added.connect(self._on_added)
        workspace.removed.connect(self._on_removed)
        workspace.comparison_added.connect(self._on_comparison_added)
        workspace.comparison_removed.connect(self._on_removed)
        workspace.replay_added.connect(self._on_replay_added)
        workspace.replay_removed.connect(self._on_removed)
        workspace.cohort_added.connect(self._on_cohort_added)
        workspace.cohort_removed.connect(self._on_removed)
        workspace.hayhooks_added.connect(self._on_hayhooks_added)
        workspace.hayhooks_removed.connect(self._on_removed)
        workspace.execution_added.connect(self._on_execution_added)
        workspace.execution_removed.connect(self._on_removed)
        workspace.agents_added.connect(self._on_agents_added)
        workspace.agents_removed.connect(self._on_removed)
        workspace.task_added.connect(self._on_task_added)
        workspace.task_removed.connect(self._on_removed)
        workspace.current_changed.connect(self._on_current_changed)
        self.currentChanged.connect(self._on_tab_chosen)
        self.tabCloseRequested.connect(self._on_close_requested)
        theme.changes.changed.connect(self._dress)
        self._dress()

    @property
    def start_page(self) -> StartPage:
        """The start page; made if nobody needed it before."""
        if self._start_page is None:
            self._start_page = self._make_start_page()
            layout = self._start_place.layout()
            assert layout is not None
            layout.addWidget(self._start_page)
        return self._start_page

    def event(self, event: QEvent) -> bool:
        # Qt would paint all of a tab anew whenever a word somewhere in it changes.
        if event.type() is QEvent.Type.LayoutRequest:
            bar = self.tabBar()
            room = (
                bar.isVisibleTo(self), bar.sizeHint(), self.sizeHint(), self.minimumSizeHint()
            )  # fmt: skip
            if room == self._room:
                return True
            self._room = room
        return super().event(event)

    @property
    def is_start_shown(self) -> bool:
        return self.currentIndex() == 0

    @property
    def current_window(self) -> "RunWindow | None":
        from inspector.gui.panes.run_window import RunWindow

        current = self._workspace.current
        window = self._windows.get(current) if current else None
        return window if isinstance(window, RunWindow) else None

    @property
    def current_comparison_window(self) -> "ComparisonWindow | None":
        from inspector.gui.panes.comparison_window import ComparisonWindow

        current = self._workspace.current_comparison
        window = self._windows.get(current) if current else None
        return window if isinstance(window, ComparisonWindow) else None

    @property
    def current_cohort_window(self) -> "CohortWindow | None":
        from inspector.gui.panes.cohort_window import CohortWindow

        current = self._workspace.current_cohort
        window = self._windows.get(current) if current else None
        return window if isinstance(window, CohortWindow) else None

    @property
    def current_replay_window(self) -> "ReplayWindow | None":
        from inspector.gui.panes.replay_window import ReplayWindow

        current = self._workspace.current_replay
        window = self._windows.get(current) if current else None
        return window if isinstance(window, ReplayWindow) else None

    @property
    def speaking_window(
        self,
    ) -> "Window | None":
        """The window of the tab in front, which says things in its status line."""
        current = self._workspace.current_item
        return self._windows.get(current) if current else None

    def show_start(self) -> None:
        """Bring the start page to the front."""
        self.start_page.show()
        self.setCurrentIndex(0)
        self.start_page.take_focus()

    def keep_layout(self) -> None:
        """Remember where the panes of the current run stand, for the next ones."""
        if window := self.current_window:
            self._memory.keep_bytes(_LAYOUT, window.layout_state())

    def _on_added(self, open_run: OpenRun) -> None:
        # Imported when the first run is shown: an empty window needs none of it.
        from inspector.gui.panes.run_window import RunWindow

        self.keep_layout()
        window = RunWindow(open_run)
        self._windows[open_run] = window
        window.restore_layout(self._memory.bytes(_LAYOUT))
        window.reload_requested.connect(self.reload_requested)
        window.failure_requested.connect(self.failure_requested)
        self.addTab(window, "")
        open_run.moved.connect(lambda: self._name_tab(open_run))
        self._name_tab(open_run)

    def _on_comparison_added(self, comparison: OpenComparison) -> None:
        from inspector.gui.panes.comparison_window import ComparisonWindow

        self.keep_layout()
        window = ComparisonWindow(comparison)
        self._windows[comparison] = window
        self.addTab(window, "")
        comparison.asked.connect(lambda: self._name_tab(comparison))
        self._name_tab(comparison)
        self.comparison_added.emit(window)

    def _on_replay_added(self, replay: OpenReplay) -> None:
        from inspector.gui.panes.replay_window import ReplayWindow

        self.keep_layout()
        window = ReplayWindow(replay)
        self._windows[replay] = window
        self.addTab(window, "")
        self._name_tab(replay)
        self.replay_added.emit(window)
        # Its end may open a comparison: what that is made of is loaded meanwhile.
        replay.tasks.start(_load_comparisons, done=_ignore, failed=_ignore, key="load")

    def _on_cohort_added(self, cohort: OpenCohort) -> None:
        from inspector.gui.panes.cohort_window import CohortWindow

        self.keep_layout()
        window = CohortWindow(cohort)
        self._windows[cohort] = window
        self.addTab(window, "")
        cohort.asked.connect(lambda: self._name_tab(cohort))
        self._name_tab(cohort)
        self.cohort_added.emit(window)

    def _on_hayhooks_added(self, opened: OpenHayhooks) -> None:
        from importlib.util import find_spec

        from inspector.gui.panes.hayhooks_window import HayhooksWindow

        self.keep_layout()
        window = HayhooksWindow(opened, has_hayhooks=find_spec("hayhooks") is not None)
        self._windows[opened] = window
        self.addTab(window, "")
        self._name_tab(opened)
        self.hayhooks_added.emit(window)

    def _on_execution_added(self, opened: OpenExecution) -> None:
        from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow

        self.keep_layout()
        window = HayhooksExecutionWindow(opened)
        self._windows[opened] = window
        self.addTab(window, "")
        self._name_tab(opened)
        self.execution_added.emit(window)

    def _on_agents_added(self, opened: OpenAgents) -> None:
        from inspector.gui.panes.a2a_window import A2AWindow

        self.keep_layout()
        window = A2AWindow(opened)
        self._windows[opened] = window
        self.addTab(window, "")
        self._name_tab(opened)
        self.agents_added.emit(window)

    def _on_task_added(self, opened: OpenTask) -> None:
        from inspector.gui.panes.a2a_task_window import A2ATaskWindow

        self.keep_layout()
        window = A2ATaskWindow(opened)
        self._windows[opened] = window
        self.addTab(window, "")
        self._name_tab(opened)
        self.task_added.emit(window)

    def _name_tab(self, item: Item) -> None:
        from inspector.presentation.visible import one_line

        place = self.indexOf(self._windows[item])
        path = item.path if isinstance(item, OpenRun) else None
        self.setTabText(place, one_line(item.title).replace("&", "&&"))
        self.setTabToolTip(place, tip(one_line(str(path or item.title))))

    def _on_removed(self, item: Item) -> None:
        window = self._windows.pop(item)
        self.removeTab(self.indexOf(window))
        window.deleteLater()

    def _on_current_changed(self, item: Item | None) -> None:
        if item is None:
            self.show_start()
            return
        window = self._windows[item]
        self.setCurrentWidget(window)
        window.take_focus()

    def _on_tab_chosen(self, place: int) -> None:
        if place == 0:
            self.start_page.show()
            return
        self.keep_layout()
        for item, window in self._windows.items():
            if window is self.widget(place):
                self._workspace.make_current(item)

    def _on_close_requested(self, place: int) -> None:
        for item, window in list(self._windows.items()):
            if window is self.widget(place):
                self.keep_layout()
                self._workspace.remove(item)

    def _dress(self) -> None:
        self.setTabIcon(0, theme.icon("home", "secondary"))


def _load_comparisons(_cancelled: Cancelled) -> None:
    import inspector.diff.compare
    import inspector.gui.panes.comparison_window  # noqa: F401


def _ignore(_result: object) -> None:
    """Nothing follows from it."""
