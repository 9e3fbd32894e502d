"""What the window offers to do with a recording beside looking at it: change, replay, compare."""

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject

from inspector.gui.controllers.fetch_controller import FetchController
from inspector.gui.controllers.unseal_controller import UnsealController
from inspector.gui.main_window_a2a import A2AOffers
from inspector.gui.main_window_cohort import CohortOffers
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.main_window_executions import ExecutionOffers
from inspector.gui.main_window_export import ExportOffers
from inspector.gui.main_window_fetch import FetchOffers
from inspector.gui.main_window_hayhooks import HayhooksOffers
from inspector.gui.main_window_news import NewsOffers
from inspector.gui.main_window_seal import SealOffers
from inspector.gui.main_window_share import ShareOffers
from inspector.gui.main_window_what_if import WhatIfOffers

if TYPE_CHECKING:
    from inspector.gui.main_window import MainWindow
    from inspector.gui.main_window_content import Parts
    from inspector.gui.panes.run_tabs import RunTabs


class VariantOffers(NamedTuple):
    """Those who show the editors, the tables of runs, and what a replay would add."""

    what_if: WhatIfOffers
    cohorts: CohortOffers
    news: NewsOffers
    fetch: FetchOffers
    seal: SealOffers
    export: ExportOffers
    share: ShareOffers
    hayhooks: HayhooksOffers
    executions: ExecutionOffers
    a2a: A2AOffers

    @classmethod
    def made(cls, window: "MainWindow", parts: "Parts", show_dialog: ShowDialog) -> "VariantOffers":
        """Make all of them."""
        workspace, messages = parts.workspace, parts.messages
        fetcher = FetchController(parts.opener, parts.opener.tasks, messages, window)
        unsealer = UnsealController(parts.opener, parts.opener.tasks, messages, window)
        hayhooks = HayhooksOffers(window, workspace, messages, show_dialog)
        return cls(
            WhatIfOffers(window, workspace, parts.memory, show_dialog),
            CohortOffers(window, workspace, parts.cohorts, parts.memory, messages, show_dialog),
            NewsOffers(window, workspace, parts.replayer, messages, show_dialog),
            FetchOffers(window, parts.opener, fetcher, parts.memory, show_dialog),
            SealOffers(window, unsealer, workspace, parts.memory, show_dialog),
            ExportOffers(window, workspace, parts.memory, messages, show_dialog),
            ShareOffers(window, workspace, parts.memory, show_dialog),
            hayhooks,
            ExecutionOffers(window, hayhooks, parts.opener, messages, show_dialog),
            A2AOffers(window, workspace, parts.opener, messages, show_dialog),
        )

    @property
    def owners(self) -> dict[str, QObject]:
        """By the names under which the table of actions knows them."""
        return {
            "what-if": self.what_if,
            "cohorts": self.cohorts,
            "news": self.news,
            "fetch": self.fetch,
            "export": self.export,
            "share": self.share,
            "seal": self.seal,
            "hayhooks": self.hayhooks,
            "a2a": self.a2a,
        }

    def tie(self, tabs: "RunTabs") -> None:
        """Do what is asked for in tabs that they show."""
        tabs.cohort_added.connect(self.cohorts.tie)
        tabs.hayhooks_added.connect(self.hayhooks.tie)
        tabs.execution_added.connect(self.hayhooks.tie_execution)
        tabs.agents_added.connect(self.a2a.tie)
        tabs.task_added.connect(self.a2a.tie_task)

    def close(self) -> None:
        """End what goes on beside the window."""
        self.hayhooks.close()
        self.executions.close()
        self.a2a.close()
