"""What the window offers to do with agents of A2A and their tasks."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.errors import InspectorError
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.messages import Messages
from inspector.gui.workspace.open_task import Answer, OpenTask
from inspector.gui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.gui.controllers.a2a_controller import A2AController
    from inspector.gui.dialogs.a2a_send_dialog import A2ASendDialog
    from inspector.gui.panes.a2a_task_window import A2ATaskWindow
    from inspector.gui.panes.a2a_window import A2AWindow
    from inspector.hayhooks.client.access import Access
    from inspector.hayhooks.client.model import Server
    from inspector.importers.a2a_told import A2ATask


class A2AOffers(QObject):
    """Shows the tabs and dialogs of agents, and has done what is asked for in them.

    Nothing of it is loaded before somebody asks. It holds the secrets of the session, which
    end with the window.
    """

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        opener: OpenController,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._opener = opener
        self._messages = messages
        self._show_dialog = show_dialog
        self._made: A2AController | None = None
        self._tab: A2AWindow | None = None
        self._tasks: dict[OpenTask, A2ATaskWindow] = {}
        workspace.task_removed.connect(lambda opened: self._tasks.pop(opened, None))

    @property
    def controller(self) -> "A2AController":
        """Who asks agents; made when it is first needed."""
        if self._made is None:
            from inspector.gui.controllers.a2a_controller import A2AController

            self._made = A2AController(self._workspace, self._messages, self)
        return self._made

    def close(self) -> None:
        """End what goes on beside the window."""
        if self._made is not None:
            self._made.close()

    # What actions ask for

    def open(self) -> None:
        """Show the agents and their tasks."""
        self.controller.open()

    def refresh(self) -> None:
        """Ask all agents now."""
        self.controller.refresh()

    def search(self) -> None:
        """Put the caret into the search of the table."""
        if self._tab is not None and self._workspace.current_agents is not None:
            self._tab.begin_search()

    def send(self) -> None:
        """Ask what to say, and to whom."""
        chosen = self.controller.open().chosen
        self._ask_to_send(chosen.name if chosen is not None else "")

    def add(self) -> None:
        """Ask for an agent."""
        self.controller.open()
        self._ask_for_agent("")

    def answer(self) -> None:
        """Bring the form to the front that answers what the task in front asks for."""
        current = self._workspace.current_task
        if current is not None and (window := self._tasks.get(current)) is not None:
            if window.answer_pane.is_asking:
                window.ask_for_answer()
            else:
                window.say("It asks for nothing now.")

    def cancel(self) -> None:
        """Ask whether to cancel the task in front."""
        if (current := self._workspace.current_task) is not None:
            self._ask_to_cancel(current)

    def open_run(self) -> None:
        """Open the task in front as a run."""
        if (current := self._workspace.current_task) is not None:
            self._open_run(current)

    def hurry(self) -> None:
        """Ask the agent of the task in front now."""
        if (current := self._workspace.current_task) is not None:
            current.hurry()

    # Tabs

    def tie(self, window: "A2AWindow") -> None:
        """Do what is asked for in the tab of agents."""
        self._tab = window
        window.destroyed.connect(self._forget_tab)
        window.open_requested.connect(self._open)
        window.send_requested.connect(self._ask_to_send)
        window.add_requested.connect(lambda: self._ask_for_agent(""))
        window.edit_requested.connect(self._ask_for_agent)
        window.remove_requested.connect(self._ask_to_remove)
        window.refresh_requested.connect(self.controller.refresh)

    def tie_task(self, window: "A2ATaskWindow") -> None:
        """Do what is asked for in the tab of a task."""
        self._tasks[window.open_task] = window
        window.cancel_requested.connect(self._ask_to_cancel)
        window.run_requested.connect(self._open_run)

    def _forget_tab(self) -> None:
        self._tab = None

    def _open(self, name: str, task: "A2ATask") -> None:
        server = self.controller.server_named(name)
        if server is None:
            return
        try:
            self.controller.open_task(server, task.id, task)
        except InspectorError as error:
            self._messages.failed(error)

    def _open_run(self, opened: OpenTask) -> None:
        self.controller.fetch(
            opened,
            done=lambda data: self._opener.open_bytes(data, opened.title),
            failed=self._messages.failed,
        )

    # Dialogs

    def _ask_for_agent(self, name: str) -> None:
        from inspector.gui.dialogs.a2a_agent_dialog import A2AAgentDialog

        controller = self.controller
        server = controller.server_named(name) if name else None

        def make() -> QDialog:
            known = controller.secrets.has(server) if server is not None else (False, frozenset())
            dialog = A2AAgentDialog(server, known, self._window)

            is_there = [True]
            dialog.destroyed.connect(is_there.clear)

            def say(problem: str) -> None:
                if is_there:
                    dialog.show_answer(problem)

            def save(given: "tuple[Server, ...]", access: "Access", keep: bool) -> None:
                if server is not None:
                    controller.book.change(name, given[0], access, say)
                else:
                    self._add(list(given), access, say)
                if keep:
                    for each in given:
                        controller.book.keep(each, access, self._say_kept)

            dialog.save_requested.connect(save)
            return dialog

        self._show_dialog(f"a2a agent {name}", make)

    def _add(self, left: "list[Server]", access: "Access", say: "Callable[[str], None]") -> None:
        """Add agents one after the other, each under a name that is free."""
        book = self.controller.book
        views = self.controller.open().views
        taken, urls = {view.name for view in views}, {view.server.url for view in views}
        waiting = [each for each in left if each.url.rstrip("/") not in urls]
        if not waiting:
            say("It is in the list already.")
            return

        def next_one(problem: str) -> None:
            if problem or not waiting:
                say(problem)
                return
            server = _named(waiting.pop(0), taken)
            taken.add(server.name)
            book.add(server, access, next_one)

        next_one("")

    def _say_kept(self, problem: str) -> None:
        words = f"Not kept in the keyring. {problem}" if problem else "Kept in the keyring."
        self.said.emit(words)

    def _ask_to_remove(self, name: str) -> None:
        from inspector.gui.dialogs.hayhooks_sure_dialog import HayhooksSureDialog
        from inspector.presentation.visible import one_line

        def make() -> QDialog:
            dialog = HayhooksSureDialog(
                f"Remove {one_line(name)} from this list?",
                "It is not asked any more, and its tasks are not listed here.",
                "Nothing at the agent changes. What the keyring has for it stays there.",
                verb="Remove the agent",
                leave="Leave it",
                parent=self._window,
            )
            dialog.agreed.connect(lambda: self._remove(name))
            return dialog

        self._show_dialog(f"a2a remove {name}", make)

    def _remove(self, name: str) -> None:
        server = self.controller.server_named(name)
        if server is not None:
            self.controller.book.remove(server)

    def _ask_to_cancel(self, opened: OpenTask) -> None:
        from inspector.gui.dialogs.hayhooks_sure_dialog import HayhooksSureDialog
        from inspector.presentation.a2a_words import cancel_words

        task = opened.task
        if task is None or task.is_over or opened.asking:
            return
        words = cancel_words(task)

        def make() -> QDialog:
            dialog = HayhooksSureDialog(
                f"Cancel {opened.title}?",
                words.will,
                words.will_not,
                verb="Cancel the task",
                leave="Let it go on",
                parent=self._window,
            )
            dialog.agreed.connect(opened.cancel)
            return dialog

        self._show_dialog(f"a2a cancel {id(opened)}", make)

    def _ask_to_send(self, name: str) -> None:
        from inspector.gui.dialogs.a2a_send_dialog import A2ASendDialog

        views = self.controller.open().views

        def make() -> QDialog:
            dialog = A2ASendDialog(views, name, self._window)
            dialog.send_requested.connect(
                lambda agent, said, key: self._send(dialog, agent, said, key)
            )
            return dialog

        self._show_dialog("a2a send", make)

    def _send(self, dialog: "A2ASendDialog", name: str, said: Answer, key: str) -> None:
        controller = self.controller
        server = controller.server_named(name)
        if server is None:
            return
        is_there = [True]
        dialog.destroyed.connect(is_there.clear)

        def done(task: "A2ATask") -> None:
            if not task.id:
                if is_there:
                    dialog.show_reply(task.text)
                return
            if is_there:
                dialog.accept()
            self._open(name, task)

        def failed(error: Exception) -> None:
            if is_there:
                dialog.show_refusal(error)
            else:
                self._messages.failed(error)

        controller.send(server, said, key, done=done, failed=failed)


def _named(server: "Server", taken: set[str]) -> "Server":
    from dataclasses import replace
    from urllib.parse import urlsplit

    parts = urlsplit(server.url)
    last = parts.path.rstrip("/").rpartition("/")[2]
    base = server.name or last or parts.netloc
    name, number = base, 2
    while name in taken:
        name, number = f"{base} {number}", number + 1
    return replace(server, name=name)
