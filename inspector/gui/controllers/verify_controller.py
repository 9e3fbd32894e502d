"""Checks the digest of what was opened, after it is shown."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from inspector.errors import InspectorError
from inspector.gui.messages import Messages
from inspector.gui.tasks.runner import Cancelled
from inspector.gui.workspace.open_run import Freshness, OpenRun
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.runfile.verify import Integrity
    from inspector.trust.signing import Signed

_AFTER_MS = 500


class VerifyController(QObject):
    """Says of each open run whether its file is as its writer left it."""

    def __init__(
        self, workspace: Workspace, messages: Messages, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._messages = messages
        workspace.added.connect(self._on_added)
        for open_run in workspace.open_runs:
            self._on_added(open_run)

    def _on_added(self, open_run: OpenRun) -> None:
        open_run.freshness_changed.connect(lambda _fresh: self._check_when_settled(open_run))
        # Not at once: what a person waits for comes first.
        QTimer.singleShot(_AFTER_MS, open_run, lambda: self._check_when_settled(open_run))

    def _check_when_settled(self, open_run: OpenRun) -> None:
        # A journal has no digest until it is finished, and a stale file is another file.
        if open_run.freshness is not Freshness.READ_ONLY:
            return
        run, path = open_run.run, open_run.path

        def check(cancelled: Cancelled) -> "tuple[Integrity, Signed | None]":
            from inspector.runfile.verify import verify_run
            from inspector.trust.signing import signature_beside

            integrity = verify_run(run, cancelled=cancelled)
            return integrity, signature_beside(path) if path is not None else None

        def failed(error: Exception) -> None:
            if isinstance(error, InspectorError):
                # It could be read a moment ago: somebody wrote to it since.
                open_run.set_freshness(Freshness.STALE)
            else:
                self._messages.failed(error)

        open_run.tasks.start(
            check, done=lambda both: open_run.set_integrity(*both), failed=failed, key="verify"
        )
