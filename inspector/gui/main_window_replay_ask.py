"""What the window asks before a replay of the run in front begins."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

from inspector.errors import InspectorError
from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.dialogs.dialogs_of import DialogsOf
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
        self._open: DialogsOf[OpenRun] = DialogsOf()
        workspace.added.connect(self._on_added)
        workspace.removed.connect(self._open.close)

    def ask(self) -> None:
        """Ask how the run in front is to be replayed."""
        if (current := self._workspace.current) is not None:
            self._ask(current)

    def ask_live(self) -> None:
        """Ask whether the run in front is to run live from the selected span on."""
        if (current := self._workspace.current) is not None:
            self._ask_from(current, current.selection.span_id or "")

    def _ask_from(self, open_run: OpenRun, span_id: str) -> None:
        """Ask about running live from a span on; from the first one where there is none."""
        spans = open_run.run.spans
        row = open_run.run.table.row_of(span_id) if span_id else None
        span = spans[row] if row is not None else next((one for one in spans if one.path), None)
        if span is not None:
            self._ask(open_run, live_from=span.path or span.id)

    def _ask(self, open_run: OpenRun, live_from: str = "") -> None:
        if open_run.is_sealed:
            self._replayer.refuse(
                InspectorError(
                    "A sealed run is not replayed here: a replay writes answers to the disk.",
                    hint="Unseal it first: run-inspector unseal FILE -o OUT",
                )
            )
            return

        def make() -> QDialog:
            from inspector.gui.dialogs.replay_dialog import Extras, ReplayDialog
            from inspector.presentation.breakpoints import engine_fields

            extras = Extras(
                overrides=open_run.changes.overrides(),
                changes=open_run.changes.words(),
                # Of when it begins: they are set beside the dialog, too.
                breakpoints=lambda: engine_fields(open_run.breakpoints.specs),
            )
            dialog = ReplayDialog(
                open_run,
                self._memory,
                self._keys,
                live_from=live_from,
                extras=extras,
                tell=self._replayer.said.emit,
                parent=self._window,
            )
            dialog.replay_requested.connect(self._replayer.start)
            dialog.setProperty("changes", open_run.changes.version)
            self._open.add(open_run, dialog)
            return dialog

        changes = open_run.changes
        for before in self._open.of(open_run):
            if before.property("changes") != changes.version:
                before.reject()  # it was asked before something was changed
        # One for each run: what is ticked for one is not ticked for another.
        self._show_dialog(f"replay {id(open_run)} {live_from} {changes.version}", make)

    def _on_added(self, open_run: OpenRun) -> None:
        open_run.live_asked.connect(lambda span_id: self._ask_from(open_run, span_id))
