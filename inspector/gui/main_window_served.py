"""What the window offers to do with servers of any kind and the work on them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.messages import Messages

if TYPE_CHECKING:
    from inspector.gui.controllers.hayhooks_book import HayhooksBook
    from inspector.gui.panes.served_window import ServedWindow
    from inspector.gui.panes.served_work_window import ServedWorkWindow
    from inspector.hayhooks.client.model import Server


class Asks(Protocol):
    """Who asks the servers, such as a `HayhooksController`."""

    @property
    def book(self) -> "HayhooksBook": ...

    def open(self) -> object:
        """Show the servers in a tab."""

    def refresh(self, name: str = "") -> None:
        """Ask a server now, or all of them."""

    def server_named(self, name: str) -> "Server | None":
        """Return a server that is known."""

    def close(self) -> None:
        """End every question at once."""


class Work(Protocol):
    """What runs on a server and is open in a tab."""

    def cancel(self) -> None:
        """Ask that it ends."""

    def hurry(self) -> None:
        """Ask its server now."""


class Refusable(Protocol):
    """A dialog that says why something was not taken."""

    def show_refusal(self, error: Exception) -> None:
        """Say why."""


A = TypeVar("A", bound=Asks)
T = TypeVar("T", bound="ServedWindow")
O = TypeVar("O", bound=Work)  # noqa: E741 - what is open
W = TypeVar("W", bound="ServedWorkWindow")


class ServedOffers(QObject, Generic[A, T, O, W]):
    """Shows tabs and dialogs, and has done what is asked for in them.

    Nothing of it is loaded before somebody asks. It holds the secrets of the session, which
    end with the window.

    Args:
        window: Over which dialogs stand.
        messages: Where failures are told.
        show_dialog: Shows a dialog, once for each key.
        make: Makes who asks servers.
        has_tab: Says whether the tab of servers is in front.
        front: Returns the work whose tab is in front.
        nothing: What is said where that asks for nothing.

    """

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        messages: Messages,
        show_dialog: ShowDialog,
        *,
        make: Callable[[], A],
        has_tab: Callable[[], bool],
        front: Callable[[], O | None],
        nothing: str,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._messages = messages
        self._show_dialog = show_dialog
        self._make = make
        self._has_tab = has_tab
        self._front = front
        self._nothing = nothing
        self._made: A | None = None
        self._tab: T | None = None
        self._work: dict[O, W] = {}

    @property
    def controller(self) -> A:
        """Who asks servers; made when it is first needed."""
        if self._made is None:
            self._made = self._make()
        return self._made

    def close(self) -> None:
        """End what goes on beside the window."""
        if self._made is not None:
            self._made.close()

    # What actions ask for

    def open(self) -> None:
        """Show the servers and what runs on them."""
        self.controller.open()

    def refresh(self) -> None:
        """Ask all servers now."""
        self.controller.refresh()

    def search(self) -> None:
        """Put the caret into the search of the table."""
        if self._tab is not None and self._has_tab():
            self._tab.begin_search()

    def add(self) -> None:
        """Ask for a server."""
        self.controller.open()
        self._ask_for_server("")

    def answer(self) -> None:
        """Bring the form to the front that answers what the work in front asks for."""
        current = self._front()
        if current is not None and (window := self._work.get(current)) is not None:
            if window.is_asking:
                window.ask_for_answer()
            else:
                window.say(self._nothing)

    def cancel(self) -> None:
        """Ask whether to cancel the work in front."""
        if (current := self._front()) is not None:
            self._ask_to_cancel(current)

    def hurry(self) -> None:
        """Ask the server of the work in front now."""
        if (current := self._front()) is not None:
            current.hurry()

    # Tabs

    def tie(self, window: T) -> None:
        """Do what is asked for in the tab of servers."""
        self._tab = window
        window.destroyed.connect(self._forget_tab)
        window.add_requested.connect(lambda: self._ask_for_server(""))
        window.edit_requested.connect(self._ask_for_server)
        window.remove_requested.connect(self._ask_to_remove)
        window.refresh_requested.connect(self.controller.refresh)

    def _tie_work(self, opened: O, window: W) -> None:
        self._work[opened] = window
        window.cancel_requested.connect(self._ask_to_cancel)

    def _forget_work(self, opened: O) -> None:
        self._work.pop(opened, None)

    def _forget_tab(self) -> None:
        self._tab = None

    # Dialogs that each kind has of its own

    def _ask_for_server(self, name: str) -> None:
        """Ask for a server, or for what has changed of one."""

    def _ask_to_remove(self, name: str) -> None:
        """Ask whether to forget a server."""

    def _ask_to_cancel(self, opened: O) -> None:
        """Ask whether to cancel some work."""

    # What dialogs have in common

    def _make_sure(
        self,
        key: str,
        title: str,
        will: str,
        will_not: str,
        *,
        verb: str,
        leave: str,
        do: Callable[[], None],
    ) -> None:
        from inspector.gui.dialogs.hayhooks_sure_dialog import HayhooksSureDialog

        def make() -> QDialog:
            dialog = HayhooksSureDialog(
                title, will, will_not, verb=verb, leave=leave, parent=self._window
            )
            dialog.agreed.connect(do)
            return dialog

        self._show_dialog(key, make)

    def _remove(self, name: str) -> None:
        server = self.controller.server_named(name)
        if server is not None:
            self.controller.book.remove(server)

    def _say_kept(self, problem: str) -> None:
        words = f"Not kept in the keyring. {problem}" if problem else "Kept in the keyring."
        self.said.emit(words)

    def _say_refusal(
        self, dialog: Refusable, is_there: Callable[[], bool]
    ) -> Callable[[Exception], None]:
        """Return who hears why something was not taken, in the dialog if that is still there."""

        def failed(error: Exception) -> None:
            if is_there():
                dialog.show_refusal(error)
            else:
                self._messages.failed(error)

        return failed


def still_there(dialog: QDialog) -> Callable[[], bool]:
    """Return what tells whether Qt has not taken a dialog away yet."""
    there = [True]
    dialog.destroyed.connect(there.clear)
    return lambda: bool(there)
