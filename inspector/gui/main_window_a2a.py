"""What the window offers to do with agents of A2A and their tasks."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QWidget

from inspector.errors import InspectorError
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.main_window_served import ServedOffers, still_there
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


class A2AOffers(ServedOffers["A2AController", "A2AWindow", OpenTask, "A2ATaskWindow"]):
    """Has done what is asked for in the tab of agents and in the tabs of tasks."""

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        opener: OpenController,
        messages: Messages,
        show_dialog: ShowDialog,
    ) -> None:
        def make() -> "A2AController":
            from inspector.gui.controllers.a2a_controller import A2AController

            return A2AController(workspace, messages, self)

        super().__init__(
            window,
            messages,
            show_dialog,
            make=make,
            has_tab=lambda: workspace.current_agents is not None,
            front=lambda: workspace.current_task,
            nothing="It asks for nothing now.",
        )
        self._opener = opener
        workspace.task_removed.connect(self._forget_work)

    # What actions ask for

    def send(self) -> None:
        """Ask what to say, and to whom."""
        chosen = self.controller.open().chosen
        self._ask_to_send(chosen.name if chosen is not None else "")

    def open_run(self) -> None:
        """Open the task in front as a run."""
        if (current := self._front()) is not None:
            self._open_run(current)

    # Tabs

    def tie(self, window: "A2AWindow") -> None:
        """Do what is asked for in the tab of agents."""
        super().tie(window)
        window.open_requested.connect(self._open)
        window.send_requested.connect(self._ask_to_send)

    def tie_task(self, window: "A2ATaskWindow") -> None:
        """Do what is asked for in the tab of a task."""
        self._tie_work(window.open_task, window)
        window.run_requested.connect(self._open_run)

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

    def _ask_for_server(self, name: str) -> None:
        from inspector.gui.dialogs.a2a_agent_dialog import A2AAgentDialog

        controller = self.controller
        server = controller.server_named(name) if name else None

        def make() -> QDialog:
            known = controller.secrets.has(server) if server is not None else (False, frozenset())
            dialog = A2AAgentDialog(server, known, self._window)
            is_there = still_there(dialog)

            def say(problem: str) -> None:
                if is_there():
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

    def _ask_to_remove(self, name: str) -> None:
        from inspector.presentation.visible import one_line

        self._make_sure(
            f"a2a remove {name}",
            f"Remove {one_line(name)} from this list?",
            "It is not asked any more, and its tasks are not listed here.",
            "Nothing at the agent changes. What the keyring has for it stays there.",
            verb="Remove the agent",
            leave="Leave it",
            do=lambda: self._remove(name),
        )

    def _ask_to_cancel(self, opened: OpenTask) -> None:
        from inspector.presentation.a2a_words import cancel_words

        task = opened.task
        if task is None or task.is_over or opened.asking:
            return
        words = cancel_words(task)
        self._make_sure(
            f"a2a cancel {id(opened)}",
            f"Cancel {opened.title}?",
            words.will,
            words.will_not,
            verb="Cancel the task",
            leave="Let it go on",
            do=opened.cancel,
        )

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
        is_there = still_there(dialog)

        def done(task: "A2ATask") -> None:
            if not task.id:
                if is_there():
                    dialog.show_reply(task.text)
                return
            if is_there():
                dialog.accept()
            self._open(name, task)

        failed = self._say_refusal(dialog, is_there)
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
