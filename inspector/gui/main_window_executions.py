"""What the window makes of an execution: a run to look at, and a fork from its checkpoint."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.main_window_hayhooks import ExecutionHook, HayhooksOffers
from inspector.gui.messages import Messages
from inspector.gui.tasks.runner import Cancelled, Task
from inspector.gui.workspace.open_execution import OpenExecution

if TYPE_CHECKING:
    from inspector.gui.dialogs.fork_dialog import ForkDialog
    from inspector.gui.tasks.execution_runs import ForkRequest
    from inspector.gui.tasks.own_folder import OwnFolder


class ExecutionOffers(QObject):
    """Opens executions as runs and forks them. What a fork made goes with the window."""

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        hayhooks: HayhooksOffers,
        opener: OpenController,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._hayhooks = hayhooks
        self._opener = opener
        self._messages = messages
        self._show_dialog = show_dialog
        self._folder: OwnFolder | None = None
        self._forks = 0
        self._last: ForkRequest | None = None
        hayhooks.hook(
            run=ExecutionHook(lambda opened: opened.execution is not None, self._open_run),
            fork=ExecutionHook(_has_run, self._ask_to_fork),
        )

    def close(self) -> None:
        """Take away what forks have made."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def _open_run(self, opened: OpenExecution) -> None:
        from inspector.gui.tasks.execution_runs import (
            STORE_VARIABLE,
            document_of,
            has_hayhooks,
            recorded_folder,
        )

        execution = opened.execution
        if execution is None:
            return
        if (folder := recorded_folder(opened.execution_id)) is not None:
            self._opener.open([folder])
            return
        controller = self._hayhooks.controller
        client = controller.client(opened.server)
        store = os.environ.get(STORE_VARIABLE) or opened.server.redis_url
        place = store if has_hayhooks() else None

        def work(cancelled: Cancelled) -> bytes:
            try:
                return document_of(client, controller.index(), execution, place, cancelled)
            finally:
                client.close()

        opened.tasks.start(
            work,
            done=lambda data: self._opener.open_bytes(data, opened.title),
            failed=self._messages.failed,
            key="as run",
        )

    def _ask_to_fork(self, opened: OpenExecution) -> None:
        from dataclasses import replace

        from inspector.gui.dialogs.fork_dialog import ForkDialog
        from inspector.gui.tasks.execution_runs import STORE_VARIABLE, ForkRequest
        from inspector.presentation.visible import one_line

        store = os.environ.get(STORE_VARIABLE) or opened.server.redis_url or ""
        last = self._last or ForkRequest(store, "")
        request = replace(last, store=store or last.store, answer="")
        execution = opened.execution
        waiting = execution.waiting if execution is not None else None
        waits_for = one_line(waiting.message or waiting.kind)[:300] if waiting is not None else ""

        def make() -> QDialog:
            dialog = ForkDialog(f"Fork {opened.title}", request, waits_for, self._window)
            dialog.fork_requested.connect(lambda wanted: self._fork(opened, dialog, wanted))
            return dialog

        self._show_dialog(f"hayhooks fork {id(opened)}", make)

    def _fork(self, opened: OpenExecution, dialog: "ForkDialog", wanted: "ForkRequest") -> None:
        from inspector.gui.tasks.execution_runs import forked_to

        self._last = wanted
        self._forks += 1
        place = self._place(f"{opened.title} fork {self._forks}")
        reports = dialog.reports

        def work(cancelled: Cancelled) -> str:
            return forked_to(
                place, wanted, opened.deployment, opened.execution_id, reports.append, cancelled
            )

        def done(status: str) -> None:
            dialog.accept()
            self._opener.open([place])
            self.said.emit(f"The fork is {status}. Save it to keep it.")

        task: Task = opened.tasks.start(
            work, done=done, failed=dialog.show_failure, key=("fork", self._forks)
        )
        dialog.cancel_requested.connect(lambda: task.cancel())  # noqa: PLW0108 - a Task is no QObject, nor can Qt hold it weakly

    def _place(self, title: str) -> Path:
        from inspector.gui.tasks.own_folder import OwnFolder

        if self._folder is None:
            self._folder = OwnFolder()
        name = "".join(each if each.isalnum() or each in " -_" else "_" for each in title)
        return self._folder.path / f"{name[:100]}.run.json"


def _has_run(opened: OpenExecution) -> bool:
    execution = opened.execution
    return execution is not None and execution.row.attempt > 0
