"""What the window offers to do with durable executions on Hayhooks servers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.main_window_served import ServedOffers, still_there
from inspector.gui.messages import Messages
from inspector.gui.workspace.open_execution import OpenExecution
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from inspector.gui.controllers.hayhooks_controller import HayhooksController
    from inspector.gui.dialogs.hayhooks_submit_dialog import HayhooksSubmitDialog
    from inspector.gui.models.hayhooks_servers_model import ServerNode
    from inspector.gui.panes.hayhooks_execution_window import HayhooksExecutionWindow
    from inspector.gui.panes.hayhooks_window import HayhooksWindow
    from inspector.hayhooks.client.access import Access
    from inspector.hayhooks.client.model import Deployment, Server, Submitted
    from inspector.presentation.execution_list import Listed


class ExecutionHook(NamedTuple):
    """Something that another part of the window does with an execution.

    Args:
        may: Whether it can be done with this one; asked whenever something changed.
        do: Does it.

    """

    may: Callable[[OpenExecution], bool]
    do: Callable[[OpenExecution], None]


class HayhooksOffers(
    ServedOffers["HayhooksController", "HayhooksWindow", OpenExecution, "HayhooksExecutionWindow"]
):
    """Has done what is asked for in the tab of servers and in the tabs of executions."""

    def __init__(
        self, window: QWidget, workspace: Workspace, messages: Messages, show_dialog: ShowDialog
    ) -> None:
        def make() -> "HayhooksController":
            from inspector.gui.controllers.hayhooks_controller import HayhooksController

            return HayhooksController(workspace, messages, self)

        super().__init__(
            window,
            messages,
            show_dialog,
            make=make,
            has_tab=lambda: workspace.current_hayhooks is not None,
            front=lambda: workspace.current_execution,
            nothing="It waits for nothing now.",
        )
        self._run: ExecutionHook | None = None
        self._fork: ExecutionHook | None = None
        workspace.execution_removed.connect(self._forget_work)

    def hook(self, *, run: ExecutionHook | None = None, fork: ExecutionHook | None = None) -> None:
        """Have executions opened as runs, or forked from their checkpoint, by somebody else."""
        self._run, self._fork = run or self._run, fork or self._fork
        for window in self._work.values():
            self._offer(window)

    # What actions ask for

    def submit(self) -> None:
        """Ask what to submit."""
        self.controller.open()
        if self._tab is not None:
            self._ask_to_submit(self._tab.servers.current)

    # Tabs

    def tie(self, window: "HayhooksWindow") -> None:
        """Do what is asked for in the tab of servers."""
        super().tie(window)
        window.open_requested.connect(self._open)
        window.submit_requested.connect(self._ask_to_submit)

    def tie_execution(self, window: "HayhooksExecutionWindow") -> None:
        """Do what is asked for in the tab of an execution."""
        opened = window.open_execution
        self._tie_work(opened, window)
        window.run_requested.connect(lambda one: self._run and self._run.do(one))
        window.fork_requested.connect(lambda one: self._fork and self._fork.do(one))
        opened.changed.connect(lambda: self._offer(window))
        self._offer(window)

    def _offer(self, window: "HayhooksExecutionWindow") -> None:
        opened = window.open_execution
        run = self._run is not None and self._run.may(opened)
        fork = self._fork is not None and self._fork.may(opened)
        window.offer(run=run, fork=fork)

    def _open(self, listed: "Listed") -> None:
        server = self.controller.server_named(listed.server)
        if server is not None:
            row = listed.row
            self.controller.open_execution(server, row.deployment, row.id, row)

    # Dialogs

    def _ask_for_server(self, name: str) -> None:
        from inspector.gui.dialogs.hayhooks_server_dialog import HayhooksServerDialog

        controller = self.controller
        server = controller.server_named(name) if name else None

        def make() -> QDialog:
            known = controller.secrets.has(server) if server is not None else (False, frozenset())
            dialog = HayhooksServerDialog(server, known, self._window)

            def save(given: "Server", access: "Access", keep: bool) -> None:
                if server is None:
                    controller.book.add(given, access, dialog.show_answer)
                else:
                    controller.book.change(name, given, access, dialog.show_answer)
                if keep:
                    controller.book.keep(given, access, self._say_kept)

            dialog.save_requested.connect(save)
            return dialog

        self._show_dialog(f"hayhooks server {name}", make)

    def _ask_to_remove(self, name: str) -> None:
        from inspector.presentation.visible import one_line

        self._make_sure(
            f"hayhooks remove {name}",
            f"Remove {one_line(name)} from this list?",
            "It is not asked any more, and its executions are not listed here.",
            "Nothing on the server changes. What the keyring has for it stays there.",
            verb="Remove the server",
            leave="Leave it",
            do=lambda: self._remove(name),
        )

    def _ask_to_cancel(self, opened: OpenExecution) -> None:
        from inspector.presentation.execution_words import cancel_words

        execution = opened.execution
        if execution is None or execution.row.status.is_over or opened.asking:
            return
        words = cancel_words(execution.row)
        self._make_sure(
            f"hayhooks cancel {id(opened)}",
            f"Cancel {opened.title}?",
            words.will,
            words.will_not,
            verb="Cancel the execution",
            leave="Let it go on",
            do=opened.cancel,
        )

    def _ask_to_submit(self, node: "ServerNode") -> None:
        from inspector.gui.dialogs.hayhooks_submit_dialog import HayhooksSubmitDialog

        views = self.controller.open().views

        def make() -> QDialog:
            dialog = HayhooksSubmitDialog(views, node, self._window)

            def submit(name: str, deployment: "Deployment", value: Any, key: str) -> None:
                self._submit(dialog, name, deployment, value, key)

            dialog.submit_requested.connect(submit)
            return dialog

        self._show_dialog("hayhooks submit", make)

    def _submit(
        self,
        dialog: "HayhooksSubmitDialog",
        name: str,
        deployment: "Deployment",
        value: Any,
        key: str,
    ) -> None:
        controller = self.controller
        server = controller.server_named(name)
        if server is None:
            return
        is_there = still_there(dialog)

        def done(submitted: "Submitted") -> None:
            if is_there():
                dialog.accept()
            row = submitted.execution.row
            controller.open_execution(server, deployment.name, row.id, row)
            if submitted.was_known:
                self.said.emit("It had been submitted before: this is that execution.")

        failed = self._say_refusal(dialog, is_there)
        controller.submit(server, deployment, value, key, done=done, failed=failed)
