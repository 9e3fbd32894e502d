"""What the window asks before a replay of the run in front begins."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.main_window import MainWindow
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.settings import Memory
from inspector.gui.workspace.open_run import OpenRun
from inspector.gui.workspace.workspace import Workspace
from inspector.replay.keys import SessionKeys


class ReplayQuestions(QObject):
    """Shows the dialog before a replay, and begins what is asked for in it.

    It holds the keys of the session, which end with the window.
    """

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        replayer: ReplayController,
        memory: Memory,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._replayer = replayer
        self._memory = memory
        self._show_dialog = show_dialog
        self._keys = SessionKeys()
        self._open: dict[OpenRun, QDialog] = {}
        workspace.removed.connect(self._on_removed)

    def ask(self) -> None:
        """Ask how the run in front is to be replayed."""
        if (current := self._workspace.current) is not None:
            self._ask(current)

    def ask_live(self) -> None:
        """Ask whether the run in front is to run live from the selected span on."""
        if (current := self._workspace.current) is None:
            return
        selected = current.selection.span_id
        row = None if selected is None else current.run.table.row_of(selected)
        spans = current.run.spans
        first = next((span.path for span in spans if span.path), "") if row is None else ""
        path = first if row is None else spans[row].path or str(selected)
        self._ask(current, live_from=path)

    def _ask(self, open_run: OpenRun, live_from: str = "") -> None:
        def make() -> QDialog:
            from inspector.gui.dialogs.replay_dialog import Extras, ReplayDialog
            from inspector.presentation.breakpoints import engine_fields

            extras = Extras(
                overrides=open_run.changes.overrides(),
                changes=open_run.changes.words(),
                breakpoints=engine_fields(open_run.breakpoints.specs),
            )
            dialog = ReplayDialog(
                open_run,
                self._memory,
                self._keys,
                live_from=live_from,
                extras=extras,
                parent=self._window,
            )
            dialog.replay_requested.connect(self._replayer.start)
            self._open[open_run] = dialog
            dialog.destroyed.connect(lambda: self._open.pop(open_run, None))
            return dialog

        # One for each run: what is ticked for one is not ticked for another.
        self._show_dialog(f"replay {id(open_run)} {live_from}", make)

    def _on_removed(self, open_run: OpenRun) -> None:
        if (dialog := self._open.pop(open_run, None)) is not None:
            dialog.close()
