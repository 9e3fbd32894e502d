"""What the window asks after a replay that recorded what is new: whether it is to be kept."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.controllers.replay_controller import ReplayController
from inspector.gui.dialogs.dialogs_of import DialogsOf
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.messages import Messages
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.replay.extend import News

_RECORDS = "record_new"


class NewsOffers(QObject):
    """Shows what a replay would add to its recording, and adds it once somebody has agreed."""

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        replayer: ReplayController,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._messages = messages
        self._show_dialog = show_dialog
        self._adding: set[OpenReplay] = set()
        self._added: set[OpenReplay] = set()
        self._open: DialogsOf[OpenReplay] = DialogsOf()
        replayer.ended.connect(self._on_ended)
        workspace.replay_removed.connect(self._forget)

    def ask(self) -> None:
        """Show what the replay in front would add to its recording."""
        replay = self._workspace.current_replay
        if replay is None:
            return
        if replay in self._added:
            self.said.emit("It was added already.")
        elif replay in self._adding:
            self.said.emit("It is being added.")
        elif replay.run is None or str(replay.request.job.mode) != _RECORDS:
            self.said.emit("Only a replay that records what is new has anything to add.")
        else:
            self._offer(replay)

    def _on_ended(self, replay: OpenReplay) -> None:
        job = replay.request.job
        records = str(job.mode) == _RECORDS and not job.add_new
        if records and replay.run is not None and self._news(replay).calls:
            self._offer(replay)

    def _forget(self, replay: OpenReplay) -> None:
        self._open.close(replay)
        self._adding.discard(replay)
        self._added.discard(replay)

    def _news(self, replay: OpenReplay) -> "News":
        from inspector.replay.extend import News

        finished = (replay.live.finished if replay.live is not None else None) or {}
        told = finished.get("news")
        return News.from_dict(told if isinstance(told, dict) else {})

    def _offer(self, replay: OpenReplay) -> None:
        def make() -> QDialog:
            from inspector.gui.dialogs.news_dialog import NewsDialog

            name = Path(replay.request.job.run).name
            dialog = NewsDialog(self._news(replay), name, self._window)
            dialog.agreed.connect(lambda: self._add(replay))
            self._open.add(replay, dialog)
            return dialog

        self._show_dialog(f"news {id(replay)}", make)

    def _add(self, replay: OpenReplay) -> None:
        job, run = replay.request.job, replay.result()

        def work(_cancelled: Cancelled) -> Path:
            from inspector.replay.extend import extend
            from inspector.replay.policy import Policy

            treat: dict[str | type, str] = {}
            treat.update(job.treat)
            extend(Path(job.run), run, Policy(treat))
            return Path(job.run)

        def done(path: Path) -> None:
            self._adding.discard(replay)
            self._added.add(replay)
            self.said.emit(f"What is new was added to {path.name}.")

        def failed(error: Exception) -> None:
            self._adding.discard(replay)
            self._messages.failed(error)

        self._adding.add(replay)
        replay.tasks.start(work, done=done, failed=failed, key="news")
