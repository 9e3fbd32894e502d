"""Starts replays beside the window, and moves the one in front."""

from PySide6.QtCore import QObject

from inspector.gui.messages import Messages
from inspector.gui.workspace.open_replay import OpenReplay
from inspector.gui.workspace.replay_request import ReplayRequest
from inspector.gui.workspace.workspace import Workspace


class ReplayController(QObject):
    """Opens a tab for each replay, drives its worker, and keeps what it leaves."""

    def __init__(
        self, workspace: Workspace, messages: Messages, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._messages = messages

    def start(self, request: ReplayRequest) -> OpenReplay:
        """Replay a recording in a tab of its own."""
        replay = OpenReplay(request)
        self._workspace.add(replay)
        return replay
