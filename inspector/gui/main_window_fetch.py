"""What the window offers to do with a link to GitHub."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from inspector.gui.controllers.fetch_controller import FetchController
from inspector.gui.controllers.open_controller import OpenController
from inspector.gui.main_window_compare import ShowDialog
from inspector.gui.settings import Memory
from inspector.presentation.words import plural
from inspector.replay.keys import SessionKeys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspector.gui.dialogs.fetch_dialog import FetchDialog
    from inspector.sources.offers import Listing, Offer


class FetchOffers(QObject):
    """Shows the dialog for a link, and has done what is asked for in it.

    It holds the token of the session, which ends with the window.
    """

    said = Signal(str)

    def __init__(
        self,
        window: QWidget,
        opener: OpenController,
        fetcher: FetchController,
        memory: Memory,
        show_dialog: ShowDialog,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._fetcher = fetcher
        self._memory = memory
        self._show_dialog = show_dialog
        self._keys = SessionKeys()
        self._dialog: FetchDialog | None = None
        opener.web_link_given.connect(self.ask_about)
        fetcher.listed.connect(self._on_listed)
        fetcher.failed.connect(self._on_failed)
        fetcher.moved.connect(self._on_moved)
        fetcher.opened.connect(self._on_opened)

    def ask(self) -> None:
        """Ask for a link."""
        self._show_dialog("fetch", self._make)

    def ask_about(self, link: str) -> None:
        """Ask whether a link that was pasted or dropped is to be looked at."""
        from inspector.sources.service import PUBLIC

        self.ask()
        if self._dialog is not None:
            # Both may be in use: the link says which of the two it is of.
            self._dialog.show_link(link, "" if PUBLIC.owns(link) else self._memory.github)

    def _make(self) -> QDialog:
        from inspector.gui.dialogs.fetch_dialog import FetchDialog

        dialog = self._dialog = FetchDialog(self._keys, self._memory.github, self._window)
        dialog.look_requested.connect(self._look)
        dialog.open_requested.connect(self._open)
        dialog.cancel_requested.connect(self._fetcher.cancel)
        dialog.finished.connect(lambda _code: self._forget(dialog))
        return dialog

    def _forget(self, dialog: QDialog) -> None:
        if self._dialog is dialog:
            self._dialog = None

    def _look(self, link: str, address: str, given: dict[str, str]) -> None:
        if self._dialog is not None and self._fetcher.look(link, address, given):
            if address.strip():
                self._memory.remember_github(address)
            self._dialog.show_waiting("Asking GitHub…")

    def _open(self, offers: "Sequence[Offer]") -> None:
        if self._dialog is not None:
            self._dialog.show_waiting(f"Fetching {plural(len(offers), 'run')}…")
        self._fetcher.fetch(offers)

    def _on_listed(self, listing: "Listing") -> None:
        if self._dialog is not None:
            self._dialog.show_listing(listing)

    def _on_failed(self, message: str, hint: str) -> None:
        if self._dialog is not None:
            self._dialog.show_failure(message, hint)

    def _on_moved(self, fraction: float) -> None:
        if self._dialog is not None:
            self._dialog.move_to(fraction)

    def _on_opened(self) -> None:
        if self._dialog is not None:
            self._dialog.accept()
