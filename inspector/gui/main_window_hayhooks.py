"""What the window offers to do with durable executions on Hayhooks servers."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.main_window_compare import ShowDialog
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


class HayhooksOffers(QObject):
    """Shows the tabs and dialogs of durable executions, and has done what is asked for in them.

    Nothing of it is loaded before somebody asks. It holds the secrets of the session, which
    end with the window.
    """

    said = Signal(str)

    def __init__(
        self, window: QWidget, workspace: Workspace, messages: Messages, show_dialog: ShowDialog
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._messages = messages
        self._show_dialog = show_dialog
        self._made: HayhooksController | None = None
        self._tabs: HayhooksWindow | None = None
        self._executions: dict[OpenExecution, HayhooksExecutionWindow] = {}
        self._run: ExecutionHook | None = None
        self._fork: ExecutionHook | None = None
        workspace.execution_removed.connect(lambda opened: self._executions.pop(opened, None))

    @property
    def controller(self) -> "HayhooksController":
        """Who asks servers; made when it is first needed."""
        if self._made is None:
            from inspector.gui.controllers.hayhooks_controller import HayhooksController

            self._made = HayhooksController(self._workspace, self._messages, self)
        return self._made

    def hook(self, *, run: ExecutionHook | None = None, fork: ExecutionHook | None = None) -> None:
        """Have executions opened as runs, or forked from their checkpoint, by somebody else."""
        self._run, self._fork = run or self._run, fork or self._fork
        for window in self._executions.values():
            self._offer(window)

    def close(self) -> None:
        """End what goes on beside the window."""
        if self._made is not None:
            self._made.close()

    # What actions ask for

    def open(self) -> None:
        """Show the servers and their executions."""
        self.controller.open()

    def refresh(self) -> None:
        """Ask all servers now."""
        self.controller.refresh()

    def search(self) -> None:
        """Put the caret into the search of the table."""
        if self._tabs is not None and self._workspace.current_hayhooks is not None:
            self._tabs.begin_search()

    def submit(self) -> None:
        """Ask what to submit."""
        self.controller.open()
        if self._tabs is not None:
            self._ask_to_submit(self._tabs.servers.current)

    def add(self) -> None:
        """Ask for a server."""
        self.controller.open()
        self._ask_for_server("")

    def resume(self) -> None:
        """Bring the form to the front that answers what the execution in front waits for."""
        current = self._workspace.current_execution
        if current is not None and (window := self._executions.get(current)) is not None:
            if window.resume_pane.is_asking:
                window.ask_for_answer()
            else:
                window.say("It waits for nothing now.")

    def cancel(self) -> None:
        """Ask whether to cancel the execution in front."""
        current = self._workspace.current_execution
        if current is not None:
            self._ask_to_cancel(current)

    def hurry(self) -> None:
        """Ask the server of the execution in front now."""
        if (current := self._workspace.current_execution) is not None:
            current.hurry()

    # Tabs

    def tie(self, window: "HayhooksWindow") -> None:
        """Do what is asked for in the tab of servers."""
        self._tabs = window
        window.destroyed.connect(self._forget_tab)
        window.open_requested.connect(self._open)
        window.submit_requested.connect(self._ask_to_submit)
        window.add_requested.connect(lambda: self._ask_for_server(""))
        window.edit_requested.connect(self._ask_for_server)
        window.remove_requested.connect(self._ask_to_remove)
        window.refresh_requested.connect(self.controller.refresh)

    def tie_execution(self, window: "HayhooksExecutionWindow") -> None:
        """Do what is asked for in the tab of an execution."""
        opened = window.open_execution
        self._executions[opened] = window
        window.cancel_requested.connect(self._ask_to_cancel)
        window.run_requested.connect(lambda one: self._run and self._run.do(one))
        window.fork_requested.connect(lambda one: self._fork and self._fork.do(one))
        opened.changed.connect(lambda: self._offer(window))
        self._offer(window)

    def _forget_tab(self) -> None:
        self._tabs = None

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

    def _say_kept(self, problem: str) -> None:
        words = f"Not kept in the keyring. {problem}" if problem else "Kept in the keyring."
        self.said.emit(words)

    def _ask_to_remove(self, name: str) -> None:
        from inspector.gui.dialogs.hayhooks_sure_dialog import HayhooksSureDialog
        from inspector.presentation.visible import one_line

        def make() -> QDialog:
            dialog = HayhooksSureDialog(
                f"Remove {one_line(name)} from this list?",
                "It is not asked any more, and its executions are not listed here.",
                "Nothing on the server changes. What the keyring has for it stays there.",
                verb="Remove the server",
                leave="Leave it",
                parent=self._window,
            )
            dialog.agreed.connect(lambda: self._remove(name))
            return dialog

        self._show_dialog(f"hayhooks remove {name}", make)

    def _remove(self, name: str) -> None:
        server = self.controller.server_named(name)
        if server is not None:
            self.controller.book.remove(server)

    def _ask_to_cancel(self, opened: OpenExecution) -> None:
        from inspector.gui.dialogs.hayhooks_sure_dialog import HayhooksSureDialog
        from inspector.presentation.execution_words import cancel_words

        execution = opened.execution
        if execution is None or execution.row.status.is_over or opened.asking:
            return
        words = cancel_words(execution.row)

        def make() -> QDialog:
            dialog = HayhooksSureDialog(
                f"Cancel {opened.title}?",
                words.will,
                words.will_not,
                verb="Cancel the execution",
                leave="Let it go on",
                parent=self._window,
            )
            dialog.agreed.connect(opened.cancel)
            return dialog

        self._show_dialog(f"hayhooks cancel {id(opened)}", make)

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
        is_there = [True]
        dialog.destroyed.connect(is_there.clear)

        def done(submitted: "Submitted") -> None:
            if is_there:
                dialog.accept()
            row = submitted.execution.row
            controller.open_execution(server, deployment.name, row.id, row)
            if submitted.was_known:
                self.said.emit("It had been submitted before: this is that execution.")

        def failed(error: Exception) -> None:
            if is_there:
                dialog.show_refusal(error)
            else:
                self._messages.failed(error)

        controller.submit(server, deployment, value, key, done=done, failed=failed)
