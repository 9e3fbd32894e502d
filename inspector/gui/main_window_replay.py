"""What the window offers to do with replays: their results shown, compared and saved."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.main_window import MainWindow
from inspector.gui.settings import Memory
from inspector.gui.workspace.open_replay import OpenReplay, ReplayFocus
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from inspector.gui.panes.replay_window import ReplayWindow


class ReplayOffers(QObject):
    """Ties the tabs of replays to who does what is asked for in them."""

    def __init__(
        self,
        window: MainWindow,
        workspace: Workspace,
        replayer: ReplayController,
        memory: Memory,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._replayer = replayer
        self._memory = memory
        self.dialog: QWidget | None = None  # the newest that asks where to save

    def tie(self, window: "ReplayWindow") -> None:
        """Have what a person does in the tab of a replay done."""
        replayer = self._replayer
        window.compare_requested.connect(replayer.compare_result)
        window.open_requested.connect(replayer.open_result)
        window.save_requested.connect(self._ask_where)
        window.again_requested.connect(lambda replay: replayer.start(replay.request_again))
        window.span_requested.connect(replayer.show_span)
        window.arranger.failed.connect(replayer.fail)
        replay = window.open_replay
        window.span_pane.recorded_requested.connect(
            lambda focus: replayer.show_recorded(replay, focus)
        )
        window.span_pane.result_requested.connect(lambda focus: self._show(replay, focus))

    def save(self) -> None:
        """Ask where to put what the replay in front has left."""
        current = self._workspace.current_replay
        if current is not None and current.run is not None:
            self._ask_where(current)

    def _show(self, replay: OpenReplay, focus: ReplayFocus) -> None:
        self._replayer.show_span(replay, focus)

    def _ask_where(self, replay: OpenReplay) -> None:
        from inspector.gui.dialogs.save_run import ask_where_to_save_run

        def save(path: Path) -> None:
            self._memory.remember_folder(path.parent)
            self._replayer.save(replay, path)

        recording = replay.request.recording
        folder = recording.path.parent if recording.path else self._memory.last_folder
        stem = Path(recording.title).name.partition(".")[0] or "run"
        suggested = Path(folder or Path.home()) / f"{stem}-replay.run.json"
        self.dialog = ask_where_to_save_run(self._window, suggested, save)
