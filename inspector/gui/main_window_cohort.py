"""What the window offers to do with several runs at once."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.controllers.cohort_controller import CohortController
from inspector.gui.messages import Messages
from inspector.gui.settings import Memory
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_cohort import CohortMember, OpenCohort
from inspector.gui.workspace.open_comparison import ComparedRun
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.gui.panes.cohort_window import CohortWindow

ShowDialog = Callable[[str, Callable[[], QDialog]], None]


class CohortOffers(QObject):
    """Lets a person choose runs for a table, and ties the tabs of tables to who does the rest."""

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        cohorts: CohortController,
        memory: Memory,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._cohorts = cohorts
        self._memory = memory
        self._messages = messages
        self._show_dialog = show_dialog

    def ask(self) -> None:
        """Let a person choose which of the open runs stand in a table."""
        choices = self._cohorts.all_runs()
        if len(choices) < 2:
            self.said.emit("A table needs at least two runs. Open another one first.")
            return
        self._choose("cohort", choices, 2, self._cohorts.open)

    def show_variants(self) -> None:
        """Show the recording in front, or that of the replay in front, with all its replays."""
        recording = self._recording_in_front()
        if recording is None or self._cohorts.show_variants(recording) is None:
            self.said.emit("There is no replay of this recording yet.")

    def tie(self, window: "CohortWindow") -> None:
        """Have what a person does in the tab of a table done."""
        window.open_requested.connect(self._cohorts.open_member)
        window.compare_requested.connect(self._cohorts.compare_member)
        window.cancel_requested.connect(self._cohorts.cancel)
        window.add_requested.connect(self._ask_for_more)
        window.page_requested.connect(self._ask_where)

    def _ask_for_more(self, cohort: OpenCohort) -> None:
        there = [each.side.run for each in cohort.members]
        choices = [
            each for each in self._cohorts.all_runs() if not any(each.side.run is r for r in there)
        ]
        if not choices:
            self.said.emit("Every open run stands in the table already. Open another one first.")
            return

        def add(members: list[CohortMember]) -> None:
            for member in members:
                cohort.add(member)

        self._choose(f"cohort {id(cohort)}", choices, 1, add)

    def _choose(
        self, key: str, choices: list[CohortMember], least: int, then: Callable[..., object]
    ) -> None:
        from inspector.gui.dialogs.cohort_dialog import CohortDialog

        def make() -> QDialog:
            dialog = CohortDialog(choices, least, self._window)
            dialog.chosen.connect(then)
            return dialog

        self._show_dialog(key, make)

    def _recording_in_front(self) -> ComparedRun | None:
        if (run := self._workspace.current) is not None:
            return ComparedRun(run.run, run.path, run.title)
        if (replay := self._workspace.current_replay) is not None:
            return replay.request.recording
        if (compared := self._workspace.current_comparison) is not None:
            return compared.left
        return None

    def _ask_where(self, cohort: OpenCohort) -> None:
        from inspector.gui.dialogs.save_page import ask_where_to_save_page

        if cohort.cohort is None:
            return
        folder = str(self._memory.last_folder or Path.home())
        ask_where_to_save_page(
            self._window, folder, "runs.html", lambda path: self._save(cohort, path)
        )

    def _save(self, cohort: OpenCohort, path: Path) -> None:
        found = cohort.cohort
        if found is None:
            return

        def work(_cancelled: Cancelled) -> Path:
            from inspector.export.cohort_html import cohort_html
            from inspector.runfile.files import replace

            for _ in replace(str(path), [cohort_html(found).encode()]):
                pass
            return path

        cohort.tasks.start(
            work, done=lambda saved: self.said.emit(f"Saved as {saved}."),
            failed=self._messages.failed, key="page",
        )  # fmt: skip
